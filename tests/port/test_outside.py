"""Variables of modules and COMMON: results and arguments of a point, tables, sizes of nests."""

from __future__ import annotations

import json
import subprocess
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from bridge import bridge_config, cli
from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.program.keeping import ALL
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.survey.processes import Clock
from bridge_port.survey.units import Looking
from bridge_port.translate.translate import translate

SOURCE = Path(__file__).parent / "checked" / "outside.f90"
CLOSURE = ("--as-output", "tke", "eps", "flux", "wet", "regime", "--private", "work", "parts")
RELAX = ("--as-output", "from_common", "grid%top", "--as-inout", "last", "calls", "spread",
         "bounds", "grid%weights", "--as-input", "forcing")  # fmt: skip


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


def kernel(program: Program, name: str, outside: dict[str, str]) -> Kernel:
    unit = program.find(name)
    return translate(
        program, PointProcedure(unit.name, unit, unit.place), Choices(outside=outside)
    )


def line(words: str, after: str = "") -> int:
    text = SOURCE.read_text()
    return text[: text.index(words, text.index(after))].count("\n") + 1


@pytest.mark.parametrize(
    ("name", "outside", "at", "words"),
    [
        ("jumps", {"eps": "inout"}, "tke = x\n  end subroutine jumps", "say --as-output tke"),
        ("jumps", {"tke": "out"}, "eps = x\n10", "say --as-inout eps"),
        ("jumps", {"tke": "out", "eps": "out"}, "", "jumps may leave it as it is"),
        ("leaves", {"tke": "inout", "eps": "out"}, "", "leaves may leave it as it is"),
        ("leaves", {"tke": "out", "eps": "inout"}, "", "leaves may leave it as it is"),
        ("shorter", {"flux": "out"}, "", "shorter may leave it as it is"),
        ("relax", {"last": "out"}, "", "relax may read it before it gives it a value"),
        ("relax", {"last": "in"}, "last = 0.5d0 *", "it is said to be an input"),
        ("held", {"tke": "inout"}, "", "held gives it no value; say --as-input tke"),
        ("held", {"wet": "in"}, "", "held names no such variable"),
        (
            "counted",
            {"tke": "inout"},
            "y = next(x) + tke",
            "it changes tke, which stands elsewhere",
        ),
        ("twice", {"tke": "inout"}, "y = next(x) * held()", "it changes tke, which held reads"),
        ("passed", {"tke": "out", "eps": "out"}, "call both(tke)", "both names it as well"),
        (
            "handed",
            {"tke": "inout", "eps": "out"},
            "call both(tke)\n    tke",
            "both names it as well",
        ),
        ("cached", {}, "if (x > shown) shown = x", "if it is a cache, --private shown"),
        ("scratched", {}, "t = x * x", "gives it a value before it reads it, and nothing else"),
        ("closure", {}, "work = s\n", "say --private work"),
        ("same", {}, "shared_a = x", "it shares memory by equivalence"),
        ("same", {"shared_a": "out"}, "", "it shares memory by equivalence"),
        ("whole", {ALL: ""}, "large = x", "large has 300 elements"),
        ("unknown", {ALL: ""}, "levels(2) = x", "levels is allocatable"),
        ("waves", {ALL: ""}, "wave = cmplx", "wave is complex(8)"),
        ("layout", {ALL: ""}, "one = x", "common /other/ is not the same in layout and of_other"),
    ],
)
def test_refused(
    program: Program, name: str, outside: dict[str, str], at: str, words: str
) -> None:
    with pytest.raises(Refused) as refused:
        kernel(program, name, outside)
    refusal = refused.value.refusal
    assert words in f"{refusal.construct}: {refusal.why}; {refusal.change}"
    assert Path(refusal.place.file).name == SOURCE.name
    assert not at or refusal.place.line == line(at)


def test_what_is_found_is_what_has_to_be_said(program: Program) -> None:
    found = kernel(program, "closure", {ALL: ""})
    assert found.outside == {
        "tke": "--as-output", "eps": "--as-output", "flux": "--as-output", "wet": "--as-output",
        "regime": "--as-output", "work": "--private", "parts": "--private",
    }  # fmt: skip
    assert [q.name for q in found.inputs] == ["s", "n"]
    assert {q.name for q in found.outputs} == {"nu", "tke", "eps", "flux", "wet", "regime"}
    assert kernel(program, "cached", {ALL: ""}).outside == {"shown": "--as-inout"}
    assert kernel(program, "scratched", {ALL: ""}).outside == {"t": "--private"}
    assert kernel(program, "turned", {ALL: ""}).outside == {"calls": "--as-output"}
    said = kernel(program, "tops", {"grid%top": "out"})
    assert [q.argument for q in said.outputs] == ["y", "grid%top"]
    tables = kernel(program, "losses", {}).tables
    assert {"kinds%mort", "stages%mort", "profile"} <= {t.variable for t in tables}
    alone, unit = copy(program), program.find("production")
    alone.units = []  # as in a survey
    made = translate(
        alone, PointProcedure("production", unit, unit.place), Choices(outside={ALL: ""})
    )
    assert made.outside == {"work": "--as-output", "parts": "--private", "eps": "--as-output"}
    looked = Looking(program, Clock(), 20.0).look(program.find("leaves"))
    assert looked.how == "point"
    assert looked.outside == {"tke": "--as-inout", "eps": "--as-inout"}


def test_a_name_has_to_be_one_of_a_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def port(*words: str) -> int:
        return cli.main(["port", f"{SOURCE}{words[0]}", "-o", str(tmp_path / "own"), *words[1:]])

    assert port("::closure", "--as-output", "tkee") == 2
    assert "got tkee" in capsys.readouterr().err
    assert port("::closure", "--as-output", "tke", "--as-inout", "tke") == 2
    assert "one option for each variable" in capsys.readouterr().err
    assert port("::counted", "--as-inout", "tke") == 1
    said = capsys.readouterr().err  # the statement that names tke is not there in a second trial
    assert "it changes tke" in said and "names no such" not in said
    assert port("@smoothed", "--as-output", "tke") == 2
    assert "a procedure of one point" in capsys.readouterr().err
    assert port("@smoothed", "--errors", "status") == 2
    assert "a nest gives its points no status" in capsys.readouterr().err
    assert port("@smoothed") == 1
    assert "print" in capsys.readouterr().err
    assert not (tmp_path / "own").exists()


@pytest.mark.fortran
def test_against_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "own"
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    for name, words in (
        ("::closure", CLOSURE), ("::relax", RELAX), ("::losses", ()),
        ("@smoothed", ("--drop-output",)),
    ):  # fmt: skip
        assert cli.main(["port", f"{SOURCE}{name}", "-o", str(folder), *words]) == 0
    said = capsys.readouterr().out
    inside = line("print *, 'large'")
    assert f"outside.f90:{inside} is left out" in said
    assert f"outside.f90:{line('print *, b(1, 1)')} is left out" not in said
    catalogue = (folder / "catalogue.toml").read_text()
    assert "[quantity.own_grid_top]" in catalogue and "grid%top of module settings" in catalogue
    asked = (folder / "port.toml").read_text()
    assert '"--as-input", "forcing"' in asked
    given = (folder / "own_losses_bridge.f90").read_text()
    assert "if (any(lbound(kinds) /= 1))" in given and "frame_table('own_stages_mort'" in given
    compiled(folder / "own_losses_bridge.f90", tmp_path)

    def check(*words: str) -> dict[str, Any]:
        given = ["--isa", "v2", "--points", "200", "--json", *words]
        cli.main(["port", "--check", str(folder), *given])
        told = json.loads(capsys.readouterr().out)
        return {one["kernel"]: one for one in told["kernels"]}

    found = check()
    assert {name: one["passed"] for name, one in found.items()} == dict.fromkeys(
        ("own_closure", "own_relax", "own_losses", "own_smoothed"), True
    )
    outputs = {one["name"] for one in found["own_relax"]["machines"][0]["outputs"]}
    assert {"own_last", "own_calls", "own_from_common", "own_bounds", "own_grid_top"} <= outputs

    header = folder / "own_relax.h"
    text = header.read_text()
    assert "calls = host.calls;" in text
    header.write_text(text.replace("calls = host.calls;", "calls = 0;"))
    broken = check("--kernel", "own_relax")["own_relax"]["machines"][0]["outputs"]
    assert [one["name"] for one in broken if one["failing"]] == ["own_calls"]


def compiled(module: Path, folder: Path) -> None:
    """With the file whose data it gives."""
    sources = bridge_config.sources("bridge_interfaces.f90", "bridge.f90")
    command = ["gfortran", "-fsyntax-only", "-J", str(folder), *sources, str(SOURCE), str(module)]
    subprocess.run(command, check=True, cwd=folder)
