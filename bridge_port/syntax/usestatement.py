"""use: a module, and which of its names under which."""

from __future__ import annotations

from bridge_port.refusal import Place
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.units import Use


def use_statement(found: list[str], place: Place) -> Use:
    reader = ExpressionReader(found, place, 1)
    if found[1] == ",":
        reader.at = 3  # intrinsic, non_intrinsic
    if found[reader.at] == "::":
        reader.at += 1
    module = reader.name()
    if not found[reader.at]:
        return Use(module, None, {}, place)
    reader.take(",")
    only = found[reader.at] == "only" and found[reader.at + 1] == ":"
    if only:
        reader.at += 2
    names: dict[str, str] = {}
    while found[reader.at]:
        local, remote = _rename(reader)
        names[local] = remote
        if found[reader.at]:
            reader.take(",")
    return Use(module, names, {}, place) if only else Use(module, None, names, place)


def _rename(reader: ExpressionReader) -> tuple[str, str]:
    found = reader.tokens
    if found[reader.at] in ("operator", "assignment") and found[reader.at + 1] in ("(", "(/"):
        begin = reader.at
        while found[reader.at] and found[reader.at] not in (")", "/)"):
            reader.at += 1
        reader.at += 1
        name = "".join(found[begin : reader.at])
        return name, name
    local = remote = reader.name()
    if found[reader.at] == "=>":
        reader.at += 1
        remote = reader.name()
    return local, remote
