"""Procedures inside others: the variables of the unit around are arguments of the kernel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridge import cli
from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.program.captured import captured
from bridge_port.program.keeping import ALL
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.request import Request
from bridge_port.survey.processes import Clock
from bridge_port.survey.units import Looking
from bridge_port.translate.translate import translate

SOURCE = Path(__file__).parent / "checked" / "inside.f90"
WRITTEN = ("--as-output", "tau", "residual", "--as-inout", "weights", "calls")


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


def kernel(program: Program, name: str, **said: Any) -> Kernel:
    unit = program.lifted(program.find(name))
    return translate(program, PointProcedure(unit.name, unit, unit.place), Choices(**said))


def line(words: str) -> int:
    text = SOURCE.read_text()
    return text[: text.index(words)].count("\n") + 1


def test_what_it_names_is_an_argument(program: Program) -> None:
    rate = kernel(program, "rate")
    assert [q.argument for q in rate.inputs] == ["x", "mu", "wet", "tau"]  # tau of the function
    assert [q.about for q in rate.inputs][1] == "mu of subroutine solve"
    assert [one.name for one in rate.constants] == ["scaling"]  # of the module
    weigh = kernel(program, "weigh")
    assert {q.argument: q.shape for q in weigh.inputs} == {
        "x": (), "table": (2, 3), "tau": (), "weights": (3,)
    }  # fmt: skip
    assert [q.argument for q in kernel(program, "beside").inputs] == ["t", "tau"]
    lengths = kernel(program, "lengths", shapes={"times": [3], "found": [4]})
    assert {q.argument: q.shape for q in lengths.inputs} == {"times": (3,), "found": (4,)}
    advance = kernel(program, "advance", outside={"nsteps": "inout"})
    assert {q.argument for q in advance.inputs} == {
        "q", "dx", "heights", "drag", "nsteps"
    }  # fmt: skip
    assert {one.variable for one in advance.constants} == {"width", "ksize"}  # of COMMON


def test_a_procedure_on_its_own_is_what_it_was(program: Program) -> None:
    for name in ("unrelated", "solve"):
        unit = program.find(name)
        assert program.lifted(unit) is unit
    inner = program.find("weigh")
    assert inner.arguments == ["x", "y"] and not inner.captured
    assert program.lifted(inner) is program.lifted(inner)


@pytest.mark.parametrize(
    ("name", "outside", "at", "words"),
    [
        ("mark", {}, "if (x > 1) calls", "belongs to subroutine solve; points would see the"),
        (
            "mark",
            {"calls": "inout"},
            "tau = x * earth",
            "say --as-output tau, which makes it a result",
        ),
        (
            "mark",
            {"calls": "inout", "tau": "out"},
            "weights(0) = ",
            "say --as-inout weights: an argument that goes",
        ),
        (
            "mark",
            {"calls": "inout", "tau": "in"},
            "tau = x * earth",
            "it is said to be an input; say --as-inout tau",
        ),
        ("mark", {"weights": "out", ALL: ""}, "subroutine mark", "or leave it as it is; say --as"),
        ("mark", {"calls": "out", ALL: ""}, "subroutine mark", "may read it before it gives it"),
        ("rate", {"mu": "inout"}, "function rate", "rate gives it no value; say --as-input mu"),
        ("rate", {"dx": "inout"}, "function rate", "rate names no such variable"),
        ("advance", {}, "nsteps = nsteps + ksize", "it belongs to program waves; points would"),
        ("lengths", {}, "y = sum(times)", "array times: its shape is not known"),
        ("worked", {}, "real(dp), allocatable", "argument work: it is a pointer or allocatable"),
    ],
)
def test_refused(
    program: Program, name: str, outside: dict[str, str], at: str, words: str
) -> None:
    with pytest.raises(Refused) as refused:
        kernel(program, name, outside=outside)
    refusal = refused.value.refusal
    assert words in f"{refusal.construct}: {refusal.why}; {refusal.change}"
    assert refusal.place.line == line(at)


def test_what_is_written_is_what_the_user_says(program: Program) -> None:
    found = kernel(program, "mark", outside={ALL: ""})
    assert found.outside == {"tau": "--as-output", "weights": "--as-inout",
                             "calls": "--as-inout", "residual": "--as-output"}  # fmt: skip
    said = kernel(program, "mark", outside={"tau": "inout", ALL: ""})
    assert "tau" in {q.argument for q in said.inputs} & {q.argument for q in said.outputs}
    assert "tau" not in said.outside
    assert "tau" not in {q.argument for q in found.inputs}
    looked = Looking(program, Clock(), 20.0).look(program.find("mark"))
    assert looked.how == "point" and looked.outside == found.outside
    column = Looking(program, Clock(), 20.0).look(program.find("lengths"))
    assert column.how == "column" and column.shapes["times"] == [10]


def test_a_nest_takes_what_is_around_it() -> None:
    ported = Request(f"{SOURCE}@spread").ported()
    (found,) = ported.kernels
    assert {one.variable: one.shape for one in found.tables} == {"stencil": (3,)}
    assert ported.told("run").startswith("call run_spread(dt, stencil")
    assert "parameter :: halo = 2" in ported.module.text and "use ," not in ported.module.text


@pytest.mark.fortran
def test_against_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "own"
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    for name, words in (
        ("mark", WRITTEN), ("started", ()),
        ("advance", ("--as-inout", "nsteps")),
    ):  # fmt: skip
        assert cli.main(["port", f"{SOURCE}::{name}", "-o", str(folder), *words]) == 0
    assert cli.main(["port", f"{SOURCE}@spread", "-o", str(folder)]) == 0
    assert '"--as-inout", "weights"' in (folder / "port.toml").read_text()
    assert cli.main(["port", f"{SOURCE}::rate", "-o", str(folder), "--as-input", "mue"]) == 2
    said = capsys.readouterr()
    assert "of the unit around" in said.err

    def check(*words: str) -> dict[str, Any]:
        given = ["--isa", "v2", "--points", "200", "--json", *words]
        cli.main(["port", "--check", str(folder), *given])
        told = json.loads(capsys.readouterr().out)
        return {one["kernel"]: one for one in told["kernels"]}

    found = check()
    passed = {name: one["passed"] for name, one in found.items()}
    assert passed.pop("own_started") is False
    assert "the check cannot leave it out" in str(found["own_started"])
    assert passed == dict.fromkeys(("own_mark", "own_advance", "own_spread"), True)
    assert "nothing outside calls mark" in str(found["own_mark"])
    module = (folder / "own_spread_bridge.f90").read_text()
    assert "parameter :: halo = 2" in module and "use ," not in module
    outputs = {one["name"] for one in found["own_mark"]["machines"][0]["outputs"]}
    assert outputs == {"own_tau", "own_weights", "own_calls", "own_residual"}

    header = folder / "own_mark.h"
    text = header.read_text()
    assert "weights[1] = " in text
    header.write_text(text.replace("weights[1] = ", "weights[2] = "))
    broken = check("--kernel", "own_mark")["own_mark"]["machines"][0]["outputs"]
    assert [one["name"] for one in broken if one["failing"]] == ["own_weights"]


def test_variables_of_what_is_called_have_one_order(tmp_path: Path) -> None:
    """They become arguments: the order of a set is another one in each process."""
    letters = "abcdefghijkl"
    inner = "".join(
        f"  subroutine set_{one}\n    v_{one} = 1\n  end subroutine\n" for one in letters
    )
    calls = "".join(f"    call set_{one}\n" for one in letters)
    file = tmp_path / "inside.f90"
    file.write_text(
        f"subroutine outer({', '.join(f'v_{one}' for one in letters)})\n"
        f"  real(8) :: {', '.join(f'v_{one}' for one in letters)}\n"
        f"  call every\ncontains\n  subroutine every\n{calls}  end subroutine\n{inner}"
        "end subroutine\n"
    )
    program = Program([file])
    found = captured(program, program.find("outer"))
    assert list(found["every"]) == [f"v_{one}" for one in letters]
