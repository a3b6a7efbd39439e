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
from bridge.port.outline.region import last_line
from bridge.port.outline.setting import Setting
from bridge.port.output.module import module_text
from bridge.port.program.keeping import ALL
from bridge.port.program.program import path
from bridge.port.refusal import Place, Refusal, Refused, fault
from bridge.port.survey import ends, words
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
from bridge.port.survey.sizes import LEVELS, Extent, sizes
from bridge.port.survey.work import Work, is_small, of_kernels, together
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
        self.until = 0.0
        self.presence: Mapping[str, bool] = {}

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
        loops = any(self._is_nest(one) for one in s.walk(unit.body))
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
            found.optional = list(dict.fromkeys(n for o in found.nests for n in o.optional))
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
            fixed, shapes = sizes(self.program.scope(unit), unit, self.levels)
        except Refused as refused:
            return refused.refusal
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
        """Also with the type of an object, the first of those that a refusal asks for, and with
        each of the texts that an argument is compared with."""
        try:
            unit = self.program.lifted(unit)
        except Refused as refused:
            return refused.refusal
        first = why = self._with_words(unit, found, fixed, shapes, outside, {}, {})
        types: dict[str, str] = {}
        texts: dict[str, str] = {}
        tried: dict[str, list[str]] = {}
        while why is not None:
            word = words.asked(why, self.program, unit)
            if word is None or word.name in types | texts or (texts and word.option == "text"):
                found.how, found.work, found.kernels = NONE, None, 0  # of one of the texts
                return first
            if word.option == "type":
                types[word.name] = word.values[0]
            given = [{}] if word.option == "type" else [{word.name: v} for v in word.values]
            for one in reversed(given):
                texts |= one
                why = self._with_words(unit, found, fixed, shapes, outside, types, texts)
                if why is not None:
                    break
            if word.option == "text":
                tried = {word.name: list(word.values)}
        found.types, found.texts = types, tried

        def attempt(
            other: Found, absent: ends.Said, fixed: dict[str, int], shapes: dict[str, Any]
        ) -> Refusal | None:
            self.presence = absent
            why = self._with_words(unit, other, fixed, shapes, outside, types, texts)
            self.presence = {}
            return why

        names = ends.optional_of(self.program, unit)
        why = ends.without(found, names, found.fixed, found.shapes, attempt)
        if why is not None:
            found.how, found.work, found.kernels = NONE, None, 0
        return why

    def _with_words(
        self, unit: Unit, found: Found, fixed: dict[str, int], shapes: dict[str, list[Extent]],
        outside: bool, types: dict[str, str], texts: dict[str, str],
    ) -> Refusal | None:  # fmt: skip
        fixed = {n: value for n, value in self.fixed.items() if n in unit.arguments} | fixed

        def attempt() -> tuple[list[Kernel], Work]:
            procedure = PointProcedure(unit.name, unit, unit.place, presence=dict(self.presence))
            kernel = translate(
                self.program, procedure, private=self.private,
                fixed={**self.fixed, **fixed, **texts}, shapes=shapes, types=types,
                initial=(ALL,), outside={ALL: ""} if outside else {},
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
        found.optional = done[3]
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
                    found.append(Nest(lines, done[1], len(done[0]), None, done[2], said, done[3]))
                    continue
                if done.construct == "nest" and is_small(self.setting, one):
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

    def _outlined(
        self, unit: Unit, first: int, last: int, place: Place
    ) -> tuple[list[Kernel], Work, dict[str, int], list[str]] | Refusal:
        """With its optional arguments and without them, where it asks for them."""
        done = self._with_values(unit, first, last, place)
        if not isinstance(done, Refusal):
            return *done, []
        if ends.ASKED not in done.change:
            return done

        def attempt(said: ends.Said) -> tuple[list[Kernel], Work, dict[str, int]] | Refusal:
            self.presence = said
            found = self._with_values(unit, first, last, place)
            self.presence = {}
            return found

        both = ends.both(self.program, unit, (first, last), done, attempt)
        return both if isinstance(both, Refusal) else (*both[0], both[1])

    def _with_values(
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
                constants=fixed, presence=self.presence,
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

    def work(
        self, kernels: Sequence[Kernel], axes: int, fixed: Mapping[str, int] | None = None
    ) -> Work:
        return of_kernels(kernels, axes, fixed, self.counting, self.every)


def has_io(unit: Unit) -> bool:
    """Of its own statements."""
    return any(isinstance(one, s.Unread) and one.construct in IO for one in s.walk(unit.body))
