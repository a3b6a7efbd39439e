"""Two names for one memory: arguments passed twice, values that C++ passes as variables."""

from __future__ import annotations

import re

from bridge_port.syntax.expressions import Apply, Component, Expression, Name, Section
from bridge_port.syntax.units import Unit
from bridge_port.translate import designators, expressions, windows
from bridge_port.translate.assigned import same, variable
from bridge_port.translate.body import Body, Hoisted, Passed
from bridge_port.translate.intents import path
from bridge_port.translate.values import Value


def check(
    b: Body, callee: Unit, bound: list[tuple[str, Expression | None]], passed: Passed
) -> None:
    """No argument that is written is another one as well, nor moves the place of another one."""
    outside(b, callee, bound)
    seen: list[tuple[str, str, Expression, bool]] = []
    changed: set[str] = set()
    for dummy, actual in bound:
        place = path(actual) if actual is not None else None
        if (
            place is None
            or actual is None
            or (isinstance(actual, Apply) and designators.find(b, actual.base) is None)
        ):
            continue
        written = b.port.intents.writes(callee, dummy)
        changed |= {actual.id} if written and isinstance(actual, Name) else set()
        for other, its, e, writes in seen:
            if not (written or writes) or not (
                place == other or place.startswith(other + "%") or other.startswith(place + "%")
            ):
                continue
            separate = windows.apart(b, callee, (its, e), (dummy, actual), passed)
            if separate is None and isinstance(e, Apply) and isinstance(actual, Apply):
                separate = apart(b, e, actual)
            if separate:
                continue
            b.refuse(
                f"call of {callee.name}", f"{place} is passed twice, and written",
                "pass a copy for what is read",
            )  # fmt: skip
        seen.append((place, dummy, actual, written))
    for place, _, actual, written in seen:
        parts = actual.arguments if written and isinstance(actual, Apply) else ()
        moved = {name for part in parts for name in changed if name in part.names}
        if moved:
            b.refuse(
                f"call of {callee.name}", f"it changes {min(moved)}, which is in a subscript of "
                f"{place}", "keep the subscript in another variable",
            )  # fmt: skip


def outside(b: Body, callee: Unit, bound: list[tuple[str, Expression | None]]) -> None:
    """No variable of a module that each point has for itself is passed to a procedure that names
    it as well, and one of both gives it a value."""
    mentioned = b.port.outside.mentioned(callee)
    for dummy, actual in bound if mentioned else ():
        symbol = b.scope.find(actual.root) if actual is not None else None
        place = path(actual) if actual is not None else None
        if symbol is None or place is None:
            continue
        tail = place.partition("%")[2]
        own = variable(symbol, f"{symbol.name}%{tail}" if tail else "")
        changed = b.port.outside.changed(callee)
        for one in mentioned:
            if own is not None and same(own, one) and (
                b.port.intents.writes(callee, dummy) or one in changed
            ):  # fmt: skip
                b.refuse(
                    f"call of {callee.name}", f"{place} is passed, {callee.name} names it as "
                    "well, and it gets a value", "pass a copy for what is read",
                )  # fmt: skip


def apart(b: Body, one: Apply, other: Apply) -> bool:
    """Whether two elements or sections of an array have nothing in common."""
    for x, y in zip(one.arguments, other.arguments, strict=False):
        if isinstance(x, Section) or isinstance(y, Section):
            continue
        i, j = expressions.value(b, x), expressions.value(b, y)
        if i.type == j.type == "integer" and i.linear[0] == j.linear[0] and i.linear != j.linear:
            return True
    return False


def is_lvalue(b: Body, callee: Unit, actual: Expression, v: Value) -> bool:
    """Whether what is no variable in Fortran is one in C++, which the callee may change."""
    base = actual.whole
    designator = isinstance(base, (Name, Component, Hoisted)) and (
        base is actual or designators.find(b, base) is not None
    )
    if designator or not v.vary or v.number is not None or re.search(r"[^\w.\[\]]", v.text):
        return False
    return any(b.port.intents.writes(callee, dummy) for dummy in callee.arguments if dummy != "*")
