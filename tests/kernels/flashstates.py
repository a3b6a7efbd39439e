"""Random mixtures by eosFlashTP against a judge of NumPy: figures of docs/physics.md, section 24.

    python tests/kernels/flashstates.py [mixtures] [seed]

Each mixture has 2 to 6 species, half of them with interaction coefficients, and 250 states. Two
phases are right where they have equal fugacities, the material of the feed and less Gibbs energy
than it. One phase is right where the judge, which searches from many compositions, finds none that
would leave the feed. teqp, where it is installed, tells that the judge has the same equation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kernels.measure import R

import bridge
from bridge.physics.species import SpeciesData
from bridge.settings import status_bits

SPECIES = ["H2", "O2", "H2O", "CH4", "CO", "CO2", "CH3OH", "C2H4", "NH3", "N2O", "N2", "C3H8",
           "C12H26"]  # fmt: skip
STATES = 250
#: A label is asked for where the distance from the tangent plane is larger.
DECIDED = 1e-6
TWO_PHASE, OPEN, NO_CONV = (
    status_bits("TWO_PHASE"),
    status_bits("STABILITY_OPEN"),
    status_bits("NO_CONV"),
)


class PengRobinson:
    """The equation for arrays of states; compositions are (..., ns)."""

    def __init__(self, data: SpeciesData, kij: np.ndarray) -> None:
        self.data, self.k = data, 1.0 - kij
        w = data.omega
        self.m = np.where(
            w <= 0.491,
            0.37464 + 1.54226 * w - 0.26992 * w**2,
            0.379642 + 1.48503 * w - 0.164423 * w**2 + 0.016666 * w**3,
        )
        self.b = 0.07779607390388846 * R * data.Tc / data.Pc
        self.root_ac = np.sqrt(0.45723552892138218 * (R * data.Tc) ** 2 / data.Pc)

    def ln_fugacity_coefficients(self, T: np.ndarray, P: np.ndarray, X: np.ndarray) -> np.ndarray:
        """At the root of lowest Gibbs energy."""
        u = self.root_ac * (1.0 + self.m * (1.0 - np.sqrt(T[..., None] / self.data.Tc)))
        G = (X * u) @ self.k
        a, b = (X * u * G).sum(axis=-1), X @ self.b
        A, B = a * P / (R * T) ** 2, b * P / (R * T)
        best = np.full(A.shape, np.inf)
        Z = np.full(A.shape, np.nan)
        for root in self._roots(A, B):
            with np.errstate(all="ignore"):
                L = np.log1p(np.sqrt(8.0) * B / (root + (1.0 - np.sqrt(2.0)) * B))
                gibbs = root - 1.0 - np.log(root - B) - A / (np.sqrt(8.0) * B) * L
            lower = (root > B) & (gibbs < best)
            best, Z = np.where(lower, gibbs, best), np.where(lower, root, Z)
        L = np.log1p(np.sqrt(8.0) * B / (Z + (1.0 - np.sqrt(2.0)) * B))
        pull = (A / (np.sqrt(8.0) * B) * L)[..., None]
        share = self.b / b[..., None]
        free: np.ndarray = share * (Z - 1.0)[..., None] - np.log(Z - B)[..., None]
        return np.asarray(free - pull * (2.0 * u * G / a[..., None] - share))

    @staticmethod
    def _roots(A: np.ndarray, B: np.ndarray) -> list[np.ndarray]:
        """All of the cubic, of which some may be no root: they are then not above B."""
        c2, c1, c0 = B - 1.0, A - 3.0 * B**2 - 2.0 * B, -(A * B - B**2 - B**3)
        p, q = c1 - c2**2 / 3.0, c2 * (2.0 * c2**2 / 27.0 - c1 / 3.0) + c0
        d = q**2 / 4.0 + p**3 / 27.0
        root = np.sqrt(np.maximum(d, 0.0))
        one = np.cbrt(-q / 2.0 + root) + np.cbrt(-q / 2.0 - root)
        r = 2.0 * np.sqrt(np.maximum(-p / 3.0, 0.0))
        with np.errstate(all="ignore"):
            angle = np.arccos(np.clip(3.0 * q / (p * r), -1.0, 1.0)) / 3.0
        found = []
        for k in range(3):
            Z = np.where(d > 0.0, one, r * np.cos(angle - 2.0 * np.pi * k / 3.0)) - c2 / 3.0
            Z = np.maximum(Z, B * (1.0 + 1e-9))
            for _ in range(8):
                with np.errstate(all="ignore"):
                    step = (((Z + c2) * Z + c1) * Z + c0) / ((3.0 * Z + 2.0 * c2) * Z + c1)
                    Z = np.where(np.isfinite(step) & (Z - step > B), Z - step, Z)
            residual = np.abs(((Z + c2) * Z + c1) * Z + c0)
            scale = np.abs(Z**3) + np.abs(c2 * Z**2) + np.abs(c1 * Z) + np.abs(c0)
            found.append(np.where(residual < 1e-9 * scale, Z, -1.0))
        return found

    def lowest(
        self, T: np.ndarray, P: np.ndarray, X: np.ndarray, random: np.random.Generator
    ) -> np.ndarray:
        """The lowest distance of stationary points that are not the feed; some starts each."""
        d = np.log(X) + self.ln_fugacity_coefficients(T, P, X)
        c, (n, ns) = self.data, X.shape
        lnK = np.log(c.Pc / P[:, None]) + 5.373 * (1.0 + c.omega) * (1.0 - c.Tc / T[:, None])
        pure = [np.broadcast_to(np.log(np.where(np.arange(ns) == i, 1.0, 1e-3)), X.shape)
                for i in range(ns)]  # fmt: skip
        several = [np.log(random.dirichlet(np.full(ns, 0.5), n) + 1e-12) for _ in range(4)]
        starts = [s * lnK + np.log(X) for s in (1.0, -1.0, 1.0 / 3.0, -1.0 / 3.0)]
        y = np.stack([*starts, *pure, *several, d])
        lnw = y - np.log(np.exp(y - y.max(-1, keepdims=True)).sum(-1, keepdims=True))
        lnw -= y.max(-1, keepdims=True)
        T, P = np.broadcast_to(T, lnw.shape[:-1]), np.broadcast_to(P, lnw.shape[:-1])
        d = np.broadcast_to(d, lnw.shape)
        value = np.full(T.shape, np.inf)
        going = np.ones(T.shape, bool)
        step = np.ones(T.shape)
        before = lnw.copy()
        along = np.zeros(lnw.shape)
        for _ in range(400):
            here = np.nonzero(going)
            if not len(here[0]):
                break
            w = np.exp(lnw[here])
            f = d[here] - self.ln_fugacity_coefficients(T[here], P[here], w)
            new = (w * (lnw[here] - f)).sum(axis=-1)
            good = new <= value[here] + 1e-13 * (1.0 + np.abs(new))
            top = f.max(-1, keepdims=True)
            move = f - top - np.log(np.exp(f - top).sum(-1, keepdims=True)) - lnw[here]
            before[here] = np.where(good[:, None], lnw[here], before[here])
            along[here] = np.where(good[:, None], move, along[here])
            step[here] = np.where(good, np.minimum(1.0, 2.0 * step[here]), 0.5 * step[here])
            value[here] = np.where(good, new, value[here])
            going[here] = (np.sqrt((w * along[here] ** 2).sum(-1)) > 1e-9) & (step[here] > 1e-5)
            y = before[here] + step[here][:, None] * along[here]
            top = y.max(-1, keepdims=True)
            lnw[here] = y - top - np.log(np.exp(y - top).sum(-1, keepdims=True))
            going[:, (value < -1e-3).any(axis=0)] = False  # it splits
        feed = np.sqrt((np.exp(before) * (before - np.log(X)) ** 2).sum(-1)) < 1e-4
        return np.asarray(np.where(feed, np.inf, value).min(axis=0))


def anchor(teqp: object, names: list[str], kij: np.ndarray, judge: PengRobinson,
           T: np.ndarray, P: np.ndarray, X: np.ndarray) -> float:  # fmt: skip
    """The largest difference of ln phi from teqp."""
    from kernels.test_stability import Judge

    other = Judge(teqp, names, kij)
    mine = judge.ln_fugacity_coefficients(T, P, X)
    each = [other.ln_fugacity_coefficients(*state) for state in zip(T, P, X, strict=True)]
    return float(np.abs(mine - np.array(each)).max())


def main(mixtures: int, seed: int) -> None:
    try:
        import teqp
    except ImportError:
        teqp = None
    random = np.random.default_rng(seed)
    counts = dict.fromkeys(("states", "two", "further", "open", "unfound", "near", "wrong"), 0)
    worst = {"fugacities": 0.0, "material": 0.0, "teqp": 0.0}
    for number in range(mixtures):
        n = int(random.integers(2, 7))
        names = [str(name) for name in random.choice(SPECIES, n, replace=False)]
        kij = np.tril(random.uniform(-0.05, 0.25, (n, n)), -1) * (number % 2)
        kij = kij + kij.T
        T = random.uniform(100.0, 700.0, STATES)
        P = np.exp(random.uniform(np.log(1e5), np.log(2e7), STATES))
        X = random.dirichlet(np.full(n, 0.7), STATES) + 1e-9
        X /= X.sum(axis=1, keepdims=True)
        mixture = bridge.Mixture(names, kij=kij, backend="cpu", stability="off")
        got = mixture.evaluate(T, P, X=X, composite="eosFlashTP")
        tpd = mixture.evaluate(T, P, X=X, outputs="tpd")["tpd"]
        judge = PengRobinson(SpeciesData.load(names), kij)
        two, no_answer = got["status"] & TWO_PHASE != 0, got["status"] & OPEN != 0
        lost = got["status"] & NO_CONV != 0
        counts["states"] += STATES
        counts["two"] += int(two.sum())
        counts["further"] += int((two & no_answer).sum())
        counts["open"] += int((~two & no_answer).sum())
        counts["unfound"] += int(lost.sum())
        split = two & ~lost
        x, y, beta = got["x_i"][split], got["y_i"][split], got["vapour_fraction"][split, None]
        state = T[split], P[split]
        lnx = np.log(x) + judge.ln_fugacity_coefficients(*state, x)
        lny = np.log(y) + judge.ln_fugacity_coefficients(*state, y)
        lnz = np.log(X[split]) + judge.ln_fugacity_coefficients(*state, X[split])
        less = ((1.0 - beta) * x * lnx + beta * y * lny - X[split] * lnz).sum(axis=1) < 0.0
        decided = tpd[split] < -DECIDED
        counts["near"] += int((~decided).sum())
        counts["wrong"] += int((decided & ~less).sum())
        if split.any():
            there = np.abs((1.0 - beta) * x + beta * y - X[split]).max()
            worst["material"] = max(worst["material"], float(there))
            worst["fugacities"] = max(worst["fugacities"], float(np.abs(lnx - lny).max()))
        one = ~two & ~no_answer
        if one.any():
            lowest = judge.lowest(T[one], P[one], X[one], random)
            counts["near"] += int((np.abs(lowest) < DECIDED).sum())
            wrong = lowest < -DECIDED
            counts["wrong"] += int(wrong.sum())
            for k in np.flatnonzero(wrong):
                print("one phase?", names, T[one][k], P[one][k], X[one][k], lowest[k])
        if teqp is not None and number % 10 == 0:
            few = slice(0, 20)
            here = anchor(teqp, names, kij, judge, T[few], P[few], X[few])
            worst["teqp"] = max(worst["teqp"], here)
    print(counts)
    print({name: f"{value:.1e}" for name, value in worst.items()})


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 400,
        int(sys.argv[2]) if len(sys.argv) > 2 else 1,
    )
