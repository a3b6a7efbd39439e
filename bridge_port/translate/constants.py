"""Numbers of the text, named constants, values of the host, data of a procedure.

Single precision: a literal or a constant expression of it keeps the value that single precision
gives it; variables of single precision are computed in double precision, or as the original says
(`Port.singles`).
"""

from __future__ import annotations

import math
import re
import struct

from bridge_port.program.symbols import COMMON, MODULE, PARAMETER, SAVED, Symbol
from bridge_port.refusal import SOURCE
from bridge_port.syntax.expressions import (
    ComplexNumber,
    Expression,
    ImpliedDo,
    Keyword,
    Name,
    Number,
    Section,
    Text,
)
from bridge_port.translate import complexes, hostdata
from bridge_port.translate.body import TABLE, Array, Body, Dim, Hoisted
from bridge_port.translate.values import PRIMARY, UNARY, Value, integer, truth


def construct(e: Expression) -> str:
    """What Fortran calls it."""
    return {
        Text: "a character value",
        ComplexNumber: "a complex value",
        ImpliedDo: "an implied do",
        Section: "a section",
        Keyword: "a keyword",
    }.get(type(e), type(e).__name__)


def single(number: float) -> float:
    """Rounded to single precision; what it cannot hold stays, and is infinite there."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return rounded


def literal(b: Body, e: Number) -> Value:
    head, _, suffix = e.text.partition("_")
    if re.fullmatch(r"\d+", head):
        kind = kind_of(b, suffix) if suffix else 4
        if int(head) > 2147483647:
            b.refuse(f"integer {head}", "integers of kernels have 32 bits")
        return Value(head, "integer", False, PRIMARY, int(head), kind=kind)
    if not re.fullmatch(r"(\d+\.?\d*|\.\d+)([edq][-+]?\d+)?", head):
        b.refuse(f"constant {e.text}", "it is not read")
    kind = kind_of(b, suffix) if suffix else 8 if "d" in head else 16 if "q" in head else 4
    if kind == 8:
        b.precision("real", kind)
    text = head.replace("d", "e").replace("q", "e")
    mantissa, mark, exponent = text.partition("e")
    if mantissa.startswith("."):
        mantissa = "0" + mantissa
    if mantissa.endswith("."):
        mantissa += "0"
    if "." not in mantissa and not mark:
        mantissa += ".0"
    return real_constant(b, float(text), kind, mantissa + mark + exponent)


def real_constant(b: Body, number: float, kind: int, text: str = "") -> Value:
    if kind not in (4, 8):
        b.refuse(f"real({kind})", "kernels compute in double precision", "use real(8)")
    if kind == 4:
        rounded = single(number)
        if not math.isfinite(rounded):
            b.refuse(f"constant {number!r}", "single precision does not hold it")
        text = text or shortest_single(rounded)
        if rounded != number:
            return Value(f"double({text}f)", "real", False, PRIMARY, rounded, kind=4)
        if "." not in text and "e" not in text:
            text += ".0"
        if float(text) != rounded:
            text = repr(rounded)
        number = rounded
    elif not math.isfinite(number):
        b.refuse(f"constant {number!r}", "it is not finite")
    strength = PRIMARY if number >= 0 else UNARY
    return Value(text or repr(number), "real", False, strength, number, kind=kind)


def shortest_single(number: float) -> str:
    for digits in range(1, 10):
        text = f"{number:.{digits}g}"
        if single(float(text)) == number:
            return repr(float(text))
    return repr(number)


def kind_of(b: Body, suffix: str) -> int:
    found = int(suffix) if suffix.isdigit() else b.scope.constant(Name(suffix))
    if not isinstance(found, int):
        b.refuse(f"kind {suffix}", "it is not known", f"say {SOURCE}")
    return found


def of_single(b: Body, e: Expression) -> Value | None:
    """A constant expression of single precision has the value that single precision gives it."""
    if b.counters and any(isinstance(p, Name) and p.id in b.counters for p in e.walk()):
        return None
    if any(isinstance(part, Hoisted) for part in e.walk()) or b.scope.kind_of(e) != 4:
        return None
    found = b.scope.constant(e)
    if not isinstance(found, float):
        return None
    return real_constant(b, found, 4)


# ---- Scalars that are no variables of the procedure


def scalar(b: Body, symbol: Symbol) -> Value | None:
    """Of a named constant, of the host, of data; None of a variable of the procedure."""
    if symbol.storage == PARAMETER:
        return named(b, symbol)
    if symbol.storage in (MODULE, COMMON):
        if b.port.is_species(symbol):
            return b.species()
        if b.port.is_of_points(symbol):
            b.uses_host = True
            return hostdata.scalar(b, symbol)
        if symbol.name in b.port.world.initial and symbol.storage == MODULE:
            b.port.world.kept(symbol, b.place)
            return named(b, symbol)
        if symbol.name in b.port.fixed and symbol.type == "integer":
            return known(b, symbol)
        if symbol.attributes & {"pointer", "allocatable"}:
            _deferred(b, symbol)
        b.uses_host = True
        return hostdata.scalar(b, symbol)
    if b.foreign(symbol):
        if b.port.is_species(symbol):
            return b.species()
        if symbol.name in b.port.fixed and symbol.type == "integer":
            return known(b, symbol)
        b.uses_host = True
        return hostdata.scalar(b, symbol)
    if symbol.storage == SAVED:
        if b.port.is_of_points(symbol):
            b.uses_host = True
            return hostdata.scalar(b, symbol)
        if b.port.intents.changes(b.unit, symbol) or symbol.scope.initial(symbol) is None:
            b.port.outside.saved(symbol, b.place)
            b.uses_host = True
            return hostdata.scalar(b, symbol)
        return named(b, symbol)
    return None


def _deferred(b: Body, symbol: Symbol) -> None:
    """A pointer or allocatable scalar of a module: its value is given before the run. Refused
    where a result of the procedure may be the memory that it points to; of a nest the
    outline looks at its arrays."""
    entry, word = b.port.entry, "allocatable"
    if "pointer" in symbol.attributes:
        word = "a pointer"
        targets = [name for name in entry.arguments
                   if (s := b.port.program.scope(entry).find(name)) is not None
                   and "target" in s.attributes and s.intent != "in"]  # fmt: skip
        given = [*b.port.outside.said, *(one[-1] for one in b.port.outside.found)]
        for name in [*targets, *given]:
            b.refuse(f"{symbol.name} of {symbol.owner}", f"a pointer, which may point to {name}",
                     "copy its value to a variable before")  # fmt: skip
    b.port.note(f"{symbol.name} of {symbol.owner} is {word}: it has to have a value by then")


def known(b: Body, symbol: Symbol) -> Value:
    """A variable of the host that the user says has one value."""
    value = b.port.fixed[symbol.name]
    b.port.fixed_read.add(symbol.name)
    key, name = _name(b, symbol)
    b.constants.setdefault(key, f"constexpr int {name} = {value};")
    return Value(name, "integer", False, PRIMARY, value, kind=4)


def _name(b: Body, symbol: Symbol) -> tuple[str, str]:
    """Of a constant: what it is known by, and its name in C++. It is its own one, but where that
    means something else here: `use m, only: e => c` beside another c."""
    key = stem = symbol.name.replace("%", "_")
    here = b.scope.find(symbol.name)
    if here is None or (here.storage, here.owner) != (symbol.storage, symbol.owner):
        key = f"{stem} of {symbol.owner}"
        if key not in b.names.given:
            b.names.given[key] = b.names.unique(stem, keep=True)
    return key, b.names.of(key)


def named(b: Body, symbol: Symbol) -> Value:
    """A constant of the function, under its name."""
    number = symbol.scope.initial(symbol)
    if number is None or isinstance(number, list | str):
        b.refuse(f"constant {symbol.name}", "its value is not known")
    key, name = _name(b, symbol)
    if symbol.type == "logical":
        b.constants.setdefault(key, f"constexpr bool {name} = {truth(bool(number)).text};")
        return Value(name, "logical", False, PRIMARY, bool(number), kind=4)
    if symbol.type == "integer" and isinstance(number, int):
        if not -2147483648 < number <= 2147483647:
            b.refuse(f"constant {symbol.name} = {number}", "integers of kernels have 32 bits")
        found = integer(int(number))
        b.constants.setdefault(key, f"constexpr int {name} = {found.text};")
        return Value(name, "integer", False, PRIMARY, int(number), kind=symbol.kind)
    if symbol.type == "complex":
        return complexes.constant(b, symbol.kind, key, name, complex(number))
    if symbol.type == "real" and not isinstance(number, complex):
        value = real_constant(b, float(number), symbol.kind)
        b.constants.setdefault(key, f"constexpr double {name} = {value.text};")
        return Value(name, "real", False, PRIMARY, value.number, kind=symbol.kind)
    b.refuse(
        f"{symbol.type} constant {symbol.name}",
        "kernels have numbers and logicals",
        "use its components or numbers as constants of their own",
    )


# ---- Arrays of constants


def table(b: Body, symbol: Symbol, dims: tuple[Dim, ...]) -> Array:
    """An array of constants: a table of the header."""
    known = symbol.scope.initial(symbol)
    values = (
        [v for v in known if v is not None and not isinstance(v, str)]
        if isinstance(known, list)
        else []
    )
    if not isinstance(known, list) or len(values) < len(known):
        b.refuse(f"constant array {symbol.name}", "its values are not all known")
    count = 1
    for dim in dims:
        if dim.extent is None or not isinstance(dim.extent.number, int):
            b.refuse(f"constant array {symbol.name}", "its shape is not known")
        count *= dim.extent.number
    if count != len(values):
        b.refuse(f"constant array {symbol.name}", f"it has {len(values)} values for {count}")
    if symbol.type == "complex":  # real and imaginary parts behind each other
        numbers = [part for v in map(complex, values) for part in (v.real, v.imag)]
        numbers = [single(part) for part in numbers] if symbol.kind == 4 else numbers
    else:
        numbers = [float(v) for v in values if not isinstance(v, complex)]
    name = b.port.table_name(symbol, numbers)
    return Array(name, symbol.type, symbol.kind, dims, TABLE, False, "a constant")
