"""`python -m bridge` is the command `bridge`."""

from bridge.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
