"""Points leave regions: the procedure, a loop, a turn of it, what stands before a label. Points
that jump forward are off up to the label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Binary, Expression, Number
from bridge_port.translate import expressions
from bridge_port.translate.body import Body, Hoisted
from bridge_port.translate.flow import LABEL, LOOP, PROCEDURE, TURN, Flow, Region, negated
from bridge_port.translate.text import words
from bridge_port.translate.values import Value


def leave(b: Body, statement: s.Statement, flow: Flow, bare: str = "") -> None:
    """The points that run here leave a region. bare: their condition without the mask of the
    innermost gate, where that is all that the mask is."""
    if isinstance(statement, s.Return):
        level: int | None = 0
        what = "return"
    elif isinstance(statement, (s.Exit, s.Cycle)):
        kind = LOOP if isinstance(statement, s.Exit) else TURN
        level = b.regions.find(kind, statement.name)
        what = f"{'exit' if kind == LOOP else 'cycle'} {statement.name}".strip()
    else:
        assert isinstance(statement, s.Goto)
        jump(b, statement.target, flow, bare)
        return
    if level is None:
        b.refuse(what, "it leaves what is no loop here")
    go(b, level, flow, bare)


def jump(b: Body, target: str, flow: Flow, bare: str = "") -> None:
    level = b.regions.find(LABEL, target)
    if level is None:
        b.refuse(
            f"goto {target}",
            "the label stands before, or in a block that it jumps into",
            "only jumps forward, out of blocks, become masks",
        )
    go(b, level, flow, bare)


def stop(b: Body, statement: s.Stop, flow: Flow) -> None:
    """The first one that a point comes to is its status."""
    b.uses_host = True
    status, bit = b.port.status(), b.port.stop(statement)
    here = f"{flow.mask} & ({status} == 0)" if flow.mask else f"{status} == 0"
    b.out.put(f"{status} = select({here}, Bits<Real>({bit}), {status});")
    go(b, 0, flow)


def leave_for_good(b: Body, gone: str) -> None:
    """Points of a mask that a procedure has given back."""
    b.out.note = b.port.note_of(b.place)
    b.uses_host = True
    go(b, 0, Flow(gone, b.regions.inner))


def counts_endless(b: Body, region: Region) -> bool:
    """Whether points that are still in the loop behind it are those that it does not end."""
    reach = b.port.reach
    return bool(region.gate) and reach.uncounted(b.unit) and reach.nested()


def go(b: Body, level: int, flow: Flow, bare: str = "") -> None:
    """Out of the region of this number."""
    region = b.regions.stack[level]
    innermost_loop = b.regions.find(LOOP)
    if flow.level <= level:
        if region.kind == PROCEDURE:
            b.out.put(returning(b))
            return
        if region.kind == LOOP and level == innermost_loop:
            if counts_endless(b, region):
                b.out.put(f"{region.gate} = false;")
            b.out.put("break;")
            return
        if region.kind == TURN and innermost_loop is not None and level == innermost_loop + 1:
            b.out.put("continue;")
            return
    gated = [n for n in range(b.regions.inner) if b.regions.stack[n].gate]
    b.learn("gate", region.key)
    mask = flow.mask
    asking = [n for n in gated if n >= level and not (bare and n == gated[-1])]
    if words(mask) & {b.regions.stack[n].gate for n in asking[:-1]}:
        # A gate that closes would change what the next ones ask for.
        mask = b.constant("m", Value(mask, "logical", True)).text
    for number in range(level, b.regions.inner):
        inside = b.regions.stack[number]
        if inside.kind == LOOP:
            b.learn("gate", inside.key)
            b.learn("parted", inside.key, level)
        if inside.gate and not mask:
            b.out.put(f"{inside.gate} = false;")
        elif inside.gate:
            off = negated(bare if bare and number == gated[-1] else mask)
            b.out.put(f"{inside.gate} = {inside.gate} & {off};")
    b.regions.left.add(level)


def returning(b: Body) -> str:
    if b.unit.kind != "function":
        return "return;"
    name = b.unit.result or b.unit.name
    symbol = b.symbol(name)
    if symbol.dimensions is not None:
        return "return;"
    return f"return {expressions.variable(b, name).text};"


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
