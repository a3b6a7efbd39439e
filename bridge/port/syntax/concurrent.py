"""do concurrent."""

from __future__ import annotations

from bridge.port.refusal import Place
from bridge.port.syntax.expressionparser import ExpressionReader
from bridge.port.syntax.expressions import Expression
from bridge.port.syntax.statements import Arm, Do, If, Statement


def concurrent_loops(node: Do, reader: ExpressionReader, place: Place) -> list[Statement]:
    """do concurrent (i = 1:n, j = 1:m, mask) as loops in loops; returns the innermost body."""
    reader.take("(")
    body: list[Statement] = node.body
    first = True
    mask: Expression | None = None
    while True:
        if reader.tokens[reader.at + 1] != "=":
            mask = reader.expression()
        else:
            if not first:
                inner = Do(place, body=[])
                body.append(inner)
                node, body = inner, inner.body
            first = False
            node.concurrent = True
            node.variable = reader.name()
            reader.take("=")
            node.first = reader.expression()
            reader.take(":")
            node.last = reader.expression()
            if reader.tokens[reader.at] == ":":
                reader.at += 1
                node.step = reader.expression()
        if reader.tokens[reader.at] == ")":
            reader.at += 1
            break
        reader.take(",")
        if mask is not None:
            reader.refuse("nothing behind a mask")
    if first:
        reader.refuse("an index")
    if mask is not None:
        arm = Arm(mask, [], place)
        body.append(If(place, arms=[arm]))
        body = arm.body
    return body
