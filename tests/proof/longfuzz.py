"""The long form of the fuzz tests: `ci/fuzz`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from port.randomchecked import checked
from port.randomfortran import nests, procedures
from proof.fuzzing import HERE, add, call_entries, spoil_texts

from bridge_port.survey.survey import DEPTH


def calls(folder: Path, first: int, seeds: int) -> int:
    total: Counter[str] = Counter()
    failed = 0
    for seed in range(first, first + seeds):
        try:
            add(total, call_entries(folder, seed, 3000))
        except AssertionError as broken:
            failed += 1
            print(broken)
    statuses: Counter[str] = Counter()
    for name, n in total.items():
        statuses[name.split()[1]] += n
    print(f"{sum(total.values())} calls, seeds {first} to {first + seeds - 1}, by status:")
    print("  " + ", ".join(f"{status}: {n}" for status, n in sorted(statuses.items())))
    entered = {name.split()[0] for name in total}
    worked = {name.split()[0] for name in total if name.endswith(" 0")}
    print(f"  {len(entered)} entry points, {len(worked)} of which succeeded at least once")
    print(f"  never: {' '.join(sorted(entered - worked)) or 'none'}")
    return failed


def texts(folder: Path, first: int, seeds: int) -> int:
    failed = 0
    for kind, cases in (("catalogue", 100), ("species", 300), ("source", 150), ("kept", 2000)):
        total: Counter[str] = Counter()
        for seed in range(first, first + seeds):
            try:
                total.update(spoil_texts(folder, kind, seed, cases))
            except AssertionError as broken:
                failed += 1
                print(broken)
        print(f"{kind}: " + ", ".join(f"{n} {how}" for how, n in sorted(total.items())))
    return failed


def properties(folder: Path, first: int, seeds: int) -> int:
    """The tests whose examples hypothesis chooses, each with other examples for every seed."""
    tests = HERE.parent
    files = [
        str(file) for file in sorted(tests.rglob("test_*.py")) if "@given(" in file.read_text()
    ]
    failed = 0
    for seed in range(first, first + seeds):
        chosen = ["--hypothesis-profile=seeds", f"--hypothesis-seed={seed}"]
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-k", "not cuda", *chosen, *files]
        command += ["-p", "no:cacheprovider", f"--basetemp={folder / str(seed)}"]
        done = subprocess.run(command, cwd=tests.parent, capture_output=True, text=True)
        failed += done.returncode != 0
        print(f"seed {seed}: {(done.stdout.splitlines() or [done.stderr])[-1]}")
        if done.returncode:
            print(done.stdout)
    return failed


def programs(folder: Path, first: int, seeds: int) -> int:
    """Random Fortran for `bridge port`, for every seed: 6 procedures of a point, 20 nests, and 4
    procedures with nests that a generated module runs."""
    sys.setrecursionlimit(DEPTH)
    failed = 0
    for kind, make, count in (
        ("procedures", procedures, 6),
        ("nests", nests, 20),
        ("checked", checked, 4),
    ):
        total: Counter[str] = Counter()
        for seed in range(first, first + seeds):
            place = folder / f"{kind}-{seed}"
            place.mkdir()
            try:
                total.update(make(place, seed, count))
            except AssertionError as broken:
                failed += 1
                print(f"seed {seed}: {broken}")
        print(f"{kind}: " + ", ".join(f"{n} {how}" for how, n in sorted(total.items())))
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(prog="ci/fuzz")
    parser.add_argument("what", choices=("calls", "texts", "properties", "programs"))
    parser.add_argument("seeds", type=int, nargs="?", default=20)
    parser.add_argument("first", type=int, nargs="?", default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        works = {"calls": calls, "texts": texts, "properties": properties, "programs": programs}
        work = works[options.what]
        failed = work(Path(folder), options.first, options.seeds)
    print(f"ci/fuzz {options.what}: findings: {failed or 'none'}")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
