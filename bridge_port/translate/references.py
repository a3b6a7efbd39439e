"""References to functions, as expressions and arrays ask for them.

An expression has calls in it, and a call hands over expressions. Modules of expressions know calls
and intrinsic functions by this table alone, which `port` fills in: so these import expressions,
and not the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bridge_port.syntax.expressions import Expression
from bridge_port.syntax.units import Unit
from bridge_port.translate.body import Array, Body
from bridge_port.translate.values import Value

At = tuple[Value, ...]
Arguments = Sequence[Expression]


@dataclass(frozen=True)
class References:
    """function, array_function: the value and the array that a function of the source gives;
    check_statement_function: refuses one whose text cannot stand where it is used; intrinsic,
    intrinsic_array: the same of an intrinsic function; intrinsic_rank: of its result, None where
    it is that of the arguments; whole: whether its array is computed as a whole."""

    function: Callable[[Body, Unit, Arguments, At], Value]
    array_function: Callable[[Body, Unit, Arguments], Array]
    check_statement_function: Callable[[Body, str, Arguments], None]
    intrinsic: Callable[[Body, str, Arguments, At], Value]
    intrinsic_array: Callable[[Body, str, Arguments], Array]
    intrinsic_rank: Callable[[Body, str, Arguments], int | None]
    whole: Callable[[str], bool]
