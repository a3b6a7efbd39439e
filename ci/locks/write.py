"""Write a lock: write.py LOCK BUILD-REPORT TESTS-REPORT, reports as resolve.py leaves them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def main() -> None:
    lock, *reports = sys.argv[1:]
    known: dict[str, str] = {}
    for part, report in zip(("build", "tests"), reports, strict=True):
        lines = []
        for one in json.loads(Path(report).read_text())["install"]:
            name = re.sub(r"[-_.]+", "-", one["metadata"]["name"]).lower()
            info = one["download_info"]
            if info["url"].startswith("file:"):
                sys.exit(f"ci/lock: {name} comes from a folder of this machine, not from an index")
            version = one["metadata"]["version"]
            if known.setdefault(name, version) != version:
                sys.exit(f"ci/lock: {name} {version} for the {part}, {known[name]} for the build")
            digest = info["archive_info"]["hashes"]["sha256"]
            lines.append(f"{name}=={version} --hash=sha256:{digest}\n")
        file = Path(f"{lock}-{part}.txt")
        file.write_text(f"# Written by ci/lock.\n{''.join(sorted(lines))}")
        print(file, len(lines))


if __name__ == "__main__":
    main()
