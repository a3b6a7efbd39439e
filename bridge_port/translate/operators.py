"""Operators of numbers and logicals, and conversions between types, in C++."""

from __future__ import annotations

import re
from dataclasses import replace

from bridge_port.translate import complexes
from bridge_port.translate.body import Body
from bridge_port.translate.values import (
    AND,
    BOTH,
    EITHER,
    EQUALITY,
    OR,
    ORDER,
    PRIMARY,
    PRODUCT,
    SUM,
    UNARY,
    Value,
    as_bits,
    as_mask,
    as_real,
    integer,
    minus,
    plus,
    times,
    truth,
)

COMPARISONS = {"==": "==", "/=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def compare(sign: str, x: Value, y: Value) -> Value:
    strength = EQUALITY if sign in ("==", "!=") else ORDER
    if x.number is not None and y.number is not None:
        a, c = x.number, y.number
        results = {"==": a == c, "!=": a != c, "<": a < c, "<=": a <= c, ">": a > c, ">=": a >= c}
        return truth(results[sign])
    text = f"{x.within(SUM)} {sign} {y.within(SUM)}"
    return Value(text, "logical", x.vary or y.vary, strength, kind=4)


def connective(b: Body, op: str, x: Value, y: Value) -> Value:
    logical(b, x, op)
    logical(b, y, op)
    vary = x.vary or y.vary
    for one, other in ((x, y), (y, x)):
        if one.number is not None and op in (".and.", ".or."):
            return other if bool(one.number) == (op == ".and.") else truth(op == ".or.")
    sign, strength = {
        ".and.": ("&", AND) if vary else ("&&", BOTH),
        ".or.": ("|", OR) if vary else ("||", EITHER),
        ".eqv.": ("==", EQUALITY),
        ".neqv.": ("!=", EQUALITY),
    }[op]
    # Compilers warn of comparisons beside & without parentheses, and readers stumble.
    inner = UNARY if vary else SUM if strength == EQUALITY else strength
    left = x.text if same_operator(x, sign, strength) else x.within(inner)
    if vary and left.startswith("!"):
        left = f"({left})"
    right = y.text if same_operator(y, sign, strength) else y.within(inner)
    if vary and strength == EQUALITY:
        left, right = as_mask(x).within(UNARY), as_mask(y).within(UNARY)
    return Value(f"{left} {sign} {right}", "logical", vary, strength, kind=4)


def same_operator(v: Value, sign: str, strength: int) -> bool:
    return v.strength == strength and sign in ("&", "|", "&&", "||")


def of_integers(b: Body, op: str, x: Value, y: Value) -> Value:
    wide = 8 in (x.kind, y.kind)
    if wide and not (small(x, op) or small(y, op)):
        b.refuse(f"{op} of integer(8)", "integers of kernels have 32 bits", "use integer(4)")
    if op == "+":
        return plus(x, y)
    if op == "-":
        return minus(x, y)
    if op == "*":
        return times(x, y)
    if y.number == 0:
        b.refuse("a division by 0", "the divisor is the constant 0", "change the divisor")
    if isinstance(x.number, int) and isinstance(y.number, int):
        quotient = abs(x.number) // abs(y.number)
        return integer(quotient if (x.number < 0) == (y.number < 0) else -quotient)
    vary = x.vary or y.vary
    if y.number is not None:
        return Value(f"{x.within(PRODUCT)} / {y.within(UNARY)}", "integer", vary, PRODUCT)
    if vary:
        x, y = as_bits(x), as_bits(y)
    return Value(f"quotient({x.text}, {y.text})", "integer", vary)


def small(v: Value, op: str) -> bool:
    """Whether an operand is a number that takes few integers out of 32 bits."""
    limit = 1 << 16 if op in "+-" else 1 << 31
    return v.number is not None and abs(v.number) < limit


def power(b: Body, x: Value, y: Value) -> Value:
    numeric(b, x, "**")
    numeric(b, y, "**")
    if "complex" in (x.type, y.type):
        return complexes.power(b, x, y)
    vary = x.vary or y.vary
    if y.type == "integer":
        if x.type == "integer":
            if isinstance(x.number, int) and isinstance(y.number, int) and 0 <= y.number < 31:
                return integer(x.number**y.number)
            if y.number is not None and y.number >= 0:
                if y.number == 2 and re.fullmatch(r"\w+", x.text):
                    return times(x, x)
                return Value(f"pow({x.text}, {y.text})", "integer", vary, kind=4)
            if vary:
                x, y = as_bits(x), as_bits(y)
            return Value(f"power({x.text}, {y.text})", "integer", vary, kind=4)
        if y.number == 2 and re.fullmatch(r"[\w.]+", x.text):
            return Value(f"{x.text} * {x.text}", "real", vary, PRODUCT, kind=x.kind)
        if y.vary and not x.vary:
            x = replace(x, text=f"Real({x.text})", strength=PRIMARY)
        return Value(f"pow({x.text}, {y.text})", "real", vary, kind=x.kind)
    kind = max(x.kind if x.type == "real" else 4, y.kind)
    x = as_real(x)
    if y.number == 0.5:
        return Value(f"sqrt({x.text})", "real", vary, kind=kind)
    if y.number == 1.5 and re.fullmatch(r"[\w.]+", x.text):
        return Value(f"{x.text} * sqrt({x.text})", "real", vary, PRODUCT, kind=kind)
    if y.vary and not x.vary:
        x = replace(x, text=f"Real({x.text})", strength=PRIMARY)
    return Value(f"pow({x.text}, {y.text})", "real", vary, kind=kind)


def numeric(b: Body, v: Value, op: str) -> None:
    if v.type in ("logical", "character"):
        b.refuse(f"{op} of a {v.type}", "it needs numbers")


def logical(b: Body, v: Value, op: str) -> None:
    if v.type != "logical":
        what = "text" if v.type == "character" else "number"
        b.refuse(f"{op} of a {what}", "it needs logicals")


def converted(b: Body, v: Value, type: str, kind: int = 8) -> Value:
    """As an assignment to a variable of the type does."""
    if v.type == type:
        return v
    if type == "complex" and v.type in ("real", "integer"):
        return complexes.as_complex(v)
    if type in ("real", "integer") and v.type == "complex":
        return converted(b, complexes.part(v, "re"), type, kind)
    if type == "real" and v.type == "integer":
        return as_real(v)
    if type == "integer" and v.type == "real":
        if v.number is not None:
            return integer(int(v.number))
        return Value(f"{'Bits<Real>' if v.vary else 'int'}({v.text})", "integer", v.vary, kind=4)
    b.refuse(
        f"a {v.type} value", f"one of type {type} is wanted",
        "convert it; a constant such as z'0F' is written as a decimal number",
    )  # fmt: skip
