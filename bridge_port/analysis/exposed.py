"""What is read before it is written (upward-exposed uses): one variable, or the elements of one
array, followed through statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bridge_port.analysis.affine import Affine
from bridge_port.analysis.effects import Effect, Effects
from bridge_port.analysis.setting import Setting
from bridge_port.program.resolved import Call as FunctionCall
from bridge_port.program.symbols import DUMMY, LOCAL, PARAMETER
from bridge_port.refusal import Place
from bridge_port.semantic.intrinsics import ELEMENTAL, is_a
from bridge_port.syntax.expressions import Apply, Component, Expression, Name, Section
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Assignment,
    Call,
    ComputedGoto,
    Continue,
    Cycle,
    Do,
    Exit,
    Goto,
    If,
    Return,
    Select,
    Statement,
    Where,
    walk,
)

# ---- Which elements of an array are known to be written: boxes of symbolic bounds ---------------
#
# Beside `affine`. A piece is a range for each dimension; a scalar has one piece of none. Pieces
# that touch become one. Comparisons that the bounds of loops do not settle count as "not
# covered".


@dataclass(frozen=True)
class Range:
    """From low to high; empty where high is below."""

    low: Affine
    high: Affine

    @classmethod
    def at(cls, place: Affine) -> Range:
        return cls(place, place)

    def mentions(self, name: str) -> bool:
        return self.low.mentions(name) or self.high.mentions(name)


Piece = tuple[Range, ...]
#: Variables of loops under way -> the values that they take.
Values = Mapping[str, Range]


def least(value: Affine, values: Values) -> int | None:
    """The least that it can be, None where that is not known."""
    for _ in range(8):
        for term, factor in value.terms:
            if isinstance(term, Name) and term.id in values:
                ends = values[term.id]
                bound = ends.low if factor > 0 else ends.high
                value = value.without(term.id) + bound.times(factor)
                break
        else:
            return value.constant
    return None


def _not_below(value: Affine, other: Affine, values: Values) -> bool:
    difference = least(value - other, values)
    return difference is not None and difference >= 0


def inside(want: Piece, have: Piece, values: Values) -> bool:
    """Whether each point of `want` lies in `have`."""
    return all(
        _not_below(w.low, h.low, values) and _not_below(h.high, w.high, values)
        for w, h in zip(want, have, strict=True)
    )


def _joined(one: Piece, other: Piece, values: Values) -> Piece | None:
    """Both in one, where they differ in one dimension and touch there."""
    different = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if not different:
        return one
    if len(different) > 1:
        return None
    n = different[0]
    for a, b in ((one[n], other[n]), (other[n], one[n])):
        gap = least(a.high - b.low, values)
        if gap is not None and gap >= -1 and _not_below(b.low, a.low, values):
            # b may be empty: then this is a or less, never more than both.
            high = a.high if _not_below(a.high, b.high, values) else b.high
            return (*one[:n], Range(a.low, high), *one[n + 1 :])
    return None


@dataclass(frozen=True)
class Cover:
    """Pieces that are written; everything: where control does not come."""

    pieces: frozenset[Piece] = frozenset()
    everything: bool = False

    def has(self, want: Piece, values: Values) -> bool:
        return self.everything or any(inside(want, piece, values) for piece in self.pieces)

    def plus(self, piece: Piece, values: Values) -> Cover:
        if self.everything:
            return self
        pieces = set(self.pieces)
        merging = True
        while merging:
            merging = False
            for other in pieces:
                joined = _joined(piece, other, values)
                if joined is not None:
                    pieces.discard(other)
                    piece, merging = joined, True
                    break
        return Cover(frozenset({*pieces, piece}))

    def __and__(self, other: Cover) -> Cover:
        """What both have."""
        if self.everything or other.everything:
            return other if self.everything else self
        return Cover(
            frozenset(
                [p for p in self.pieces if any(inside(p, q, {}) for q in other.pieces)]
                + [q for q in other.pieces if any(inside(q, p, {}) for p in self.pieces)]
            )
        )


def joined(covers: Iterable[Cover]) -> Cover:
    """What all of them have."""
    result = Cover(everything=True)
    for cover in covers:
        result = result & cover
    return result


# ---- What has been written where a condition held, for the next `if` that asks the same ---------
#
# if (x < 0.1) then              y is written in any case where x < 0.1: the second if may read
#   y = 2*x                      it, as long as nothing that the condition names has changed.
# end if
# if (x < 0.1) z = y

#: The conditions of an if up to one arm, None of else.
Arms = tuple[Expression | None, ...]
#: Statements of which all is known that they change.
FOLLOWED = (Assignment, If, Do, Select, Continue, Cycle, Exit, Goto, Return)


@dataclass
class Conditions:
    """known: of the arms of an if, what each end of them has written."""

    setting: Setting
    effects: Effects
    known: dict[Arms, Cover] = field(default_factory=dict)

    def begin(self, arms: Arms, cover: Cover, values: Values) -> Cover:
        """What is written at the beginning of such an arm."""
        before = self.known.get(arms)
        for piece in before.pieces if before is not None else ():
            cover = cover.plus(piece, values)
        return cover

    def end(self, arms: Arms, body: Sequence[Statement], cover: Cover) -> None:
        """Where the arm ends, which has not changed what its conditions name."""
        if cover.pieces and not cover.everything and self._stays(arms):
            names = {name for e in arms if e is not None for name in e.names}
            if not names & self.effects.written(body) and not self._calls(body):
                self.known[arms] = cover

    def forget(self, body: Sequence[Statement]) -> None:
        """What these statements may change."""
        if not self.known:
            return
        if self._calls(body) or not all(isinstance(s, FOLLOWED) for s in walk(body)):
            self.known.clear()
        written = self.effects.written(body)
        for arms in list(self.known):
            if any(e is not None and e.names & written for e in arms):
                del self.known[arms]

    def forget_asked(self, s: Statement) -> None:
        """What the expressions of a statement itself may change."""
        if self._has_function(s):
            self.known.clear()

    def _calls(self, body: Sequence[Statement]) -> bool:
        return any(isinstance(s, Call) or self._has_function(s) for s in walk(body))

    def _has_function(self, s: Statement) -> bool:
        return any(self._is_function(e) for x in s.expressions() for e in x.walk())

    def _is_function(self, e: Expression) -> bool:
        return isinstance(e, Apply) and isinstance(self.setting.resolve(e), FunctionCall)

    def _stays(self, arms: Arms) -> bool:
        """Whether the conditions have the same value as long as nothing gives their names one."""
        shared = {
            name
            for group, _ in self.setting.unit.equivalences
            for member in group
            for name in member.names
        }
        return all(
            self._plain(part) and not part.names & shared
            for e in arms
            if e is not None
            for part in e.walk()
        )

    def _plain(self, e: Expression) -> bool:
        if isinstance(e, Component):
            return False
        if isinstance(e, Apply):
            return self.setting.is_element(e) or (
                is_a(e.reference, ELEMENTAL) and not self._is_function(e)
            )
        if not isinstance(e, Name):
            return True
        symbol = self.setting.find(e.id)
        if symbol is None:
            return is_a(e.id, ELEMENTAL)
        return symbol.storage in (LOCAL, DUMMY, PARAMETER) and not symbol.attributes & {
            "pointer",
            "target",
            "volatile",
        }


# ---- What is written before it is read: one variable followed through statements ----------------
#
# Loops of few known rounds are gone through round by round, others once with a variable that has a
# range; what earlier rounds wrote counts. Where a question cannot be settled the answer is "may be
# read before it is written".

#: Stands for the name of the innermost loop over points in `cycle`.
POINT = "<point>"
#: Rounds of a loop that are gone through one by one, and statements in all.
ROUNDS, STATEMENTS = 64, 20000


@dataclass
class _Loop:
    name: str
    cycles: list[Cover] = field(default_factory=list)
    exits: list[Cover] = field(default_factory=list)


class Definition:
    """Of `name` in `body`. exposed: where it may be read before it is written, None if nowhere;
    after: what is written in any case when the body ends."""

    def __init__(
        self,
        setting: Setting,
        effects: Effects,
        name: str,
        body: Sequence[Statement],
        values: dict[str, Range] | None = None,
        bounds: list[tuple[Affine, Affine | None]] | None = None,
    ) -> None:
        self.setting, self.effects, self.name = setting, effects, name
        symbol = setting.find(name)
        if bounds is None:
            bounds = setting.bounds(symbol) if symbol is not None else []
        self.bounds = bounds
        self.exposed: Place | None = None
        self._known: dict[str, int] = {}
        self._values: dict[str, Range] = dict(values or {})
        self._assigned = {
            s.target.id
            for s in walk(body)
            if isinstance(s, Assignment) and isinstance(s.target, Name)
        }
        self._quiet = 0
        self._steps = 0
        self._loops: list[_Loop] = []
        self._waiting: dict[str, list[Cover]] = {}
        self._returns: list[Cover] = []
        self._conditions = Conditions(setting, effects)
        end = self._run(body, Cover())
        self.after = joined([end, *self._returns])

    @property
    def whole(self) -> bool:
        """Whether all of it is written in any case."""
        piece = self._whole()
        return piece is not None and self.after.has(piece, {})

    def first_elements(self) -> int:
        """How many elements of an array of one dimension are always written, from the first."""
        low = self.bounds[0][0] if len(self.bounds) == 1 else None
        counts = [
            count.number + 1
            for piece in ([] if low is None or self.after.everything else self.after.pieces)
            if low is not None
            and piece[0].low == low
            and (count := piece[0].high - low).constant is not None
        ]
        return max(counts, default=0)

    # ---- statements ---------------------------------------------------------------------------

    def _run(self, body: Sequence[Statement], cover: Cover) -> Cover:
        for statement in body:
            if statement.label and statement.label in self._waiting:
                cover = joined([cover, *self._waiting.pop(statement.label)])
            if statement.label:
                self._conditions.known.clear()
            cover = self._statement(statement, cover)
            if not isinstance(statement, If):
                self._conditions.forget([statement])
        return cover

    def _statement(self, s: Statement, cover: Cover) -> Cover:
        self._steps += 1
        gone = Cover(everything=True)
        if self.name in self.effects.hidden(s):
            whole = self._whole()
            if whole is None or not cover.has(whole, self._values):
                self._expose(s.place)
        if isinstance(s, If):
            return self._if(s, cover)
        if isinstance(s, Do):
            return self._do(s, cover)
        if isinstance(s, Select):
            return self._select(s, cover)
        if isinstance(s, Assignment):
            return self._assignment(s, cover)
        if isinstance(s, Call):
            return self._call(s, cover)
        self._read(s.expressions(), cover, s.place)
        if isinstance(s, Goto):
            self._waiting.setdefault(s.target, []).append(cover)
            return gone
        if isinstance(s, ComputedGoto | ArithmeticIf):
            for label in s.targets:
                self._waiting.setdefault(label, []).append(cover)
            return cover if isinstance(s, ComputedGoto) else gone
        if isinstance(s, Return):
            self._returns.append(cover)
            return gone
        if isinstance(s, Cycle | Exit):
            for loop in reversed(self._loops):
                if not s.name or loop.name == s.name:
                    (loop.cycles if isinstance(s, Cycle) else loop.exits).append(cover)
                    return gone
            self._returns.append(cover)
            # Of a loop around the statements: what stands behind them may run.
            return gone if s.name == POINT else cover
        return cover

    def _if(self, s: If, cover: Cover) -> Cover:
        ends = []
        asked: Arms = ()
        self._conditions.forget_asked(s)
        conditions, before = self._conditions, dict(self._conditions.known)
        for arm in s.arms:
            if arm.condition is not None:
                self._read([arm.condition], cover, s.place)
            asked = (*asked, arm.condition)
            conditions.known = dict(before)
            ends.append(self._run(arm.body, conditions.begin(asked, cover, self._values)))
        conditions.known = before
        conditions.forget([s])
        for n, end in enumerate(() if isinstance(s, Where) else ends):
            conditions.end(asked[: n + 1], s.arms[n].body, end)
        if all(arm.condition is not None for arm in s.arms):
            ends.append(cover)
        return joined(ends)

    def _select(self, s: Select, cover: Cover) -> Cover:
        self._read(s.expressions(), cover, s.place)
        self._conditions.forget_asked(s)
        ends = [self._apart(case.body, cover) for case in s.cases]
        if all(case.values is not None for case in s.cases):
            ends.append(cover)
        return joined(ends)

    def _apart(self, body: Sequence[Statement], cover: Cover) -> Cover:
        """What may not run: its conditions say nothing behind it."""
        before = dict(self._conditions.known)
        end = self._run(body, cover)
        self._conditions.known = before
        return end

    def _assignment(self, s: Assignment, cover: Cover) -> Cover:
        self._read([s.value], cover, s.place)
        target = s.target
        if isinstance(target, Apply):
            self._read(target.arguments, cover, s.place)
        elif isinstance(target, Component):
            self._read([target], cover, s.place)
        return self._written(target, cover)

    def _written(self, target: Expression, cover: Cover) -> Cover:
        piece = self._piece(target)
        return cover if piece is None else cover.plus(piece, self._values)

    def _call(self, s: Call, cover: Cover) -> Cover:
        written = []
        for number, argument in enumerate(s.arguments):
            if argument.root != self.name:
                self._read([argument], cover, s.place)
                continue
            if isinstance(argument, Apply):
                self._read(argument.arguments, cover, s.place)
            effect: Effect = self.effects.of(s, number)
            whole = self._argument(argument, effect)
            if effect.reads and (whole is None or not cover.has(whole, self._values)):
                self._expose(s.place)
            if effect.always_writes and whole is not None:
                written.append(whole)
            elif effect.elements and isinstance(argument, Name) and len(self.bounds) == 1:
                low = self.bounds[0][0]
                written.append((Range(low, low + Affine(effect.elements - 1)),))
        for piece in written:
            cover = cover.plus(piece, self._values)
        return cover

    def _argument(self, argument: Expression, effect: Effect) -> Piece | None:
        """An element that a dummy array begins at stands for all along the first dimensions."""
        piece = self._piece(argument)
        if piece is None or not effect.rank or not isinstance(argument, Apply):
            return piece
        if any(isinstance(a, Section) for a in argument.arguments):
            return piece
        whole = self._whole()
        return None if whole is None else (*whole[: effect.rank], *piece[effect.rank :])

    # ---- loops --------------------------------------------------------------------------------

    def _do(self, s: Do, cover: Cover) -> Cover:
        self._read(s.expressions(), cover, s.place)
        if s.variable == self.name:
            cover = cover.plus((), self._values)
        if not s.variable or s.first is None or s.last is None:
            self._round(s, cover)
            return cover
        first, last = self._affine(s.first), self._affine(s.last)
        step = 1 if s.step is None else self._affine(s.step).constant
        outer = self._known.pop(s.variable, None), self._values.pop(s.variable, None)
        if step is not None and step and self._few(first, last, step):
            end = self._rounds(
                s, cover, range(first.number, last.number + step // abs(step), step)
            )
        elif step in (1, -1):
            low, high = (first, last) if step == 1 else (last, first)
            end = self._symbolic(s, cover, Range(low, high), step)
        else:
            self._values[s.variable] = Range(first, last)
            self._round(s, cover)
            end = cover
        self._known.pop(s.variable, None)
        self._values.pop(s.variable, None)
        if outer[0] is not None:
            self._known[s.variable] = outer[0]
        if outer[1] is not None:
            self._values[s.variable] = outer[1]
        return end

    def _few(self, first: Affine, last: Affine, step: int) -> bool:
        if first.constant is None or last.constant is None:
            return False
        rounds = (last.number - first.number) // step + 1
        return rounds <= ROUNDS and self._steps < STATEMENTS

    def _round(self, s: Do, cover: Cover) -> tuple[Cover, list[Cover]]:
        """What one round leaves, and what is left at an exit."""
        loop = _Loop(s.name)
        self._loops.append(loop)
        self._conditions.forget([s])
        end = self._apart(s.body, cover)
        self._loops.pop()
        return joined([end, *loop.cycles]), loop.exits

    def _rounds(self, s: Do, cover: Cover, rounds: range) -> Cover:
        exits: list[Cover] = []
        for value in rounds:
            self._known[s.variable] = value
            cover, left = self._round(s, cover)
            exits += left
        return joined([cover, *exits])

    def _symbolic(self, s: Do, cover: Cover, values: Range, step: int) -> Cover:
        self._values[s.variable] = values
        self._quiet += 1
        waiting = {label: list(covers) for label, covers in self._waiting.items()}
        end, exits = self._round(s, cover)
        self._waiting = waiting
        self._quiet -= 1
        variable = Affine(0, ((Name(s.variable), 1),))
        one = Affine(1)
        earlier = (
            Range(values.low, variable - one) if step == 1 else Range(variable + one, values.high)
        )
        start = self._over(end, s.variable, earlier, cover)
        _, exits = self._round(s, start)
        if exits:
            return cover
        return self._over(end, s.variable, values, cover)

    def _over(self, end: Cover, variable: str, values: Range, before: Cover) -> Cover:
        """What rounds over `values` have written, from what one round writes."""
        if end.everything:
            return before
        result = before
        for piece in sorted(end.pieces - before.pieces, key=repr):
            dims = [n for n, one in enumerate(piece) if one.mentions(variable)]
            if len(dims) != 1:
                continue
            n = dims[0]
            one = piece[n]
            if one.low != one.high or one.low.factor(variable) != 1:
                continue
            rest = one.low.without(variable)
            if rest.mentions(variable):
                continue
            over = (*piece[:n], Range(values.low + rest, values.high + rest), *piece[n + 1 :])
            result = result.plus(over, self._values)
        return result

    # ---- expressions --------------------------------------------------------------------------

    def _expose(self, place: Place) -> None:
        if not self._quiet and self.exposed is None:
            self.exposed = place

    def _read(self, expressions: object, cover: Cover, place: Place) -> None:
        for expression in expressions:  # type: ignore[attr-defined]
            self._read_one(expression, cover, place)

    def _read_one(self, e: Expression, cover: Cover, place: Place) -> None:
        if self.name not in e.names:
            return
        if e.root == self.name and not isinstance(e, Component):
            piece = self._piece(e, reads=True)
            if piece is None or not cover.has(piece, self._values):
                self._expose(place)
            if isinstance(e, Apply):
                self._read(e.arguments, cover, place)
            return
        for part in e.parts():
            if not (isinstance(e, Apply) and part is e.base and isinstance(part, Name)):
                self._read_one(part, cover, place)

    def _affine(self, e: Expression) -> Affine:
        value = self.setting.affine(e)
        for term, factor in value.terms:
            if isinstance(term, Name) and term.id in self._known:
                value = value.without(term.id) + Affine(self._known[term.id] * factor)
        return value

    def _whole(self) -> Piece | None:
        ranges = []
        for low, high in self.bounds:
            if high is None:
                return None
            ranges.append(Range(low, high))
        return tuple(ranges)

    def _piece(self, e: Expression, reads: bool = False) -> Piece | None:
        """Which elements of the variable it names; None: of another one, or not known. reads: it
        may be more of them, all between the ends of a section with a stride."""
        if e.root != self.name:
            return None
        if isinstance(e, Name):
            return self._whole()
        if not isinstance(e, Apply) or len(e.arguments) != len(self.bounds):
            return None
        ranges = []
        for argument, (low, high) in zip(e.arguments, self.bounds, strict=True):
            if not isinstance(argument, Section):
                ranges.append(Range.at(self._affine(argument)))
                continue
            step = 1 if argument.stride is None else self._affine(argument.stride).constant
            if step is None or (abs(step) != 1 and not reads):
                return None
            first = self._affine(argument.lower) if argument.lower is not None else low
            last = self._affine(argument.upper) if argument.upper is not None else high
            if last is None:
                return None
            if step < 0:
                first, last = last, first
            ranges.append(Range(first, last))
        for one in ranges:
            if any(one.mentions(name) for name in self._assigned - {*self._values}):
                return None
        return tuple(ranges)
