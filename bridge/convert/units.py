"""Numbers with units as Cantera's YAML files write them, turned into SI with the mole.

A number stands in the units of its file (metre, kilogram, kilomole, pascal unless a `units` block
says otherwise), or carries its own: "33.9 bar". A leaf of the package, used by `mechanism`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from math import isclose, prod

#: Base dimensions: mass, length, time, temperature, quantity.
_BASE = 5
_ENERGY, _PRESSURE, _FORCE = (1, 2, -2, 0, 0), (1, -1, -2, 0, 0), (1, 1, -2, 0, 0)
_VOLUME, _QUANTITY = (0, 3, 0, 0, 0), (0, 0, 0, 0, 1)
_UNITS: dict[str, tuple[float, tuple[int, ...]]] = {
    "g": (1e-3, (1, 0, 0, 0, 0)),
    "m": (1.0, (0, 1, 0, 0, 0)),
    "micron": (1e-6, (0, 1, 0, 0, 0)),
    "angstrom": (1e-10, (0, 1, 0, 0, 0)),
    "s": (1.0, (0, 0, 1, 0, 0)),
    "min": (60.0, (0, 0, 1, 0, 0)),
    "hr": (3600.0, (0, 0, 1, 0, 0)),
    "K": (1.0, (0, 0, 0, 1, 0)),
    "mol": (1.0, _QUANTITY),
    "gmol": (1.0, _QUANTITY),
    "molec": (1.0 / 6.02214076e23, _QUANTITY),
    "J": (1.0, _ENERGY),
    "cal": (4.184, _ENERGY),
    "erg": (1e-7, _ENERGY),
    "eV": (1.602176634e-19, _ENERGY),
    "N": (1.0, _FORCE),
    "dyn": (1e-5, _FORCE),
    "Pa": (1.0, _PRESSURE),
    "bar": (1e5, _PRESSURE),
    "atm": (101325.0, _PRESSURE),
    "torr": (101325.0 / 760.0, _PRESSURE),
    "L": (1e-3, _VOLUME),
    "cc": (1e-6, _VOLUME),
}
_PREFIXES = {"G": 1e9, "M": 1e6, "k": 1e3, "h": 1e2, "d": 0.1, "c": 1e-2, "m": 1e-3, "u": 1e-6,
             "µ": 1e-6, "n": 1e-9}  # fmt: skip
#: What a file may choose, and what it has chosen when it says nothing.
_DEFAULTS = {"mass": "kg", "length": "m", "time": "s", "temperature": "K", "quantity": "kmol",
             "pressure": "Pa", "energy": "J"}  # fmt: skip

#: Powers of the dimensions above.
Kind = Mapping[str, float]
TEMPERATURE: Kind = {"temperature": 1}
PRESSURE: Kind = {"pressure": 1}
MOLAR_VOLUME: Kind = {"length": 3, "quantity": -1}


class UnitScope:
    """The units that hold somewhere in a file: those around it, and a `units` block's own."""

    def __init__(self, chosen: Mapping[str, str] = _DEFAULTS) -> None:
        self._chosen = dict(chosen)

    def within(self, block: Mapping[str, str] | None) -> UnitScope:
        """The scope inside a node that has a `units` block, or None. ValueError where that is no
        block."""
        texts = isinstance(block, Mapping) and all(isinstance(v, str) for v in block.values())
        if block and not texts:
            raise ValueError(f"units: {block}, wanted units such as {{length: cm}}")
        return UnitScope({**self._chosen, **block}) if block else self

    def number(self, value: object, kind: Kind = {}) -> float:  # noqa: B006 (never changed)
        """`value` in SI; text may end in a unit. ValueError says what is wrong with it."""
        text = str(value).strip()
        number, _, unit = text.partition(" ")
        if not unit.strip():
            return float(number) * self._factor(kind)
        factor, dimension = parse(unit.strip())
        wanted = [0.0] * _BASE
        for name, power in kind.items():
            for k, exponent in enumerate(parse(self._unit(name))[1]):
                wanted[k] += power * exponent
        if not all(isclose(a, b, abs_tol=1e-12) for a, b in zip(dimension, wanted, strict=True)):
            raise ValueError(f"the unit of {text!r} does not fit")
        return float(number) * factor

    def _factor(self, kind: Kind) -> float:
        return float(prod(parse(self._unit(name))[0] ** power for name, power in kind.items()))

    def _unit(self, name: str) -> str:
        return self._chosen[name]


@lru_cache(maxsize=256)
def parse(text: str) -> tuple[float, tuple[float, ...]]:
    """Factor to SI and dimension of a product of powers such as "Pa*m^6/kmol^2"."""
    factor, dimension = 1.0, [0.0] * _BASE
    for part in re.split(r"(?=[*/])", text):
        match = re.fullmatch(r"([*/]?)\s*([A-Za-zµ]+|1)\s*(?:\^\s*(-?[\d.]+))?\s*", part)
        if match is None:
            raise ValueError(f"{text!r} is not a unit")
        operator, name, exponent = match.groups()
        power = float(exponent or 1.0) * (-1.0 if operator == "/" else 1.0)
        size, dimensions = (1.0, (0,) * _BASE) if name == "1" else _named(name)
        factor *= size**power
        dimension = [a + power * b for a, b in zip(dimension, dimensions, strict=True)]
    return factor, tuple(dimension)


def _named(name: str) -> tuple[float, tuple[int, ...]]:
    if name in _UNITS:
        return _UNITS[name]
    if name[0] in _PREFIXES and name[1:] in _UNITS:
        size, dimension = _UNITS[name[1:]]
        return _PREFIXES[name[0]] * size, dimension
    raise ValueError(f"the unit {name!r} is not known")
