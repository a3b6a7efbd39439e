"""Loops: those that all points leave together are loops of C++, others run while any is in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bridge_port.program.symbols import LOCAL, Symbol
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Expression
from bridge_port.translate import expressions, lacking, leaving, stores
from bridge_port.translate.body import Body, aside
from bridge_port.translate.flow import LOOP, TURN, Flow, Region
from bridge_port.translate.values import PRODUCT, SUM, UNARY, Value, integer, moved

#: A last value of a loop that only an overflow gives: the loop has no turns then, as where int(x)
#: is the lowest integer.
FARTHEST = 2147000000
LIMIT = "a loop without a count ends after BRIDGE_MOST_TURNS turns, for points without an end"


@contextmanager
def loop(b: Body, st: s.Do, flow: Flow) -> Iterator[Flow]:
    """A region for the loop and one for each turn of it, in which the body is to be written with
    the flow that is given."""
    region = Region(LOOP, ("loop", id(st)), st.name)
    turn = Region(TURN, ("turn", id(st)), st.name)
    written = counted if st.variable else conditional
    with written(b, st, flow, region, turn) as inside:
        yield inside


def opened(b: Body, region: Region, flow: Flow) -> Flow:
    """The gate before the loop; the flow of its turns."""
    level = flow.level
    if b.knows("gate", region.key):
        region.gate = region.entry = b.names.unique("on")
        b.out.put(f"Mask<Real> {region.gate} = {flow.mask or 'true'};")
        levels = [f[2] for f in b.facts if f[0] == "parted" and f[1] == region.key]
        level = max([level, *(one for one in levels if isinstance(one, int))])
    b.regions.stack.append(region)
    return Flow(region.gate or flow.mask, level)


@contextmanager
def one_turn(b: Body, flow: Flow, turn: Region) -> Iterator[Flow]:
    """The body of one turn is written inside."""
    if b.knows("gate", turn.key):
        turn.gate = b.names.unique("turn")
        turn.entry = flow.mask
        b.out.put(f"Mask<Real> {turn.gate} = {flow.mask or 'true'};")
    b.regions.stack.append(turn)
    yield flow
    b.regions.stack.pop()


def leaves_alone(b: Body, region: Region) -> None:
    """Points leave this loop one by one at its head."""
    b.learn("gate", region.key)
    b.learn("parted", region.key, b.regions.stack.index(region))


# ---- do while, do


@contextmanager
def conditional(b: Body, st: s.Do, flow: Flow, region: Region, turn: Region) -> Iterator[Flow]:
    inside = opened(b, region, flow)
    with aside(b) as before, b.out.indented():
        b.flow = inside
        v = None
        if st.condition is not None:
            v = expressions.scalar(b, st.condition)
            if v.type != "logical":
                b.refuse(
                    "do while with a condition that is no logical",
                    "a loop asks a logical; some compilers take a number",
                    "compare it, as in n /= 0",
                )
            if v.vary:
                leaves_alone(b, region)
    note, b.out.note = b.out.note, ""
    if region.gate:
        b.port.note(f"{b.place}: {LIMIT}")
        count = b.names.unique("turns")
        b.out.note = note
        b.out.put(f"for (int {count} = 0; {count} < BRIDGE_MOST_TURNS; ++{count}) {{")
    elif v is not None and not before.lines:
        b.out.note = note
        b.out.put(f"while ({v.text}) {{")
    else:
        b.out.note = note
        b.out.put("while (true) {")
    b.out.lines += before.lines
    with b.out.indented():
        if region.gate:
            if v is not None and v.vary:
                b.out.put(f"{region.gate} = {region.gate} & {v.within(UNARY)};")
            b.out.put(f"if (!any({region.gate})) break;")
        if v is not None and not v.vary and (region.gate or before.lines):
            if leaving.counts_endless(b, region):
                b.out.put(f"if (!{v.within(UNARY)}) {region.gate} = false;")
            b.out.put(f"if (!{v.within(UNARY)}) break;")
        with one_turn(b, inside, turn) as of_turn:
            yield of_turn
    b.out.put("}")
    b.regions.stack.pop()
    if leaving.counts_endless(b, region):
        exhausted(b, region)


def exhausted(b: Body, region: Region) -> None:
    """Points that no loop ends are here no more: one around this one would begin it again."""
    b.uses_host = True
    held = b.port.endless()
    b.out.put(f"{held} = {held} | {region.gate};")
    b.endless = True


# ---- do i = first, last, step


@contextmanager
def counted(b: Body, st: s.Do, flow: Flow, region: Region, turn: Region) -> Iterator[Flow]:
    assert st.first is not None and st.last is not None
    symbol = b.symbol(st.variable)
    if symbol.type != "integer" or symbol.dimensions is not None:
        b.refuse(f"do {st.variable}", "its variable is no integer", "count with an integer")
    if st.variable in b.counters:
        b.refuse(f"do {st.variable}", "inside of a loop with the same variable")
    first, last = expressions.scalar(b, st.first), expressions.scalar(b, st.last)
    if first.type != "integer" or last.type != "integer":
        b.refuse(f"do {st.variable}", "its bounds are no integers")
    by = integer(1) if st.step is None else expressions.scalar(b, st.step)
    step = by.number
    shared = not (first.vary or by.vary) and by.type == "integer" and step is None
    if not shared and (not isinstance(step, int) or step == 0):
        values = " ".join(f"{name}=N" for name in lacking.made_of(b, st.step)) if st.step else ""
        said = f"give its value, --value {values}" if values else "give it with --value"
        b.refuse(
            f"do {st.variable} with a step that is not constant",
            "the direction of the loop has to be known when the kernel is built",
            f"{said}, write the step as a number, or write do while",
        )
    if first.vary:
        assert isinstance(step, int)
        with by_point(b, st, flow, region, turn, (first, last, step)) as of_turn:
            yield of_turn
        return
    last = kept(b, st, last)
    outside = used_outside(b, st.variable) or symbol.storage != LOCAL
    inside = opened(b, region, flow)
    if last.vary:
        leaves_alone(b, region)
    if outside and (region.gate or flow.level > 0 or symbol.storage != LOCAL):
        b.makes_vary(st.variable)
    copied = outside and b.varies(st.variable)
    in_function = outside and not copied
    if outside:
        b.locals.setdefault(st.variable, symbol.storage)
    name = b.names.unique(st.variable) if copied else b.names.of(st.variable)
    if copied:
        b.out.put(f"int {name};")
    word = "" if copied or in_function else "int "
    if not isinstance(step, int):
        by = b.constant("step", by)
        move = f"{name} += {by.text}"
        test = "" if last.vary else f" {onward(name, by, last)}"
        step = 0
    else:
        sign = "<=" if step > 0 else ">="
        move = f"{'++' if step > 0 else '--'}{name}" if abs(step) == 1 else f"{name} += {step}"
        test = "" if last.vary else f" {name} {sign} {last.within(SUM)}"
    if last.vary and region.gate:  # int(x) of an infinity, which the variable never passes
        for end in ends(step):
            b.out.put(f"{region.gate} = {region.gate} & ({last.within(SUM)} {end});")
    b.out.put(f"for ({word}{name} = {first.text};{test}; {move}) {{")
    with b.out.indented():
        if copied:
            copy(b, symbol, name, inside)
        if region.gate:
            if last.vary:
                reach = f"{last.within(SUM)} {'>=' if step > 0 else '<='} {name}"
                if not step:
                    up, down = (f"Mask<Real>({last.within(SUM)} {s} {name})" for s in (">=", "<="))
                    down = f"{by.text} < 0 ? {down} : Mask<Real>(false)"
                    reach = f"{by.text} > 0 ? {up} : {down}"
                b.out.put(f"{region.gate} = {region.gate} & ({reach});")
            b.out.put(f"if (!any({region.gate})) break;")
        counter = Value(name, "integer", False, base=name, kind=symbol.kind)
        b.counters[st.variable] = counter
        if not last.vary and step:
            b.ranges[name] = (first, last) if step > 0 else (last, first)
        with one_turn(b, inside, turn) as of_turn:
            yield of_turn
        del b.counters[st.variable]
        b.ranges.pop(name, None)
    b.out.put("}")
    if copied and not last.vary:
        copy(b, symbol, name, inside)
    b.regions.stack.pop()


def ends(step: int) -> list[str]:
    """What a last value that only an overflow gives is not; step: 0 of an unknown one."""
    found = [f"< {FARTHEST}"] if step >= 0 else []
    return found + ([f"> -{FARTHEST}"] if step <= 0 else [])


def onward(name: str, step: Value, last: Value) -> str:
    """Whether a loop goes on whose direction is known at run time alone; one without a step, which
    Fortran forbids, has no turns."""
    end = last.within(SUM)
    return f"{step.text} > 0 ? {name} <= {end} : {step.text} < 0 && {name} >= {end}"


def copy(b: Body, symbol: Symbol, counter: str, flow: Flow) -> None:
    """The points that run have this value of the loop's variable."""
    v = Value(counter, "integer", False, kind=4)
    stores.put(b, stores.place_of(b, symbol), v, flow)


def kept(b: Body, st: s.Do, v: Value) -> Value:
    """A bound keeps its value whatever the body and the loop's variable do."""
    assert st.last is not None
    written = (st.variable, *b.port.intents.of_body(b.unit, st.body))
    changed = v.number is None and any(name in st.last.names for name in written)
    if v.number is not None or (not changed and re.fullmatch(r"\w+( [-+] \d+)?", v.text)):
        return v
    return b.constant("last", v)


@contextmanager
def by_point(
    b: Body, st: s.Do, flow: Flow, region: Region, turn: Region, bounds: tuple[Value, Value, int]
) -> Iterator[Flow]:
    """The first value differs between points: each has its own variable."""
    first, last, step = bounds
    symbol = b.symbol(st.variable)
    place = stores.place_of(b, symbol)
    b.makes_vary(st.variable)
    last = last if last.number is not None else b.constant("last", last)
    stores.put(b, place, first, flow)
    inside = opened(b, region, flow)
    leaves_alone(b, region)
    b.port.note(f"{b.place}: {LIMIT}")
    count = b.names.unique("turns")
    name = place.text
    on = region.gate or "true"
    after = f"{name} = select({on}, {moved(Value(name, 'integer', True), step).text}, {name})"
    head = f"for (int {count} = 0; {count} < BRIDGE_MOST_TURNS; ++{count}, {after}) {{"
    b.out.put(head)
    with b.out.indented():
        reach = f"{name} {'<=' if step > 0 else '>='} {last.within(PRODUCT)}"
        b.out.put(f"{on} = {on} & ({reach});")
        b.out.put(f"if (!any({on})) break;")
        with one_turn(b, inside, turn) as of_turn:
            yield of_turn
    b.out.put("}")
    b.regions.stack.pop()


def used_outside(b: Body, name: str) -> bool:
    """Whether a loop's variable is read anywhere outside of loops over it."""

    def uses(body: Sequence[s.Statement]) -> bool:
        for st in body:
            if isinstance(st, s.Do) and st.variable == name:
                if any(mentioned(e) for e in st.expressions()):
                    return True
                continue
            if isinstance(st, s.Assignment):
                if mentioned(st.value) or st.target.root == name or mentioned(st.target):
                    return True
            elif any(mentioned(e) for e in st.expressions()):
                return True
            if any(uses(inner) for inner in st.bodies()):
                return True
        return False

    def mentioned(e: Expression) -> bool:
        return name in e.names

    return uses(b.unit.body)
