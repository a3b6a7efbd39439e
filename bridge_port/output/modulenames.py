"""Names that mean something else in the module of a nest than in its unit.

A variable may hide an intrinsic function that the module calls, `sum`, `max`: there it has another
name; who calls gives arguments by their places. What the module itself has, `bridge_total`, is
refused. Kinds of literals, `1_ik`, become numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bridge_port.output.surroundings import Surroundings
from bridge_port.program.symbols import PARAMETER
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Name

#: What the texts of the module call.
_CALLED = frozenset(
    "abs all allocated any huge is_contiguous lbound max maxval merge min nint present real "
    "reshape shape size spacing spread sum transfer trim ubound".split()
)
#: What they name beside the names of the unit: procedures of the bridge, own variables, kinds.
_OWN = re.compile(
    r"(bridge|frame)_\w+|bridge|iso_c_binding|"
    r"c_(associated|double|f_pointer|float|int|intptr_t|loc|null_ptr|ptr)"
)
_LITERAL = re.compile(r"'[^']*'|(?<![\w.])((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?_)([a-z]\w*)", re.I)


def put_in(lines: Sequence[str], around: Surroundings) -> list[str]:
    """The lines of the module."""

    def kind(found: re.Match[str]) -> str:
        symbol = around.scope.find(found[2].lower()) if found[2] else None
        if symbol is None or symbol.storage != PARAMETER:
            return found[0]
        return f"{found[1]}{around.scope.constant(Name(symbol.name))}"

    return [_LITERAL.sub(kind, text) for text in _renamed(lines, around)]


def _renamed(lines: Sequence[str], around: Surroundings) -> list[str]:
    for name in sorted(filter(_OWN.fullmatch, around.names)):
        raise Refused(around.symbol(name).place, f"variable {name}", "a name that the module of "
                      "the port has for something else", "another name")  # fmt: skip
    hiding = sorted(around.names & _CALLED)
    for name in hiding:
        symbol = around.symbol(name)
        if symbol.dimensions is None and not around.is_outside(name):
            continue
        what = "array" if symbol.dimensions is not None else "variable of a module"
        raise Refused(symbol.place, f"variable {name}", f"an {what} of the name of an intrinsic "
                      "function that the module of the port calls", "another name")  # fmt: skip
    if not hiding:
        return list(lines)
    # A function has parentheses behind it; in quotes stand names of quantities and operations.
    word = re.compile(rf"'[^']*'|(?<!%)\b({'|'.join(hiding)})\b(?![ \t]*\()")
    own = {name: around.unused(f"{name}_", around.names) for name in hiding}
    return [word.sub(lambda m: own[m[1]] if m[1] else m[0], text) for text in lines]
