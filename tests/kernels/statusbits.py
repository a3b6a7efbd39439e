"""Bits of the status word, and states that set them."""

from __future__ import annotations

from typing import Any

import numpy as np

import bridge

BAD_T, BAD_P, BAD_Y, Y_CLIPPED, Y_RENORM, T_EXTRAP, MULTI_ROOT, NEAR_CRITICAL = (
    1 << k for k in range(8)
)
H_GAP, H_BELOW, H_ABOVE, NO_CONV, CHUNG_SINGULAR, TRANSPORT_CLAMP, UNSTABLE = (
    1 << k for k in range(8, 15)
)
TWO_PHASE, STABILITY_OPEN, DIFF_RANGE, BAD_RHO = (1 << k for k in range(15, 19))
SPECIES = "O2 CH4 H2O"
GOOD = np.array([[0.7, 0.25, 0.05]])


def run(
    T: Any,
    P: float | np.ndarray,
    Y: Any,
    outputs: Any = ("rho",),
    species: str = SPECIES,
    **named: Any,
) -> dict[str, np.ndarray]:
    named.setdefault("stability", "off")  # bits of what is asked for alone
    return bridge.evaluate(species, T, np.atleast_1d(P), np.asarray(Y, float), outputs, **named)
