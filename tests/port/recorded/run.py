"""Keeps what `bridge port` makes of all sources of the tests, and compares two checkouts.

    python -P tests/port/recorded/run.py record [--quick] [-n N] [--seeds N] FOLDER [TEST ...]
    python -P tests/port/recorded/run.py compare [--most N] [--no-bits] FOLDER FOLDER

`record` runs the tests of tests/port with the installed package and keeps headers, catalogues,
Fortran modules and refusals; then it ports the examples, fortran_stub, and what `ci/fuzz programs`
writes for the first seeds. It compares no results: that the tests pass is for the tests to say.
With --quick no compiler is found: tests fail where they would compile, most requests are made
before that. Both sides have to be recorded so.

`compare` prints what differs, the shortest texts first. Two headers that differ are run with
`Real = double` on the same states: "the same bits" says that only the text is another. The exit
status is 1 where something differs, and where one side has no such request.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


# ---- record -----------------------------------------------------------------------------------


def record(folder: Path, tests: Sequence[str], processes: int, seeds: int, quick: bool) -> int:
    """The status of pytest; 0 of tests that fail as `quick` makes them fail."""
    from port.recorded import compare, further

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SystemExit(f"{folder}: a folder that is empty or not there is wanted")
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "port.recorded.recorder"]
    command += ["--port-texts", str(folder.resolve()), "-p", "no:cacheprovider"]
    command += ["-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder", *tests]
    command += ["--no-compilers", "--tb=no", "-r", "N"] if quick else []
    environment = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1", **os.environ}
    own = [str(ROOT / "tests"), *environment.get("PYTHONPATH", "").split(os.pathsep)]
    environment |= {"PYTHONPATH": os.pathsep.join(filter(None, own)), "PYTHONSAFEPATH": "1"}
    path = [str(Path(sys.executable).parent), environment.get("PATH", "")]
    environment["PATH"] = os.pathsep.join(path)
    status = subprocess.run(command, cwd=ROOT, env=environment).returncode
    print(f"tests: {time.monotonic() - began:.0f} s, status {status}", flush=True)
    if quick and status == pytest.ExitCode.TESTS_FAILED:
        status = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        programs = Path(place, "programs")  # the name that texts have
        programs.mkdir()
        further.record(folder, programs, seeds)
    print(f"examples, fortran_stub, {seeds} seeds: {time.monotonic() - began:.0f} s")
    print(compare.count(compare.records(folder)))
    return status


# ---- compare ----------------------------------------------------------------------------------


def compare_(one: Path, other: Path, most: int, with_bits: bool) -> int:
    from port.recorded import bits, compare

    sides = []
    for folder in (one, other):
        if not (folder / "texts").is_dir():
            raise SystemExit(f"{folder}: a folder that `record` has filled is wanted")
        sides.append(compare.records(folder))
        print(f"{folder}: {compare.count(sides[-1])}")
    a, b = sides
    lacking = 0
    for folder, missing in ((one, b.keys() - a.keys()), (other, a.keys() - b.keys())):
        lacking += len(missing)
        if missing:
            print(f"{folder} has not {len(missing)} of the requests, among them")
            print(*(f"  {' '.join(text.split())[:400]}" for text in sorted(missing)[:5]), sep="\n")
    found = compare.ordered(compare.differences(a, b))
    told: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        for number, difference in enumerate(found):
            said = difference.kind
            text = difference.told(most)
            if difference.kind == "header" and with_bits and all(difference.texts):
                folder = Path(place, str(number))
                folder.mkdir()
                how, where = bits.compared(
                    difference.name, difference.texts, difference.arguments, folder
                )
                said += f" with {how}" if how != bits.UNKNOWN else f" {how}"
                text += f"\n  bits: {how}, {where}"
            told[said] += 1
            print(text, flush=True)
    differ = ", ".join(f"{n} {kind}" for kind, n in sorted(told.items())) or "nothing"
    print(f"differs: {differ}; asked of one side alone: {lacking}")
    return int(bool(found) or lacking > 0)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("record", help="keep what bridge port makes in a folder")
    one.add_argument("folder", type=Path, metavar="FOLDER")
    one.add_argument("tests", nargs="*", default=["tests/port"], metavar="TEST")
    one.add_argument("-n", type=int, default=2, metavar="N", help="processes (2)")
    one.add_argument("--seeds", type=int, default=6, metavar="N", help="of ci/fuzz programs (6)")
    one.add_argument("--quick", action="store_true", help="compile nothing: most, much sooner")
    two = commands.add_parser("compare", help="say what differs between two such folders")
    two.add_argument("folders", nargs=2, type=Path, metavar="FOLDER")
    two.add_argument("--most", type=int, default=12, metavar="N", help="lines of a difference")
    two.add_argument("--no-bits", action="store_true", help="do not run headers that differ")
    asked = parser.parse_args(words)
    if asked.command == "record":
        return record(asked.folder, asked.tests, asked.n, asked.seeds, asked.quick)
    before, after = asked.folders
    return compare_(before, after, asked.most, not asked.no_bits)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))
    sys.exit(main(sys.argv[1:]))
