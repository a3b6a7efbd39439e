"""Where statements touch arrays: elements and sections, read or written, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from bridge_port.analysis.effects import Effects
from bridge_port.analysis.setting import Setting
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import asks_array
from bridge_port.syntax.expressions import Apply, Component, Expression, Keyword, Name, Section
from bridge_port.syntax.statements import Assignment, Call, Do, Statement, Unread

# ---- Statements that no nest may have, and why --------------------------------------------------

_MEMORY = "a nest computes points, and gives no array its memory", "leave it outside of the nest"
_STATUS = (
    "it would end the run at one point, and a nest gives its points no status",
    "test before its loops, or port a procedure with --errors status",
)
_FILES = (
    "a nest computes points, and reads and writes no files",
    "leave it outside of the nest, or say --drop-output if it only writes",
)
_TYPE = (
    "which of its blocks is meant depends on the type of an object",
    "port the nest inside of a block, or the procedure with --type",
)
_WHY = {
    **dict.fromkeys(("allocate", "deallocate", "nullify"), _MEMORY),
    **dict.fromkeys(("stop", "error stop", "pause"), _STATUS),
    **dict.fromkeys(("write", "print", "read", "open", "close", "inquire", "rewind"), _FILES),
    "selecttype": _TYPE,
}


def refuse(s: Unread) -> NoReturn:
    why, change = _WHY.get(s.construct, ("", "leave it outside of the nest"))
    raise Refused(s.place, s.construct, s.why or why or "it is not understood", change)


@dataclass(frozen=True)
class Access:
    """node: Apply of an array, or its Name alone; loops: all loops around it within the region,
    outermost first; rank: of the dummy that it is passed to, 0 elsewhere."""

    array: str
    node: Expression
    reads: bool
    writes: bool
    place: Place
    loops: tuple[Do, ...]
    rank: int = 0

    @property
    def subscripts(self) -> tuple[Expression, ...] | None:
        """None of a whole array."""
        return self.node.arguments if isinstance(self.node, Apply) else None


def strided(setting: Setting, access: Access) -> str:
    """What it has that no loop stands for, "" of nothing: sections whose elements are apart."""
    for e in access.subscripts or ():
        if isinstance(e, Section) and e.stride is not None:
            step = setting.affine(e.stride).constant
            if step != 1:
                way = "negative " if step is not None and step < 0 else ""
                return f"a section with a {way}stride"
    return ""


class Accesses:
    """Of a region."""

    def __init__(self, setting: Setting, effects: Effects) -> None:
        self.setting, self.effects = setting, effects

    def of(self, body: Sequence[Statement], loops: tuple[Do, ...] = ()) -> Iterator[Access]:
        """In the order of the text, what is read by a statement before what it writes."""
        for s in body:
            if isinstance(s, Unread):
                refuse(s)
            yield from self._own(s, loops)
            inner = (*loops, s) if isinstance(s, Do) else loops
            for one in s.bodies():
                yield from self.of(one, inner)

    def _own(self, s: Statement, loops: tuple[Do, ...]) -> Iterator[Access]:
        if isinstance(s, Assignment):
            yield from self.read(s.value, s.place, loops)
            if isinstance(s.target, Apply):
                for argument in s.target.arguments:
                    yield from self.read(argument, s.place, loops)
            yield from self._node(s.target, False, True, s.place, loops)
        elif isinstance(s, Call):
            for number, argument in enumerate(s.arguments):
                value = argument.value if isinstance(argument, Keyword) else argument
                if not self._is_array(value):
                    yield from self.read(value, s.place, loops)
                    continue
                effect = self.effects.of(s, number)
                if isinstance(value, Apply):
                    for subscript in value.arguments:
                        yield from self.read(subscript, s.place, loops)
                yield from self._node(
                    value, effect.reads, effect.writes, s.place, loops, effect.rank
                )
        else:
            for expression in s.expressions():
                yield from self.read(expression, s.place, loops)

    def _is_array(self, e: Expression) -> bool:
        name = e.whole
        return isinstance(name, Name) and self.setting.is_array(name.id)

    def _node(
        self,
        e: Expression,
        reads: bool,
        writes: bool,
        place: Place,
        loops: tuple[Do, ...],
        rank: int = 0,
    ) -> Iterator[Access]:
        if isinstance(e, Component):
            self._check_component(e, place)
        elif self._is_array(e):
            name = e.whole
            assert isinstance(name, Name)
            yield Access(name.id, e, reads, writes, place, loops, rank)

    def _check_component(self, e: Component, place: Place) -> None:
        base: Expression = e
        while isinstance(base, Apply | Component):
            if base.reference:
                raise Refused(
                    place,
                    f"component {e.name} of an array of a type",
                    "",
                    "copy it to an array of its own",
                )
            base = base.base

    def read(self, e: Expression, place: Place, loops: tuple[Do, ...]) -> Iterator[Access]:
        """Of an expression."""
        if isinstance(e, Component):
            self._check_component(e, place)
        if self.setting.is_element(e):
            for argument in e.arguments:
                yield from self.read(argument, place, loops)
            yield Access(e.root, e, True, False, place, loops)
            return
        if isinstance(e, Apply) and e.reference:
            if not asks_array(e.reference):
                yield from self._function(e, e.reference, place, loops)
            return
        if isinstance(e, Name):
            if self.setting.is_array(e.id):
                yield Access(e.id, e, True, False, place, loops)
            return
        for part in e.parts():
            yield from self.read(part, place, loops)

    def _function(
        self, e: Apply, name: str, place: Place, loops: tuple[Do, ...]
    ) -> Iterator[Access]:
        unit = self.setting.callee(name)
        for number, argument in enumerate(e.arguments):
            value = argument.value if isinstance(argument, Keyword) else argument
            rank = 0
            if unit is not None and number < len(unit.arguments):
                effect = self.effects.on(unit, unit.arguments[number])
                rank = effect.rank
                if effect.writes:
                    raise Refused(
                        place,
                        f"function {name}",
                        "it changes its argument",
                        "make it a subroutine",
                    )
            if self._is_array(value):
                if isinstance(value, Apply):
                    for subscript in value.arguments:
                        yield from self.read(subscript, place, loops)
                base = value.whole
                assert isinstance(base, Name)
                yield Access(base.id, value, True, False, place, loops, rank)
            else:
                yield from self.read(value, place, loops)
