"""Names that no declaration gives: implicit ones, and those that something unread may give."""

from __future__ import annotations

import re
from pathlib import Path

from bridge_port.program import languagemodules
from bridge_port.program.symbols import Scope, Units
from bridge_port.refusal import SOURCE, Place, Refused
from bridge_port.source.physical import included
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.statements import Call, Do, walk
from bridge_port.syntax.units import Unit, Use

#: Statements that are not kept but give no name a type.
_SAY_NO_TYPE = frozenset(("namelist", "format", "entry", "select", "do", "if", "where"))


def remote_name(use: Use, name: str) -> str | None:
    """What a local name is called in the module, None where the use does not give it."""
    if use.names is not None:
        return use.names.get(name)
    if name in use.renames:
        return use.renames[name]
    return None if name in use.renames.values() else name


def missing_module(scope: Scope, name: str) -> str:
    """A module that is not given and may have the name, "" of none."""
    unit = scope.unit
    program = scope.program
    around: Scope | None = scope
    while around is not None:
        for use in around.unit.uses:
            if (remote := remote_name(use, name)) is not None:
                missing = _missing(program, use.module, remote, set())
                if missing:
                    return missing
        around = around.parent
    while unit.parent is not None:
        unit = unit.parent
    if unit.kind == "submodule" and program.host(unit) is None:
        return unit.host
    return ""


def _missing(program: Units, module: str, name: str, seen: set[str]) -> str:
    if module in languagemodules.MODULES or module in seen:
        return ""
    seen.add(module)
    unit = program.modules.get(module)
    if unit is None:
        return module if _may_have(module, name) else ""
    scope = program.scope(unit)
    if not scope.exports(name):
        return ""
    for use in unit.uses:
        if (remote := remote_name(use, name)) is not None:
            missing = _missing(program, use.module, remote, seen)
            if missing:
                return missing
    return ""


def given_by(scope: Scope, name: str) -> str:
    """What to say so that a module or a procedure is found."""
    files = scope.program.several.get(name)
    if files:
        return f"say one of {', '.join(files)} with --more FILE"
    return f"say {SOURCE}"


def _may_have(module: str, name: str) -> bool:
    """Whether a module, or a file of that name, that is not there may declare the name."""
    return name.startswith(languagemodules.BEGINNINGS.get(module.lower(), ("",)))


def refuse_unknown(scope: Scope, name: str, place: Place) -> None:
    """A name that nothing declares, where a module, an include or a statement that is not
    understood may."""
    missing = missing_module(scope, name)
    if missing:
        raise Refused(
            place, f"{name!r}", f"may come from module {missing!r}, which is not given",
            f"{given_by(scope, missing)}, or declare the name",
        )  # fmt: skip
    around: Scope | None = scope
    while around is not None:
        refuse_unread(around.unit, name, place)
        around = around.parent


def refuse_unread(unit: Unit, name: str, place: Place) -> None:
    for unread in unit.unread:
        if unread.construct in _SAY_NO_TYPE:
            continue
        if unread.construct in ("include", "#"):
            if not _may_have(_included(unread.text), name):
                continue
            raise Refused(
                place, f"{name!r}", f"may come from {unread.text!r}, which is not found",
                "say its folder with -I FOLDER",
            )  # fmt: skip
        word = re.compile(rf"\b{re.escape(name)}\b")
        if any(word.search(text) for text in (unread.text, *unread.inside)):
            raise Refused(
                place, f"{name!r}", f"stands in {unread.text[:60]!r}, which is not understood"
            )


def _included(text: str) -> str:
    """The file that a line includes, "" of another line."""
    found = included(text)
    return Path(found[0].strip()).name if found else ""


def says_external(scope: Scope, name: str) -> bool:
    """Whether a unit, or one around it, says that a name of the language is a procedure."""
    around: Scope | None = scope
    while around is not None:
        unit = around.unit
        if name in unit.external or name in unit.bodies or name in unit.shaped_as:
            return True
        around = around.parent
    symbol = scope.find(name)
    return symbol is not None and "external" in symbol.attributes


def implicit_host(scope: Scope, name: str) -> Scope | None:
    """The procedure around this one that has the name by implicit typing."""
    around = scope.parent
    while around is not None:
        if around.unit.kind not in ("module", "submodule") and name in around.mentioned:
            return around
        around = around.parent
    return None


def mentioned_names(unit: Unit) -> set[str]:
    """All that stand in its body."""
    names: set[str] = set()
    for statement in walk(unit.body):
        for expression in statement.expressions():
            names |= expression.names
        if isinstance(statement, Do):
            names.add(statement.variable)
        if isinstance(statement, Call) and isinstance(statement.procedure, Name):
            names.discard(statement.procedure.id)
    return names


def make_implicit(scope: Scope) -> None:
    """Make all variables of implicit typing that a body names, whoever asks for one first. An
    undeclared name with parentheses is a function."""
    if scope.implicit_made:
        return
    scope.implicit_made = True
    functions = _functions(scope.unit)
    for name in scope.mentioned:
        try:
            if name not in functions or scope.find(name) is not None:
                scope.symbol(name)
        except Refused:
            continue  # where it stands


def _functions(unit: Unit) -> set[str]:
    """Names that stand before parentheses in its body."""
    return {name for s in walk(unit.body) for e in s.expressions() for name in e.applied}
