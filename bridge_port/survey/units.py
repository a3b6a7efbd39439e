"""One procedure: as a procedure of one point, as a whole body of loops, nest by nest."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bridge_port.analysis.region import last_line, region
from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.options import SECONDS, asked_for
from bridge_port.program.keeping import ALL
from bridge_port.program.messages import Left, told
from bridge_port.program.program import Program, path
from bridge_port.program.stopping import always
from bridge_port.refusal import Place, Refusal, Refused, fault
from bridge_port.survey import words
from bridge_port.survey.counting import Counting
from bridge_port.survey.found import (
    COLUMN,
    LOOPS,
    NESTS,
    NONE,
    NOTHING,
    PART,
    POINT,
    Found,
    Made,
    Work,
    of_kernels,
    together,
)
from bridge_port.survey.nests import Nests
from bridge_port.survey.processes import Clock, OutOfTime
from bridge_port.survey.sizes import LEVELS, MORE, Extent, sizes
from bridge_port.survey.words import PassedOn, Said, with_words
from bridge_port.syntax import statements as s
from bridge_port.syntax.statements import walk
from bridge_port.syntax.units import Unit
from bridge_port.translate.translate import refuse_without_results, translate

#: Data of modules that a point changes.
_WRITTEN = re.compile(r"an assignment to |saved (variable|array) ")
#: Of an argument without an end that has too few elements.
_LARGER = "say more elements, --shape"
#: Ends what is said of a loop.
OF_STEP = "with a step that is not constant"
#: Of what has no sizes that a column needs.
NO_SIZES = "no sizes"
#: What is no integer of the procedure.
_UNREAD = re.compile(r"fixed (\w+)")


class Looking:
    """Of one program. fixed: integer arguments that have one value everywhere; levels: what others
    that stand in shapes are taken as; left: which of its statements were left out."""

    def __init__(
        self, program: Program, clock: Clock, seconds: float = SECONDS,
        private: frozenset[str] = frozenset(), fixed: Mapping[str, int] | None = None,
        levels: int = LEVELS,
    ) -> None:  # fmt: skip
        self.program, self.clock, self.seconds = program, clock, seconds
        self.private, self.fixed, self.levels = private, dict(fixed or {}), levels
        self.left: Left = ()
        self.counting, self.every = Counting(program), Counting(program, every=True)
        self.passed = PassedOn(program)
        self.until = 0.0
        self.loops = False
        self.nests = Nests(program, self.fixed, private, levels, self._attempt, self.work)
        self.presence: Mapping[str, bool] = {}

    def refused(self, unit: Unit, why: Refusal | None = None) -> Found:
        """Not looked at."""
        return Found(
            unit.name, path(unit), unit.place.file, unit.place.line,
            max(unit.place.last, unit.place.line), unit.kind, has_io(unit), refusal=why,
            given=self._given(unit),
        )  # fmt: skip

    def _given(self, unit: Unit) -> dict[str, int]:
        try:
            return {n: v for n, v in self.fixed.items() if self.program.scope(unit).find(n)}
        except Refused:
            return {}  # of a declaration that is not understood

    def look(self, unit: Unit) -> Found:
        self.until = time.process_time() + self.seconds
        found = self.refused(unit)
        if does_nothing(unit):
            found.how = NOTHING
            return found
        self.loops = self.nests.has_loops(unit)
        self._ways(unit, found)
        if not found.translates:
            self._calls(unit, found)
        return found

    def _ways(self, unit: Unit, found: Found) -> Found:
        """What is tried, in this order, until one translates it."""
        point = self._point(unit, found)
        if not isinstance(point, Refusal):
            return found
        if not self.loops:
            outside = self._outside(unit, found, point)
            if outside is not None:
                found.refusal = self._without_column(unit, found, outside)
            return found
        whole = self._loops(unit, found)
        if not isinstance(whole, Refusal):
            return found
        found.nests = self.nests.of(unit)
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

    def silent(self, unit: Unit, before: Found) -> Found:
        """Of a program without output, where ends of the run are a status: as one point or column.
        before: with it, which stays where this does not help, or all points would end."""
        if always(unit):
            return before
        self.until = time.process_time() + self.seconds
        self.loops = self.nests.has_loops(unit)
        found = replace(before, how=NONE, nests=[], calls=[], refusal=None, also=None, column=None)
        point = self._point(unit, found)
        if point is not None:
            point = self._outside(unit, found, point)
        if point is not None:
            point = self._without_column(unit, found, point)
        return before if point is not None else replace(found, column=None)

    def _calls(self, unit: Unit, found: Found) -> None:
        """With calls whose loops are nests. These are counted where they stand: the procedure
        itself has the work of its own nests alone."""
        nests = self.nests.with_calls(unit)
        good = [nest for nest in nests if nest.work is not None]
        found.calls = list(dict.fromkeys(nest.call for nest in good if nest.call))
        if not found.calls:
            return
        own = [nest for nest in good if not nest.call]
        found.nests, found.how = nests, PART if len(good) < len(nests) else NESTS
        found.kernels = sum(nest.kernels for nest in own)
        found.work = together([n.work for n in own if n.work is not None]) if own else None
        found.fixed = {n: v for nest in good for n, v in nest.fixed.items()}
        first = next((nest.refusal for nest in nests if nest.refusal), None)
        if first is not None:
            found.refusal, found.also = first, found.refusal

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
        return column if asked_for(point.change, "shape") else point

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
            fixed = dict.fromkeys(words.one_size(point), self.levels)
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
            asked, unread = words.integer(refusal), _UNREAD.fullmatch(refusal.construct)
            larger = next(iter(asked_for(refusal.change, "shape")), "")
            if _LARGER in refusal.change and shapes.get(larger):
                *first, last = shapes[larger]
                shapes[larger] = [*first, last + MORE] if isinstance(last, int) else []
            elif refusal.construct.endswith(OF_STEP) and asked and asked not in fixed:
                fixed[asked] = 1
            elif unread is not None and unread[1] in fixed:
                del fixed[unread[1]]
            elif asked and asked not in self.fixed | fixed:
                fixed[asked] = self.levels
            else:
                return refusal
        return refusal

    def _of_modules(
        self, refusal: Refusal, shapes: Mapping[str, list[Extent]], unit: Unit
    ) -> dict[str, list[Extent]]:
        """The shape that a refusal asks of an array of a module, which only a run knows."""
        for name, extents in asked_for(refusal.change, "shape").items():
            if "%" not in name and {*extents.split(",")} == {"N"}:
                known = name in shapes or name in unit.arguments
                return {} if known else {name: [self.levels] * (extents.count(",") + 1)}
        return {}

    def _translated(
        self, unit: Unit, found: Found, fixed: dict[str, int], shapes: dict[str, list[Extent]],
        outside: bool = False,
    ) -> Refusal | None:  # fmt: skip
        """Also with words that a refusal asks for."""
        try:
            unit = self.program.lifted(unit)
        except Refused as refused:
            return refused.refusal
        found.said = []

        def attempt(said: Said) -> Refusal | None:
            return self._with_words(unit, found, fixed, shapes, outside, said)

        refusal, said = with_words(self.program, unit, self.passed.fitting, attempt)
        if refusal is None:
            found.types, found.texts = said.types, said.tried
            found.procedures = {word: path(one) for word, one in said.procedures.items()}
            return self._without_optional(unit, found, outside, said)
        if not found.stand_in and words.procedure(refusal):
            one = self.passed.standing_in
            found.stand_in = with_words(self.program, unit, one, attempt)[0] is None
        found.how, found.work, found.kernels = NONE, None, 0
        return refusal

    def _without_optional(
        self, unit: Unit, found: Found, outside: bool, said: Said
    ) -> Refusal | None:
        """What translates with all optional arguments has to without them as well."""

        def attempt(
            other: Found, absent: words.Presence, fixed: dict[str, int], shapes: dict[str, Any]
        ) -> Refusal | None:
            self.presence = absent
            why = self._with_words(unit, other, fixed, shapes, outside, said)
            self.presence = {}
            return why

        names = [n for n in words.optional_of(self.program, unit) if n not in said.procedures]
        why = words.without(found, names, found.fixed, found.shapes, attempt)
        if why is not None:
            found.how, found.work, found.kernels = NONE, None, 0
        return why

    def _with_words(
        self, unit: Unit, found: Found, fixed: dict[str, int], shapes: dict[str, list[Extent]],
        outside: bool, said: Said,
    ) -> Refusal | None:  # fmt: skip
        fixed = {n: value for n, value in self.fixed.items() if n in unit.arguments} | fixed

        def attempt() -> Made:
            procedure = PointProcedure(unit.name, unit, unit.place, presence=dict(self.presence))
            choices = Choices(
                private=self.private, fixed={**self.fixed, **fixed, **said.texts}, shapes=shapes,
                types=said.types, initial=(ALL,), outside={ALL: ""} if outside else {},
            )  # fmt: skip
            kernel = translate(self.program, procedure, choices, said.procedures)
            refuse_without_results(kernel, unit)
            found.initial, found.outside = kernel.initial, kernel.outside
            found.numbers = [q.argument for q in kernel.outputs if q.texts]
            options = ["--drop-output"] * bool(told(self.left, kernel.places))
            options += ["--errors status"] * bool(kernel.status)
            found.said = sorted({*found.said, *options})
            return Made([kernel], self.work([kernel], 0, self.fixed | fixed))

        done = self._attempt(unit.place, attempt)
        if isinstance(done, Refusal):
            return done
        found.how = COLUMN if fixed or shapes else POINT
        found.work, found.kernels = done.work, 1
        arguments = {q.argument for one in done.kernels for q in (*one.inputs, *one.outputs)}
        found.fixed, found.shapes = fixed, {
            name: shape for name, shape in shapes.items()
            if "%" not in name or any(f"{one}%".startswith(f"{name}%") for one in arguments)
        }  # fmt: skip
        return None

    def _loops(self, unit: Unit, found: Found) -> Refusal | None:
        done = self.nests.whole(unit)
        if isinstance(done, Refusal):
            return done
        found.how, found.work, found.kernels = LOOPS, done.work, len(done.kernels)
        found.optional, found.fixed, found.outside = done.optional, done.fixed, done.outside
        statements = region(unit, 0, 0).statements
        if all(s.place.file == unit.place.file for s in walk(statements)):
            found.body = statements[0].place.line, max(map(last_line, statements))
        return None

    def _attempt(self, place: Place, attempt: Callable[[], Made]) -> Made | Refusal:
        try:
            left = self.until - time.process_time()
            if left <= 0.0:
                raise OutOfTime
            # Half of it is kept for what is tried next.
            with self.clock.limit(max(left / 2, 0.01)):
                return attempt()
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


#: Constructs of `Unread` that do.
IO = frozenset(
    "read write print open close inquire rewind backspace flush endfile namelist format".split()
)


def has_io(unit: Unit) -> bool:
    """Of its own statements."""
    return any(isinstance(one, s.Unread) and one.construct in IO for one in s.walk(unit.body))


_PLAIN = frozenset(("real", "integer", "logical", "character", "complex"))
_HELD = frozenset(("allocatable", "pointer"))


def does_nothing(unit: Unit) -> bool:
    """Whether its own lines show that a call of it changes nothing.

    That is a subroutine without a statement that does something. Some variables change by the
    call alone: an allocatable, a pointer or an object that is intent(out), and an object of its
    own where it has a final procedure. With one of these the answer is no.
    """
    if unit.kind != "subroutine" or unit.unread or "*" in unit.arguments:
        return False
    if not all(isinstance(one, s.Return | s.Continue) for one in unit.body):
        return False
    # A name may have several declarations: its type, its intent, its attributes.
    plain: set[str] = set()
    objects: set[str] = set()
    held: set[str] = set()
    out: set[str] = set()
    for one in unit.declarations:
        if one.type is not None:
            (plain if one.type.base in _PLAIN else objects).add(one.name)
        if not one.attributes.isdisjoint(_HELD):
            held.add(one.name)
        if one.intent == "out":
            out.add(one.name)
    return out <= plain - held and objects <= set(unit.arguments)
