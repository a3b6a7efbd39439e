"""One procedure: as a procedure of one point, as a whole body of loops, nest by nest."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bridge.port.kernel import Kernel, PointProcedure
from bridge.port.outline import outline
from bridge.port.outline.arraystatements import is_array_statement
from bridge.port.outline.loops import COMPONENTS
from bridge.port.outline.region import last_line
from bridge.port.outline.setting import Setting
from bridge.port.output.module import module_text
from bridge.port.output.runs import runs
from bridge.port.program.keeping import ALL
from bridge.port.program.program import path
from bridge.port.refusal import Place, Refusal, Refused, fault
from bridge.port.survey.clock import Clock, OutOfTime
from bridge.port.survey.counting import Counting
from bridge.port.survey.found import (
    COLUMN,
    LOOPS,
    NESTS,
    NONE,
    NOTHING,
    PART,
    POINT,
    Found,
    Nest,
)
from bridge.port.survey.nothing import does_nothing
from bridge.port.survey.passed import PassedOn
from bridge.port.survey.said import Said, with_words
from bridge.port.survey.sizes import LEVELS, Extent, sizes
from bridge.port.survey.words import ASKED, one_size
from bridge.port.survey.work import Work, lies_first, moved, together
from bridge.port.syntax import statements as s
from bridge.port.syntax.units import Unit
from bridge.port.translate.translate import refuse_without_results, translate

#: What a refusal asks a value of.
_VALUE = re.compile(r"--value ([\w%]+)=N\b")
#: Of an array of a module, one that only a run knows.
_SHAPE = re.compile(r"--shape (\w+)=(N(?:,N)*)(?![\w,%])")
#: Data of modules that a point changes.
_WRITTEN = re.compile(r"an assignment to |saved (variable|array) ")
#: Of what has no sizes that a column needs.
NO_SIZES = "no sizes"
#: What is no integer of the procedure.
_UNREAD = re.compile(r"fixed (\w+)")
#: Constructs of `Unread` that read or write files or the terminal.
IO = frozenset(
    "read write print open close inquire rewind backspace flush endfile namelist format".split()
)
#: Seconds for one procedure.
SECONDS = 10.0


class Looking:
    """Of one program. fixed: integer arguments that have one value everywhere; levels: what others
    that stand in shapes are taken as."""

    def __init__(
        self,
        program: Any,
        clock: Clock,
        seconds: float = SECONDS,
        private: frozenset[str] = frozenset(),
        fixed: Mapping[str, int] | None = None,
        levels: int = LEVELS,
    ) -> None:
        self.program, self.clock, self.seconds = program, clock, seconds
        self.private, self.fixed, self.levels = private, dict(fixed or {}), levels
        self.counting, self.every = Counting(program), Counting(program, every=True)
        self.passed = PassedOn(program)
        self.until = 0.0

    def look(self, unit: Unit) -> Found:
        self.until = time.process_time() + self.seconds
        found = Found(
            unit.name, path(unit), unit.place.file, unit.place.line,
            max(unit.place.last, unit.place.line), unit.kind, has_io(unit),
        )  # fmt: skip
        if does_nothing(unit):
            found.how = NOTHING
            return found
        self.setting = self._setting(unit)
        self.loops = loops = any(self._is_nest(one) for one in s.walk(unit.body))
        point = self._point(unit, found)
        if not isinstance(point, Refusal):
            return found
        if not loops:
            outside = self._outside(unit, found, point)
            if outside is not None:
                found.refusal = self._without_column(unit, found, outside)
            return found
        whole = self._loops(unit, found)
        if not isinstance(whole, Refusal):
            return found
        found.nests = self._nests(unit.body, unit)
        if found.nests and all(nest.work is not None for nest in found.nests):
            found.fixed = {n: v for nest in found.nests for n, v in nest.fixed.items()}
        else:
            outside = self._outside(unit, found, point)
            left = None if outside is None else self._without_column(unit, found, outside)
            if left is None:
                found.nests = []
                return found
            point = left
        good = [nest for nest in found.nests if nest.work is not None]
        first = next((nest.refusal for nest in found.nests if nest.refusal), None)
        over_points = any(
            nest.refusal and nest.refusal.construct != "nest" for nest in found.nests
        )
        found.refusal, found.also = (first or whole, point) if over_points else (point, whole)
        if good:
            found.how = PART if len(good) < len(found.nests) else NESTS
            found.kernels = sum(nest.kernels for nest in good)
            found.work = together([nest.work for nest in good if nest.work is not None])
        return found

    # ---- ways ---------------------------------------------------------------------------------
    def _point(self, unit: Unit, found: Found) -> Refusal | None:
        return self._translated(unit, found, {}, {})

    def _outside(self, unit: Unit, found: Found, point: Refusal) -> Refusal | None:
        """With variables of modules as arguments, where it is no point because of these; the
        reason against that is the one that is left then."""
        if not _WRITTEN.match(point.construct):
            return point
        return self._translated(unit, found, {}, {}, True)

    def _without_column(self, unit: Unit, found: Found, point: Refusal) -> Refusal | None:
        """The reason that is left; None of what translates as a column. A shape that the reason
        against one point asks for was given to the column: what the column met is left then."""
        column = self._column(unit, found, point)
        if column is None:
            return None
        if column.construct == NO_SIZES:
            return point
        found.column = column
        return column if "--shape " in point.change else point

    def _column(self, unit: Unit, found: Found, point: Refusal) -> Refusal | None:
        """With the sizes of its arrays as given: a point is a whole column then. point: the reason
        against one point."""
        try:
            unit = self.program.lifted(unit)
            found_sizes = sizes(self.program.scope(unit), unit, self.levels, self.loops)
        except Refused as refused:
            return refused.refusal
        if found_sizes is None:
            return Refusal(unit.place, NO_SIZES)
        fixed, shapes = found_sizes
        if not fixed and not shapes:
            fixed = dict.fromkeys(one_size(point), self.levels)
        fixed = {name: self.fixed.get(name, n) for name, n in fixed.items()}
        shapes |= self._of_modules(point, shapes, unit)
        if not fixed and not shapes:
            return Refusal(unit.place, NO_SIZES)
        for _ in range(8):
            refusal = self._translated(unit, found, fixed, shapes, True)
            if refusal is None:
                return None
            if more := self._of_modules(refusal, shapes, unit):
                shapes |= more
                continue
            asked, unread = _VALUE.search(refusal.change), _UNREAD.fullmatch(refusal.construct)
            if unread is not None and unread[1] in fixed:
                del fixed[unread[1]]
            elif asked is not None and asked[1] not in self.fixed | fixed:
                fixed[asked[1]] = self.levels
            else:
                return refusal
        return refusal

    def _of_modules(
        self, refusal: Refusal, shapes: Mapping[str, list[Extent]], unit: Unit
    ) -> dict[str, list[Extent]]:
        """The shape that a refusal asks of an array of a module."""
        asked = _SHAPE.search(refusal.change)
        if asked is None or asked[1] in shapes or asked[1] in unit.arguments:
            return {}
        return {asked[1]: [self.levels] * (asked[2].count(",") + 1)}

    def _translated(
        self, unit: Unit, found: Found, fixed: dict[str, int], shapes: dict[str, list[Extent]],
        outside: bool = False,
    ) -> Refusal | None:  # fmt: skip
        """Also with words that a refusal asks for."""
        try:
            unit = self.program.lifted(unit)
        except Refused as refused:
            return refused.refusal

        def attempt(said: Said) -> Refusal | None:
            return self._with_words(unit, found, fixed, shapes, outside, said)

        refusal, said = with_words(self.program, unit, self.passed.fitting, attempt)
        if refusal is None:
            found.types, found.texts = said.types, said.tried
            found.procedures = {word: path(one) for word, one in said.procedures.items()}
            return None
        asked = ASKED.search(refusal.change)
        if not found.stand_in and asked is not None:
            one = self.passed.standing_in
            found.stand_in = with_words(self.program, unit, one, attempt)[0] is None
        found.how, found.work, found.kernels = NONE, None, 0
        return refusal

    def _with_words(
        self, unit: Unit, found: Found, fixed: dict[str, int], shapes: dict[str, list[Extent]],
        outside: bool, said: Said,
    ) -> Refusal | None:  # fmt: skip
        fixed = {n: value for n, value in self.fixed.items() if n in unit.arguments} | fixed

        def attempt() -> tuple[list[Kernel], Work]:
            procedure = PointProcedure(unit.name, unit, unit.place)
            kernel = translate(
                self.program, procedure, private=self.private,
                fixed={**self.fixed, **fixed, **said.texts}, shapes=shapes, types=said.types,
                initial=(ALL,), outside={ALL: ""} if outside else {},
                procedures=said.procedures,
            )  # fmt: skip
            refuse_without_results(kernel, unit)
            found.initial, found.outside = kernel.initial, kernel.outside
            found.numbers = [q.argument for q in kernel.outputs if q.texts]
            return [kernel], self.work([kernel], 0, self.fixed | fixed)

        done = self._attempt(unit.place, attempt)
        if isinstance(done, Refusal):
            return done
        found.how = COLUMN if fixed or shapes else POINT
        found.work, found.kernels = done[1], 1
        arguments = {q.argument for one in done[0] for q in (*one.inputs, *one.outputs)}
        found.fixed, found.shapes = fixed, {
            name: shape for name, shape in shapes.items()
            if "%" not in name or any(f"{one}%".startswith(f"{name}%") for one in arguments)
        }  # fmt: skip
        return None

    def _loops(self, unit: Unit, found: Found) -> Refusal | None:
        done = self._outlined(unit, 0, 0, unit.place)
        if isinstance(done, Refusal):
            return done
        found.how, found.work, found.kernels, found.fixed = LOOPS, done[1], len(done[0]), done[2]
        found.outside = {n: o for kernel in done[0] for n, o in kernel.outside.items()}
        return None

    def _nests(self, body: Sequence[s.Statement], unit: Unit) -> list[Nest]:
        """The outermost loops, and array statements outside of them; of one that is refused those
        inside, if one of them is not."""
        found: list[Nest] = []
        done_line: tuple[str, int] | None = None
        for one in body:
            if self._is_nest(one):
                # The assignments of a forall are loops of one line: they are chosen together.
                here = one.place.file, one.place.line
                if here == done_line:
                    continue
                done_line = here
                same = [x for x in body if (x.place.file, x.place.line) == here]
                lines = one.place.line, max(last_line(x) for x in same)
                done = self._outlined(unit, *lines, one.place)
                if not isinstance(done, Refusal):
                    said = {n: o for kernel in done[0] for n, o in kernel.outside.items()}
                    found.append(Nest(lines, done[1], len(done[0]), None, done[2], said))
                    continue
                if done.construct == "nest" and self._small(one, unit):
                    continue
                inside = self._nests(one.body, unit) if isinstance(one, s.Do) else []
                if any(nest.work is not None for nest in inside):
                    found += inside
                else:
                    found.append(Nest(lines, refusal=done))
            else:
                for inner in one.bodies():
                    found += self._nests(inner, unit)
        return found

    def _setting(self, unit: Unit) -> Setting:
        return Setting(self.program, unit, self.program.scope(unit), self.fixed)

    def _is_nest(self, one: s.Statement) -> bool:
        """A loop, or an array statement that is one."""
        if isinstance(one, s.Do):
            return bool(one.variable)
        if not isinstance(one, s.Assignment | s.Where):
            return False
        try:
            return is_array_statement(self.setting, one)
        except Refused:
            return False

    def _small(self, loop: s.Statement, unit: Unit) -> bool:
        """Whether loops of few known rounds hold assignments alone: that is the work of one
        point, as the statements beside it, and no nest."""
        setting = self.setting
        for one in s.walk([loop]):
            if isinstance(one, s.Do):
                if not one.variable or one.first is None or one.last is None:
                    return False
                rounds = (setting.affine(one.last) - setting.affine(one.first)).constant
                if rounds is None or abs(rounds) >= COMPONENTS:
                    return False
            elif not isinstance(one, s.Assignment | s.If | s.Continue):
                return False
        return True

    def _outlined(
        self, unit: Unit, first: int, last: int, place: Place
    ) -> tuple[list[Kernel], Work, dict[str, int]] | Refusal:
        """Also with a value for what a refusal asks one of; the first refusal where that does not
        help."""
        given: dict[str, int] = {}
        why: Refusal | None = None
        while True:
            done = self._outlined_with(unit, first, last, place, self.fixed | given)
            if not isinstance(done, Refusal):
                return *done, given
            why = why or done
            asked = _VALUE.search(done.change)
            if asked is None or asked[1] in self.fixed | given or len(given) == 6:
                return why
            given[asked[1]] = self.levels

    def _outlined_with(
        self, unit: Unit, first: int, last: int, place: Place, fixed: dict[str, int]
    ) -> tuple[list[Kernel], Work] | Refusal:
        def attempt() -> tuple[list[Kernel], Work]:
            procedures = outline(
                self.program, unit, first, last, name=unit.name or "nest", private=self.private,
                constants=fixed,
            )  # fmt: skip
            kernels = [
                translate(
                    self.program,
                    procedure,
                    private=self.private,
                    fixed=fixed,
                    initial=(ALL,),
                    outside={ALL: ""},
                )
                for procedure in procedures
            ]
            module_text(unit.name or "nest", unit, self.program, kernels)
            return kernels, self.work(kernels, max(len(p.loops) for p in procedures), fixed)

        return self._attempt(place, attempt)

    def _attempt(self, place: Place, attempt: Any) -> tuple[list[Kernel], Work] | Refusal:
        try:
            left = self.until - time.process_time()
            if left <= 0.0:
                raise OutOfTime
            # Half of it is kept for what is tried next.
            with self.clock.limit(max(left / 2, 0.01)):
                return attempt()  # type: ignore[no-any-return]
        except Refused as refused:
            found = refused.refusal
            return found if found.place.file else replace(found, place=place)
        except OutOfTime:
            return Refusal(place, "time", f"{self.seconds:g} s are not enough to translate it")
        except Exception as error:
            return fault(place, error)

    # ---- a point ------------------------------------------------------------------------------
    def work(
        self, kernels: Sequence[Kernel], axes: int, fixed: Mapping[str, int] | None = None
    ) -> Work:
        """Of all runs one after the other; an array that does not have all axes of the points
        is not moved for each of them."""
        found = Work()
        for some in runs(kernels):
            moved(some, axes, found)
        for kernel in kernels:
            procedure = kernel.procedure
            for counting, operations in (
                (self.counting, found.operations), (self.every, found.every)
            ):  # fmt: skip
                for name, count in counting.of(procedure.unit, fixed).items():
                    operations[name] = operations.get(name, 0.0) + count
            if procedure.loops:
                found.kernels += 1
                found.sweeps += bool(procedure.sweep)
                found.reductions += len(procedure.reductions)
                found.first |= any(lies_first(use.axes) for use in procedure.arrays.values())
        return found


def has_io(unit: Unit) -> bool:
    """Of its own statements."""
    return any(isinstance(one, s.Unread) and one.construct in IO for one in s.walk(unit.body))
