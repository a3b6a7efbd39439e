"""eosFlashTPFrom against eosFlashTP, which begins anew: the same label and phases from any
start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.flashstates import SPECIES
from kernels.measure import assert_parts
from kernels.statusbits import NO_CONV, TWO_PHASE

import bridge

pytestmark = pytest.mark.usefixtures("backend")

MIXTURES, STATES = 8, 150
RESULTS = ("vapour_fraction", "x_i", "y_i", "rho_eq", "h_eq", "c_eq", "status")


def flash(mix: bridge.Mixture, T: Any, P: Any, X: Any, lnK: Any = None) -> Any:
    if lnK is None:
        return mix.evaluate(T, P, X=X, composite="eosFlashTP")
    return mix.evaluate(T, P, X=X, inputs={"lnK0_i": lnK}, composite="eosFlashTPFrom")


def test_the_same_from_any_start() -> None:
    """From its own answer, from those of steps of 0.01 % to 10 %, from that of another state."""
    random = np.random.default_rng(11)
    splits, turns = 0, np.zeros(2)
    for number in range(MIXTURES):
        ns = int(random.integers(2, 7))
        names = [str(name) for name in random.choice(SPECIES, ns, replace=False)]
        kij = np.tril(random.uniform(-0.05, 0.25, (ns, ns)), -1) * (number % 2)
        mix = bridge.Mixture(names, kij=kij + kij.T, stability="off")
        T = random.uniform(100.0, 700.0, STATES)
        P = np.exp(random.uniform(np.log(1e5), np.log(2e7), STATES))
        X = random.dirichlet(np.full(ns, 0.7), STATES)
        cold, first = flash(mix, T, P, X), flash(mix, T, P, X, np.zeros(ns))
        for name in RESULTS:
            assert_parts(first[name], cold[name], name, "search")
        two = (cold["status"] & TWO_PHASE) != 0
        lnK = first["lnK_i"]
        assert not lnK[~two].any()
        splits += int(np.count_nonzero(lnK.any(axis=1)))
        starts = {0.0: lnK, 1e-4: lnK, 1e-2: lnK, 0.1: lnK, 1.0: lnK[random.permutation(STATES)]}
        for step, start in starts.items():
            shift = random.normal(size=STATES) if step < 1.0 else np.zeros(STATES)
            near = (T * (1.0 + 0.3 * step * shift), P * np.exp(-step * shift), X)
            want, got = flash(mix, *near), flash(mix, *near, start)
            np.testing.assert_array_equal(got["status"], want["status"])
            assert not (got["status"] & NO_CONV).any()
            for name in ("vapour_fraction", "x_i", "y_i"):
                np.testing.assert_allclose(got[name], want[name], rtol=0.0, atol=1e-6)
            if step == 1e-4:
                turns += [want["flash_iterations"].sum(), got["flash_iterations"].sum()]
            if step == 0.0:
                assert (got["flash_iterations"][lnK.any(axis=1)] == 1).all()
    assert splits > MIXTURES * STATES / 8 and turns[1] < turns[0]


def test_a_start_that_is_no_number_is_none() -> None:
    mix = bridge.Mixture("N2 C12H26", stability="off")
    want = flash(mix, 400.0, 5e6, [0.5, 0.5])
    for bad in (np.nan, np.inf, -np.inf, 1e300):
        got = flash(mix, 400.0, 5e6, [0.5, 0.5], [bad, 1.0])
        for name in RESULTS:
            np.testing.assert_allclose(got[name], want[name], rtol=1e-8, err_msg=f"{name} {bad}")
