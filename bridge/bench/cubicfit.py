"""Time per point as a polynomial in the number of species, a + b NS + c NS^2 + d NS^3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cubic:
    """coefficients a, b, c, d and their standard errors; share: of d NS^3 in the whole at the
    largest NS; noise: that the cubic term is no larger than twice its standard error."""

    coefficients: np.ndarray
    errors: np.ndarray
    share: float

    @property
    def noise(self) -> bool:
        return bool(abs(self.coefficients[3]) <= 2.0 * self.errors[3])

    def __str__(self) -> str:
        a, b, c, d = self.coefficients
        text = f"{a:.4g} {b:+.4g} NS {c:+.4g} NS^2 {d:+.3g} NS^3"
        what = "noise" if self.noise else "real"
        return f"{text}   ({what}: +-{self.errors[3]:.1g}, {100 * self.share:+.0f} % at the end)"


def fit(ns: Sequence[int], times: Sequence[float]) -> Cubic | None:
    """Least squares of relative errors; None for fewer than five points."""
    if len(ns) < 5:
        return None
    x, y = np.array(ns, dtype=float), np.array(times)
    powers = x[:, None] ** np.arange(4)
    scale = powers.max(axis=0)  # of the columns, for the condition of the system
    matrix = powers / scale / y[:, None]
    solution, *_ = np.linalg.lstsq(matrix, np.ones(len(x)), rcond=None)
    residual = matrix @ solution - 1.0
    variance = residual @ residual / (len(x) - 4)
    covariance = variance * np.linalg.inv(matrix.T @ matrix)
    coefficients = solution / scale
    return Cubic(
        coefficients,
        np.sqrt(np.diag(covariance)) / scale,
        float(coefficients[3] * x[-1] ** 3 / y[-1]),
    )
