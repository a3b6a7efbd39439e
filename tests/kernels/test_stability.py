"""prEOSStability against teqp: whether a mixture splits, and the tangent-plane distance.

The judge looks for a composition with a negative distance by itself: many starts, each minimised
with fugacities of teqp and densities from NumPy's roots of the cubic equation.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernels.measure import CUBICS, R

import bridge
from bridge.physics.species import SpeciesData
from bridge.settings import status_bits

SPECIES = ["H2", "O2", "H2O", "CH4", "CO", "CO2", "CH3OH", "C2H4", "NH3", "N2O", "N2", "C3H8",
           "C12H26"]  # fmt: skip
TWO_PHASE, OPEN = status_bits("TWO_PHASE"), status_bits("STABILITY_OPEN")
#: Below minus this a mixture splits; nearer to zero nobody can say.
LIMIT = 1e-8
#: Mixtures of the comparison, states of each: of teqp each costs some milliseconds.
MIXTURES, STATES = 40, 12


def evaluated(names: Any, T: Any, P: Any, X: Any, **more: Any) -> Any:
    more.setdefault("backend", "cpu")
    return bridge.evaluate(list(names), T, P, X=X, outputs=["tpd", "lnphi_i", "X"], **more)


class Judge:
    """The same equation of state in teqp."""

    def __init__(
        self, teqp: Any, names: list[str], kij: np.ndarray, cubic: str = "PENG_ROBINSON"
    ) -> None:
        self.data = SpeciesData.load(names)
        model = {
            "Tcrit / K": self.data.Tc.tolist(),
            "pcrit / Pa": self.data.Pc.tolist(),
            "acentric": self.data.omega.tolist(),
            "kmat": kij.tolist(),
        }
        self.model = teqp.make_model({"kind": CUBICS[cubic], "model": model})
        self.sum, self.product = (2.0, -1.0) if cubic == "PENG_ROBINSON" else (1.0, 0.0)

    def ln_fugacity_coefficients(self, T: float, P: float, X: np.ndarray) -> np.ndarray:
        """At the root of lowest Gibbs energy."""
        A = self.model.get_a(T, X) * P / (R * T) ** 2
        B = self.model.get_b(T, X) * P / (R * T)
        d, p = self.sum, self.product
        c = [(d - 1.0) * B - 1.0, A - d * B + (p - d) * B**2, -A * B - p * B**2 * (1.0 + B)]
        found = np.roots([1.0, *c])
        best: tuple[float, np.ndarray] | None = None
        for Z in found[np.abs(found.imag) < 1e-9].real:
            if Z <= B:
                continue
            rho = P / (Z * R * T)
            lnphi = np.log(self.model.get_fugacity_coefficients(T, rho * X))
            gibbs = float(X @ lnphi)
            if best is None or gibbs < best[0]:
                best = gibbs, lnphi
        assert best is not None
        return best[1]

    def lowest(self, T: float, P: float, X: np.ndarray, random: np.random.Generator) -> float:
        """The lowest distance of stationary points that are not the feed."""
        d = np.log(X) + self.ln_fugacity_coefficients(T, P, X)
        lowest = np.inf
        for start in self._starts(T, P, X, random):
            w = start / start.sum()
            value = self._distance(T, P, w, d)
            step = 1.0
            for _ in range(400):
                y = d - self.ln_fugacity_coefficients(T, P, w)
                y -= y.max()
                trial = w ** (1.0 - step) * np.exp(step * y)
                trial /= trial.sum()
                new = self._distance(T, P, trial, d)
                if new > value + 1e-13 * (1.0 + abs(value)):
                    step *= 0.5
                    if step < 1e-4:
                        break
                    continue
                done = np.abs(np.log(trial / w)).max() < 1e-8 or new < -1e-3
                w, value, step = trial, new, min(1.0, 2.0 * step)
                if done:
                    break
            if np.sqrt(w @ np.log(w / X) ** 2) > 1e-4:
                lowest = min(lowest, value)
            if lowest < -1e-3:  # it splits
                break
        return lowest

    def _distance(self, T: float, P: float, w: np.ndarray, d: np.ndarray) -> float:
        return float(w @ (np.log(w) + self.ln_fugacity_coefficients(T, P, w) - d))

    def _starts(
        self, T: float, P: float, X: np.ndarray, random: np.random.Generator
    ) -> Iterator[np.ndarray]:
        d = self.data
        K = np.clip(d.Pc / P * np.exp(5.373 * (1.0 + d.omega) * (1.0 - d.Tc / T)), 1e-60, 1e60)
        yield from (X * K, X / K, X * np.cbrt(K), X / np.cbrt(K))
        for i in range(len(X)):
            yield np.where(np.arange(len(X)) == i, 1.0, 1e-3)
        yield from random.dirichlet(np.full(len(X), 0.5), 4) + 1e-12


def mixture(random: np.random.Generator) -> tuple[list[str], np.ndarray]:
    n = int(random.integers(2, 7))
    names = list(random.choice(SPECIES, n, replace=False))
    kij = np.tril(random.uniform(-0.05, 0.25, (n, n)), -1) * (random.random() < 0.5)
    return names, kij + kij.T


def test_against_teqp() -> None:
    teqp = pytest.importorskip("teqp")
    random = np.random.default_rng(31)
    splits = wrong = near = 0
    for _ in range(MIXTURES):
        names, kij = mixture(random)
        judge = Judge(teqp, names, kij)
        T = np.exp(random.uniform(np.log(150.0), np.log(700.0), STATES))
        P = np.exp(random.uniform(np.log(1e5), np.log(4e7), STATES))
        X = random.dirichlet(np.full(len(names), 0.7), STATES)
        got = evaluated(names, T, P, X, kij=kij)
        for k in range(STATES):
            lowest = judge.lowest(T[k], P[k], got["X"][k], random)
            told = bool(got["status"][k] & TWO_PHASE)
            splits += told
            near += abs(lowest) < LIMIT
            wrong += told != (lowest < -LIMIT) and abs(lowest) >= LIMIT
            if np.isfinite(lowest) and -1e-3 <= lowest < 0.0:
                assert got["tpd"][k] == pytest.approx(lowest, abs=1e-7)
    assert wrong == 0 and near < 5
    assert MIXTURES * STATES / 5 < splits < 4 * MIXTURES * STATES / 5


@pytest.mark.parametrize("group", ["air", "O2_CH4", "N2_C12H26", "H2_O2", "H2O2N2_9", "gri53",
                                   "abs_N2_C12H26"])  # fmt: skip
def test_against_the_flags_of_the_reference(group: str) -> None:
    """Of another library (docs/physics.md, section 22); 1 of one phase, 0 of one that splits."""
    with np.load(Path(__file__).parents[1] / "data" / "reference_cases.npz") as data:
        found = {name: data[f"{group}/{name}"] for name in ("species", "T", "P", "Y", "stable")}
    options = {"prCross": "ABS" if group.startswith("abs") else "SIGNED"}
    got = bridge.evaluate(found["species"].tolist(), found["T"], found["P"], found["Y"], "tpd",
                          options=options, backend="cpu")  # fmt: skip
    known = found["stable"] >= 0
    assert known.any() and not (got["status"] & OPEN).any()
    np.testing.assert_array_equal(
        ((got["status"] & TWO_PHASE) != 0)[known], (found["stable"] == 0)[known]
    )


def test_a_mixture_of_one_phase_and_one_of_two() -> None:
    names = ["N2", "C12H26"]
    Y = np.array([0.5, 0.5])
    T = np.array([350.0, 450.0, 550.0, 900.0])
    got = bridge.evaluate(names, T, 6e6, Y, "tpd", backend="cpu")
    np.testing.assert_array_equal((got["status"] & TWO_PHASE) != 0, [True, True, True, False])
    assert (got["tpd"][:3] < -0.1).all() and got["tpd"][3] >= 0.0


def test_one_species_and_one_that_is_alone() -> None:
    """Of one species the root of lowest Gibbs energy is the stable one; another one is not."""
    T = np.array([150.0, 150.0])
    P = np.array([8e5, 1.3e6])  # a gas, a liquid; both with three roots
    for policy, splits in (("MIN_GIBBS", (False, False)), ("LARGEST", (False, True)),
                           ("SMALLEST", (True, False))):  # fmt: skip
        options = {"rootPolicy": policy}
        alone = bridge.evaluate("CH4", T, P, outputs=["tpd", "nRoots"], options=options,
                                backend="cpu")  # fmt: skip
        beside = evaluated(["O2", "CH4", "N2"], T, P, [0.0, 1.0, 0.0], options=options)
        assert (alone["nRoots"] == 3).all()
        for got in (alone, beside):
            np.testing.assert_array_equal((got["status"] & TWO_PHASE) != 0, splits, policy)
            np.testing.assert_array_equal(got["tpd"] < 0.0, splits, policy)
        np.testing.assert_allclose(beside["tpd"], alone["tpd"], rtol=1e-12)


def test_species_that_are_not_there_and_their_order_change_nothing() -> None:
    random = np.random.default_rng(3)
    n = 60
    T, P = random.uniform(200.0, 600.0, n), np.exp(random.uniform(11.5, 17.0, n))
    X = random.dirichlet([1.0, 1.0, 1.0], n)
    three = evaluated(["CO2", "N2", "H2O"], T, P, X)
    zeros = np.zeros(n)
    wider = np.column_stack([X[:, 0], zeros, X[:, 1], zeros, X[:, 2]])
    five = evaluated(["CO2", "C12H26", "N2", "H2", "H2O"], T, P, wider)
    turned = evaluated(["H2O", "N2", "CO2"], T, P, X[:, ::-1])
    for other in (five, turned):
        np.testing.assert_array_equal(other["status"] & (TWO_PHASE | OPEN),
                                      three["status"] & (TWO_PHASE | OPEN))  # fmt: skip
        np.testing.assert_allclose(other["tpd"], three["tpd"], rtol=1e-9, atol=1e-9)
    assert 0.1 < ((three["status"] & TWO_PHASE) != 0).mean() < 0.9


def test_no_answer_has_a_bit() -> None:
    """A fatal point has its own; where the search is left without an end, STABILITY_OPEN."""
    got = evaluated(["N2", "H2O"], [np.nan, 300.0, 1e-9, 300.0], [1e5, -1.0, 1e5, 1e5],
                 [[0.5, 0.5]] * 4)  # fmt: skip
    assert np.isnan(got["tpd"][:2]).all()
    assert not (got["status"][:2] & (TWO_PHASE | OPEN)).any()
    assert np.isfinite(got["tpd"][2]) or got["status"][2] & OPEN
    assert got["status"][3] & TWO_PHASE


@pytest.mark.gpu
@pytest.mark.parametrize("interacting", [False, True])
@pytest.mark.parametrize("names", [["N2", "H2O"], SPECIES])
def test_on_a_gpu(names: list[str], interacting: bool) -> None:
    random = np.random.default_rng(7)
    n, ns = 3000, len(names)
    T, P = random.uniform(150.0, 700.0, n), np.exp(random.uniform(11.5, 17.5, n))
    X = random.dirichlet(np.full(ns, 0.5), n)
    kij = np.zeros((ns, ns))
    if interacting:
        kij = np.tril(random.uniform(-0.05, 0.2, (ns, ns)), -1)
        kij += kij.T
    cpu = evaluated(names, T, P, X, kij=kij)
    gpu = evaluated(names, T, P, X, kij=kij, backend="cuda")
    decided = np.abs(cpu["tpd"]) > LIMIT
    same = (cpu["status"] ^ gpu["status"]) & TWO_PHASE == 0
    assert same[decided].all()
    # The searches end where the last digits let them: another minimum may be the lowest found.
    close = np.isclose(cpu["tpd"], gpu["tpd"], rtol=1e-8, atol=1e-9)
    assert close.mean() > 0.995
