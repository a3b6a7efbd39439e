"""Options of the physics: which variant of a correlation the kernels evaluate.

Between the settings (text, from Fortran or the environment) and `shared` (flags and tables).
Meaning of every option and value: docs/physics.md, section 2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from bridge.errors import ArgumentError

#: Values of the options that are a choice, in the order of their codes 0, 1, 2.
CHOICES: dict[str, tuple[str, ...]] = {
    "alpha": ("ACENTRIC", "FITTED"),
    "cubic": ("PENG_ROBINSON", "SOAVE_REDLICH_KWONG"),
    "prCross": ("SIGNED", "ABS"),
    "thermoExtrap": ("CONST_CP", "POLYNOMIAL"),
    "rootPolicy": ("MIN_GIBBS", "LARGEST", "SMALLEST"),
    "chungDense": ("PUBLISHED", "BOUNDED"),
    "dilute": ("CHUNG", "KINETIC"),
    "viscosity": ("CHUNG", "FRICTION"),
    "takaMode": ("GLOBAL", "PAIRWISE"),
    "diffModel": ("CHAPMAN_ENSKOG", "FULLER"),
    "chungTables": ("chung1988", "cantera32", "poling2001"),
    "takahashiRow3": ("default", "cantera32RowPr3"),
    "massFraction": ("MASS_FORM", "MOLE_FORM"),
    "omega11": ("EXACT", "FITTED"),
    "volumeShift": ("NONE", "PENELOUX"),
    "denseDiffusion": ("TAKAHASHI", "RIAZI_WHITSON"),
}
#: Other names of values: (option, lower-case name) -> value.
_SYNONYMS = {("takahashiRow3", "cantera32"): "cantera32RowPr3"}
#: Species constants that `override` may set, and whether they have limits.
OVERRIDABLE = (
    *("W", "Tc", "Pc", "Vc", "omega", "dipole", "kappa", "fullerVolume", "cShift"),
    *("alphaSlope", "criticalViscosity", "unchecked"),
)


@dataclass(frozen=True)
class Options:
    """One value per option; the defaults are those of docs/physics.md.

    dilute: KINETIC takes viscosity, conductivity and diffusion of the dilute gas from collision
    data; viscosity: FRICTION takes that of the dense fluid from the pressures of the equation of
    state; dilutePrefactor: eta0 of the viscosity and eta0 inside the conductivity (micropoise);
    omega22G: amplitude of the sine term of Omega22, 0 switches it off; omega11: FITTED replaces
    the collision integral of diffusion by a polynomial per pair, to 1e-7; volumeShift:
    PENELOUX adds cShift of the species to the molar volume; alpha: FITTED takes alphaSlope of
    the species in place of the function of omega; denseDiffusion: RIAZI_WHITSON makes
    another kernel run, so it changes plans and not only constants; override: species constants
    that replace those of the table or the host, name and one value or one per species.
    """

    cubic: str = "PENG_ROBINSON"
    alpha: str = "ACENTRIC"
    prCross: str = "SIGNED"
    thermoExtrap: str = "CONST_CP"
    rootPolicy: str = "MIN_GIBBS"
    chungDense: str = "BOUNDED"
    dilute: str = "CHUNG"
    viscosity: str = "CHUNG"
    takaMode: str = "GLOBAL"
    diffModel: str = "CHAPMAN_ENSKOG"
    chungTables: str = "chung1988"
    dilutePrefactor: tuple[float, float] = (40.785, 40.785)
    omega22G: float = 0.0
    takahashiRow3: str = "default"
    massFraction: str = "MASS_FORM"
    omega11: str = "EXACT"
    volumeShift: str = "NONE"
    denseDiffusion: str = "TAKAHASHI"
    override: tuple[tuple[str, tuple[float, ...]], ...] = ()

    @classmethod
    def parse(cls, given: Mapping[str, Any] | Options | None) -> Options:
        """Options from names and values, or from their text; what is not given is the default.

        Names of options and constants are in either case. A choice is its name, in either case
        too, or its code. Overrides of species constants, under
        "species" or "override", are a mapping {"dipole": 0.0, "kappa": [0, 0, 0.076]} or its
        text, "dipole=0.0 kappa=0,0,0.076"; "unchecked=1" takes their limits away. Raises
        ArgumentError naming the option and what it accepts.
        """
        if isinstance(given, Options):
            return given
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentError("options", repr(given), "a mapping of names to values")
        known = [field.name for field in fields(cls)]
        values: dict[str, Any] = {}
        for name, value in _canonical("options", given or {}, (*known, "species")).items():
            if name in CHOICES:
                values[name] = _choice(name, value)
            elif name == "dilutePrefactor":
                values[name] = _pair(name, value)
            elif name == "omega22G":
                values[name] = _number(name, value)
            elif name in ("species", "override"):
                values["override"] = (*values.get("override", ()), *_override(name, value))
            else:
                from difflib import get_close_matches

                close = get_close_matches(str(name), known, 1, 0.6)
                hint = f" (did you mean {close[0]}?)" if close else ""
                raise ArgumentError("options", repr(name), f"one of {', '.join(known)}{hint}")
        return cls(**values)

    def code(self, name: str) -> int:
        """The number that stands for the chosen value of `name` in the kernels."""
        return CHOICES[name].index(getattr(self, name))


#: A number as Fortran writes it, in parts: digits, exponent. An exponent of three digits has no
#: letter: 1.0-100.
_NUMBER = re.compile(
    r"([+-]?(?:\d+\.?\d*|\.\d+)(?=[edq]|$)|[+-]?\d*\.\d*(?=[+-]\d{3}$))"
    r"(?:[edq]?([+-]?\d+))?",
    re.ASCII | re.IGNORECASE,
)


def number(text: str) -> float:
    """The number that text of Fortran, Python or a shell stands for; ValueError where none."""
    parts = _NUMBER.fullmatch(text.strip())
    return float(f"{parts[1]}e{parts[2] or 0}" if parts else text)


def _choice(name: str, value: Any) -> str:
    choices = CHOICES[name]
    text = str(value).strip().lower()
    text = _SYNONYMS.get((name, text), text).lower()
    for code, choice in enumerate(choices):
        if text in (choice.lower(), str(code)):
            return choice
    raise ArgumentError(name, repr(value), f"one of {', '.join(choices)}")


def _number(name: str, value: Any) -> float:
    try:
        found = number(value) if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise ArgumentError(name, repr(value), "a finite number")
    return found


def _pair(name: str, value: Any) -> tuple[float, float]:
    """Two numbers above zero: a sequence, text with a blank or comma, or one for both."""
    parts = value.replace(",", " ").split() if isinstance(value, str) else value
    numbers: list[float] | None
    try:
        numbers = [number(x) if isinstance(x, str) else float(x) for x in parts]
    except TypeError:
        numbers = None
    except ValueError:
        numbers = []
    if numbers is None:
        numbers = [_number(name, parts)]
    if len(numbers) == 1:
        numbers *= 2
    if len(numbers) != 2 or not all(math.isfinite(x) and x > 0.0 for x in numbers):
        raise ArgumentError(
            name, repr(value), "two numbers above zero, for viscosity and conductivity"
        )
    return numbers[0], numbers[1]


def _override(option: str, value: Any) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """(name, values) of each constant; text is `name=number,number ... name=...`."""
    if isinstance(value, str):
        head, *parts = re.split(r"(\w+)\s*=", value)
        if head.strip() or not parts:
            raise ArgumentError(option, repr(value), "text such as 'dipole=0.0 kappa=0,0,0.076'")
        given: dict[str, Any] = {}
        for name, numbers in zip(parts[::2], parts[1::2], strict=True):
            if name in given:
                raise ArgumentError(option, f"{name} twice in {value!r}", "each constant once")
            given[name] = numbers.replace(",", " ").split()
    elif isinstance(value, Mapping):
        given = dict(value)
    else:
        raise ArgumentError(option, repr(value), "a mapping {name: number or numbers}, or text")
    given = _canonical(option, given, OVERRIDABLE)
    return tuple((name, _constants(option, name, given[name])) for name in given)


def _canonical(option: str, given: Mapping[Any, Any], known: Iterable[str]) -> dict[Any, Any]:
    """The same with known names as they are written, whatever their case; each once."""
    names = {name.lower(): name for name in known}
    found: dict[Any, Any] = {}
    for name, value in given.items():
        written = names.get(name.strip().lower(), name) if isinstance(name, str) else name
        if written in found:
            raise ArgumentError(option, f"{written} twice, in other cases", "each name once")
        found[written] = value
    return found


def _constants(option: str, name: Any, value: Any) -> tuple[float, ...]:
    """The numbers that replace species constant `name`."""
    if name not in OVERRIDABLE:
        from difflib import get_close_matches

        close = get_close_matches(str(name), OVERRIDABLE, 1, 0.6)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise ArgumentError(option, repr(name), f"names among {', '.join(OVERRIDABLE)}{hint}")
    wanted = f"{option} {name}"
    try:
        parts = [value] if isinstance(value, str) else list(value)
    except TypeError:
        parts = [value]
    numbers = tuple(_number(wanted, part) for part in parts)
    if not numbers:
        raise ArgumentError(wanted, "nothing", "a number, or one per species")
    return numbers
