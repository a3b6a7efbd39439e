"""Every piece of source that decides a kernel: what port.toml names, so that a change of it is
seen (`plan/verified.py`).

The lines of the nest or the procedure; the procedures that it reaches; of modules that these use,
and of what stands around them, the part in front of the procedures; included files as a whole;
what the files define for the preprocessor. Where a kernel depends on what all units say together,
as that nothing assigns a variable, all files count as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bridge.plan.sourcetext import Text
from bridge_port.kernel import Kernel
from bridge_port.nest.callednest import CalledNest
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.source.lines import is_fixed
from bridge_port.syntax.expressions import Component, Expression
from bridge_port.syntax.statements import Call, Statement, walk
from bridge_port.syntax.units import Unit, every
from bridge_port.translate.reach import names_in_shapes

_USE = re.compile(r"use\b(?:[^:]*::)?\s*(\w+)")


@dataclass(frozen=True, order=True)
class Piece:
    """Lines of a file from 1; the whole file where first is 0, or what it defines; fixed: its
    form."""

    file: str
    first: int = 0
    last: int = 0
    definitions: bool = False
    fixed: bool = False


@dataclass(frozen=True)
class Pieces:
    """original: of the nest or the procedure itself; read: all others."""

    original: list[Piece]
    read: list[Piece]


def pieces(
    program: Program, kernels: Sequence[Kernel], unit: Unit, first: int = 0, last: int = 0,
    called: CalledNest | None = None,
) -> Pieces:  # fmt: skip
    """first, last: lines of a nest of the unit, 0 of a procedure."""
    return _Pieces(program, kernels, unit, first, last).found(called)


class _Pieces:
    def __init__(
        self, program: Program, kernels: Sequence[Kernel], unit: Unit, first: int, last: int
    ) -> None:
        self.program, self.kernels = program, kernels
        self.first, self.last = first, last
        # Copies of units have the places of the units.
        self.at = {(one.place.file, one.place.line): one for one in reversed(
            list(every(program.units)))}  # fmt: skip
        self.unit = self._own(unit)
        self.forms: dict[str, bool] = {}

    def _own(self, unit: Unit) -> Unit:
        return self.at.get((unit.place.file, unit.place.line), unit)

    def found(self, called: CalledNest | None) -> Pieces:
        own = self._of_nest() if self.first else [_whole(self.unit)]
        if called is not None:
            own.append(Piece(called.call.place.file, *called.lines))
        read: list[Piece] = []
        if self.program.searched:
            read += [Piece(file) for file in self.program.files]
            read += [Piece(one.file) for one in self.program.folders.included]
        else:
            reached = self._reached()
            read += [_whole(one) for one in reached if one is not self.unit]
            around = self._around(reached)
            read += [_specification(one) for one in around]
            read += [_whole(one) for one in self._block_data([*reached, *around])]
            read += self._included([*own, *read])
        read += self._definitions([*own, *read])
        return Pieces([self._formed(one) for one in own],
                      sorted(self._formed(one) for one in _without_twice(own, read)))  # fmt: skip

    def _of_nest(self) -> list[Piece]:
        main = self.unit.place.file
        head = _specification(self.unit)
        nest = Piece(main, self.first, self.last)
        return [head, nest] if head.first < min(head.last + 1, self.first) else [nest]

    # ---- units --------------------------------------------------------------------------------

    def _reached(self) -> list[Unit]:
        """The unit, and procedures that are in the kernel or that its statements name."""
        found: dict[int, Unit] = {id(self.unit): self.unit}
        waiting = [self.unit]
        for kernel in self.kernels:
            for place in kernel.places:
                unit = self.at.get((place.file, place.line))
                if unit is not None and id(unit) not in found:
                    found[id(unit)] = unit
                    waiting.append(unit)
        while waiting:
            unit = waiting.pop()
            for one in self._named(unit):
                if id(one) not in found:
                    found[id(one)] = one
                    waiting.append(one)
        return list(found.values())

    def _statements(self, unit: Unit) -> Iterator[Statement]:
        for one in walk(unit.body):
            if unit is not self.unit or not self.first:
                yield one
            elif self.first <= one.place.line <= self.last:
                yield one

    def _named(self, unit: Unit) -> Iterator[Unit]:
        names: set[str] = set(names_in_shapes(unit))
        parts: set[str] = set()
        for one in self._statements(unit):
            expressions: list[Expression] = list(one.expressions())
            if isinstance(one, Call):
                expressions.append(one.procedure)
            for e in expressions:
                names |= e.names
                parts |= {part.name for part in e.walk() if isinstance(part, Component)}
        for function in unit.statement_functions.values():
            names |= function.value.names
        scope = self.program.scope(unit)
        for name in sorted(names):
            try:
                for specific, where in ((name, scope), *scope.specifics(name)):
                    found = where.as_written(specific)
                    if found is not None:
                        yield self._own(found)
            except Refused:
                continue  # it is no procedure
        yield from self._bound(parts)

    def _bound(self, names: Iterable[str]) -> Iterator[Unit]:
        """What names of components may call, of whatever type they are."""
        wanted = set(names)
        for unit in every(self.program.units) if wanted else ():
            for one in unit.types.values():
                for name in wanted & one.bindings.keys():
                    binding = one.bindings[name]
                    targets = [binding.target or name] + [
                        one.bindings[other].target or other
                        for other in binding.specifics if other in one.bindings
                    ]  # fmt: skip
                    for target in targets:
                        found = self.program.scope(unit).as_written(target)
                        if found is not None:
                            yield self._own(found)

    def _around(self, units: Iterable[Unit]) -> list[Unit]:
        """What stands around them, and the modules that all of these use."""
        found: dict[int, Unit] = {}
        waiting = list(units)
        while waiting:
            unit = waiting.pop()
            used = [use.module for use in unit.uses]
            for lines in unit.bodies.values():
                used += [m[1] for line in lines if (m := _USE.match(line.text))]
            more = [self.program.modules.get(name) for name in used]
            more += [unit.parent, self.program.host(unit) if unit.host else None]
            for one in more:
                if one is not None and id(one) not in found:
                    found[id(one)] = one
                    waiting.append(one)
        return list(found.values())

    def _block_data(self, units: Iterable[Unit]) -> list[Unit]:
        blocks = {member.block for unit in units for member in unit.commons}
        return [
            one for one in self.program.units
            if one.kind == "block data" and blocks & {member.block for member in one.commons}
        ]  # fmt: skip

    # ---- files --------------------------------------------------------------------------------

    def _included(self, pieces: Iterable[Piece]) -> list[Piece]:
        """Files that lines of the pieces stand for, and those whose macros hold there."""
        every_ = list(self.program.folders.included)
        found: dict[str, None] = {}
        waiting = list(pieces)
        while waiting:
            piece = waiting.pop()
            last = piece.last or sum(1 for _ in Path(piece.file).open("rb"))
            for one in every_:
                if one.file == piece.file:  # what holds where this file is included
                    waiting += [
                        Piece(other.file) for other in every_
                        if other.by == one.by and other.hash_line and other.line < one.line
                        and other.file not in found
                    ]  # fmt: skip
                    found.update((p.file, None) for p in waiting if not p.first)
                inside = one.by == piece.file and piece.first <= one.line <= last
                before = one.by == piece.file and one.hash_line and one.line <= last
                if (inside or before) and one.file not in found:
                    found[one.file] = None
                    waiting.append(Piece(one.file))
        return [Piece(file) for file in found]

    def _definitions(self, pieces: Iterable[Piece]) -> list[Piece]:
        files = dict.fromkeys(one.file for one in pieces)
        by = {one.file: one.by for one in self.program.folders.included}
        for file in list(files):
            while file in by and by[file] not in files:
                file = by[file]
                files[file] = None
        return [
            Piece(file, definitions=True)
            for file in files
            if Text(Path(file).read_bytes(), self._form(file)).defined()
        ]

    def _formed(self, one: Piece) -> Piece:
        return Piece(one.file, one.first, one.last, one.definitions, self._form(one.file))

    def _form(self, file: str) -> bool:
        """Whether it is of fixed form; an included file has that of what includes it."""
        if not self.forms:
            for one in self.program.folders.included:
                self.forms.setdefault(one.file, self._form_of(one.by))
        return self._form_of(file)

    def _form_of(self, file: str) -> bool:
        if file not in self.forms:
            fixed = self.program.fixed
            self.forms[file] = is_fixed(Path(file)) if fixed is None else fixed
        return self.forms[file]


def _whole(unit: Unit) -> Piece:
    return Piece(unit.place.file, unit.place.line, max(unit.place.line, unit.place.last))


def _specification(unit: Unit) -> Piece:
    """In front of its statements and of procedures inside."""
    begins = [s.place.line for s in unit.body if s.place.file == unit.place.file]
    begins += [one.place.line for one in unit.units if one.place.file == unit.place.file]
    behind = min((line for line in begins if line > unit.place.line), default=0)
    last = behind - 1 if behind else max(unit.place.line, unit.place.last)
    return Piece(unit.place.file, unit.place.line, last)


def _without_twice(own: Iterable[Piece], read: Iterable[Piece]) -> list[Piece]:
    """Without pieces that are parts of others."""
    found = dict.fromkeys(read)
    wholes = {one.file for one in found if not one.first and not one.definitions}
    spans = [one for one in (*own, *found) if one.first]
    return [
        one for one in found
        if (not one.first and (not one.definitions or one.file not in wholes))
        or (one.first and one.file not in wholes and not any(
            other != one and other.file == one.file
            and other.first <= one.first and one.last <= other.last for other in spans)
            and one not in own)
    ]  # fmt: skip
