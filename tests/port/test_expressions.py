"""Expressions: precedence, primaries, what is none."""

import pytest

from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressionparser import expression
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


def bracketed(node: Expression) -> str:
    """With all parentheses that precedence leaves out."""
    if isinstance(node, Unary):
        inner = bracketed(node.operand)
        return inner if node.operator == "()" else f"({node.operator} {inner})"
    if isinstance(node, Binary):
        return f"({bracketed(node.left)} {node.operator} {bracketed(node.right)})"
    if isinstance(node, Name):
        return node.id
    assert isinstance(node, Number)
    return node.text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a + b * c ** d ** e", "(a + (b * (c ** (d ** e))))"),
        ("-a ** 2 + b", "((- (a ** 2)) + b)"),
        ("-a * b", "(- (a * b))"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b * c", "((a / b) * c)"),
        ("a ** -b * c", "((a ** (- b)) * c)"),
        ("a * -b + c", "((a * (- b)) + c)"),
        ("a + -b * c", "(a + (- (b * c)))"),
        (".not. a .and. b .or. c", "(((.not. a) .and. b) .or. c)"),
        ("a .or. b .and. c", "(a .or. (b .and. c))"),
        ("a .eqv. b .or. c", "(a .eqv. (b .or. c))"),
        (".not. a .lt. b", "(.not. (a < b))"),
        ("a+1 .ge. b .and. c==d", "(((a + 1) >= b) .and. (c == d))"),
        ("a // b == c", "((a // b) == c)"),
        ("a .cross. b + c", "(a .cross. (b + c))"),
        (".inverse. a * b", "((.inverse. a) * b)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("1.e5 .eq. 2.d0", "(1.e5 == 2.d0)"),
        ("1.eq.n.and.m.ne.3.", "((1 == n) .and. (m /= 3.))"),
        ("x.lt..5d-3", "(x < .5d-3)"),
    ],
)
def test_precedence(text: str, wanted: str) -> None:
    assert bracketed(expression(text)) == wanted


def test_primaries() -> None:
    a, one = Name("a"), Number("1")
    assert expression("a(1, :, 1:a, ::1, k=a)") == Apply(
        a,
        (one, Section(None, None, None), Section(one, a, None), Section(None, None, one),
         Keyword("k", a)),
    )  # fmt: skip
    assert expression("a%b(1)%c") == Component(Apply(Component(a, "b"), (one,)), "c")
    assert expression("(1, 1)") == ComplexNumber(one, one)
    assert expression("(/ 1, (a, i = 1, a, 1) /)") == ArrayConstructor(
        (one, ImpliedDo((a,), "i", (one, a, one)))
    )
    assert expression(".true._4") == Truth(True)
    assert expression('"it\'\'s ""x"""') == Text("it''s \"x\"")
    assert expression("'it''s'") == Text("it's")


def test_a_constructor_with_a_type_converts_its_items() -> None:
    real = expression("[real(8) :: 1, (a, i = 1, 2)]")
    assert real == expression("[real(1, 8), (real(a, 8), i = 1, 2)]")
    assert expression("[integer :: a]") == expression("[int(a, kind(1))]")


@pytest.mark.parametrize(
    "text",
    ["a +", "a b", "(a", "a(1", "* a", "a(1,)", "[a", "a%", "1..2", "'open", "a[1]", "%a", ""],
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        expression(text, Place("a.f90", 3))
