"""Arrays of points that a called procedure reads itself: its kernel would hold them as tables."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.outline.pointloops import COMPONENTS
from bridge_port.outline.setting import Setting
from bridge_port.program.symbols import COMMON, MODULE
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Apply, Expression, Name
from bridge_port.syntax.statements import Call, Statement, walk
from bridge_port.syntax.units import Unit


def check_fields(setting: Setting, body: Sequence[Statement], points: Sequence[str]) -> None:
    """Refused where a call gets the index of a point, and subscripts an array of a module or of
    COMMON that may be one of points: it may have other values in each run. points: variables of
    the loops over points."""
    for s in walk(body):
        calls = [(s.procedure, s.arguments)] if isinstance(s, Call) else []
        for e in s.expressions():
            calls += [(one.base, one.arguments) for one in e.walk() if isinstance(one, Apply)]
        for base, arguments in calls:
            if not isinstance(base, Name) or setting.is_array(base.id):
                continue
            unit = setting.callee(base.id)
            given = [v for v in points if any(_bare(setting, a, v) for a in arguments)]
            if unit is None or not given:
                continue
            found = _field(setting, unit, set())
            if found:
                raise Refused(
                    s.place,
                    f"call of {unit.name} with the index {given[0]}",
                    f"it reads array {found} itself, and another run may have other values in it",
                    f"pass what it reads of {found} as arguments",
                )


def _bare(setting: Setting, e: Expression, variable: str) -> bool:
    """Whether the variable stands in it outside of subscripts of arrays."""
    if isinstance(e, Name):
        return e.id == variable
    if isinstance(e, Apply) and isinstance(e.base, Name) and setting.is_array(e.base.id):
        return False
    return any(_bare(setting, part, variable) for part in e.parts())


def _field(setting: Setting, unit: Unit, seen: set[int]) -> str:
    """The first array of a module or of COMMON, not small along each dimension, that the
    procedure or one that it calls subscripts."""
    if id(unit) in seen:
        return ""
    seen.add(id(unit))
    scope = setting.program.scope(unit)
    for s in walk(unit.body):
        names = [s.procedure] if isinstance(s, Call) else []
        for e in s.expressions():
            names += [one.base for one in e.walk() if isinstance(one, Apply)]
        for base in names:
            if not isinstance(base, Name):
                continue
            symbol = scope.find(base.id)
            if symbol is not None and symbol.dimensions is not None:
                small = all(n is not None and n <= COMPONENTS for n in scope.extents(symbol))
                if symbol.storage in (MODULE, COMMON) and not small:
                    return base.id
                continue
            callee = scope.procedure(base.id)
            found = _field(setting, callee, seen) if callee is not None else ""
            if found:
                return found
    return ""
