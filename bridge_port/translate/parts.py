"""Struct templates of the header: derived types as the numbers, arrays and structs in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bridge_port.program.derivedtypes import HELD
from bridge_port.program.resolved import StructureConstructor, resolve
from bridge_port.program.saidprocedures import Pointed
from bridge_port.program.symbols import PARAMETER, Derived, Scope
from bridge_port.refusal import SOURCE, Refused
from bridge_port.syntax.expressions import Expression, Keyword, Name
from bridge_port.syntax.units import Declaration, TypeName
from bridge_port.translate import constants
from bridge_port.translate.body import Body, Bounds, Dim, Given, Part, Path, Structure
from bridge_port.translate.names import Names
from bridge_port.translate.values import POINT_TYPES, ZEROS, Value, integer, real, truth


def structure(
    b: Body, derived: Derived, dims: tuple[Dim, ...] = (), given: Given = ()
) -> Structure:
    """given: also of components that the type has not, of an extension of it."""
    names = [c.name for one in derived.line for c in one.definition.components]
    names += [name for one in derived.line for name in one.definition.pointers]
    given = among(given, names)
    key = (derived, tuple((number_of(d.lower), number_of(d.extent)) for d in dims), given)
    if key not in b.port.structures:
        b.port.building.append(derived)
        try:
            b.port.structures[key] = made(b, derived, dims, given)
        finally:
            b.port.building.pop()
    return b.port.structures[key]


def number_of(v: Value | None) -> int:
    assert v is not None and isinstance(v.number, int)
    return int(v.number)


def made(b: Body, derived: Derived, outer: tuple[Dim, ...], given: Given) -> Structure:
    names = Names()
    found = Structure("", derived, outer, given)
    for one in reversed(derived.line):
        unread = one.definition.unread
        found.left |= {f"{u.construct} in": (u.construct, u.why or u.text) for u in unread}
        for name in one.definition.pointers:
            why = "what it points to is known at run time alone"
            found.left[name] = f"procedure component {name}", why
        for c in one.definition.components:
            try:
                found.parts[c.name] = part_of(b, one.scope, c, names, outer, given)
            except Refused as refused:
                found.left[c.name] = refused.refusal.construct, refused.refusal.why
    if not derived.whole:
        last = derived.line[-1]
        why = f"type({last.definition.parent}) is not given"
        found.left["extension"] = f"type extension of {last.name}", why
    size = "x".join(str(number_of(d.extent)) for d in outer)
    stem = f"{derived.name}_{size}" if size else derived.name
    found.text = b.port.global_names.unique(stem, keep=True)
    return found


def part_of(
    b: Body, scope: Scope, c: Declaration, names: Names, outer: tuple[Dim, ...], given: Given
) -> Part:
    """scope: of the type, where its expressions are to be read."""
    what = f"component {c.name}"
    if c.type is None:
        b.refuse(what, "components are real, integer or logical scalars and arrays")
    held = next(iter(c.attributes & HELD), "")
    if held:
        known = dict(given).get((c.name,))
        own = known_dims(None if isinstance(known, str) else known, c)
        if own is None:
            b.refuse(what, "it is a pointer or allocatable, and its shape is not known")
        dims = own + outer
        c = replace(c, value=None)
    else:
        dims = fixed_dims(b, scope, c, what) + outer
    if c.type is not None and c.type.base == "type":
        derived = scope.derived(c.type.name, c.place)
        if held and derived in b.port.building:
            b.refuse(what, f"it is {held} to type({derived.name}), in which it stands itself")
        inner = structure(b, derived, dims, under(given, c.name))
        begins = () if c.value is None else begun(b, scope, c.value, derived, inner, dims)
        return Part(c.name, names.of(c.name), "type", 0, dims, None, inner, held, begins=begins)
    assert c.type is not None
    if c.type.base == "complex" and c.value is not None:
        b.refuse(what, "a complex component with an initial value")
    said = dict(given).get((c.name,))
    if c.type.base == "character" and isinstance(said, str) and not dims:
        return Part(c.name, names.of(c.name), "character", 1, (), None, None, held,
                    letters=in_length(scope, c.type, said))  # fmt: skip
    if c.type.base not in ZEROS:
        b.refuse(what, "components are real, integer or logical scalars and arrays")
    said_kind = c.type.kind
    kind: int | None = 4
    if said_kind is not None:
        kind = said_kind if isinstance(said_kind, int) else scope.integer(said_kind)
    if kind is None:
        b.refuse("a kind that is not known", "", f"say {SOURCE}")
    made = Part(c.name, names.of(c.name), c.type.base, kind, dims, held=held)
    if isinstance(said, int):
        return replace(made, number=said)
    if c.value is None:
        return made
    return replace(made, start=initial(b, scope, c, made, outer))


def in_length(scope: Scope, of: TypeName, letters: str) -> str:
    """A text as a character of this type has it; the text itself where it has the length of what
    is assigned, or one that is not known."""
    if isinstance(of.length, str):
        return letters
    length = 1 if of.length is None else scope.constant(of.length)
    return letters[:length].ljust(length) if isinstance(length, int) else letters


def fixed_dims(b: Body, scope: Scope, c: Declaration, what: str) -> tuple[Dim, ...]:
    dims = []
    for d in c.dimensions or ():
        lower = integer(1) if d.lower is None else number(b, scope, d.lower, what)
        if d.upper is None:
            b.refuse(what, "its shape is not fixed")
        upper = number_of(number(b, scope, d.upper, what))
        dims.append(Dim(lower, integer(max(upper - number_of(lower) + 1, 0))))
    return tuple(dims)


def initial(
    b: Body, scope: Scope, c: Declaration, part: Part, outer: tuple[Dim, ...]
) -> tuple[Value, ...]:
    """Values of all elements, those of one variable after those of another one."""
    assert c.value is not None
    one = scope.constant(c.value)
    own = replace(part, dims=part.dims[: len(part.dims) - len(outer)]).count
    values = [one] * own if one is not None else scope.table(c.value) if own > 1 else None
    numbers = [v for v in values or () if not isinstance(v, str | complex)]
    if values is None or len(numbers) != own or part.count > 256:
        b.refuse(f"component {c.name}", "its initial value is not a number")
    word: Any = {"real": real, "integer": integer, "logical": truth}[part.type]
    single = part.type == "real" and part.kind == 4
    made = [word(constants.single(float(v)) if single else v) for v in numbers]
    return tuple(made * (part.count // max(own, 1)))


def begun(
    b: Body, scope: Scope, value: Expression, derived: Derived, s: Structure, dims: tuple[Dim, ...]
) -> tuple[tuple[Path, tuple[Value, ...]], ...]:
    """Initial values in a component of a derived type: those of a constant, or of the type's
    constructor. What that leaves out has those of the type."""
    if isinstance(value, Name):
        symbol = scope.find(value.id)
        if symbol is not None and symbol.storage == PARAMETER and symbol.dimensions is None:
            if symbol.type == "type" and symbol.value is not None:
                return begun(b, symbol.scope, symbol.value, derived, s, dims)
    made = resolve(value, scope)
    if not isinstance(made, StructureConstructor) or made.derived is not derived:
        b.refuse(f"an initial value of type({derived.name})", "it is no constant that is known")
    parts = [(one.scope, c) for one in reversed(derived.line) for c in one.definition.components]
    plain = [a for a in made.arguments if not isinstance(a, Keyword)]
    given = dict(zip((c.name for _, c in parts), plain, strict=False))
    given |= {a.name: a.value for a in made.arguments if isinstance(a, Keyword)}
    if len(made.arguments) > len(parts) or given.keys() - {c.name for _, c in parts}:
        b.refuse(f"an initial value of type({derived.name})", "a value for a parent of the type")
    if not derived.whole or any(one.definition.pointers for one in derived.line):
        b.refuse(f"an initial value of type({derived.name})", "not all of its parts are known")
    found: list[tuple[Path, tuple[Value, ...]]] = []
    for _, c in parts:
        part, e = s.parts.get(c.name), given.get(c.name)
        if part is None or e is None or part.held:
            continue
        if part.inner is None:
            found.append(((c.name,), initial(b, scope, replace(c, value=e), part, dims)))
            continue
        inside = begun(b, scope, e, part.inner.derived, part.inner, part.dims)
        found += [((c.name, *path), values) for path, values in inside]
    return tuple(found)


def braces(s: Structure, leaves: dict[Path, Part], path: Path = ()) -> str:
    """Values of what is used of a struct, one in the other."""
    words = []
    for part in (one for one in s.parts.values() if one.name in s.used):
        here = (*path, part.name)
        if part.inner is not None:
            words.append(braces(part.inner, leaves, here))
            continue
        leaf = leaves.get(here, part)
        texts = [v.text for v in leaf.start or ()] or [ZEROS[part.type]] * part.count
        words.append(f"{{{', '.join(texts)}}}" if part.dims else texts[0])
    return f"{{{', '.join(words)}}}"


def number(b: Body, scope: Scope, e: Expression, what: str) -> Value:
    found = scope.integer(e)
    if found is None:
        b.refuse(what, "its shape is not fixed")
    return integer(found)


def text(s: Structure) -> list[str]:
    """The struct, with what is used of it; without its namespace."""
    lines = ["template <class Real>", f"struct {s.text} {{"]
    for part in s.parts.values():
        if part.name not in s.used:
            continue
        word = f"{part.inner.text}<Real>" if part.inner is not None else POINT_TYPES[part.type]
        start = ", ".join(v.text for v in part.start) if part.start is not None else ""
        if part.inner is not None:
            own = {path[1:]: leaf for path, _, leaf in s.leaves() if path[0] == part.name}
            start = f" = {braces(part.inner, own)}" if part.begins else ""
            lines.append(f"    {word} {part.text}{start};")
        elif part.dims:
            lines.append(f"    {word} {part.text}[{part.count}]{f' = {{{start}}}' * bool(start)};")
        else:
            lines.append(f"    {word} {part.text} = {start or ZEROS[part.type]};")
    return [*lines, "};"]


# ---- What is known of pointers and allocatables


def known_dims(
    known: Bounds | int | Pointed | None, component: Declaration
) -> tuple[Dim, ...] | None:
    """None where nobody has said them."""
    if component.dimensions is None:
        return ()
    if not isinstance(known, tuple):
        return None
    return tuple(Dim(integer(lower), integer(extent)) for lower, extent in known)


def under(given: Given, name: str) -> Given:
    """Of a component of a derived type."""
    return tuple((names[1:], known) for names, known in given if names[0] == name and names[1:])


def among(given: Given, names: Iterable[str]) -> Given:
    """Of those that a type has."""
    known = set(names)
    return tuple(one for one in given if one[0][0] in known)
