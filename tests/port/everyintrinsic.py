"""Fortran with every row of the table of intrinsics in every place where it may stand.

A result is made a number of 8 bytes, and is one element of `r`: so a procedure or a nest has all
of them, and one number differs where one row is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bridge_port.semantic.intrinsics import ELEMENTAL, TABLE, TYPES, Intrinsic

#: Rows that no gfortran has, or that a code declares by an interface of C.
NOT_HERE = frozenset("cdtan ctan ztan ishl cbrt exp2 expm1 log1p log2".split())
#: Arguments, by type and bytes; as constants.
VARIABLES = {
    ("real", 4): ("real(x)", "real(y)"), ("real", 8): ("x", "y"), ("integer", 4): ("i", "j"),
    ("complex", 4): ("cmplx(x, y)",), ("complex", 8): ("cmplx(x, y, 8)",), ("logical", 4): ("l",),
}  # fmt: skip
CONSTANTS = {"x": "0.3_8", "y": "0.7_8", "i": "37", "j": "3", "l": ".true."}
#: Those whose arguments are not all of the first one's type, or not of all values.
OTHERS = {
    "acosh": "1 + x", "dacosh": "1 + x", "merge": "x, y, l", "merge_bits": "i, j, 12",
    "bessel_jn": "2, x", "bessel_yn": "2, x", "besjn": "2, x", "besyn": "2, x",
    "dbesjn": "2, x", "dbesyn": "2, x", "set_exponent": "1 + x, j", "scale": "x, j",
    "ibits": "i, j, 2", "ishftc": "i, 3", "maskl": "5", "maskr": "5", "dprod": "real(x), real(y)",
    "ieee_value": "x, ieee_positive_inf",
}  # fmt: skip


@dataclass(frozen=True)
class Use:
    """name: of the row; call: of it; type: of its result."""

    name: str
    call: str
    type: str

    @property
    def row(self) -> Intrinsic:
        return TABLE[self.name]

    def number(self, value: str = "") -> str:
        """The result, or a variable that has it, as a number of 8 bytes."""
        value = value or self.call
        if self.type == "complex":
            return f"(dble({value}) + 2*dble(aimag({value})))"
        return f"merge(2d0, 1d0, {value})" if self.type == "logical" else f"dble({value})"

    def constant(self) -> str:
        """The same of constants."""
        return re.sub(rf"\b[{''.join(CONSTANTS)}]\b", lambda m: CONSTANTS[m[0]], self.number())


def elemental() -> list[Use]:
    """Functions of numbers and logicals that kernels have."""
    return [
        use(one) for name, one in sorted(TABLE.items())
        if one.category == ELEMENTAL and one.form not in ("", "text") and name not in NOT_HERE
    ]  # fmt: skip


def use(one: Intrinsic) -> Use:
    takes = [t for t in ("real", "integer", "complex", "logical") if t in one.takes - one.refused]
    kind = one.kind or (8 if takes[0] in ("real", "complex") else 4)
    of = VARIABLES[takes[0], kind]
    arguments = OTHERS.get(one.name) or ", ".join(
        of[n % len(of)] for n in range(len(one.required))
    )
    result = (
        TYPES.get(one.gives[0], takes[0])
        if one.gives[:4] not in ("like", "part", "wide")
        else "real"
        if one.gives in ("part", "like:x")
        else takes[0]
    )
    return Use(one.name, f"{one.name}({arguments})", result)


# ---- Places


def point(uses: list[Use]) -> list[str]:
    return _procedure("point", [f"r({k}) = {one.number()}" for k, one in _each(uses)], uses)


def argument(uses: list[Use]) -> list[str]:
    """Of a call."""
    body = [f"call keep({one.number()}, r({k}))" for k, one in _each(uses)]
    return _procedure("argument", body, uses)


def associated(uses: list[Use]) -> list[str]:
    body = []
    for k, one in _each(uses):
        body += [f"associate (v => {one.call})", f"  r({k}) = {one.number('v')}", "end associate"]
    return _procedure("associated", body, uses)


def statement_function(uses: list[Use]) -> list[str]:
    declared = ["real(8) :: a, b, " + ", ".join(f"f{k}" for k, _ in _each(uses))]
    declared += ["integer :: m, n", "logical :: t"]
    dummies = {"x": "a", "y": "b", "i": "m", "j": "n", "l": "t"}
    for k, one in _each(uses):
        value = re.sub(r"\b[xyijl]\b", lambda m: dummies[m[0]], one.number())
        declared.append(f"f{k}(a, b, m, n, t) = {value}")
    return _procedure("statement_function",
                      [f"r({k}) = f{k}(x, y, i, j, l)" for k, _ in _each(uses)], uses,
                      declared)  # fmt: skip


def parameter(uses: list[Use]) -> list[str]:
    declared = [f"real(8), parameter :: p{k} = {one.constant()}" for k, one in _each(uses)]
    return _procedure("parameter", [f"r({k}) = p{k}" for k, _ in _each(uses)], uses, declared)


def bounds(uses: list[Use]) -> list[str]:
    """Of a declaration: a length between 1 and 9."""
    declared = [f"real(8) :: w{k}(1 + int(modulo(3.3_8*abs({one.constant()}), 9d0)))"
                for k, one in _each(uses)]  # fmt: skip
    return _procedure("bounds", [f"r({k}) = size(w{k})" for k, _ in _each(uses)], uses, declared)


def loop(uses: list[Use]) -> list[str]:
    body = ["do n = 1, points"]
    body += [f"  r{k}(n) = {_indexed(one, 'n')}" for k, one in _each(uses)]
    return _nest("loop", [*body, "end do"], uses)


def array_statement(uses: list[Use]) -> list[str]:
    return _nest("array_statement", [f"r{k} = {one.number()}" for k, one in _each(uses)], uses)


def where(uses: list[Use]) -> list[str]:
    body = ["where (x > 0)"]
    body += [f"  r{k} = {one.number()}" for k, one in _each(uses)]
    return _nest("where", [*body, "end where"], uses)


#: Procedures of one point; where values are constants; nests; those that run over arrays.
POINTS = (point, argument, associated, statement_function)
NAMED = (parameter, bounds)
NESTS = (loop, array_statement, where)
#: Of gfortran no constants, and of single numbers alone.
NO_CONSTANTS = frozenset(("ieee_is_finite", "ieee_is_nan", "ieee_value"))
OF_ONE = frozenset(("and", "or", "xor"))


def _each(uses: list[Use]) -> list[tuple[int, Use]]:
    return list(enumerate(uses, 1))


def _indexed(one: Use, index: str) -> str:
    return re.sub(r"\b[xyijl]\b", lambda m: f"{m[0]}({index})", one.number())


def _procedure(name: str, body: list[str], uses: list[Use], more: list[str] | None = None) \
        -> list[str]:  # fmt: skip
    return [
        f"subroutine {name}(x, y, i, j, l, r)",
        "  real(8), intent(in) :: x, y", "  integer, intent(in) :: i, j",
        "  logical, intent(in) :: l", f"  real(8), intent(out) :: r({len(uses)})",
        *(f"  {text}" for text in [*(more or []), *body]), f"end subroutine {name}", "",
    ]  # fmt: skip


def _nest(name: str, body: list[str], uses: list[Use]) -> list[str]:
    results = [f"r{k}" for k, _ in _each(uses)]
    return [
        f"subroutine {name}(points, x, y, i, j, l, &", f"    {', '.join(results)})",
        "  integer, intent(in) :: points", "  real(8), intent(in) :: x(points), y(points)",
        "  integer, intent(in) :: i(points), j(points)", "  logical, intent(in) :: l(points)",
        *(f"  real(8), intent(out) :: {one}(points)" for one in results), "  integer :: n",
        *(f"  {text}" for text in body), f"end subroutine {name}", "",
    ]  # fmt: skip


def module(procedures: list[list[str]]) -> str:
    head = ["module everywhere", "  use, intrinsic :: ieee_arithmetic", "  implicit none",
            "contains", "subroutine keep(value, r)", "  real(8), intent(in) :: value",
            "  real(8), intent(out) :: r", "  r = value", "end subroutine keep", ""]  # fmt: skip
    return "\n".join([*head, *(line for one in procedures for line in one),
                      "end module everywhere", ""])  # fmt: skip
