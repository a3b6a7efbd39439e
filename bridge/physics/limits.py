"""Limits of species constants, and the unit that a number outside of them is likely in.

Behind `species`. A constant in another unit gives plausible results that are wrong by powers of
ten. The limits hold all substances that people compute with; a pseudo-species that has none of a
substance's constants is not looked at, where it says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import log
from typing import Any

import numpy as np

R = 8.31446261815324
#: kg/mol, K, of R Tc/Pc m3/mol, of Pc Vc/(R Tc), and of cp/R at 298.15 K.
W, TC, V, ZC, OMEGA, CP = (
    *((5e-4, 1.0), (1.0, 2000.0), (1e-5, 3e-2)),
    *((0.1, 0.6), (-0.5, 1.5), (1.5, 500.0)),
)
#: Debye, above zero, and cm3/mol: a factor of 1e30 or 1e6 away from those of other units.
DIPOLE, VOLUME = (1e-6, 100.0), (1.0, 5000.0)
#: m3/mol, either sign, above zero.
SHIFT = (1e-9, 1e-3)
#: m of the alpha function.
SLOPE = (-1.0, 2.0)
#: Pa s, of the critical point.
VISCOSITY = (1e-7, 1e-4)
#: How far a molar mass may be from the sum of its composition: rounded atomic weights, isotopes.
MASS_TOLERANCE = 0.01
#: What a likely unit makes of critical constants: Pa, m3/mol, and Zc.
_USUAL_PC, _USUAL_V, _USUAL_ZC = (1e5, 4e7), (3e-5, 1e-2), (0.15, 0.4)
#: Pressures that are as likely as the likeliest one, as a difference of logarithms.
_AS_LIKELY = 0.3

#: Constants that are looked at; of a composition its molar mass.
_LIMITED = (
    *("W", "Tc", "Pc", "Vc", "omega", "dipole", "fullerVolume", "cShift", "alphaSlope"),
    *("criticalViscosity", "atomsW"),
)
#: What numbers in a unit are in the one that is wanted: "".
_MASSES = {"g/mol": 1e-3, "kg, of one molecule": 6.02214076e23}
_PRESSURES = {
    **{"": 1.0, "bar": 1e5, "atm": 101325.0, "MPa": 1e6, "kPa": 1e3, "hPa": 1e2, "psi": 6894.757},
    **{"mmHg": 133.322, "dyn/cm2": 0.1},
}
_VISCOSITIES = {"micropoise": 1e-7, "uPa s": 1e-6, "cP": 1e-3, "poise": 0.1}
_HEATS = {"J/(mol K)": 1.0 / R, "J/(kmol K)": 1e-3 / R}


def problems(data: Any, keys: Mapping[str, str]) -> list[str]:
    """A line for each constant of a `SpeciesData` that is outside; keys: how the caller writes
    W, Tc, Pc, Vc, omega, dipole, fullerVolume, cShift, alphaSlope and criticalViscosity."""
    found: list[str] = []
    with np.errstate(all="ignore"):
        T = np.clip(298.15, data.nasa7[:, 0], data.nasa7[:, 2])
        low, high = data.nasa7[:, 3:8], data.nasa7[:, 10:15]
        fit = np.where((T <= data.nasa7[:, 1])[:, None], low, high)
        heats = np.sum(fit * T[:, None] ** np.arange(5.0), axis=1)
    for k, name in enumerate(data.names):
        if data.unchecked is not None and data.unchecked[k]:
            continue
        one = {
            field: None if (values := getattr(data, field)) is None else float(values[k])
            for field in _LIMITED
        }
        found += [f"{name}: {text}" for text in _of(one, float(T[k]), float(heats[k]), keys)]
    return found


def _of(one: Mapping[str, Any], T: float, heat: float, keys: Mapping[str, str]) -> Iterator[str]:
    yield from _mass(one["W"], one["atomsW"], keys["W"])
    yield from _critical(one["Tc"], one["Pc"], one["Vc"], one["W"], keys)
    if not _inside(one["omega"], OMEGA):
        yield f"{keys['omega']} {one['omega']:.6g}, wanted {_span(OMEGA)}"
    if not _inside(heat, CP):
        heats = {**_HEATS, "J/(kg K)": one["W"] / R, "kJ/(kg K)": 1e3 * one["W"] / R}
        unit = _likely(heat, heats, (2.0, 200.0))
        yield f"nasa7 gives cp/R = {heat:.4g} at {T:g} K, wanted {_span(CP)}{unit}"
    if one["dipole"] and not _inside(one["dipole"], DIPOLE):
        unit = _likely(one["dipole"], {"C m": 1.0 / 3.33564e-30}, (1e-3, 30.0))
        yield f"{keys['dipole']} {one['dipole']:.6g} debye, wanted 0 or {_span(DIPOLE)}{unit}"
    if one["fullerVolume"] is not None and not _inside(one["fullerVolume"], VOLUME):
        unit = _likely(one["fullerVolume"], {"m3/mol": 1e6}, VOLUME)
        given = f"{keys['fullerVolume']} {one['fullerVolume']:.6g} cm3/mol"
        yield f"{given}, wanted {_span(VOLUME)}{unit}"
    if one["cShift"] and not _inside(abs(one["cShift"]), SHIFT):
        unit = _likely(abs(one["cShift"]), {"cm3/mol": 1e-6, "m3/kmol": 1e-3}, (1e-7, 1e-4))
        yield f"{keys['cShift']} {one['cShift']:.6g} m3/mol, wanted 0 or +-{_span(SHIFT)}{unit}"
    if one["alphaSlope"] and not _inside(one["alphaSlope"], SLOPE):
        yield f"{keys['alphaSlope']} {one['alphaSlope']:.6g}, wanted {_span(SLOPE)}"
    eta = one["criticalViscosity"]
    if eta is not None and eta == eta and not _inside(eta, VISCOSITY):
        unit = _likely(eta, _VISCOSITIES, (2e-6, 9e-5))
        key = keys["criticalViscosity"]
        yield f"{key} {eta:.6g} Pa s, wanted {_span(VISCOSITY)}{unit}"


def off_composition(mass: float, atoms: float) -> bool:
    """Whether a molar mass is not that of its composition; NaN: nobody knows that one."""
    return abs(mass / atoms - 1.0) > MASS_TOLERANCE


def _mass(mass: float, atoms: float | None, key: str) -> Iterator[str]:
    """atoms: that of the composition, None or NaN where nobody knows it."""
    if atoms is None or not atoms > 0.0:
        if not _inside(mass, W):
            unit = _likely(mass, _MASSES, (1e-3, W[1]))
            yield f"{key} {mass:.6g} kg/mol, wanted {_span(W)}{unit}"
    elif off_composition(mass, atoms):
        near = (atoms * (1.0 - MASS_TOLERANCE), atoms * (1.0 + MASS_TOLERANCE))
        unit = _likely(mass, _MASSES, near)
        yield (
            f"{key} {mass:.6g} kg/mol is {mass / atoms:.4g} times that of its composition, "
            f"{atoms:.6g}{unit}"
        )


def _critical(
    Tc: float, Pc: float, Vc: float | None, mass: float, keys: Mapping[str, str]
) -> Iterator[str]:
    """Critical constants belong together: what is told is what they give."""
    wrong = [] if _inside(Tc, TC) else [f"Tc wanted {_span(TC)} K"]
    if not _inside(v := R * Tc / Pc, V):
        wrong.append(f"R Tc/Pc = {v:.3g} m3/mol, wanted {_span(V)}")
    if Vc is not None and not _inside(z := Pc * Vc / (R * Tc), ZC):
        wrong.append(f"Zc = Pc Vc/(R Tc) = {z:.3g}, wanted {_span(ZC)}")
    if not wrong:
        return
    volume = "" if Vc is None else f", {keys['Vc']} {Vc:.6g} m3/mol"
    given = f"{keys['Tc']} {Tc:.6g} K, {keys['Pc']} {Pc:.6g} Pa{volume}"
    yield f"{given}: {'; '.join(wrong)}{_other_units(Tc, Pc, Vc, mass, keys)}"


def _other_units(
    Tc: float, Pc: float, Vc: float | None, mass: float, keys: Mapping[str, str]
) -> str:
    """The fewest other units that make usual constants of these: ": Pc in bar or atm?"."""
    volumes = {"cm3/mol": 1e-6, "L/mol": 1e-3, "m3/kg": mass} if Vc is not None else {}
    found: list[tuple[int, float, dict[str, str]]] = []
    for (p, pascal), (v, cubic) in product(_PRESSURES.items(), {"": 1.0, **volumes}.items()):
        if _usual(Tc, pascal * Pc, cubic * Vc if Vc is not None else None):
            units = {keys["Pc"]: p, keys["Vc"]: v}
            found.append((bool(p) + bool(v), abs(log(pascal * Pc / 4e6)), units))
    for t, kelvin in {"degrees Celsius": Tc + 273.15, "Rankine": Tc / 1.8}.items():
        if _usual(kelvin, Pc, Vc):
            found.append((1, abs(log(Pc / 4e6)), {keys["Tc"]: t}))
    if not found and Vc is not None:  # it may have been made of the others
        return _other_units(Tc, Pc, None, mass, keys)
    found.sort(key=lambda one: one[:2])
    said: dict[str, list[str]] = {}
    for changed, far, units in found:
        if changed == found[0][0] and far <= found[0][1] + _AS_LIKELY:
            for key, unit in units.items():
                if unit and unit not in said.setdefault(key, []):
                    said[key].append(unit)
    joined = " and " if found and found[0][0] > 1 else " or "
    order = [*_PRESSURES, *volumes, "degrees Celsius", "Rankine"].index
    parts = [
        f"{key} in {' or '.join(sorted(units, key=order))}" for key, units in said.items() if units
    ]
    return f": {joined.join(parts)}?" if parts else ""


def _usual(Tc: float, Pc: float, Vc: float | None) -> bool:
    v = R * Tc / Pc
    found = _inside(Tc, (4.0, TC[1])) and _inside(Pc, _USUAL_PC) and _inside(v, _USUAL_V)
    return found and (Vc is None or _inside(Vc / v, _USUAL_ZC))


def _likely(value: float, units: Mapping[str, float], usual: tuple[float, float]) -> str:
    """ ": g/mol?" where the number is usual in another unit."""
    names = [unit for unit, factor in units.items() if _inside(factor * value, usual)]
    return f": {' or '.join(names)}?" if names else ""


def _inside(value: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= value <= limits[1]


def _span(limits: tuple[float, float]) -> str:
    return f"{limits[0]:g} to {limits[1]:g}"
