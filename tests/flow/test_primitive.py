"""Update = 'primitive': a stage changes Y, velocity, P and T by the inverse of Gamma."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flow import proofsofwaves
from flow.reading import Output, Solve
from flow.stages import JET, OPEN, Stages

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]


def test_density_wave(solve: Solve) -> None:
    """Fourth order in space, as with the conserved variables."""

    def primitive(**values: Any) -> Output:
        return solve(**values, Update="primitive")

    found = proofsofwaves.density_wave(primitive)
    errors = np.array(found.errors["density"])
    assert (np.log2(errors[1:-1] / errors[2:]) > 3.5).all(), errors
    assert found.errors["pressure"][1] < 1e-4 and found.errors["pressure"][3] < 1e-6


@pytest.mark.parametrize(("scheme", "order"), [("RK3", 3), ("RK4", 4)])
def test_both_updates_agree_to_the_order_of_the_scheme(
    solve: Solve, scheme: str, order: int
) -> None:
    """They are the same in space: what is left is of the step in time. Two species, viscous."""
    differences = []
    for steps in (12, 24):
        values = {**JET, "Cells": (24, 24, 1), "Scheme": scheme, "Dt": 9.6e-8 / steps}
        values |= {"Steps": steps, "Lengths": (2e-4, 2e-4, 2e-4)}
        one, other = (solve(**values, Update=update) for update in ("conserved", "primitive"))
        differences.append(max(np.abs(one[n] / other[n] - 1.0).max() for n in ("T", "P", "c")))
    assert differences[1] < 1e-6
    assert np.log2(differences[0] / differences[1]) > order - 0.5, differences


def test_every_step_is_verified(stages: Stages) -> None:
    values = {"Update": "primitive", "Offload": "properties", "Properties": "verify", "Steps": 3}
    assert "verify: passed, 3 steps" in stages.ended(**values, Blocks=(1, 2, 1), **OPEN).out


def test_bits_do_not_depend_on_blocks(stages: Stages) -> None:
    values: dict[str, Any] = {"Update": "primitive", "Steps": 3, "absent": True, **OPEN}
    assert stages.checksum(**values) == stages.checksum(**values, ranks=2, Blocks=(1, 2, 2))
