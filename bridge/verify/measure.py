"""How far two results of the same points are apart: units in the last place, and the measure of
docs/accuracy.md.

A leaf. The measure of a value is the difference over the largest of: the reference's magnitude,
the scale of a quantity that crosses zero (R T of an enthalpy), and what the reference moves by
where its inputs move relatively by one: a condition number. The last one is asked for only where
the others leave a difference above the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.bound.pointsprogram import Values
from bridge.physics.shared import shipped_tables
from bridge.physics.species import SpeciesData
from bridge.plan.declarations import Declarations

#: Numbers of real(4) differ by so much, relatively, where two roundings differ.
SINGLE = 4.0 * float(np.finfo(np.float32).eps)
#: Relative changes of inputs that show what a result moves by, of kernels in double and in single
#: precision, and how often they are drawn.
CHANGE, CHANGE_OF_SINGLES, DRAWS = 2.0**-42, 2.0**-13, 6
#: Counts of work: how often a search went around is nothing of its result.
WORK = ("iterations",)


@dataclass(frozen=True)
class Apart:
    """Of one quantity at some points. ulps: the largest number of units in the last place,
    infinite where one side has no number; measure: (points,), of the component that is farthest;
    component: (points,), which one, from 0. Integers are equal or infinitely far."""

    ulps: float
    measure: np.ndarray
    component: np.ndarray


@dataclass(frozen=True)
class Near:
    """Inputs near those of a run. rerun: what the reference gives for inputs; change: how far they
    are, relatively."""

    inputs: Values
    rerun: Callable[[Values], Values]
    change: float = CHANGE

    def movement(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """What each value of these points moves by, over the relative change of the inputs;
        infinite of an integer that does not keep."""
        inputs = {name: values[rows] for name, values in self.inputs.items()}
        random = np.random.default_rng(1)
        start = self.rerun(inputs)
        found = {name: np.zeros(values.shape) for name, values in start.items()}
        for _ in range(DRAWS):
            changed = {
                name: values * (1.0 + self.change * random.choice((-1.0, 1.0), values.shape))
                if values.dtype.kind == "f"
                else values
                for name, values in inputs.items()
            }
            for name, values in self.rerun(changed).items():
                if values.dtype.kind != "f":
                    found[name][values != start[name]] = np.inf
                    continue
                with np.errstate(all="ignore"):
                    step = np.abs(values - start[name]) / self.change
                found[name] = np.fmax(found[name], step)
        return found


def apart(
    got: Values, reference: Values, scales: Mapping[str, np.ndarray], limit: float,
    single: Collection[str], near: Near,
) -> dict[str, Apart]:  # fmt: skip
    """Of each quantity; single: those that are real(4); near: asked of the points that are above
    the limit."""
    size = {
        name: np.broadcast_to(scales.get(name, np.zeros((1, 1))), values.shape)
        for name, values in got.items()
    }
    found = {
        name: _apart(values, reference[name], size[name], name in single, name in WORK)
        for name, values in got.items()
    }
    above = np.zeros(len(next(iter(got.values()))), bool)
    for name, one in found.items():
        above |= one.measure > limits(limit, name in single)
    if not above.any():
        return found
    rows = np.flatnonzero(above)
    steps = near.movement(rows)
    for name, one in found.items():
        scale = np.fmax(size[name][rows], steps[name])
        less = _apart(got[name][rows], reference[name][rows], scale, name in single, name in WORK)
        one.measure[rows], one.component[rows] = less.measure, less.component
    return found


def limits(limit: float, single: bool) -> float:
    return max(limit, SINGLE) if single else limit


def change_of(singles: bool) -> float:
    """For kernels in single precision, or in double."""
    return CHANGE_OF_SINGLES if singles else CHANGE


def _apart(
    got: np.ndarray, reference: np.ndarray, scale: np.ndarray, single: bool, work: bool
) -> Apart:
    if got.dtype.kind != "f":
        differs = (got != reference) & ~np.isinf(scale) & (not work)
        return _worst(np.where(differs, np.inf, 0.0), np.where(differs, np.inf, 0.0))
    if single:
        # the array rounded: what it could not hold is no difference
        got, reference = (one.astype(np.float32) for one in (got, reference))
    same = (got == reference) | (np.isnan(got) & np.isnan(reference))
    ulps = _ulps(got, reference)
    with np.errstate(all="ignore"):
        size = np.fmax(np.abs(reference.astype(float)), scale)
        measure: np.ndarray = np.abs(got.astype(float) - reference.astype(float)) / size
    measure[np.isnan(measure)] = np.inf
    measure[same], ulps[same] = 0.0, 0.0
    return _worst(measure, ulps)


def _worst(measure: np.ndarray, ulps: np.ndarray) -> Apart:
    component = measure.argmax(axis=1) if measure.shape[1] else np.zeros(len(measure), int)
    return Apart(float(ulps.max(initial=0.0)), measure.max(axis=1, initial=0.0), component)


def _ulps(got: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Units in the last place between two numbers: how many others lie between them, and one."""
    bits: Any = np.uint32 if got.dtype == np.float32 else np.uint64
    zero = bits(1 << (31 if bits is np.uint32 else 63))

    def ordered(values: np.ndarray) -> np.ndarray:
        """Numbers in the order of the values, one for each; both zeros are one."""
        word: np.ndarray = np.ascontiguousarray(values).view(bits)
        size = word & (zero - bits(1))
        found: np.ndarray = np.where(word >= zero, zero - size, zero + size)
        return found

    numbers = np.isfinite(got) & np.isfinite(reference)
    one, other = ordered(got), ordered(reference)
    found: np.ndarray = (np.maximum(one, other) - np.minimum(one, other)).astype(float)
    found[~numbers] = np.inf
    return found


# ---- scales ------------------------------------------------------------------------------------


def scales(
    values: Mapping[str, np.ndarray], catalogue: Declarations, species: SpeciesData | None
) -> dict[str, np.ndarray]:
    """Of quantities of the package that cross zero, by name: arrays that broadcast to (points,
    columns). values: (points, columns), inputs and outputs together."""
    if species is None or not len(species.names):
        return {}
    R = float(shipped_tables()["physical"]["R"])
    known = {name: np.asarray(one, float) for name, one in values.items()}
    T, Y, rho = (known.get(name) for name in ("T", "Y", "rho"))
    if Y is None and "Y_leading" in known:
        leading = known["Y_leading"]
        Y = np.hstack([leading, 1.0 - leading.sum(axis=1, keepdims=True)])
    with np.errstate(all="ignore"):
        W = (
            None
            if Y is None
            else Y.sum(axis=1, keepdims=True) / (Y / species.W).sum(axis=1, keepdims=True)
        )
        return dict(_scales(values, catalogue, species, R, T, W, rho))


def _scales(
    values: Mapping[str, np.ndarray], catalogue: Declarations, species: SpeciesData, R: float,
    T: np.ndarray | None, W: np.ndarray | None, rho: np.ndarray | None,
) -> Iterator[tuple[str, np.ndarray]]:  # fmt: skip
    attraction = float(np.max(0.45723552892138218 * (R * species.Tc) ** 2 / species.Pc))
    for name in values:
        if name not in catalogue.quantities:
            continue
        unit = catalogue.quantity(name).unit
        if name == "lnphi_i":
            yield name, np.ones((1, 1))
        elif name in ("s", "s_ideal") and W is not None:
            yield name, R / W
        elif name == "h_p" and rho is not None:
            yield name, 1.0 / rho
        elif name == "vbar_i" and rho is not None and W is not None:
            yield name, W / rho
        elif name in ("rho_Yi", "rho_Yi_reduced") and rho is not None and W is not None:
            yield name, rho * W / species.W.min()
        elif T is None:
            continue
        elif name in ("a", "a_T", "a_TT"):
            yield name, attraction / T ** ("a", "a_T", "a_TT").index(name)
        elif unit == "J/mol":
            yield name, R * T
        elif unit == "J/kg" and name in ("h_Yi", "h_Yi_reduced"):
            yield name, R * T / species.W.min()
        elif unit == "J/kg" and W is not None:
            yield name, R * T / W
        elif unit == "J/m3" and W is not None and rho is not None:
            yield name, rho * R * T / W
