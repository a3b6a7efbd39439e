"""Words of the command that the survey tries by itself: types of objects, texts of arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bridge.port.program.derivedtypes import extensions
from bridge.port.program.symbols import DUMMY
from bridge.port.refusal import Refusal, Refused
from bridge.port.syntax import statements as s
from bridge.port.syntax.expressions import Apply, Binary, Expression, Name, Section, Unary
from bridge.port.syntax.units import Unit

_TYPE = re.compile(r"--type (\w+)=\w+")
#: For a procedure.
ASKED = re.compile(r"--procedure ([\w%]+)=NAME")
#: For the integers in the bounds of an array.
_VALUES = re.compile(r"else give the value with --value ((?:[\w%]+=N ?)+)")
_TEXT = re.compile(r"--value (\w+)='\.\.\.'")
#: Texts of one argument that are tried.
MOST = 24

Passed = Callable[[Unit, str], tuple[Unit, ...]]


@dataclass(frozen=True)
class Word:
    """option: type, text or procedure; name: of an argument, or of a component of one; values:
    that it may have; procedures: that it may be."""

    option: str
    name: str
    values: tuple[str, ...] = ()
    procedures: tuple[Unit, ...] = ()


def asked(refusal: Refusal, program: Any, unit: Unit, passed: Passed) -> Word | None:
    """What a refusal asks for, where the source shows what may be said. passed: procedures that
    fit an argument."""
    if (match := ASKED.search(refusal.change)) is not None:
        fitting = passed(unit, match[1])
        return Word("procedure", match[1], (), fitting) if fitting else None
    for option, pattern, values in (("type", _TYPE, _types), ("text", _TEXT, _texts)):
        match = pattern.search(refusal.change)
        if match is None or match[1] not in unit.arguments:
            continue
        try:
            found = tuple(dict.fromkeys(values(program, unit, match[1])))
        except Refused:
            continue
        if 0 < len(found) <= MOST:
            return Word(option, match[1], found)
    return None


def one_size(refusal: Refusal) -> list[str]:
    """The integer that a refusal asks for, where it is one: arrays of what the procedure calls
    have that size."""
    match = _VALUES.search(refusal.change)
    names = [word.removesuffix("=N") for word in match[1].split()] if match is not None else []
    return names if len(names) == 1 else []


def _types(program: Any, unit: Unit, name: str) -> Iterator[str]:
    """Of an argument of a class: its own type and those that extend it, by name."""
    symbol = program.scope(unit).symbol(name, unit.place)
    if "class" not in symbol.attributes or symbol.type_name == "*":
        return
    declared = symbol.scope.derived(symbol.type_name, unit.place)
    every = (declared, *extensions(declared))
    yield from sorted(one.name for one in every if not one.definition.abstract)


def _texts(program: Any, unit: Unit, name: str) -> Iterator[str]:
    """That the procedure compares an argument with."""
    scope = program.scope(unit)
    symbol = scope.symbol(name, unit.place)
    if symbol.storage != DUMMY or symbol.type != "character" or symbol.dimensions is not None:
        return
    for one in s.walk(unit.body):
        compared: list[Expression] = []
        if isinstance(one, s.Select) and _reads(one.subject, name):
            compared += [value for case in one.cases for value in case.values or ()]
        for e in one.expressions():
            for part in e.walk():
                if isinstance(part, Binary) and part.operator in ("==", "/="):
                    sides = part.left, part.right
                    compared += [b for a, b in (sides, sides[::-1]) if _reads(a, name)]
        for e in compared:
            known = None if isinstance(e, Section) else scope.constant(e)
            if isinstance(known, str):
                yield known.rstrip(" ")


def _reads(e: Expression, name: str) -> bool:
    """Whether it is the text, its first letters, or the text without blanks."""
    while isinstance(e, Apply | Unary):
        if isinstance(e, Unary):
            e = e.operand
        elif e.base in (Name("trim"), Name("adjustl")) and len(e.arguments) == 1:
            e = e.arguments[0]
        else:
            first = e.arguments[0] if len(e.arguments) == 1 else None
            if not isinstance(first, Section) or str(first.lower) not in _FIRST:
                return False
            e = e.base
    return e == Name(name)


#: A section that begins with the first letter.
_FIRST = ("None", "Number(text='1')")
