"""Words of the command that the survey tries by itself: types of objects, texts of arguments, and
that output is left out and ends of the run are a status."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bridge_port.program.derivedtypes import extensions
from bridge_port.refusal import Refusal, Refused
from bridge_port.survey.found import Found
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Component,
    Expression,
    Name,
    Section,
    Unary,
)
from bridge_port.syntax.units import Unit
from bridge_port.translate.reach import Reach

_TYPE = re.compile(r"--type (\w+)=\w+")
#: For a procedure.
ASKED = re.compile(r"--procedure ([\w%]+)=NAME")
#: For the integers in the bounds of an array.
_VALUES = re.compile(r"else give the value with --value ((?:[\w%]+=N ?)+)")
_TEXT = re.compile(r"--value ([\w%]+)='\.\.\.'")
_SILENCE = re.compile(r"--drop-output|--errors status")
_OF_TEXT = re.compile(
    r"character |an assignment to character |(subroutine|call of) (exit|abort)\b"
)
_CHARACTER = re.compile(r"character ([\w%]+)")
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


def silenced(found: Found) -> bool:
    """Whether what stands against a procedure may be output, or a text that is made for it."""
    against = (found.refusal, found.also, found.column)
    return any(
        one is not None and (_SILENCE.search(one.change) or _OF_TEXT.match(one.construct))
        for one in against
    )


def asked(refusal: Refusal, program: Any, unit: Unit, passed: Passed) -> Word | None:
    """What a refusal asks for, where the source shows what may be said. passed: procedures that
    fit an argument."""
    read = _CHARACTER.match(refusal.construct)
    if (match := ASKED.search(refusal.change)) is not None:
        fitting = passed(unit, match[1])
        return Word("procedure", match[1], (), fitting) if fitting else None
    for option, pattern, values in (("type", _TYPE, _types), ("text", _TEXT, _texts)):
        match = pattern.search(refusal.change)
        if match is None:
            continue
        try:
            found = tuple(dict.fromkeys(values(program, unit, match[1], read[1] if read else "")))
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


def _types(program: Any, unit: Unit, name: str, _: str) -> Iterator[str]:
    """Of an argument of a class: its own type and those that extend it, by name."""
    if name not in unit.arguments:
        return
    symbol = program.scope(unit).symbol(name, unit.place)
    if "class" not in symbol.attributes or symbol.type_name == "*":
        return
    declared = symbol.scope.derived(symbol.type_name, unit.place)
    every = (declared, *extensions(declared))
    yield from sorted(one.name for one in every if not one.definition.abstract)


def _texts(program: Any, unit: Unit, name: str, read: str) -> Iterator[str]:
    """That a procedure compares an argument with; the procedures that it calls as well where it is
    a component, a variable of a module, or passed. read: the name that it has there."""
    own = "%" not in name and name in unit.arguments and name == read
    for one in [unit] if own else Reach(program, unit).procedures():
        scope = program.scope(one)
        compared = [*_compared(one, name.rpartition("%")[2], "%" in name)]
        if read.isidentifier():
            compared += _compared(one, read, False)
        for e in compared:
            known = None if isinstance(e, Section) else scope.constant(e)
            if isinstance(known, str):
                yield known.rstrip(" ")


def _compared(unit: Unit, name: str, component: bool) -> Iterator[Expression]:
    """What a variable, or a component of this name, is compared with."""
    for one in s.walk(unit.body):
        if isinstance(one, s.Select) and _reads(one.subject, name, component):
            for case in one.cases:
                yield from case.values or ()
        for e in one.expressions():
            for part in e.walk():
                if isinstance(part, Binary) and part.operator in ("==", "/="):
                    sides = part.left, part.right
                    for a, b in (sides, sides[::-1]):
                        if _reads(a, name, component):
                            yield b


def _reads(e: Expression, name: str, component: bool) -> bool:
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
    return isinstance(e, Component) and e.name == name if component else e == Name(name)


#: A section that begins with the first letter.
_FIRST = ("None", "Number(text='1')")
