"""What runs, and what it met, from Fortran: doctor, fingerprint, status; typed and in F77."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hosts import Host, build

from bridge.fingerprint import lines

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def trust(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A host with its traps armed: the bridge's own work meets none."""
    folder = tmp_path_factory.mktemp("trust")
    return build(folder, [HERE / "trust.f90"], flags=("-ffpe-trap=invalid,zero",))


def numbers(words: list[str]) -> list[int]:
    return [int(word) for word in words]


def test_doctor(trust: Host) -> None:
    outcome = trust.run("doctor")
    assert outcome.status == 0, outcome.err
    told = json.loads((trust.program.parent / "report.json").read_text())
    sections = {one["name"]: one for one in told["sections"]}
    assert sections["Python"]["facts"]["chosen"].splitlines()[-1].endswith("is taken")
    assert sections["MPI"]["facts"]["host"] == "none in this process"
    assert sections["processor"]["facts"]["traps"] == "invalid zero"
    [armed] = sections["processor"]["problems"]
    assert "traps are armed (invalid zero)" in armed["what"]
    assert armed["remedy"].startswith("look at `status` before the results")
    assert not armed["stops"]


def test_doctor_in_the_log(trust: Host) -> None:
    outcome = trust.run("doctor-log")
    assert outcome.status == 0, outcome.err
    assert "bridge:   traps            invalid zero\n" in outcome.out
    assert "bridge:     mend: look at `status`" in outcome.out


def test_doctor_that_is_refused(trust: Host) -> None:
    outcome = trust.run("doctor-refused")
    assert outcome.words("file")[:4] == ["-3", "argument", "file:", "got"]
    assert " ".join(outcome.words("ranks")).endswith("wanted 'first' or 'all'")


def test_fingerprint(trust: Host) -> None:
    """In the log and in a file of a stream of bytes, the same."""
    outcome = trust.run("fingerprint")
    assert outcome.status == 0, outcome.err
    printed = lines.parse(outcome.out.encode(), "A", "log")
    kept = lines.read(str(trust.program.parent / "restart.bin"), "B")
    assert printed == kept
    assert printed["species"] == "O2 CH4" and printed["backend"] == "cpu"
    assert outcome.words("length") == ["0", "-4"]


@pytest.mark.parametrize("case", ["bound", "hidden"])
def test_counts(trust: Host, case: str) -> None:
    outcome = trust.run(case)
    assert outcome.status == 0, outcome.err
    assert numbers(outcome.words("small")) == [1, 1, *[0] * 13]
    assert numbers(outcome.words("large")) == [1, 1, *[0] * 30]
    first = "bridge: rank 0: set 'cells': i 2, j 2, k 2: BAD_T; "
    second = "bridge: rank 0: set 'cells': i 3, j 2, k 3: BAD_P; "
    shown = [line for line in outcome.out.splitlines() if "set 'cells': i " in line]
    assert [line[: len(first)] for line in shown] == [first, second, second]
    assert "T = -5" in shown[0] and "Y = 0.25 0.75" in shown[0]
    if case == "hidden":
        told = "eosThermalProperties on set 'cells'"
        total = f"bridge: status of {told}: 2 runs, of 16 points 2 BAD_T, 2 BAD_P"
        assert total in outcome.out.splitlines()  # of the report
        assert total.replace("status", "rank 0: status") in outcome.out.splitlines()[-1]
        assert outcome.out.count(f"rank 0: run of {told}: of 8 points 1 BAD_T, 1 BAD_P\n") == 1


def test_counts_of_a_program_that_asks_for_none(trust: Host) -> None:
    """Once, at the end."""
    outcome = trust.run("plain")
    assert outcome.status == 0, outcome.err
    told = "status of eosThermalProperties, all runs and launches: 2 BAD_T, 2 BAD_P"
    assert outcome.out.splitlines()[1:] == [f"bridge: rank 0: {told}"]


def test_what_is_refused(trust: Host) -> None:
    outcome = trust.run("unknown")
    assert outcome.words("counts")[0] == "-4"
    assert outcome.words("kept") == ["-7"]
    assert " ".join(outcome.words("policy")).endswith("wanted one of continue, stop")
    assert outcome.words("set")[0] == "-3"


def test_a_policy_that_stops(trust: Host) -> None:
    outcome = trust.run("stop")
    status, *words = outcome.words("run")
    assert int(status) == -9
    assert "of 8 points 1 BAD_T, 1 BAD_P; i 2, j 2, k 2: BAD_T; P = 10000000" in " ".join(words)
    assert outcome.words("written") == ["T"]
    assert outcome.words("again") == ["0"]
    ended = trust.run("abort")
    assert ended.status == 1 and "survived" not in ended.out
    assert "PointsError (BRIDGE_POINTS, status -9)" in ended.err


def test_f77(tmp_path: Path) -> None:
    host = build(tmp_path, [HERE / "trust77.f"], module=None)
    outcome = host.run()
    assert outcome.status == 0, outcome.err
    assert numbers(outcome.words("counts")) == [2, 0, 0]
    assert lines.parse(outcome.out.encode(), "A", "log")["species"] == "N2"
    assert outcome.words("short") == ["-3"]


def test_probe(trust: Host) -> None:
    """Every kernel's results at a point, of the run before."""
    outcome = trust.run("probe")
    assert outcome.status == 0, outcome.err
    assert "nothing has run on set 'cells'" in " ".join(outcome.words("before"))
    assert "bridge: eosThermalProperties at (2, 3, 2) of set 'cells'\n" in outcome.out
    density = next(line.split() for line in outcome.out.splitlines() if " rho " in line)
    assert float(density[-1]) == float(outcome.words("rho")[0])
    assert "argument i: got 1, wanted 2 to" in " ".join(outcome.words("outside"))
    assert "argument block: got 1, wanted 0" in " ".join(outcome.words("block"))
