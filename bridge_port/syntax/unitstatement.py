"""Statements that begin and end program units."""

from __future__ import annotations

from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.statementparser import assignment_at
from bridge_port.syntax.tokens import closing, is_name
from bridge_port.syntax.typeparser import TYPE_WORDS, type_name
from bridge_port.syntax.units import TypeName, Unit

_PREFIXES = frozenset(
    ("pure", "impure", "elemental", "recursive", "non_recursive", "module", "simple")
)
_ENDS = frozenset(
    ("subroutine", "function", "module", "submodule", "program", "procedure", "blockdata")
)
_WORDS = _PREFIXES | TYPE_WORDS | {"subroutine", "function", "program", "submodule", "block"}
_WORDS |= {"blockdata", "attributes"}


def end_of(found: list[str]) -> str | None:
    """Of an end statement of a unit its kind, "" where it does not say; None of others."""
    word = found[0]
    if word == "end":
        word = found[1]
        if not word:
            return ""
        if word == "block" and found[2] == "data":
            return "block data"
    elif word == "endblock" and found[1] == "data":
        return "block data"
    else:
        word = word[3:]
    return word if word in _ENDS else None


def unit_statement(found: list[str], place: Place) -> Unit | None:
    """The unit that a statement begins, or None."""
    if found[0] not in _WORDS or assignment_at(found) >= 0:
        return None
    word = found[0]
    if word == "module" and is_name(found[1]) and not found[2]:
        return Unit("module", found[1], place)
    if word == "program" and is_name(found[1]) and not found[2]:
        return Unit("program", found[1], place)
    if word == "submodule" and found[1] == "(":
        end = closing(found, 1)
        # (module) or (module:submodule).
        return Unit("submodule", found[end + 1], place, host="".join(found[2:end]))
    if word == "blockdata" or (word == "block" and found[1] == "data"):
        name = found[1] if word == "blockdata" else found[2]
        return Unit("block data", name, place)
    return _procedure(found, place)


def _procedure(found: list[str], place: Place) -> Unit | None:
    reader = ExpressionReader(found, place)
    prefixes: set[str] = set()
    declared: TypeName | None = None
    while True:
        word = found[reader.at]
        if word in ("subroutine", "function") and is_name(found[reader.at + 1]):
            break
        if word == "procedure" and "module" in prefixes and is_name(found[reader.at + 1]):
            break
        if word in _PREFIXES:
            prefixes.add(word)
            reader.at += 1
        elif word == "attributes" and found[reader.at + 1] == "(":  # Of CUDA Fortran.
            end = closing(found, reader.at + 1)
            if end < 0:
                return None
            reader.at = end + 1
        elif word in TYPE_WORDS and declared is None:
            try:
                declared = type_name(reader)
            except Refused:
                return None
        else:
            return None
    reader.at += 1
    unit = Unit(word, reader.name(), place, result_type=declared, prefixes=frozenset(prefixes))
    if word == "function":
        unit.result = unit.name
    if found[reader.at] == "(":
        end = closing(found, reader.at)
        if end < 0:  # a line of the preprocessor stands in the statement
            return None
        unit.arguments = [token for token in found[reader.at + 1 : end] if token != ","]
        reader.at = end + 1
    while is_name(found[reader.at]):
        suffix = reader.name()
        if found[reader.at] == "(":
            end = closing(found, reader.at)
            if end < 0:
                return None
            if suffix == "result":
                unit.result = found[reader.at + 1]
            reader.at = end + 1
    return unit if not found[reader.at] else None
