"""Program units as text of Fortran, free form: declarations in their order, then statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.refusal import Refused
from bridge_port.syntax.text import expression_text, line, statement_lines
from bridge_port.syntax.units import (
    Declaration,
    DerivedType,
    Dimension,
    TypeName,
    Unit,
    Use,
)

#: Attributes in the order in which they are written.
_ATTRIBUTES = (
    "parameter",
    "allocatable",
    "pointer",
    "target",
    "optional",
    "save",
    "external",
    "intrinsic",
    "value",
    "contiguous",
    "volatile",
    "public",
    "private",
    "protected",
)


def unit_text(unit: Unit, indent: int = 0) -> str:
    """With units inside of it."""
    return "\n".join(unit_lines(unit, indent)) + "\n"


def unit_lines(unit: Unit, indent: int = 0) -> Iterator[str]:
    """Refused for what is not understood, and for ENTRY, EQUIVALENCE and generic interfaces."""
    for unread in unit.unread:
        raise Refused(unread.place, unread.construct, unread.why or "it cannot be written again")
    for name, place in unit.entries:
        raise Refused(place, f"entry {name}", "it cannot be written again")
    yield line(_head(unit), indent)
    yield from specification_lines(unit, indent + 2)
    yield from statement_lines(unit.body, indent + 2)
    if unit.units:
        yield line("contains", indent)
        for inner in unit.units:
            yield from unit_lines(inner, indent + 2)
    yield line(f"end {unit.kind} {unit.name}".rstrip(), indent)


def _head(unit: Unit) -> str:
    prefixes = "".join(f"{prefix} " for prefix in sorted(unit.prefixes))
    if unit.kind not in ("subroutine", "function"):
        return f"{unit.kind} {unit.name}".rstrip()
    head = f"{prefixes}{unit.kind} {unit.name}({', '.join(unit.arguments)})"
    if unit.kind == "function":
        if unit.result_type is not None:
            head = f"{type_text(unit.result_type)} {head}"
        if unit.result and unit.result != unit.name:
            head += f" result({unit.result})"
    return head


def specification_lines(unit: Unit, indent: int) -> Iterator[str]:
    """All before the first executable statement."""
    yield from (line(_use(use), indent) for use in unit.uses)
    if unit.implicit is not None:
        yield from (line(text, indent) for text in implicit_lines(unit))
    if unit.hides_all:
        yield line("private", indent)
    for word, names in (("public", unit.public), ("private", unit.private)):
        if names:
            yield line(f"{word} :: {', '.join(sorted(names))}", indent)
    for derived in unit.types.values():
        for unread in derived.unread:
            raise Refused(unread.place, unread.construct, "it cannot be written again")
        yield from _type_lines(derived, indent)
    # A parameter statement stands between declarations that need it and the one of its name.
    texts = [(one.place.line, 0, declaration_text(one)) for one in unit.declarations]
    texts += [
        (place.line, 1, f"parameter ({name} = {expression_text(value)})")
        for name, value, place in unit.parameters
    ]
    yield from (line(text, indent) for _, _, text in sorted(texts, key=lambda one: one[:2]))
    yield from (line(text, indent) for text in _storage(unit))
    for name, function in unit.statement_functions.items():
        text = f"{name}({', '.join(function.arguments)}) = {expression_text(function.value)}"
        yield line(text, indent)


def _type_lines(derived: DerivedType, indent: int) -> Iterator[str]:
    for name in derived.pointers:
        raise Refused(derived.place, f"procedure component {name}", "it cannot be written again")
    extends = f", extends({derived.parent})" if derived.parent else ""
    abstract = ", abstract" if derived.abstract else ""
    yield line(f"type{extends}{abstract} :: {derived.name}", indent)
    yield from (line(declaration_text(one), indent + 2) for one in derived.components)
    if derived.bindings or derived.finals:
        yield line("contains", indent)
    for one in derived.bindings.values():
        private = ", private" if one.private else ""
        if one.specifics:
            text = f"generic{private} :: {one.name} => {', '.join(one.specifics)}"
        else:
            text = "procedure" + (f"({one.interface}), deferred" if one.interface else "")
            passed = ", nopass" if one.passed is None else f", pass({one.passed})"
            text += (passed if one.passed != "" else "") + f"{private} :: {one.name}"
            text += f" => {one.target}" if one.target not in ("", one.name) else ""
        yield line(text, indent + 2)
    if derived.finals:
        yield line(f"final :: {', '.join(derived.finals)}", indent + 2)
    yield line(f"end type {derived.name}", indent)


def _use(use: Use) -> str:
    renamed = {} if use.names is None else use.names
    listed = [
        local if local == name else f"{local} => {name}"
        for local, name in (*renamed.items(), *use.renames.items())
    ]
    only = "" if use.names is None else " only:"
    return f"use {use.module}" + (f",{only} {', '.join(listed)}" if listed or only else "")


def implicit_lines(unit: Unit) -> Iterator[str]:
    """Statements that give names their types as in the unit."""
    if unit.implicit is None:
        yield "implicit integer (i-n), real (a-h, o-z)"
        return
    if not unit.implicit:
        yield "implicit none"
    by_type: dict[str, list[str]] = {}
    for letter, kind in sorted(unit.implicit.items()):
        by_type.setdefault(type_text(kind), []).append(letter)
    for text, letters in by_type.items():
        yield f"implicit {text} ({', '.join(letters)})"


def type_text(kind: TypeName) -> str:
    """As a declaration begins."""
    if kind.base in ("type", "class"):
        return f"{kind.base}({kind.name})"
    if kind.kind is None:
        return kind.base
    written = kind.kind if isinstance(kind.kind, int) else expression_text(kind.kind)
    if kind.base == "complex" and isinstance(kind.kind, int):
        written = kind.kind // 2
    return f"{kind.base}({written})"


def _dimensions(dimensions: Sequence[Dimension]) -> str:
    return ", ".join(map(dimension_text, dimensions))


def dimension_text(one: Dimension) -> str:
    """lower:upper, as short as it is."""
    low = "" if one.lower is None else expression_text(one.lower) + ":"
    if one.upper is not None:
        return low + expression_text(one.upper)
    return (low or ":") if one.deferred else low + "*"


def declaration_text(one: Declaration) -> str:
    """One statement; of attributes alone where there is no type."""
    for attribute in one.attributes:
        if attribute not in _ATTRIBUTES:
            raise Refused(one.place, f"attribute {attribute} of {one.name}")
    words = [word for word in _ATTRIBUTES if word in one.attributes]
    if one.intent:
        words.append(f"intent({one.intent})")
    shape = f"({_dimensions(one.dimensions)})" if one.dimensions is not None else ""
    value = f" = {expression_text(one.value)}" if one.value is not None else ""
    if one.type is not None:
        return ", ".join([type_text(one.type), *words]) + f" :: {one.name}{shape}{value}"
    if not words:
        return f"dimension :: {one.name}{shape}"
    if len(words) > 1:
        raise Refused(one.place, f"attributes of {one.name} without a type", "more than one")
    return f"{words[0]} :: {one.name}{shape}"


def _storage(unit: Unit) -> Iterator[str]:
    """common, equivalence, data, save, external."""
    blocks: dict[str, list[tuple[int, str]]] = {}
    for member in unit.commons:
        blocks.setdefault(member.block, []).append((member.place_in_block, member.name))
    for block, members in blocks.items():
        names = ", ".join(name for _, name in sorted(members))
        yield f"common /{block}/ {names}" if block else f"common {names}"
    for group, _ in unit.equivalences:
        yield f"equivalence ({', '.join(map(expression_text, group))})"
    said = {(attribute, one.name) for one in unit.declarations for attribute in one.attributes}
    if unit.saves_all:
        yield "save"
    for word, some in (("save", unit.saved), ("external", unit.external)):
        left = sorted(name for name in some if (word, name) not in said)
        if left and not (word == "save" and unit.saves_all):
            yield f"{word} :: {', '.join(left)}"
    for data in unit.data:
        values = (
            f"{expression_text(n)}*{expression_text(v)}" if n is not None else expression_text(v)
            for n, v in data.values
        )
        targets = ", ".join(map(expression_text, data.targets))
        yield f"data {targets} / {', '.join(values)} /"
    for name in unit.interfaces:
        raise Refused(unit.place, f"interface {name}", "it cannot be written again")
