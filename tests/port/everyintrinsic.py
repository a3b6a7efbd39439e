"""Fortran with every row of the table of intrinsics in every place where it may stand.

A result is made a number of 8 bytes, and is one element of `r`: so a procedure or a nest has all
of them, and one number differs where one row is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bridge_port.semantic.folding import REDUCTIONS
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


#: Of arrays, as a point has them: by the row, `x` and its like stand for what a point has.
OF_ARRAYS = {
    "all": "all(a > 0.1_8)", "any": "any(b > 1)", "bit_size": "bit_size(i)",
    "count": "count(a > 0.5_8)", "cshift": "sum(w*cshift(a, 1))", "digits": "digits(x)",
    "dot_product": "dot_product(a, b)", "eoshift": "sum(w*eoshift(a, -1))",
    "epsilon": "epsilon(x)", "findloc": "findloc(k, 3, 1)", "huge": "huge(i)",
    "iall": "iall(k)", "iany": "iany(k)", "iparity": "iparity(k)", "kind": "kind(x)",
    "lbound": "lbound(a, 1)", "matmul": "sum(w*matmul(m, a))",
    "maxexponent": "maxexponent(x)", "maxloc": "maxloc(a, 1)", "maxval": "maxval(a)",
    "minexponent": "minexponent(x)", "minloc": "minloc(b, dim=1)", "minval": "minval(a)",
    "norm2": "norm2(a)", "pack": "sum(pack(a, a > 0.5_8))", "parity": "parity(a > 0.5_8)",
    "precision": "precision(x)", "product": "product(a)", "radix": "radix(x)",
    "range": "range(x)", "reshape": "sum(w*reshape(m, [3]))", "shape": "sum(shape(m))",
    "selected_int_kind": "selected_int_kind(9)",
    "selected_real_kind": "selected_real_kind(15, 307)", "size": "size(m, 2)",
    "spread": "sum(m*spread(a, 2, 3))", "sum": "sum(a, mask=b > 0.5_8)", "tiny": "tiny(x)",
    "transpose": "sum(m*transpose(m))", "ubound": "ubound(m, 2)",
}  # fmt: skip


#: Of constant arrays those that are computed.
WHOLE_FOLDED = REDUCTIONS | {"reshape"}


def of_arrays() -> list[Use]:
    """Inquiries, reductions and transformations that kernels have; `present` and what asks for
    memory stand in other tests, texts too."""
    return [
        Use(name, OF_ARRAYS[name], "logical" if one.fixed == ("logical", 4) else "real")
        for name, one in sorted(TABLE.items())
        if one.category != ELEMENTAL and one.form not in ("", "text", "is_there", "present")
    ]  # fmt: skip


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
    if uses[0].row.category != ELEMENTAL:
        body += [f"  {_indexed(text, 'n')}" for text in FILLED]
    body += [f"  r{k}(n) = {_indexed(one.number(), 'n')}" for k, one in _each(uses)]
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


def _indexed(text: str, index: str) -> str:
    return re.sub(r"\b[xyijl]\b", lambda m: f"{m[0]}({index})", text)


#: Arrays of a point, and as constants.
LOCAL = ("real(8) :: a(3), b(3), w(3), m(3, 3)", "integer :: k(3)")
FILLED = ("a = [x, y, x*y]", "b = [y, x + 0.3_8, x]", "w = [1, 2, 3]", "m(:, 1) = a",
          "m(:, 2) = b", "m(:, 3) = a + b", "k = [i, j, 3]")  # fmt: skip
NAMED_ARRAYS = (
    "real(8), parameter :: a(3) = [0.3_8, 0.7_8, 0.21_8], b(3) = [0.7_8, 0.6_8, 0.3_8]",
    "real(8), parameter :: w(3) = [1, 2, 3], m(3, 3) = reshape([a, b, a + b], [3, 3])",
    "integer, parameter :: k(3) = [37, 3, 3]",
)


def name_of(place: Callable[[list[Use]], list[str]], uses: list[Use]) -> str:
    """Of the procedure."""
    return place.__name__ if uses[0].row.category == ELEMENTAL else f"{place.__name__}_whole"


def _procedure(name: str, body: list[str], uses: list[Use], more: list[str] | None = None) \
        -> list[str]:  # fmt: skip
    declared, filled = list(more or []), []
    if uses[0].row.category != ELEMENTAL:
        name += "_whole"
        constant = name.startswith(("parameter", "bounds"))
        declared = [*(NAMED_ARRAYS if constant else LOCAL), *declared]
        filled = [] if constant else list(FILLED)
    return [
        f"subroutine {name}(x, y, i, j, l, r)",
        "  real(8), intent(in) :: x, y", "  integer, intent(in) :: i, j",
        "  logical, intent(in) :: l", f"  real(8), intent(out) :: r({len(uses)})",
        *(f"  {text}" for text in [*declared, *filled, *body]), f"end subroutine {name}", "",
    ]  # fmt: skip


def _nest(name: str, body: list[str], uses: list[Use]) -> list[str]:
    results = [f"r{k}" for k, _ in _each(uses)]
    declared: tuple[str, ...] = ()
    if uses[0].row.category != ELEMENTAL:
        name, declared = f"{name}_whole", LOCAL
    return [
        f"subroutine {name}(points, x, y, i, j, l, &", f"    {', '.join(results)})",
        "  integer, intent(in) :: points", "  real(8), intent(in) :: x(points), y(points)",
        "  integer, intent(in) :: i(points), j(points)", "  logical, intent(in) :: l(points)",
        *(f"  real(8), intent(out) :: {one}(points)" for one in results), "  integer :: n",
        *(f"  {text}" for text in declared),
        *(f"  {text}" for text in body), f"end subroutine {name}", "",
    ]  # fmt: skip


def module(procedures: list[list[str]]) -> str:
    head = ["module everywhere", "  use, intrinsic :: ieee_arithmetic", "  implicit none",
            "contains", "subroutine keep(value, r)", "  real(8), intent(in) :: value",
            "  real(8), intent(out) :: r", "  r = value", "end subroutine keep", ""]  # fmt: skip
    return "\n".join([*head, *(line for one in procedures for line in one),
                      "end module everywhere", ""])  # fmt: skip
