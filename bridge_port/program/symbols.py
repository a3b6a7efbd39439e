"""What a name stands for in a program unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bridge_port.refusal import Place
from bridge_port.syntax.expressions import Expression
from bridge_port.syntax.units import Dimension

#: Where a variable is kept.
LOCAL, DUMMY, RESULT, PARAMETER, MODULE, COMMON, SAVED = (
    "local", "dummy", "result", "parameter", "module", "common", "saved"
)  # fmt: skip


@dataclass
class Symbol:
    """A variable or a named constant.

    type: real, integer, logical, character, complex, type; kind: bytes, 0 of a derived type;
    type_name: of that; dimensions: None of a scalar; owner: name of the module or of the COMMON
    block; place_in_block: in it; value: of a parameter, or the initial one; length: of a
    character, as declared; scope: that declares it, where expressions in dimensions, length and
    value are to be read.
    """

    name: str
    type: str
    kind: int
    scope: Any
    place: Place
    type_name: str = ""
    dimensions: tuple[Dimension, ...] | None = None
    storage: str = LOCAL
    intent: str = ""
    optional: bool = False
    attributes: frozenset[str] = frozenset()
    owner: str = ""
    place_in_block: int = 0
    value: Expression | None = None
    length: Expression | str | None = None
    declared: bool = True
