"""Words of the command that the survey tries by itself: what a refusal asks for, one after the
other.

Types of objects, texts of arguments, procedures for arguments and components that are procedures;
that output is left out, and ends of the run are a status. Optional arguments: a kernel holds for
one choice of those that are given, and a survey looks at both ends, all of them and none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from bridge_port import options
from bridge_port.analysis.region import region
from bridge_port.nest.presence import open_questions
from bridge_port.program import interfaces, saidprocedures
from bridge_port.program.captured import copied
from bridge_port.program.derivedtypes import extensions
from bridge_port.program.program import Program
from bridge_port.program.saidprocedures import component
from bridge_port.program.symbols import DUMMY
from bridge_port.refusal import Refusal, Refused
from bridge_port.survey.found import Found, Made
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Component,
    Expression,
    Keyword,
    Name,
    Number,
    Section,
    Unary,
)
from bridge_port.syntax.units import Unit
from bridge_port.translate.reach import Reach

#: Leads to the integers in the bounds of an array.
_OF_BOUNDS = "else give the value with --value "
_SILENCE = {"drop-output", "errors"}
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
        one is not None and (_silence(one) or _OF_TEXT.match(one.construct)) for one in against
    )


def _silence(refusal: Refusal) -> bool:
    return any(one.option.key in _SILENCE for one in options.asked(refusal.change))


def procedure(refusal: Refusal) -> str:
    """The argument, or component of one, of which a refusal asks what procedure it is."""
    return _first(refusal, "procedure", "NAME")


def integer(refusal: Refusal) -> str:
    """That a refusal asks a number for."""
    return _first(refusal, "value", "N")


def _first(refusal: Refusal, key: str, value: str) -> str:
    every = options.asked_for(refusal.change, key).items()
    return next((name for name, asked in every if not value or asked == value), "")


def asked(refusal: Refusal, program: Program, unit: Unit, passed: Passed) -> Word | None:
    """What a refusal asks for, where the source shows what may be said. passed: procedures that
    fit an argument."""
    read = _CHARACTER.match(refusal.construct)
    if name := procedure(refusal):
        fitting = passed(unit, name)
        return Word("procedure", name, (), fitting) if fitting else None
    of_type, of_text = _first(refusal, "type", ""), _first(refusal, "value", "'...'")
    for option, name, values in (("type", of_type, _types), ("text", of_text, _texts)):
        if not name:
            continue
        try:
            found = tuple(dict.fromkeys(values(program, unit, name, read[1] if read else "")))
        except Refused:
            continue
        if 0 < len(found) <= MOST:
            return Word(option, name, found)
    return None


def one_size(refusal: Refusal) -> list[str]:
    """The integer that a refusal asks for, where it is one: arrays of what the procedure calls
    have that size."""
    _, mark, behind = refusal.change.partition(_OF_BOUNDS)
    names = options.asked_for(f"{mark}{behind}", "value") if mark else {}
    return [*names] if [*names.values()] == ["N"] else []


def _types(program: Program, unit: Unit, name: str, _: str) -> Iterator[str]:
    """Of an argument of a class: its own type and those that extend it, by name."""
    if name not in unit.arguments:
        return
    symbol = program.scope(unit).symbol(name, unit.place)
    if "class" not in symbol.attributes or symbol.type_name == "*":
        return
    declared = symbol.scope.derived(symbol.type_name, unit.place)
    every = (declared, *extensions(declared))
    yield from sorted(one.name for one in every if not one.definition.abstract)


def _texts(program: Program, unit: Unit, name: str, read: str) -> Iterator[str]:
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


#: Procedures of one argument that are tried.
PROCEDURES = 12


class PassedOn:
    """Of one program: what its statements pass to procedures, or let pointers point to."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.stand_ins: dict[tuple[int, str], tuple[Unit, ...]] = {}

    def fitting(self, unit: Unit, word: str) -> tuple[Unit, ...]:
        """Those that fit an argument, or a component of one, and stand in a module or alone."""
        return tuple(one for one in self.units if self._fits(unit, word, one))[:PROCEDURES]

    @cached_property
    def units(self) -> list[Unit]:
        return list({id(one): one for one in self._all()}.values())

    def standing_in(self, unit: Unit, word: str) -> tuple[Unit, ...]:
        """One that only shows what a procedure of the user's would do."""
        key = id(unit), word
        if key not in self.stand_ins:
            made = stand_in(self.program, unit, word)
            self.stand_ins[key] = () if made is None else (made,)
        return self.stand_ins[key]

    def _fits(self, unit: Unit, word: str, given: Unit) -> bool:
        if given is unit:
            return False
        try:
            if "%" not in word:
                return not saidprocedures.passed(self.program, unit, word, given)
            owner, pointer = component(self.program, unit, word)
            wanted = interfaces.named(owner.scope, pointer.interface)
            return wanted is not None and not saidprocedures.against(self.program, wanted, given)
        except Refused:
            return False

    def _all(self) -> Iterator[Unit]:
        for unit in self.program.sources():
            scope = self.program.scope(unit)
            for name in sorted(_names(unit)):
                try:
                    given = scope.as_written(name)
                except Refused:  # a declaration that is not understood
                    continue
                if given is not None and (given.parent is None or given.parent.kind == "module"):
                    yield given


def _names(unit: Unit) -> set[str]:
    """That stand alone as arguments, or as what a pointer gets."""
    found: list[Expression] = []
    for one in s.walk(unit.body):
        if isinstance(one, s.Call):
            found += one.arguments
        if isinstance(one, s.PointerAssignment):
            found.append(one.value)
        for e in one.expressions():
            found += [a for part in e.walk() if isinstance(part, Apply) for a in part.arguments]
    plain = (a.value if isinstance(a, Keyword) else a for a in found)
    return {a.id for a in plain if isinstance(a, Name)}


def stand_in(program: Program, unit: Unit, word: str) -> Unit | None:
    """A procedure of the interface that nobody has written: what it gives is 1."""
    try:
        if "%" in word:
            owner, pointer = component(program, unit, word)
            wanted = interfaces.named(owner.scope, pointer.interface)
        else:
            wanted = interfaces.of_argument(program.scope(unit), word)
        return None if wanted is None else _written(program, wanted)
    except Refused:
        return None


def _written(program: Program, wanted: Unit) -> Unit:
    scope = program.scope(wanted)
    results = [n for n in wanted.arguments if n != "*" and scope.symbol(n).intent != "in"]
    if wanted.kind == "function":
        results = [wanted.result or wanted.name]
    numbers = [n for n in results if scope.symbol(n).type in ("real", "integer", "complex")]
    around = wanted.parent
    while around is not None and around.kind != "module":
        around = around.parent
    return copied(
        wanted, parent=around,
        body=[s.Assignment(wanted.place, target=Name(n), value=Number("1")) for n in numbers],
    )  # fmt: skip


@dataclass
class Said:
    """types: of objects; texts: the one of an argument that is tried now, tried: all of them;
    procedures: of arguments and components that are procedures."""

    types: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    tried: dict[str, list[str]] = field(default_factory=dict)
    procedures: dict[str, Unit] = field(default_factory=dict)


def with_words(
    program: Program, unit: Unit, passed: Passed, attempt: Callable[[Said], Refusal | None]
) -> tuple[Refusal | None, Said]:
    """The type of an object is the first of those that a refusal asks for, a procedure the first
    with which all translates; each of the texts that characters are compared with has to
    translate. The reason of the attempt without words where they do not help."""
    first: Refusal | None = None
    left = MOST
    tried: dict[str, list[str]] = {}

    def go(said: Said) -> Said | None:
        """With the words that helped, None of none."""
        nonlocal first, left
        left -= 1
        why = attempt(said)
        if why is None:
            return said
        first = first or why
        word = asked(why, program, unit, passed)
        if word is None or word.name in said.types | said.texts | said.procedures or left <= 0:
            return None
        if word.option == "type":
            return go(replace(said, types=said.types | {word.name: word.values[0]}))
        if word.option == "procedure":
            each = (said.procedures | {word.name: one} for one in word.procedures)
            found = (go(replace(said, procedures=one)) for one in each if left > 0)
            return next((one for one in found if one is not None), None)
        tried[word.name] = list(word.values)
        last = None
        for text in reversed(word.values):
            last = go(replace(said, texts=said.texts | {word.name: text}))
            if last is None:
                return None
        return last

    helped = go(Said())
    if helped is None:
        return first, Said()
    return None, replace(helped, tried=tried)


#: Where nothing is left to do without them, the other end alone is a kernel.
_NOTHING = re.compile(r"it gives no result of a point|nothing is left of it")
#: What is no integer of the procedure without them.
_UNREAD = re.compile(r"fixed (\w+)")
Presence = Mapping[str, bool]


def optional_of(program: Program, unit: Unit) -> list[str]:
    """Of a procedure; an optional text is taken as not given in any case."""
    scope = program.scope(unit)
    names = [d for d in unit.arguments if d != "*"]
    found = [one for name in names if (one := scope.find(name)) is not None]
    return [one.name for one in found
            if one.storage == DUMMY and one.optional and one.type != "character"]  # fmt: skip


def without(
    found: Found, names: list[str], fixed: Mapping[str, int], shapes: Mapping[str, Any],
    attempt: Callable[[Found, Presence, dict[str, int], dict[str, Any]], Refusal | None],
) -> Refusal | None:  # fmt: skip
    """Of what translates with all optional arguments: the reason against it without them. Found
    gets their names."""
    if not names:
        return None
    absent = dict.fromkeys(names, False)
    own = {n: value for n, value in fixed.items() if n.partition("%")[0] not in absent}
    own_shapes = {n: value for n, value in shapes.items() if n.partition("%")[0] not in absent}
    while True:
        refusal = attempt(replace(found), absent, own, own_shapes)
        unread = None if refusal is None else _UNREAD.fullmatch(refusal.construct)
        if unread is None or unread[1] not in own:
            break
        del own[unread[1]]
    if refusal is not None and not _NOTHING.search(refusal.why):
        return refusal
    found.optional = names
    return None


def both(
    program: Program, unit: Unit, lines: tuple[int, int], asks: Refusal,
    attempt: Callable[[Presence], Made | Refusal],
) -> Made | Refusal:  # fmt: skip
    """Of a nest: what it is with all of them; asks: the refusal where nothing is said."""
    try:
        names = open_questions(program.scope(unit), unit, region(unit, *lines))
    except Refused:
        return asks
    done = attempt(dict.fromkeys(names, True))
    if isinstance(done, Refusal):
        return done
    other = attempt(dict.fromkeys(names, False))
    if isinstance(other, Refusal) and not _NOTHING.search(other.why):
        return other
    return replace(done, optional=names)
