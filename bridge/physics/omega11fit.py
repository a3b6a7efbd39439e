"""Omega11 of every pair of species as a polynomial in ln T: the option omega11 = FITTED.

Made once per run by `shared`, read by kernels/transport/binaryDiffusion.h. The exact integral
takes three exponentials per pair, which is most of the work of a mixture of many species.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bridge.errors import InconsistentError

#: Coefficients per pair: OMEGA11_TERMS of kernels/shared.h.
TERMS = 18
#: Range of the fit, K; it begins higher where some T* would reach its floor below.
LOW, HIGH = 180.0, 3200.0
#: Largest relative error that a fit may have.
TOLERANCE = 1e-7
#: Pairs that are checked at a time: their values stay in a cache.
TOGETHER = 32


@dataclass(frozen=True)
class Omega11Fit:
    """coefficients: (pairs, TERMS), highest power first, of place = (ln T - middle) inverse,
    which goes from -1 at `low` to 1 at `high`, K; error: largest relative error found."""

    coefficients: np.ndarray
    low: float
    high: float
    middle: float
    inverse: float
    error: float


def omega11(c: np.ndarray, Tstar: np.ndarray) -> np.ndarray:
    """Neufeld's integral; c: A..H. Source: Neufeld, Janzen and Aziz 1972."""
    result: np.ndarray = c[0] * Tstar ** -c[1]
    for k in (2, 4, 6):
        result = result + c[k] * np.exp(-c[k + 1] * Tstar)
    return result


def fit(
    c: np.ndarray, eps: np.ndarray, tStarMin: float, polar: np.ndarray | float = 0.0
) -> Omega11Fit:
    """Fit every pair and check the fits between their nodes.

    c: Neufeld's A..H; eps: (pairs,) well depths, K; tStarMin: floor of T*; polar: (pairs,), over
    T* a part of the integral. Truncated Chebyshev series, as powers. ArgumentError where a pair
    cannot be fitted to TOLERANCE.
    """
    low = max(LOW, tStarMin * float(eps.max()))
    high = max(HIGH, 2.0 * low)
    middle = 0.5 * (np.log(high) + np.log(low))
    inverse = 2.0 / (np.log(high) - np.log(low))

    polar = np.broadcast_to(polar, eps.shape)

    def exact(place: np.ndarray, part: slice) -> np.ndarray:
        Tstar = np.exp(place / inverse + middle) / eps[part, None]
        result: np.ndarray = omega11(c, Tstar) + polar[part, None] / Tstar
        return result

    nodes = 4 * TERMS
    angle = np.pi * (np.arange(nodes) + 0.5) / nodes
    series = (
        (2.0 / nodes)
        * exact(np.cos(angle), slice(None))
        @ np.cos(np.outer(angle, np.arange(TERMS)))
    )
    series[:, 0] *= 0.5
    powers = np.zeros((TERMS, TERMS))  # of each Chebyshev polynomial
    for k in range(TERMS):
        powers[k, : k + 1] = np.polynomial.chebyshev.cheb2poly(np.eye(TERMS)[k])
    coefficients = np.ascontiguousarray((series @ powers)[:, ::-1])

    place, errors = np.linspace(-1.0, 1.0, 1001), np.empty(len(eps))
    for begin in range(0, len(eps), TOGETHER):
        part = slice(begin, begin + TOGETHER)
        fitted = np.zeros((len(eps[part]), len(place)))
        for k in range(TERMS):
            fitted *= place
            fitted += coefficients[part, k, None]
        errors[part] = np.abs(fitted / exact(place, part) - 1.0).max(axis=1)
    worst = int(errors.argmax())
    if not errors[worst] <= TOLERANCE:
        raise InconsistentError(
            "omega11",
            f"'FITTED' has a relative error of {errors[worst]:.1e} for a well depth of "
            f"{eps[worst]:.4g} K, above {TOLERANCE:.0e} from {low:.0f} to {high:.0f} K",
            "take 'EXACT'",
        )
    return Omega11Fit(coefficients, low, high, middle, inverse, float(errors[worst]))
