"""What pip would install for another Python: resolve.py VERSION REPORT REQUIREMENTS...

pip finds the wheels of that Python, but reads the conditions of requirements (`; python_version <
"3.12"`) as its own Python does. So they are read again here: what is wanted under that Python
alone is asked for by name and resolved once more, what is wanted under this one alone is left out.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

#: The oldest C library of the distributions that ci/test runs on is 2.36, of Debian 12.
GLIBC = range(17, 37)


def resolve(version: str, report: Path, wanted: list[str]) -> list[dict[str, Any]]:
    """The packages of pip's report."""
    machine = platform.machine()
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in reversed(GLIBC)]
    platforms += [f"manylinux2014_{machine}", f"linux_{machine}"]
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    command += ["--dry-run", "--ignore-installed", "--only-binary", ":all:"]
    command += ["--target", str(report.with_suffix(""))]  # pip asks for one; nothing is written
    command += ["--python-version", version, "--implementation", "cp", "--report", str(report)]
    command += [word for one in platforms for word in ("--platform", one)]
    done = subprocess.run([*command, *wanted])
    if done.returncode:
        sys.exit(f"ci/lock: no set of wheels for Python {version}")
    return list(json.loads(report.read_text())["install"])


def reached(
    packages: list[dict[str, Any]], wanted: list[str], version: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """The packages that are wanted under that Python, and requirements that none of them is."""
    known = {canonicalize_name(one["metadata"]["name"]): one for one in packages}
    environment = {**default_environment(), "python_version": version}
    environment["python_full_version"] = f"{version}.0"
    found: dict[tuple[str, str], dict[str, Any]] = {}
    missing = []
    waiting = [Requirement(one) for one in wanted]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name not in known:
            missing.append(str(requirement).partition(";")[0].strip())
            continue
        for extra in ("", *requirement.extras):
            if (name, extra) in found:
                continue
            found[name, extra] = known[name]
            where = {**environment, "extra": extra}
            for text in known[name]["metadata"].get("requires_dist", ()):
                one = Requirement(text)
                if one.marker is None or one.marker.evaluate(where):
                    waiting.append(one)
    names = {name for name, _ in found}
    return [known[name] for name in sorted(names)], sorted(set(missing))


def main() -> None:
    version, report, *wanted = sys.argv[1:]
    more: list[str] = []
    while True:
        packages = resolve(version, Path(report), [*wanted, *more])
        chosen, missing = reached(packages, wanted, version)
        if not missing:
            break
        if set(missing) <= set(more):
            sys.exit(f"ci/lock: pip does not find {missing} for Python {version}")
        more += missing
    Path(report).write_text(json.dumps({"install": chosen}))


if __name__ == "__main__":
    main()
