"""Jumps forward: points that jump are off up to the label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Binary, Expression, Number
from bridge_port.translate import expressions
from bridge_port.translate.body import Body, Hoisted
from bridge_port.translate.flow import LABEL, Flow, Region

#: Of an if: conditions, statements, comments.
Arms = Sequence[tuple[Expression | None, list[s.Statement], tuple[str, ...]]]


def jumps(body: Sequence[s.Statement]) -> Iterator[tuple[str, s.Statement]]:
    """(label, statement) of all jumps, those inside too."""
    for statement in s.walk(body):
        if isinstance(statement, s.Goto):
            yield statement.target, statement
        elif isinstance(statement, (s.ComputedGoto, s.ArithmeticIf)):
            for target in statement.targets:
                yield target, statement


def positions(body: Sequence[s.Statement]) -> dict[str, int]:
    """Of each label the number of the statement that runs after a jump to it."""
    found: dict[str, int] = {}
    for number, statement in enumerate(body):
        if statement.label:
            found[statement.label] = number
        if isinstance(statement, s.If) and statement.end_label:
            found[statement.end_label] = number + 1
    return found


def open_regions(b: Body, body: Sequence[s.Statement], flow: Flow) -> dict[str, int]:
    """A region for each label of the block that something inside jumps to."""
    wanted = {label for label, _ in jumps(body)}
    marks = {label: n for label, n in positions(body).items() if label in wanted}
    for label, n in marks.items():
        for target, statement in jumps(body[n:]):
            if target == label:
                raise Refused(
                    statement.place,
                    f"goto backwards to {label}",
                    "only jumps forward become masks",
                    "write the loop as do while",
                )
    for label in sorted(marks, key=lambda one: -marks[one]):
        key = ("label", id(body), label)
        region = Region(LABEL, key, label)
        if b.knows("gate", key):
            region.gate = b.names.unique(f"to_{label}_", keep=True)
            region.entry = flow.mask
            b.out.put(f"Mask<Real> {region.gate} = {flow.mask or 'true'};")
        b.regions.stack.append(region)
    return marks


def gated(b: Body, marks: dict[str, int]) -> bool:
    """Whether a region of these labels has a mask of its own."""
    return any(r.gate for r in b.regions.stack if r.kind == LABEL and r.name in marks)


def reached(b: Body, label: str, marks: dict[str, int], entry: Flow) -> Flow:
    """The points behind a label: those that jumped to it are back."""
    assert b.regions.stack[-1].name == label
    b.regions.stack.pop()
    del marks[label]
    outward = [level for level in b.regions.left if level < b.regions.inner]
    b.regions.left = set(outward)
    level = max([entry.level, *outward])
    mask = entry.mask
    gate = b.regions.gate()
    if outward and gate:
        mask = gate if b.regions.is_gate(mask) else b.both(mask, gate)
    return Flow(mask, level)


def close_regions(b: Body, marks: dict[str, int]) -> None:
    for _ in range(len(marks)):
        b.regions.stack.pop()


def arithmetic_if(b: Body, statement: s.ArithmeticIf) -> Arms:
    """Its arms, as those of an if."""
    subject = Hoisted(b.constant("subject", expressions.scalar(b, statement.subject)))
    zero = Number("0")
    less, equal, greater = statement.targets
    arms: list[tuple[Expression | None, str]]
    if less == equal:
        arms = [(Binary("<=", subject, zero), less), (None, greater)]
    elif equal == greater:
        arms = [(Binary("<", subject, zero), less), (None, greater)]
    elif less == greater:
        arms = [(Binary("==", subject, zero), equal), (None, greater)]
    else:
        arms = [
            (Binary("<", subject, zero), less),
            (Binary("==", subject, zero), equal),
            (None, greater),
        ]
    return to_labels(statement, arms)


def computed_goto(b: Body, statement: s.ComputedGoto) -> Arms:
    subject = expressions.scalar(b, statement.subject)
    if subject.type != "integer":
        b.refuse("a computed goto by a real", "its labels are counted by an integer", "use int(x)")
    chosen = Hoisted(b.constant("subject", subject))
    arms: list[tuple[Expression | None, str]] = [
        (Binary("==", chosen, Number(str(n))), target)
        for n, target in enumerate(statement.targets, 1)
    ]
    return to_labels(statement, arms)


def to_labels(statement: s.Statement, arms: list[tuple[Expression | None, str]]) -> Arms:
    place = statement.place
    return [(condition, [s.Goto(place, target=target)], ()) for condition, target in arms]
