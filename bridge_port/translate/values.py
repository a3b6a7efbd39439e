"""The text of a value in C++, with what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

# How strongly the last operator of a text binds.
PRIMARY, UNARY, PRODUCT, SUM, SHIFT, ORDER, EQUALITY, AND, XOR, OR, BOTH, EITHER, CHOICE = range(
    20, 7, -1
)

#: C++ types of values that all points share, and of one value for each point.
SHARED_TYPES = {
    "real": "double", "integer": "int", "logical": "bool", "complex": "Complex<double>",
}  # fmt: skip
POINT_TYPES = {
    "real": "Real", "integer": "Bits<Real>", "logical": "Mask<Real>", "complex": "Complex<Real>",
}  # fmt: skip
ZEROS = {"real": "0.0", "integer": "0", "logical": "false", "complex": "{0.0, 0.0}"}
#: Variables of these types always have one value for each point.
FLOATING = ("real", "complex")


@dataclass(frozen=True)
class Total:
    """An integer as a sum: factors, none of them 0, by the texts that they multiply, and a
    constant."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    def plus(self, other: Total, factor: int = 1) -> Total:
        """With so many times the other one."""
        terms = dict(self.terms)
        for text, n in other.terms:
            terms[text] = terms.get(text, 0) + factor * n
        kept = tuple((text, n) for text, n in terms.items() if n)
        return Total(kept, self.constant + factor * other.constant)


@dataclass(frozen=True)
class Value:
    """type: real, integer, logical or complex, and character of a text that is known; vary:
    differs between points; strength: of the last operator; number: the value where it is known
    now; base, shift: an integer as base + shift; kind: bytes in Fortran, of a part of a complex
    number; letters: of a text; sum: of an integer that is one of several terms."""

    text: str
    type: str
    vary: bool
    strength: int = PRIMARY
    number: float | int | bool | None = None
    base: str = ""
    shift: int = 0
    kind: int = 8
    letters: str | None = None
    sum: Total | None = None

    def within(self, strength: int) -> str:
        """As an operand of an operator of this strength."""
        return self.text if self.strength >= strength else f"({self.text})"

    @property
    def linear(self) -> tuple[str, int]:
        """(base, shift) of an integer; the base of a constant is empty."""
        if isinstance(self.number, int) and not isinstance(self.number, bool):
            return "", self.number
        return (self.base, self.shift) if self.base else (self.within(SUM), 0)

    @property
    def total(self) -> Total:
        """An integer as a sum."""
        base, shift = self.linear
        if self.sum is None or not base:
            return Total(((base, 1),) if base else (), shift)
        return self.sum


#: The largest integer of 32 bits.
MOST = 2**31 - 1


def integer(number: int) -> Value:
    """Of 32 bits, as gfortran computes."""
    number = (number + MOST + 1) % 2**32 - MOST - 1
    if number < -MOST:  # has no literal in C++
        return Value(f"(-{MOST} - 1)", "integer", False, PRIMARY, number, kind=4)
    strength = PRIMARY if number >= 0 else UNARY
    return Value(str(number), "integer", False, strength, number, kind=4)


def truth(value: bool) -> Value:
    return Value("true" if value else "false", "logical", False, PRIMARY, value, kind=4)


def real(number: float) -> Value:
    """inf and NaN do not come here."""
    text = repr(float(number))
    return Value(text, "real", False, PRIMARY if number >= 0 else UNARY, float(number))


def moved(value: Value, by: int) -> Value:
    """An integer plus a constant."""
    base, shift = value.linear
    total = shift + by
    if not base:
        return integer(total)
    if abs(total) > MOST:  # in the order of Fortran, where neither step leaves the 32 bits
        text = f"{value.within(SUM)} {'+' if by > 0 else '-'} {integer(abs(by)).text}"
        return Value(text, "integer", value.vary, SUM, kind=4)
    text = base if total == 0 else f"{base} {'+' if total > 0 else '-'} {abs(total)}"
    strength = PRIMARY if total == 0 and base.isidentifier() else SUM
    summed = None if value.sum is None else value.sum.plus(Total((), by))
    return replace(
        value, text=text, strength=strength, number=None, base=base, shift=total, sum=summed
    )


def plus(a: Value, b: Value) -> Value:
    if not b.linear[0]:
        return moved(a, b.linear[1])
    if not a.linear[0]:
        return moved(b, a.linear[1])
    total, text = a.total.plus(b.total), f"{a.within(SUM)} + {b.within(SUM)}"
    return Value(text, "integer", a.vary or b.vary, SUM, kind=4, sum=total)


def minus(a: Value, b: Value) -> Value:
    """Of integers; equal terms leave a constant."""
    (base, shift), (other, by) = a.linear, b.linear
    if not other:
        return moved(a, -by)
    if base == other:
        return integer(shift - by)
    total, text = a.total.plus(b.total, -1), f"{a.within(SUM)} - {b.within(PRODUCT)}"
    if not total.terms:
        return integer(total.constant)
    return Value(text, "integer", a.vary or b.vary, SUM, kind=4, sum=total)


def times(a: Value, b: Value) -> Value:
    """Of integers."""
    if not a.linear[0] and not b.linear[0]:
        return integer(a.linear[1] * b.linear[1])
    if a.number == 1:
        return b
    if b.number == 1:
        return a
    if a.number == 0 or b.number == 0:
        return integer(0)
    text = f"{a.within(PRODUCT)} * {b.within(UNARY)}"
    total = None
    for one, other in ((a, b), (b, a)):
        if not one.linear[0]:
            total = Total().plus(other.total, one.linear[1])
    return Value(text, "integer", a.vary or b.vary, PRODUCT, kind=4, sum=total)


def as_real(v: Value) -> Value:
    if v.type == "real":
        return v
    if v.number is not None and not v.base:
        return Value(f"{float(v.number)!r}", "real", False, v.strength, float(v.number), kind=4)
    word = "Real" if v.vary else "double"
    return Value(f"{word}({v.text})", "real", v.vary, kind=4)


def as_bits(v: Value) -> Value:
    return v if v.vary else replace(v, text=f"Bits<Real>({v.text})", vary=True, strength=PRIMARY)


def as_mask(v: Value) -> Value:
    return v if v.vary else replace(v, text=f"Mask<Real>({v.text})", vary=True, strength=PRIMARY)


def as_point(v: Value) -> Value:
    """As one value for each point, whatever C++ has to be told for that."""
    word = POINT_TYPES[v.type]
    return v if v.vary else replace(v, text=f"{word}({v.text})", vary=True, strength=PRIMARY)


def choice(mask: Value, yes: Value, no: Value) -> Value:
    """Where the condition holds the one, else the other; both of one type."""
    if mask.number is not None:
        return yes if mask.number else no
    if not mask.vary and not yes.vary and not no.vary:
        text = f"{mask.within(EITHER)} ? {yes.within(EITHER)} : {no.within(CHOICE)}"
        return Value(text, yes.type, False, CHOICE, kind=yes.kind)
    if not yes.vary and not no.vary:
        yes = as_point(yes)
    if yes.type == "complex":
        yes, no = as_point(yes), as_point(no)
    text = f"select({as_mask(mask).text}, {yes.text}, {no.text})"
    return Value(text, yes.type, True, kind=max(yes.kind, no.kind))
