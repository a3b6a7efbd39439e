"""Statements in C++: points that do not run a statement keep what they have."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.program.resolved import Call, resolve
from bridge_port.program.symbols import LOCAL
from bridge_port.semantic.intrinsics import is_costly
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Component,
    Expression,
    Name,
    Section,
)
from bridge_port.translate import (
    allocation,
    arrayassign,
    arrays,
    bound,
    calls,
    designators,
    effects,
    expressions,
    leaving,
    loops,
    objects,
    stores,
    texts,
    textstatements,
)
from bridge_port.translate.body import Body, Hoisted
from bridge_port.translate.flow import Flow
from bridge_port.translate.intents import path
from bridge_port.translate.leaving import Arms
from bridge_port.translate.text import comment_lines
from bridge_port.translate.values import POINT_TYPES, UNARY, Value, integer


def block(b: Body, body: Sequence[s.Statement], flow: Flow) -> None:
    """Statements one after the other, from those points that run here."""
    marks = leaving.open_regions(b, body, flow)
    entry = flow
    for number, statement in enumerate(body):
        for label in [label for label, place in marks.items() if place == number]:
            flow = leaving.reached(b, label, marks, entry)
        kept, b.regions.left = b.regions.left, set()
        one(b, statement, flow)
        left, b.regions.left = b.regions.left, kept
        b.regions.left |= {level for level in left if level < b.regions.inner}
        if left and number + 1 < len(body):
            flow = remaining(b, flow, left, body[number + 1 :])
    leaving.close_regions(b, marks)


def remaining(b: Body, flow: Flow, left: set[int], rest: Sequence[s.Statement]) -> Flow:
    """Of the statements behind one at which points left regions."""
    here = [level for level in left if level < b.regions.inner]
    if not here:
        return flow
    gate = b.regions.gate()
    level = max(flow.level, *here)
    mask = flow.mask
    if gate:
        mask = gate if b.regions.is_gate(mask) else b.both(mask, gate)
    if (
        here == [0]
        and mask == gate
        and flow.level == 0
        and len(b.regions.stack) == 1
        and b.unit.kind == "subroutine"
        and heavy(rest)
    ):
        b.out.put(f"if (!any({gate})) return;")
    return Flow(mask, level)


def one(b: Body, statement: s.Statement, flow: Flow) -> None:
    b.place = statement.place
    b.flow = flow
    for line in comment_lines(statement.comments):
        b.out.comment(line)
    if isinstance(statement, s.Continue):
        return
    b.out.note = b.port.note_of(statement.place)
    outer = b.stopping, b.endless
    b.stopping = b.endless = False
    executed(b, statement, flow)
    b.place = statement.place
    if b.stopping:  # points that stopped in what it called
        leaving.leave_for_good(b, f"({b.port.status()} != 0)")
    if b.endless:
        leaving.leave_for_good(b, b.port.endless())
    b.stopping, b.endless = outer
    b.out.note = ""


def executed(b: Body, statement: s.Statement, flow: Flow) -> None:
    if isinstance(statement, s.SelectType):
        block(b, bound.guarded(b, statement), flow)
        return
    if (done := allocation.executed(b, statement)) is True:
        return
    statement = done or statement
    if isinstance(statement, s.Unread):
        b.refuse(
            statement.construct, statement.why or "no kernel can do it", unread_change(statement)
        )
    if isinstance(statement, s.PointerAssignment):
        b.refuse("a pointer assignment", "pointers are not followed")
    effects.check(b, statement)
    if isinstance(statement, s.Assignment):
        assignment(b, allocation.whole(b, statement), flow)
        kept(b, statement)
    elif isinstance(statement, s.Where):
        arrayassign.where(b, statement, flow)
    elif isinstance(statement, s.If):
        arms = [(arm.condition, arm.body, arm.comments) for arm in statement.arms]
        branch(b, arms, flow)
    elif isinstance(statement, s.Select):
        select(b, statement, flow)
    elif isinstance(statement, s.Do):
        with loops.loop(b, statement, flow) as inside:
            block(b, statement.body, inside)
    elif isinstance(statement, s.Call):
        calls.statement(b, statement, flow)
    elif isinstance(statement, (s.Return, s.Exit, s.Cycle, s.Goto)):
        leaving.leave(b, statement, flow)
    elif isinstance(statement, s.ArithmeticIf):
        branch(b, leaving.arithmetic_if(b, statement), flow)
    elif isinstance(statement, s.ComputedGoto):
        branch(b, leaving.computed_goto(b, statement), flow)
    elif isinstance(statement, s.Stop):
        leaving.stop(b, statement, flow)
    else:
        b.refuse(type(statement).__name__, "it is not translated")


def unread_change(statement: s.Unread) -> str:
    return {
        "write": "say --drop-output if it only writes, or --errors status if a stop follows",
        "print": "say --drop-output, or --errors status if a stop follows",
        "read": "read before the loop over points",
        "stop": "say --errors status: such points get a status, and NaN",
        "error stop": "say --errors status: such points get a status, and NaN",
        "allocate": "give the array a fixed shape",
        "deallocate": "give the array a fixed shape",
    }.get(statement.construct, "")


def assignment(b: Body, statement: s.Assignment, flow: Flow) -> None:
    target = statement.target
    if objects.is_object(b, target):
        objects.assigned(b, target, statement.value, flow)
        return
    if isinstance(target, Name):
        symbol = b.symbol(target.id)
        if symbol.type == "character" and symbol.dimensions is None:
            textstatements.assign(b, target, statement.value, flow)
            return
        if symbol.type not in POINT_TYPES:
            b.refuse(f"{symbol.type} {target.id}", "kernels have numbers and logicals")
    if not isinstance(target, (Name, Apply, Component)):
        b.refuse(
            "an assignment to an expression",
            "its left side is no variable",
            "assign to a variable or an element",
        )
    if designators.is_text(b, target):
        b.refuse(f"an assignment to character {path(target)}",
                 "a kernel gives numbers and logicals back",
                 "say --drop-output if it is a message alone, or return a status")  # fmt: skip
    if texts.is_text(b, target):
        textstatements.assign(b, target, statement.value, flow)
        return
    if arrayassign.is_array(b, target):
        arrayassign.assign(b, statement, flow)
        return
    if isinstance(statement.value, ArrayConstructor):
        b.refuse(
            "an array assigned to a scalar",
            "one value is wanted on the right side",
            "name an element, or reduce it: sum, maxval",
        )
    stores.scalar(b, target, expressions.scalar(b, statement.value), flow)


# ---- Conditions


def branch(b: Body, arms: Arms, flow: Flow) -> None:
    """if, else if, else. Conditions that all points share stay an if."""
    if not arms:
        return
    condition, body, _ = arms[0]
    b.flow = flow
    if condition is None:
        block(b, body, flow)
        return
    v = expressions.scalar(b, condition)
    if v.type != "logical":
        b.refuse(
            "a condition that is no logical",
            "if asks a logical; some compilers take a number",
            "compare it, as in n /= 0",
        )
    if v.number is not None:
        if v.number:
            block(b, body, flow)
        else:
            branch(b, arms[1:], flow)
        return
    if not v.vary:
        shared_branch(b, v, arms, flow)
    else:
        masked_branch(b, v, arms, flow)


def shared_branch(b: Body, v: Value, arms: Arms, flow: Flow) -> None:
    b.out.put(f"if ({v.text}) {{")
    with b.out.indented():
        block(b, arms[0][1], flow)
    if arms[1:] and not all_empty(arms[1:]):
        b.out.put("} else {")
        with b.out.indented():
            for line in comment_lines(arms[1][2]):
                b.out.comment(line)
            branch(b, arms[1:], flow)
    b.out.put("}")


def all_empty(arms: Arms) -> bool:
    return all(isinstance(x, s.Continue) for _, body, _ in arms for x in body)


def masked_branch(b: Body, v: Value, arms: Arms, flow: Flow) -> None:
    inner = b.regions.inner
    _, body, _ = arms[0]
    if len(arms) == 1 and len(body) == 1 and short(b, body[0], v, flow):
        return
    condition = v.text if flow.mask == "" else f"{flow.mask} & {v.within(UNARY)}"
    mask = b.names.unique("m")
    b.out.put(f"const Mask<Real> {mask} = {condition};")
    guarded(b, body, Flow(mask, inner))
    if arms[1:] and not all_empty(arms[1:]):
        for line in comment_lines(arms[1][2]):
            b.out.comment(line)
        rest = b.names.unique("m")
        on = f"{flow.mask} & " if flow.mask else ""
        b.out.put(f"const Mask<Real> {rest} = {on}!{mask};")
        if arms[1][0] is None:
            guarded(b, arms[1][1], Flow(rest, inner))
        else:
            with_guard(b, Flow(rest, inner), arms)


def with_guard(b: Body, flow: Flow, arms: Arms) -> None:
    if any(heavy(body) for _, body, _ in arms[1:]):
        b.out.put(f"if (any({flow.mask})) {{")
        with b.out.indented():
            branch(b, arms[1:], flow)
        b.out.put("}")
    else:
        branch(b, arms[1:], flow)


def guarded(b: Body, body: list[s.Statement], flow: Flow) -> None:
    """A block that is skipped where no point runs it, if it is worth the question."""
    if heavy(body):
        b.out.put(f"if (any({flow.mask})) {{")
        with b.out.indented():
            block(b, body, flow)
        b.out.put("}")
    else:
        block(b, body, flow)


def short(b: Body, statement: s.Statement, v: Value, flow: Flow) -> bool:
    """One assignment or one leave under a condition, without a name for the mask."""
    if statement.comments and not isinstance(statement, s.Assignment):
        return False
    if isinstance(statement, s.PointerAssignment):
        return False  # it gives no value: it is refused
    condition = v if not flow.mask else Value(
        f"{flow.mask} & {v.within(UNARY)}", "logical", True, 0
    )  # fmt: skip
    inner = b.regions.inner
    if isinstance(statement, s.Assignment) and isinstance(statement.target, (Name, Component)):
        if effects.changes(b, statement.value) or (
            texts.is_text(b, statement.target) or designators.is_text(b, statement.target)
        ):
            return False
        if heavy([statement]) or arrayassign.is_array(b, statement.target):
            return False
        if objects.is_object(b, statement.target):
            return False
        b.place = statement.place
        for line in comment_lines(statement.comments):
            b.out.comment(line)
        found = expressions.scalar(b, statement.value)
        stores.scalar(b, statement.target, found, Flow(condition.text, inner))
        return True
    if isinstance(statement, (s.Return, s.Exit, s.Cycle, s.Goto)):
        b.place = statement.place
        bare = v.within(UNARY) if b.regions.is_gate(flow.mask) else ""
        leaving.leave(b, statement, Flow(condition.within(UNARY), inner), bare)
        return True
    return False


def heavy(body: Sequence[s.Statement]) -> bool:
    """Whether it is worth a question if any point runs it."""
    count = 0
    for statement in s.walk(body):
        count += 1
        if isinstance(statement, (s.Do, s.Call, s.Select, s.Where)):
            return True
        for e in statement.expressions():
            for part in e.walk():
                if isinstance(part, Binary) and part.operator in ("/", "**"):
                    return True
                if isinstance(part, Apply):
                    count += 1
                    if is_costly(part.reference):
                        return True
    return count > 12


def select(b: Body, statement: s.Select, flow: Flow) -> None:
    subject = expressions.scalar(b, statement.subject)
    if subject.type not in ("integer", "logical", "character"):
        b.refuse(
            f"select case of a {subject.type}",
            "cases are integers, logicals, or texts that are known when the kernel is built",
            "write it as if, else if",
        )
    if subject.letters is None and not subject.text.isidentifier() and subject.number is None:
        subject = b.constant("subject", subject)
    arms: list[tuple[Expression | None, list[s.Statement], tuple[str, ...]]] = []
    last: list[tuple[Expression | None, list[s.Statement], tuple[str, ...]]] = []
    for case in statement.cases:
        if case.values is None:
            last = [(None, case.body, case.comments)]
            continue
        condition: Expression | None = None
        for e in case.values:
            one_of = in_case(b, Hoisted(subject), e)
            condition = one_of if condition is None else Binary(".or.", condition, one_of)
        if condition is not None:
            arms.append((condition, case.body, case.comments))
    branch(b, arms + last, flow)


def in_case(b: Body, subject: Hoisted, e: Expression) -> Expression:
    if isinstance(e, Section):
        low = Binary(">=", subject, e.lower) if e.lower is not None else None
        high = Binary("<=", subject, e.upper) if e.upper is not None else None
        if low is not None and high is not None:
            return Binary(".and.", low, high)
        found = low or high
        if found is None:
            b.refuse(
                "a case without values",
                "its list is empty",
                "give its values, or write case default",
            )
        return found
    assert isinstance(subject.value, Value)
    if subject.value.type == "logical":
        return Binary(".eqv.", subject, e)
    return Binary("==", subject, e)


def kept(b: Body, one: s.Assignment) -> None:
    """The variable has been assigned; what was read before stays as it is."""
    if isinstance(one, s.PointerAssignment) or not isinstance(one.target, Name):
        return
    name = one.target.id
    symbol = b.scope.find(name)
    if symbol is None or symbol.storage != LOCAL or symbol.scope is not b.scope:
        return
    if (symbol.type, symbol.kind) != ("integer", 4) or symbol.dimensions is not None:
        return
    if symbol.attributes or symbol.value is not None or b.unit.units or name in b.counters:
        return
    if not is_passed(b, name) or not alone(b, name) or arrays.rank(b, one.value):
        return
    if any(isinstance(part, Apply) for part in one.value.walk()):
        return
    v = expressions.scalar(b, one.value)
    if isinstance(v.number, int) and v.type == "integer":
        b.counters[name] = integer(v.number)


def alone(b: Body, name: str) -> bool:
    """Whether one statement alone gives the variable a value."""
    body = b.port.body_of(b.unit, b.context.absent)
    unread = [
        text for x in s.walk(body) if isinstance(x, s.Unread) for text in (x.text, *x.inside)
    ]
    if any(name in text.lower() for text in unread):
        return False
    return b.port.intents.how_often(b.unit, body, name) == 1


def is_passed(b: Body, name: str) -> bool:
    """Whether it stands in an argument of a call."""

    def within(arguments: Sequence[Expression]) -> bool:
        return any(name in a.names for a in arguments)

    for statement in s.walk(b.port.body_of(b.unit, b.context.absent)):
        if isinstance(statement, s.Call) and within(statement.arguments):
            return True
        # What is resolved is little: this is asked at each assignment to an integer.
        named = (e for e in statement.expressions() if name in e.names)
        for part in (part for e in named for part in e.walk()):
            if isinstance(part, Apply) and within(part.arguments):
                if isinstance(resolve(part, b.scope), Call):
                    return True
    return False
