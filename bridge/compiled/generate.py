"""Write a module of this folder: run by meson, and installed nowhere.

python generate.py MODULE OUTPUT.py SOURCE...

MODULE: interface, order or shared (C declarations between two marks of headers), species, tables,
policies or weights (YAML), catalogue (TOML).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def between(text: str, mark: str) -> str:
    return text.split(f"/* begin {mark} */")[1].split(f"/* end {mark} */")[0]


def declarations(mark: str, sources: list[Path], output: Path) -> None:
    """cffi's out-of-line ABI mode: a module that imports nothing but _cffi_backend."""
    import cffi

    builder = cffi.FFI()
    for source in sources:
        builder.cdef(between(source.read_text(encoding="utf-8"), mark))
    builder.set_source(f"bridge.compiled.{mark}", None)
    builder.emit_python_code(str(output))


def from_yaml(source: Path) -> Any:
    from runpy import run_path

    # by its file: the sources of the package cannot be imported
    load = run_path(str(Path(__file__).resolve().parents[1] / "yamlfiles.py"))["load"]
    return load(source.read_text(encoding="utf-8"))


def from_toml(source: Path) -> Any:
    import tomllib

    return tomllib.loads(source.read_text(encoding="utf-8"))


def content(value: Any, source: Path, output: Path) -> None:
    """A module with one literal; ValueError where the value is not one."""
    import ast

    text = repr(value)
    if ast.literal_eval(text) != value:
        raise ValueError(f"{source} holds values that Python cannot write as literals")
    text = f'"""Written from {source.name} by generate.py."""\n\nCONTENT = {text}\n'
    output.write_text(text, encoding="utf-8")


def main(module: str, output: Path, *sources: Path) -> None:
    source = sources[0]
    if module in ("interface", "order", "shared"):
        declarations(module, list(sources), output)
    elif module in ("species", "tables", "policies", "weights"):
        content(from_yaml(source), source, output)
    elif module == "catalogue":
        content(from_toml(source), source, output)
    else:
        raise SystemExit(f"generate.py: no module {module}")


if __name__ == "__main__":
    main(sys.argv[1], *(Path(argument) for argument in sys.argv[2:]))
