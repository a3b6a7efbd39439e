"""Expressions, statements and program units as text of Fortran, free form.

What a tree says is kept, not how it was laid out: parentheses are written where the tree has them
and where the order of evaluation needs them. What is not understood is not written: Refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    ComplexNumber,
    Component,
    Expression,
    ImpliedDo,
    Keyword,
    Name,
    Number,
    Section,
    Text,
    Truth,
    Unary,
)
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Arm,
    Assignment,
    Call,
    ComputedGoto,
    Continue,
    Cycle,
    Do,
    Exit,
    Goto,
    If,
    PointerAssignment,
    Return,
    Select,
    Statement,
    Unread,
    Where,
)

#: Columns of a line; the standard allows 132.
WIDTH = 99
LONGEST = 130

#: Precedence of operators, weakest first.
_LEVELS = {
    ".eqv.": 1,
    ".neqv.": 1,
    ".or.": 2,
    ".and.": 3,
    ".not.": 4,
    "==": 5,
    "/=": 5,
    "<": 5,
    "<=": 5,
    ">": 5,
    ">=": 5,
    "//": 6,
    "+": 7,
    "-": 7,
    "*": 8,
    "/": 8,
    "**": 9,
}
_DEFINED_BINARY, _DEFINED_UNARY, _PRIMARY = 0, 10, 11
_SPACED = {"+", "-", "==", "/=", "<", "<=", ">", ">=", "//", "=>"}


def expression_text(expression: Expression) -> str:
    """In one line."""
    return _text(expression)[0]


def _text(e: Expression) -> tuple[str, int]:
    """The text, and the precedence of its operator."""
    match e:
        case Number(text):
            return text, _PRIMARY
        case Text(value):
            return "'" + value.replace("'", "''") + "'", _PRIMARY
        case Truth(value):
            return ".true." if value else ".false.", _PRIMARY
        case Name(id):
            return id, _PRIMARY
        case ComplexNumber(real, imaginary):
            return f"({expression_text(real)}, {expression_text(imaginary)})", _PRIMARY
        case Apply(base, arguments):
            return f"{_at(base, _PRIMARY)}({_listed(arguments)})", _PRIMARY
        case Component(base, name):
            return f"{_at(base, _PRIMARY)}%{name}", _PRIMARY
        case Keyword(name, value):
            return f"{name}={expression_text(value)}", _PRIMARY
        case Section(lower, upper, stride):
            low, high = (expression_text(x) if x else "" for x in (lower, upper))
            return f"{low}:{high}" + (f":{expression_text(stride)}" if stride else ""), _PRIMARY
        case ArrayConstructor(items):
            return f"[{_listed(items)}]", _PRIMARY
        case ImpliedDo(items, variable, bounds):
            return f"({_listed(items)}, {variable} = {_listed(bounds)})", _PRIMARY
        case Unary("()", operand):
            return f"({expression_text(operand)})", _PRIMARY
        case Unary(operator, operand):
            return _unary(operator, operand)
        case Binary(operator, left, right):
            return _binary(operator, left, right)
    raise TypeError(f"no expression of Fortran: {e!r}")


def _unary(operator: str, operand: Expression) -> tuple[str, int]:
    if operator == ".not.":
        return f".not. {_at(operand, 5)}", 4
    if operator in "+-":
        return f"{operator}{_at(operand, 8)}", 7
    return f"{operator} {_at(operand, _PRIMARY)}", _DEFINED_UNARY


def _binary(operator: str, left: Expression, right: Expression) -> tuple[str, int]:
    level = _LEVELS.get(operator, _DEFINED_BINARY)
    if operator == "**":
        return f"{_at(left, 10)}**{_at(right, 9)}", level
    # A relation has no relations beside it; all others go from the left.
    before = _at(left, level + 1 if level == 5 else level)
    after = _at(right, level + 1)
    space = " " if operator in _SPACED or operator.startswith(".") else ""
    return f"{before}{space}{operator}{space}{after}", level


def _at(e: Expression, level: int) -> str:
    text, own = _text(e)
    return text if own >= level else f"({text})"


def _listed(items: Sequence[Expression]) -> str:
    return ", ".join(map(expression_text, items))


def line(text: str, indent: int = 0, label: str = "") -> str:
    """A statement, continued where it is longer than a line."""
    start = f"{label} ".ljust(indent) if label else " " * indent
    lines, rest = [], start + text
    while len(rest) > WIDTH:
        cut = _break(rest, indent)
        if cut > LONGEST:  # a character constant goes on behind & and &
            cut = next(n for n in range(WIDTH - 2, 0, -1) if rest[n - 1] != "'")
            lines.append(rest[:cut] + "&")
            rest = " " * (indent + 4) + "&" + rest[cut:]
            continue
        if cut == len(rest):
            break
        lines.append(rest[:cut].rstrip() + " &")
        rest = " " * (indent + 4) + rest[cut:].lstrip()
    return "\n".join([*lines, rest])


def _break(text: str, indent: int) -> int:
    """Where a line may end: behind a comma or at a blank, outside of character constants."""
    quoted, best = text.lstrip().startswith("&"), 0
    for place, letter in enumerate(text):
        if place >= WIDTH - 2 and (best or not quoted):
            break
        if letter == "'":
            quoted = not quoted
        elif not quoted and letter in ", " and place > indent + 8:
            best = place + 1
        if place >= WIDTH - 2 and not quoted and text[place + 1 : place + 2] != "'":
            return place + 1  # the constant ends here
    if best:
        return best
    # No blank: behind the last operator, else nothing helps but a longer line.
    for place in range(WIDTH - 3, indent + 8, -1):
        if text[place] in "*/(" and text[place + 1] not in "*/(=)" and text[place - 1] not in "*/":
            return place + 1
    return len(text)


def statement_lines(body: Sequence[Statement], indent: int = 0) -> Iterator[str]:
    """Lines of text; comments stand before the statement that has them."""
    for statement in body:
        yield from (" " * indent + _comment(text) for text in statement.comments)
        yield from _statement(statement, indent)


def _comment(text: str) -> str:
    text = text.strip()
    return text if text.startswith("!") else "!" + text[1:] if text[:1] in "cC*" else "! " + text


def _statement(s: Statement, indent: int) -> Iterator[str]:
    if isinstance(s, If):
        yield from _if(s, indent)
    elif isinstance(s, Do):
        yield from _do(s, indent)
    elif isinstance(s, Select):
        yield from _select(s, indent)
    elif isinstance(s, Unread):
        raise Refused(s.place, s.construct, s.why or "it cannot be written again")
    else:
        yield line(_simple(s), indent, s.label)


def _simple(s: Statement) -> str:
    match s:
        case PointerAssignment(target=target, value=value):
            return f"{expression_text(target)} => {expression_text(value)}"
        case Assignment(target=target, value=value):
            return f"{expression_text(target)} = {expression_text(value)}"
        case Call(procedure=procedure, arguments=arguments):
            return f"call {expression_text(procedure)}({_listed(arguments)})"
        case Return():
            return "return"
        case Exit(name=name):
            return f"exit {name}".rstrip()
        case Cycle(name=name):
            return f"cycle {name}".rstrip()
        case Goto(target=label):
            return f"goto {label}"
        case ComputedGoto(targets=targets, subject=subject):
            return f"goto ({', '.join(targets)}), {expression_text(subject)}"
        case ArithmeticIf(subject=subject, targets=three):
            return f"if ({expression_text(subject)}) {', '.join(three)}"
        case Continue():
            return "continue"
    raise TypeError(f"no statement of Fortran: {s!r}")


def _arms(
    arms: Sequence[Arm], indent: int, first: str, later: str, otherwise: str, label: str
) -> Iterator[str]:
    for number, arm in enumerate(arms):
        yield from (" " * indent + _comment(text) for text in arm.comments)
        if arm.condition is None:
            head = otherwise
        else:
            head = (later if number else first).format(expression_text(arm.condition))
        yield line(head, indent, "" if number else label)
        yield from statement_lines(arm.body, indent + 2)


def _if(s: If, indent: int) -> Iterator[str]:
    begin = f"{s.name}: " if s.name else ""
    if isinstance(s, Where):
        yield from _arms(
            s.arms, indent, begin + "where ({})", "elsewhere ({})", "elsewhere", s.label
        )
        yield line(f"end where {s.name}".rstrip(), indent, s.end_label)
        return
    yield from _arms(s.arms, indent, begin + "if ({}) then", "else if ({}) then", "else", s.label)
    yield line(f"end if {s.name}".rstrip(), indent, s.end_label)


def _do(s: Do, indent: int) -> Iterator[str]:
    bounds = [x for x in (s.first, s.last, s.step) if x is not None]
    if s.concurrent:
        first, last, *step = map(expression_text, bounds)
        head = f"do concurrent ({s.variable} = {':'.join([first, last, *step])})"
    elif s.variable:
        head = f"do {s.variable} = {_listed(bounds)}"
    elif s.condition is not None:
        head = f"do while ({expression_text(s.condition)})"
    else:
        head = "do"
    yield line(f"{s.name}: {head}" if s.name else head, indent, s.label)
    yield from statement_lines(s.body, indent + 2)
    yield line(f"end do {s.name}".rstrip(), indent)


def _select(s: Select, indent: int) -> Iterator[str]:
    head = f"select case ({expression_text(s.subject)})"
    yield line(f"{s.name}: {head}" if s.name else head, indent, s.label)
    for case in s.cases:
        yield from (" " * indent + _comment(text) for text in case.comments)
        values = "default" if case.values is None else f"({_listed(case.values)})"
        yield line(f"case {values}", indent)
        yield from statement_lines(case.body, indent + 2)
    yield line(f"end select {s.name}".rstrip(), indent)
