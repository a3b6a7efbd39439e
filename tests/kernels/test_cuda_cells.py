"""Kernels that read any cell compile for GPUs that are not here, without a stack: the ranges of
their arrays, indexed by constants, are registers."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.backends.base import Binding, Box
from bridge.backends.cuda import cache, compiler, precompile
from bridge.backends.gpu.boxlaunch import form_of, reach_of
from bridge.backends.gpu.boxsource import generate_box, policy_of
from bridge.backends.gpu.policy import REGISTERS, Walk
from bridge.errors import DeviceError
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.fringe import Fringe

PACK = Path(__file__).parents[2] / "fortran_stub" / "fluids" / "kernels"


@pytest.mark.parametrize("kernel", ["fluids_advect", "fluids_border_u"])
def test_no_spill_and_no_stack(kernel: str, tmp_path: Path) -> None:
    try:
        compiler.find()
    except DeviceError as error:
        pytest.skip(str(error))
    catalogue = Catalogue.load([shipped_file(), PACK / "catalogue.toml"])
    plan = catalogue.single(kernel, 0)
    around = Fringe((1, 1, 0), (1, 1, 0))
    bindings, constants = {}, {*catalogue.constants} & {*plan.inputs}
    for number, name in enumerate(dict.fromkeys((*plan.inputs, *plan.outputs))):
        if name.startswith("position"):
            axis = "ijk".index(name[-1])
            bindings[name] = Binding.along(axis, (64, 64, 1), 1)
            continue
        dtype = "int32" if catalogue.quantity(name).dtype == "int32" else "float32"
        box = Box((64, 64, 1), (1, 66, 66 * 66), 66 * 66, 67)
        if name in constants:
            box = Box((64, 64, 1), (0, 0, 0), 1)
            dtype = "int32" if dtype == "int32" else "float64"
        bindings[name] = Binding(
            (number + 1) << 24, box, 1, dtype=dtype, fringe=around, layers=around
        )
    form = form_of(plan, bindings, constants, reach_of(plan))
    where, policy = precompile.layout(4), policy_of(plan, catalogue, REGISTERS, Walk())
    one = generate_box(plan, catalogue, where, form, policy, Walk(), "sm_90")
    cells = next(name for name, reads in reach_of(plan).items() if reads.cells)
    assert {f"{end} {axis}" for end in ("low", "high") for axis in "xyz"} == {
        what for _, what, whose in one.entry.fields if whose == cells and " " in what
    }
    (used,) = cache.compiled(one.text, "sm_90", headers=one.headers, place=tmp_path).resources
    assert used.registers <= 96
    assert used.spill_stores == used.spill_loads == used.stack == 0
