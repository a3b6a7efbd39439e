"""Executable statements of one line, from tokens."""

from __future__ import annotations

from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.expressions import Expression
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Arm,
    Assignment,
    Call,
    ComputedGoto,
    Continue,
    Cycle,
    Exit,
    Goto,
    If,
    PointerAssignment,
    Return,
    Statement,
    Unread,
    Where,
)
from bridge_port.syntax.tokens import closing

#: First words of what no kernel may do, and the construct that they name.
FORBIDDEN = {
    word: word
    for word in (
        "write", "read", "print", "open", "close", "inquire", "rewind", "backspace", "endfile",
        "flush", "wait", "type", "accept", "encode", "decode", "stop", "pause", "allocate",
        "deallocate", "nullify", "format", "assign", "forall", "entry", "sync", "lock", "unlock",
        "event", "notify", "form", "change", "fail", "namelist", "include",
    )
} | {"error": "error stop"}  # fmt: skip


def assignment_at(found: list[str]) -> int:
    """The index of the "=" or "=>" of an assignment, or -1. Its place tells, for a variable may
    have the name of any keyword."""
    if not (found[0][:1].isalpha() or found[0][:1] == "_"):
        return -1
    at = 1
    while True:
        token = found[at]
        if token in ("=", "=>"):
            return at
        if token in ("(", "["):
            at = closing(found, at) + 1
            if at == 0:
                return -1
        elif token == "%":
            at += 2
            if at >= len(found):
                return -1
        else:
            return -1


def simple(found: list[str], place: Place, label: str, comments: tuple[str, ...]) -> Statement:
    """Any executable statement that is not part of a construct; Refused where it cannot be
    read."""
    if assignment_at(found) > 0:
        return _assignment(found, place, label, comments)
    word = found[0]
    reader = ExpressionReader(found, place, 1)
    if word == "call":
        return _call(reader, place, label, comments)
    if word in ("if", "where"):
        return _guarded(word, reader, place, label, comments)
    if word == "return":
        if found[1]:
            reader.refuse("no alternate return")
        return Return(place, label, comments)
    if word == "continue" and not found[1]:
        return Continue(place, label, comments)
    if word in ("exit", "cycle"):
        name = reader.name() if found[1] else ""
        reader.end()
        return (Exit if word == "exit" else Cycle)(place, label, comments, name)
    if word == "goto" or (word == "go" and found[1] == "to"):
        if word == "go":
            reader.at += 1
        return _goto(reader, place, label, comments)
    if word in FORBIDDEN:
        construct = FORBIDDEN[word]
        return Unread(place, label, comments, text=" ".join(found[:-1]), construct=construct)
    if not word:
        return Continue(place, label, comments)
    reader.at = 0
    reader.refuse("a statement")


def _assignment(
    found: list[str], place: Place, label: str, comments: tuple[str, ...]
) -> Statement:
    reader = ExpressionReader(found, place)
    target = reader.primary()
    mark = found[reader.at]
    if mark not in ("=", "=>"):
        reader.refuse("'='")
    reader.at += 1
    value = reader.expression()
    reader.end()
    kind = Assignment if mark == "=" else PointerAssignment
    return kind(place, label, comments, target=target, value=value)


def _call(
    reader: ExpressionReader, place: Place, label: str, comments: tuple[str, ...]
) -> Statement:
    procedure: Expression = reader.designator()
    arguments: tuple[Expression, ...] = ()
    if reader.tokens[reader.at] == "(":
        arguments = reader.arguments()
    reader.end()
    return Call(place, label, comments, procedure=procedure, arguments=arguments)


def _guarded(
    word: str, reader: ExpressionReader, place: Place, label: str, comments: tuple[str, ...]
) -> Statement:
    """if (a) statement, where (a) assignment, if (a) 10, 20, 30."""
    reader.take("(")
    condition = reader.expression()
    reader.take(")")
    token = reader.tokens[reader.at]
    if word == "if" and token.isdigit():
        return _arithmetic(reader, condition, place, label, comments)
    inner = simple(reader.tokens[reader.at :], place, "", ())
    if isinstance(inner, If) or not token:
        raise Refused(place, "statement", f"cannot be read: {word} behind {word}")
    arm = Arm(condition, [inner], place)
    return (Where if word == "where" else If)(place, label, comments, arms=[arm])


def _arithmetic(
    reader: ExpressionReader,
    subject: Expression,
    place: Place,
    label: str,
    comments: tuple[str, ...],
) -> Statement:
    targets = _labels(reader)
    reader.end()
    if len(targets) != 3:
        reader.refuse("three labels")
    return ArithmeticIf(
        place, label, comments, subject=subject, targets=(targets[0], targets[1], targets[2])
    )


def _labels(reader: ExpressionReader) -> list[str]:
    labels: list[str] = []
    while True:
        token = reader.tokens[reader.at]
        if not token.isdigit():
            reader.refuse("a label")
        labels.append(token.lstrip("0"))
        reader.at += 1
        if reader.tokens[reader.at] != ",":
            return labels
        reader.at += 1


def _goto(
    reader: ExpressionReader, place: Place, label: str, comments: tuple[str, ...]
) -> Statement:
    token = reader.tokens[reader.at]
    if token.isdigit():
        reader.at += 1
        reader.end()
        return Goto(place, label, comments, target=token.lstrip("0"))
    if token != "(":
        text = " ".join(reader.tokens[:-1])
        return Unread(place, label, comments, text=text, construct="assigned goto")
    reader.at += 1
    targets = _labels(reader)
    reader.take(")")
    if reader.tokens[reader.at] == ",":
        reader.at += 1
    subject = reader.expression()
    reader.end()
    return ComputedGoto(place, label, comments, targets=tuple(targets), subject=subject)
