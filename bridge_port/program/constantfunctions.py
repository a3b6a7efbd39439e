"""Intrinsic functions of constants."""

from __future__ import annotations

import math
from collections.abc import Callable

from bridge_port.program.values import Value, binary, convert, integer, real

_MATHEMATICS: dict[str, Callable[[float], float]] = {
    name: getattr(math, name)
    for name in """sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    erf erfc gamma""".split()
}


def call(name: str, values: tuple[Value, ...], kind: int | None) -> Value | None:
    """An intrinsic function of constants; None of one that is not known here."""
    first = values[0]
    numbers = all(one.type in ("real", "integer") for one in values)
    if name == "merge" and len(values) == 3 and values[2].type == "logical":
        return values[0] if values[2].plain else values[1]
    if all(isinstance(one.plain, str) for one in values) or name in _TEXTS:
        return _of_texts(name, values)
    if name in ("char", "achar") and first.type == "integer":
        return Value("character", 1, chr(int(first.plain)))
    if not numbers:
        return None
    if name in _SPECIFIC:
        generic, wanted, result = _SPECIFIC[name]
        if any(one.type != wanted[0] for one in values) and name not in (
            "dble",
            "float",
            "dfloat",
        ):
            return None
        if result is None:
            return call(generic, values, None)
        if generic in ("real", "int", "nint"):
            return call(generic, values, result)
        inner = call(generic, values, None)
        return inner and convert(inner, wanted[0], result)
    plain = first.plain
    assert not isinstance(plain, str)
    if name == "real":
        return real(float(plain), kind or 4)
    if name in ("int", "nint", "floor", "ceiling"):
        if not math.isfinite(plain):
            return None
        to_integer: dict[str, Callable[[float], int]] = {
            "int": int, "floor": math.floor, "ceiling": math.ceil,
            "nint": lambda x: int(math.copysign(math.floor(abs(x) + 0.5), x)),
        }  # fmt: skip
        return integer(to_integer[name](plain), kind or 4)
    if name in _MATHEMATICS and first.type == "real" and len(values) == 1:
        try:
            return real(_MATHEMATICS[name](float(plain)), first.kind)
        except (ValueError, OverflowError):
            return None
    if name == "abs":
        return Value(first.type, first.kind, abs(plain))
    if len(values) < 2 or len({(one.type, one.kind) for one in values}) > 1:
        return None
    return _of_several(name, values)


_TEXTS = frozenset("index scan verify repeat".split())
_ORDER = {"lge": ">=", "lgt": ">", "lle": "<=", "llt": "<"}


def _of_texts(name: str, values: tuple[Value, ...]) -> Value | None:
    """Functions of characters."""
    text = values[0].plain
    if not isinstance(text, str):
        return None
    if name == "repeat" and len(values) == 2 and values[1].type == "integer":
        return Value("character", 1, text * max(int(values[1].plain), 0))
    if name in ("index", "scan", "verify") and len(values) in (2, 3):
        back = len(values) == 3 and bool(values[2].plain)
        if values[1].type != "character" or (len(values) == 3 and values[2].type != "logical"):
            return None
        return integer(_found(name, text, str(values[1].plain), back))
    if name in _ORDER and len(values) == 2:
        return binary(_ORDER[name], *values)
    if len(values) != 1:
        return None
    if name in ("ichar", "iachar"):
        return integer(ord(text)) if len(text) == 1 else None
    if name in ("len", "len_trim"):
        return integer(len(text if name == "len" else text.rstrip(" ")))
    made: dict[str, Callable[[str], str]] = {
        "trim": lambda x: x.rstrip(" "),
        "adjustl": lambda x: x.lstrip(" ").ljust(len(x)),
        "adjustr": lambda x: x.rstrip(" ").rjust(len(x)),
    }
    return Value("character", 1, made[name](text)) if name in made else None


def _found(name: str, text: str, what: str, back: bool) -> int:
    """A place counted from 1, or 0."""
    if name == "index":
        return (text.rfind(what) if back else text.find(what)) + 1
    places = [n for n, letter in enumerate(text, 1) if (letter in what) == (name == "scan")]
    return 0 if not places else places[-1 if back else 0]


def _of_several(name: str, values: tuple[Value, ...]) -> Value | None:
    first = values[0]
    plains = [one.plain for one in values if not isinstance(one.plain, str)]
    if name in ("max", "min"):
        return Value(first.type, first.kind, (max if name == "max" else min)(plains))
    if len(plains) != 2:
        return None
    a, b = plains
    if name == "sign":
        negative = math.copysign(1.0, b) < 0
        return Value(first.type, first.kind, -abs(a) if negative else abs(a))
    if name == "dim":
        return (
            binary("-", *values)
            if a > b
            else convert(Value("integer", 4, 0), first.type, first.kind)
        )
    if name in ("mod", "modulo") and b != 0:
        if first.type == "integer":
            remainder = int(a) % int(b)
            if name == "mod" and remainder and (a < 0) != (b < 0):
                remainder -= int(b)
            return integer(remainder, first.kind)
        result = math.fmod(a, b)
        if name == "modulo" and result and (result < 0) != (b < 0):
            result += b
        return real(result, first.kind)
    if name == "atan2" and first.type == "real":
        return real(math.atan2(a, b), first.kind)
    if name in ("iand", "ior", "ieor", "ishft") and first.type == "integer":
        a, b = int(a), int(b)
        if name == "ishft":
            mask = (1 << (8 * first.kind)) - 1
            shifted = ((a & mask) << b) & mask if b >= 0 else (a & mask) >> -b
            sign = 1 << (8 * first.kind - 1)
            return integer((shifted ^ sign) - sign, first.kind)
        return integer({"iand": a & b, "ior": a | b, "ieor": a ^ b}[name], first.kind)
    return None


#: Specific names: generic, type of the arguments, bytes of the result (None: as the generic has).
_SPECIFIC: dict[str, tuple[str, tuple[str, int], int | None]] = {
    **{
        "d" + name: (name, ("real", 8), None)
        for name in """sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh abs mod
        sign dim""".split()
    },
    **{"i" + name: (name, ("integer", 4), None) for name in ("abs", "sign", "dim")},
    "alog": ("log", ("real", 4), None), "alog10": ("log10", ("real", 4), None),
    "amod": ("mod", ("real", 4), None),
    "amax1": ("max", ("real", 4), None), "amin1": ("min", ("real", 4), None),
    "dmax1": ("max", ("real", 8), None), "dmin1": ("min", ("real", 8), None),
    "max0": ("max", ("integer", 4), None), "min0": ("min", ("integer", 4), None),
    "dble": ("real", ("real", 8), 8), "dfloat": ("real", ("integer", 4), 8),
    "float": ("real", ("integer", 4), 4), "sngl": ("real", ("real", 8), 4),
    "ifix": ("int", ("real", 4), 4), "idint": ("int", ("real", 8), 4),
    "idnint": ("nint", ("real", 8), 4),
}  # fmt: skip
