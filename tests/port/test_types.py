"""Derived types of procedures of one point: kernels against gfortran, and which type is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from port.differential import Bench
from port.drivers import Case

from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.syntax.units import every
from bridge_port.translate.translate import translate

SOURCE = Path(__file__).parent / "constructs" / "types.f90"
TYPES = {"fluid_volume": {"this": "realGas"}, "kind_of": {"this": "realGas"}}
SHAPES = {"widest": {"l": (3,)}}


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


def kernel(program: Program, name: str, **types: str) -> Kernel:
    unit = program.find(name)
    said = types or TYPES.get(name, {})
    return translate(
        program,
        PointProcedure(name, unit, unit.place),
        Choices(prefix="k_", types=said, shapes=SHAPES.get(name, {})),
    )


@pytest.mark.fortran
def test_kernels_are_the_originals(program: Program, tmp_path: Path) -> None:
    cases = [
        Case(unit, kernel(program, unit.name), program, types=TYPES.get(unit.name, {}))
        for unit in every(program.units)
        if unit.kind in ("subroutine", "function") and unit.name != "setoptions"
    ]
    setup = ("use fluids, only: setoptions", "call setoptions()")
    bench = Bench(tmp_path, [SOURCE], cases, 3, setup, machines=("lanes", "scalar"))
    found = {one.unit.name: bench.differences(one, points=103)[:2] for one in cases}
    assert {name: differences for name, differences in found.items() if differences} == {}


def test_what_is_not_named_is_no_argument(program: Program) -> None:
    assert [q.argument for q in kernel(program, "passes").inputs] == ["x"]
    assert [q.argument for q in kernel(program, "bump").inputs] == [
        "l%t", "l%mass", "l%bounds%count", "by",
    ]  # fmt: skip
    assert "struct" not in kernel(program, "ignores").text


def test_arrays_of_types_are_arrays_of_their_components(program: Program) -> None:
    shapes = {q.argument: q.shape for q in kernel(program, "layers").inputs}
    assert shapes["c%layers%t"] == (3, 4) and shapes["few%mass"] == (3,)
    assert shapes["c%layers%bounds%count"] == (4,) and shapes["c%all%high"] == (2,)
    assert "c%field" not in shapes and "c%layers%bounds%low" in shapes


def test_data_of_a_module(program: Program) -> None:
    found = kernel(program, "ofmodule")
    assert {(v.name, v.variable) for v in found.constants} == {
        ("k_options_gravity", "options%gravity"), ("k_options_levels", "options%levels"),
        ("k_options_moist", "options%moist"),
        ("k_options_bounds_low", "options%bounds%low"),
    }  # fmt: skip
    assert {(v.name, v.shape) for v in found.tables} == {
        ("k_options_weights", (3,)), ("k_options_list", (0,)), ("k_options_bounds_high", (2,)),
    }  # fmt: skip


def test_the_type_of_an_object_can_be_said(program: Program) -> None:
    real = kernel(program, "fluid_volume", this="realgas")
    assert "real_density" in real.text
    assert "this%b" in [q.argument for q in real.inputs]
    gas = kernel(program, "fluid_volume", this="gas")
    assert "real_density" not in gas.text and "gas_density" in gas.text
    assert "this%b" not in [q.argument for q in gas.inputs]


def test_a_type_that_is_said_has_to_fit(program: Program) -> None:
    with pytest.raises(Refused, match="it may have: gas, realgas"):
        kernel(program, "fluid_volume", this="fluid")
    with pytest.raises(Refused, match="it may have: gas, realgas"):
        kernel(program, "fluid_volume", this="limits")
    with pytest.raises(Refused, match="names no such argument of a class"):
        kernel(program, "fluid_volume", t="gas")
    unit = program.find("fluid_volume")
    with pytest.raises(Refused, match="say which one, --type this=gas") as refused:
        translate(program, PointProcedure(unit.name, unit, unit.place))
    assert "which may be gas, realgas" in refused.value.refusal.why


def test_what_an_open_type_binds_is_told(program: Program) -> None:
    notes = kernel(program, "real_total").notes
    assert any("no type that is given extends it" in note for note in notes)
