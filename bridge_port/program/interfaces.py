"""What a program says of procedures that it does not name: bodies of interface blocks, by the
argument or the component that has them."""

from __future__ import annotations

from collections.abc import Iterator

from bridge_port.program.symbols import Scope, Units
from bridge_port.program.unknownnames import remote_name
from bridge_port.syntax.parser import parse_lines
from bridge_port.syntax.units import TypeName, Unit

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: An interface body does not see how the unit around it types names.
_PLAIN = {c: TypeName("integer" if c in "ijklmn" else "real") for c in _LETTERS}


def of_argument(scope: Scope, name: str) -> Unit | None:
    """The interface of an argument that is a procedure, as a unit without statements, or as the
    procedure that it is named by; None where the unit gives none."""
    if name in scope.unit.bodies:
        return body(scope, name)
    word = scope.unit.shaped_as.get(name)
    return None if word is None else named(scope, word)


def named(scope: Scope, name: str) -> Unit | None:
    """An interface by its name: an abstract one, or that of a procedure."""
    found = _body(scope, name, set())
    return found if found is not None else scope.as_written(name)


def _body(scope: Scope, name: str, seen: set[int]) -> Unit | None:
    if id(scope) in seen:
        return None
    seen.add(id(scope))
    if name in scope.unit.bodies:
        return body(scope, name)
    for use in scope.unit.uses:
        remote = remote_name(use, name)
        module = scope.program.modules.get(use.module)
        if remote is None or module is None:
            continue
        inner = scope.program.scope(module)
        if inner.exports(remote) and (found := _body(inner, remote, seen)):
            return found
    return None if scope.parent is None else _body(scope.parent, name, seen)


def complete(program: Units, submodule: Unit) -> bool:
    """`module procedure f` of a submodule gets what its interface declares, which stands in the
    module or in a submodule around it. Whether all have it."""
    left = False
    for unit in submodule.units:
        if unit.kind != "procedure":
            continue
        held = (one.bodies[unit.name] for one in _around(program, submodule)
                if unit.name in one.bodies)  # fmt: skip
        lines = next(held, None)
        if lines is None:
            left = True
            continue
        found = parse_lines(lines)[0]
        unit.kind, unit.arguments = found.kind, found.arguments
        unit.result, unit.result_type = found.result, found.result_type
        unit.prefixes |= found.prefixes
        unit.implicit = found.implicit if unit.implicit is None else unit.implicit
        unit.uses[:0], unit.parameters[:0] = found.uses, found.parameters
        unit.declarations[:0], unit.unread[:0] = found.declarations, found.unread
        unit.bodies, unit.interfaces = (
            found.bodies | unit.bodies,
            found.interfaces | unit.interfaces,
        )
        unit.external |= found.external
        unit.shaped_as = found.shaped_as | unit.shaped_as
    return not left


def _around(program: Units, submodule: Unit) -> Iterator[Unit]:
    """The submodule, and what it belongs to."""
    one: Unit | None = submodule
    while one is not None:
        yield one
        one = program.host(one) if one.kind == "submodule" else None


def body(scope: Scope, name: str) -> Unit:
    """One that the unit of the scope declares."""
    known = scope.program.bodies
    key = id(scope.unit), name
    if key not in known:
        made = parse_lines(scope.unit.bodies[name])[0]
        made.parent = scope.unit
        if made.implicit != {}:
            made.implicit = _PLAIN | (made.implicit or {})
        known[key] = made
    return known[key]
