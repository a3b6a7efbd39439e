"""Jumps backwards as loops: where the statements from a label to the last jump to it have one
entry, the label, they are a loop whose turns begin at it. All other jumps stay as they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bridge_port.syntax.expressions import Unary
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Arm,
    ComputedGoto,
    Continue,
    Cycle,
    Do,
    Exit,
    Goto,
    If,
    Return,
    Statement,
    Unread,
    walk,
)
from bridge_port.syntax.units import Unit

#: The first of the labels that are made, downwards.
_LAST_LABEL = 89999


def put_loops(unit: Unit) -> None:
    """Changes the body of the unit."""
    seen: set[str] = set()
    backwards = False
    for one in walk(unit.body):
        seen |= {one.label}
        backwards = backwards or any(target in seen for target in _targets(one))
    if backwards:
        _Loops(unit).of(unit.body)


@dataclass(frozen=True)
class _Turn:
    """What becomes a loop: the statements of these numbers of a list."""

    first: int
    last: int
    label: str


class _Loops:
    """Of one unit. count: how many statements have a label; jumps: how many jumps go to it."""

    def __init__(self, unit: Unit) -> None:
        every = list(walk(unit.body))
        self.count = Counter(label for one in every for label in _labels(one))
        self.jumps = Counter(label for one in every for label in _targets(one))
        self.unread = " ".join(
            text for one in every if isinstance(one, Unread) for text in (one.text, *one.inside)
        )
        names = {name for one in every for e in one.expressions() for name in e.names}
        names |= {getattr(one, "name", "") for one in every}
        self.names = names | {one.name for one in unit.declarations} | set(unit.arguments)

    def of(self, body: list[Statement]) -> None:
        left: set[str] = set()
        while (found := self._next(body, left)) is not None:
            turn = body[found.first : found.last + 1]
            if self._fits(body, found):
                body[found.first : found.last + 1] = [self._loop(turn, found.label)]
            left.add(found.label)
        for one in body:
            for inner in one.bodies():
                self.of(inner)

    @staticmethod
    def _next(body: Sequence[Statement], left: set[str]) -> _Turn | None:
        """The first label of the list that a jump behind it goes to. A jump from behind into the
        statements makes them more: its label is within the loop then."""
        for first, one in enumerate(body):
            label = one.label
            if not label or label in left:
                continue
            behind = [n for n in range(first, len(body)) if label in _all_targets([body[n]])]
            if not behind:
                continue
            last = -1
            while last != behind[-1]:
                last = behind[-1]
                inside = _all_labels(body[first : last + 1])
                later = range(last + 1, len(body))
                behind += [n for n in later if inside & _all_targets([body[n]]).keys()]
            return _Turn(first, last, label)
        return None

    def _fits(self, body: Sequence[Statement], turn: _Turn) -> bool:
        """Whether the label is the only way in."""
        statements = body[turn.first : turn.last + 1]
        own, before = _all_targets(statements), _all_targets(body[: turn.first])
        if self.jumps[turn.label] != own[turn.label] + before[turn.label]:
            return False
        labels = _all_labels(statements)
        if any(self.jumps[label] != own[label] for label in labels - {turn.label}):
            return False
        if any(self.count[label] > 1 for label in labels):
            return False
        if any(re.search(rf"\b0*{label}\b", self.unread) for label in labels):
            return False  # err=10, an assigned goto
        file = statements[0].place.file
        if any(one.place.file != file for one in walk(statements)):
            return False
        return not any(True for _ in _leaving(statements))

    def _loop(self, statements: list[Statement], label: str) -> Do:
        first = statements[0]
        last = max(max(one.place.line, one.place.last) for one in walk(statements))
        place = replace(first.place, last=last)
        comments, first.label, first.comments = first.comments, "", ()
        if type(first) is Continue:
            del statements[0]
        name = self._name(label)
        again = self._again(statements, label)
        _cycles(statements, label, name)
        loop = Do(place, label, comments, body=statements, name=name)
        end = statements[-1] if statements else None
        if again:
            statements += [Exit(place, name=name), Continue(place, again)]
        elif isinstance(end, Cycle) and end.name == name and not end.label:
            statements[-1:] = [Continue(end.place, "", end.comments)] if end.comments else []
        elif isinstance(end, If) and _turns_back(end, name):
            self._put_condition(loop, end)
        elif not isinstance(end, Return | Goto | Exit):
            statements.append(Exit(place, name=name))
        return loop

    @staticmethod
    def _put_condition(loop: Do, end: If) -> None:
        """The last statement is an if whose points go back: at the head all there is, it is the
        condition of the loop; at the end the others leave."""
        arm = end.arms[0]
        assert arm.condition is not None
        if len(loop.body) == 1 and not end.label:
            loop.condition, loop.body = arm.condition, arm.body[:-1]
            loop.comments += end.comments
            if arm.body[-1].comments:
                loop.body.append(Continue(arm.body[-1].place, "", arm.body[-1].comments))
        elif len(arm.body) == 1:
            leave: list[Statement] = [Exit(arm.body[0].place, name=loop.name)]
            end.arms = [Arm(Unary(".not.", arm.condition), leave, arm.place, arm.comments)]
        else:
            loop.body.append(Exit(end.place, name=loop.name))

    def _again(self, statements: Sequence[Statement], label: str) -> str:
        """A label for the end of a turn, where a jump with several targets goes to its head."""
        several = [
            one for one in walk(statements)
            if isinstance(one, ComputedGoto | ArithmeticIf) and label in one.targets
        ]  # fmt: skip
        if not several:
            return ""
        number = _LAST_LABEL
        while self.count[str(number)] or self.jumps[str(number)]:
            number -= 1
        again = str(number)
        for one in several:
            one.targets = tuple(again if target == label else target for target in one.targets)
            self.jumps[again] += 1
        self.count[again] += 1
        return again

    def _name(self, label: str) -> str:
        name = f"back_to_{label}"
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name


def _targets(one: Statement) -> Iterable[str]:
    if isinstance(one, Goto):
        return (one.target,)
    return one.targets if isinstance(one, ComputedGoto | ArithmeticIf) else ()


def _all_targets(body: Sequence[Statement]) -> Counter[str]:
    return Counter(target for one in walk(body) for target in _targets(one))


def _labels(one: Statement) -> Iterator[str]:
    """A labelled last statement of a loop has the label that the loop ends at."""
    if one.label:
        yield one.label
    if isinstance(one, If) and one.end_label:
        yield one.end_label


def _all_labels(body: Sequence[Statement]) -> set[str]:
    return {label for one in walk(body) for label in _labels(one)}


def _leaving(body: Sequence[Statement]) -> Iterator[Statement]:
    """Those that leave a loop, or a turn of it, that stands around and has no name."""
    for one in body:
        if isinstance(one, Exit | Cycle) and not one.name:
            yield one
        if not isinstance(one, Do):
            for inner in one.bodies():
                yield from _leaving(inner)


def _cycles(statements: list[Statement], label: str, name: str) -> None:
    """Jumps to the label begin the next turn."""
    for n, one in enumerate(statements):
        if isinstance(one, Goto) and one.target == label:
            statements[n] = Cycle(one.place, one.label, one.comments, name=name)
        for inner in one.bodies():
            _cycles(inner, label, name)


def _turns_back(one: If, name: str) -> bool:
    """Whether all that its points do at the end is to begin the next turn."""
    if type(one) is not If or len(one.arms) != 1 or one.end_label or not one.arms[0].body:
        return False
    end = one.arms[0].body[-1]
    return isinstance(end, Cycle) and end.name == name and not end.label
