"""Numbers of whole arrays, `s = sum(a)`, `s = max(s, maxval(a))`, as what loops add up."""

from __future__ import annotations

from dataclasses import dataclass

from bridge_port.kernel import MAXIMUM, MINIMUM, SUM
from bridge_port.outline.scalars import of_empty
from bridge_port.outline.setting import Setting
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Expression,
    Keyword,
    Name,
    Number,
    Truth,
)
from bridge_port.syntax.rewriting import mentions
from bridge_port.syntax.statements import Arm, Assignment, If, Statement

FUNCTIONS = frozenset({"sum", "maxval", "minval", "any", "all", "count", "dot_product"})
#: How a variable goes on from the value that it has.
_ONWARDS = {"sum": "+", "count": "+", "maxval": "max", "minval": "min"}


@dataclass(frozen=True)
class ArrayReduction:
    """name: of the function; target: the variable; value: the array; mask: of its elements; begun:
    whether the variable keeps the value that it has."""

    name: str
    target: Name
    value: Expression
    mask: Expression | None
    begun: bool

    def start(self, setting: Setting) -> Expression:
        """What no element changes."""
        if self.name in ("any", "all"):
            return Truth(self.name == "all")
        symbol = setting.scope.symbol(self.target.id)
        operation = {"maxval": MAXIMUM, "minval": MINIMUM}.get(self.name, SUM)
        return of_empty(operation, symbol.type, symbol.kind)

    def step(self, s: Assignment, element: Expression, mask: Expression | None) -> Statement:
        """What one element does."""
        made = self._step(s, element)
        return made if mask is None else If(s.place, arms=[Arm(mask, [made], s.place)])

    def _step(self, s: Assignment, element: Expression) -> Statement:
        target = self.target
        if self.name == "count":
            more = Assignment(s.place, target=target, value=Binary("+", target, Number("1")))
            return If(s.place, arms=[Arm(element, [more], s.place)])
        value: Expression
        if self.name == "sum":
            value = Binary("+", target, element)
        elif self.name in ("any", "all"):
            value = Binary(".or." if self.name == "any" else ".and.", target, element)
        else:
            value = Apply(Name(_ONWARDS[self.name]), (target, element))
        return Assignment(s.place, target=target, value=value)


def reduction(setting: Setting, s: Assignment) -> ArrayReduction | None:
    """What an assignment to a scalar is of a whole array; None of another one."""
    if not isinstance(s.target, Name):
        return None
    value, onwards = s.value, ""
    match value:
        case Binary("+", left, right) if left == s.target:
            value, onwards = right, "+"
        case Apply(Name("max" | "min" as name), (left, right)) if left == s.target:
            value, onwards = right, name
    if not isinstance(value, Apply) or not isinstance(value.base, Name):
        return None
    function, arguments = value.base.id, list(value.arguments)
    if function not in FUNCTIONS:
        return None
    if mentions(value, s.target.id):
        return None
    mask: Expression | None = None
    if function == "dot_product" and len(arguments) == 2:
        found = setting.scope.type_of(arguments[0])
        if found is None or found[0] not in ("real", "integer"):
            return None
        function, arguments = "sum", [Binary("*", arguments[0], arguments[1])]
    elif len(arguments) == 2 and isinstance(last := arguments[1], Keyword) and last.name == "mask":
        mask = last.value
        del arguments[1]
    if len(arguments) != 1 or isinstance(arguments[0], Keyword):
        return None
    if onwards and _ONWARDS.get(function) != onwards:
        return None
    if not _same_type(setting, function, s.target, arguments[0]):
        return None
    return ArrayReduction(function, s.target, arguments[0], mask, bool(onwards))


def _same_type(setting: Setting, function: str, target: Expression, value: Expression) -> bool:
    """Whether what is added up is added in the type of the result."""
    one, other = setting.scope.type_of(target), setting.scope.type_of(value)
    if function == "count":
        return bool(one and one[0] == "integer")
    return one is not None and one == other
