"""Functions of the program that have names of the language, which an outline looks into or puts
in: `sum(a)` is a loop, `s = max(s, a(i))` a maximum of all points."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.program.symbols import Scope
from bridge_port.refusal import Refused
from bridge_port.syntax.statements import Statement, walk

#: What stands in nests.
_READ = frozenset(
    """sum maxval minval any all count dot_product max min amax1 dmax1 max0 amin1 dmin1 min0
    spread transpose merge size lbound ubound shape huge tiny mod modulo abs iabs allocated
    associated""".split()
)
#: What an outline writes.
_WRITTEN = ("max", "min", "int", "real", "dble", "size", "lbound", "ubound", "huge", "tiny")


def check_functions(scope: Scope, statements: Sequence[Statement]) -> None:
    """Refused where one of them is a procedure of the program."""
    for s in walk(statements):
        named = {name for e in s.expressions() for name in e.applied}
        for name in sorted(named & _READ):
            if _is_own(scope, name) or scope.specifics(name):
                raise _refused(s, name)
    for name in _WRITTEN:
        if statements and _is_own(scope, name):
            raise _refused(statements[0], name)


def _is_own(scope: Scope, name: str) -> bool:
    symbol = scope.find(name)
    if symbol is not None and symbol.dimensions is not None:
        return False
    return (
        scope.as_written(name) is not None
        or name in scope.unit.bodies
        or (symbol is not None and bool(symbol.attributes & {"external"}))
    )


def _refused(s: Statement, name: str) -> Refused:
    return Refused(
        s.place,
        f"function {name}",
        "a procedure of the program has the name of a function of the language that loops are "
        "made of",
        "give it another name",
    )


__all__ = ["check_functions"]
