"""What names stand for: types, kinds, values, shapes, and where they come from."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bridge_port.program import resolved
from bridge_port.program.program import Program, path
from bridge_port.program.symbols import Scope
from bridge_port.refusal import NOWHERE, Refused
from bridge_port.syntax.expressionparser import expression
from bridge_port.syntax.expressions import Name

Build = Callable[..., Program]


@pytest.fixture
def program(tmp_path: Path) -> Build:
    """Of texts, each in a file of its own."""

    def of(*texts: str, suffix: str = ".f90") -> Program:
        files = []
        for number, text in enumerate(texts):
            file = tmp_path / f"file{number}{suffix}"
            file.write_text(text)
            files.append(file)
        return Program(files)

    return of


@pytest.fixture
def scope(program: Build) -> Callable[..., Scope]:
    """Of the first unit of a text."""

    def of(text: str, suffix: str = ".f90") -> Scope:
        found = program(text, suffix=suffix)
        return found.scope(found.units[0])

    return of


Of = Callable[..., Scope]


# ---- types and kinds ----------------------------------------------------------------------------
def test_types_kinds_and_storage(scope: Of) -> None:
    found = scope(
        "function f(a, b, n) result(r)\n"
        "use iso_c_binding\n"
        "use, intrinsic :: iso_fortran_env, only: wp => real64, int64\n"
        "integer, parameter :: sp = kind(1.0), dp = selected_real_kind(12, 100)\n"
        "integer, intent(in) :: n\n"
        "real(wp), intent(in), optional :: a(n, 0:*)\n"
        "real*8 b\n"
        "double precision :: r\n"
        "real(c_float) :: c\n"
        "integer(int64) :: i\n"
        "logical(c_bool) :: l\n"
        "real(kind=dp), save :: s\n"
        "real(sp) :: d = 2\n"
        "complex(dp) :: z\n"
        "complex*16 z2\n"
        "type(t) :: p\n"
        "common /c/ q(3), x\n"
        "end function\n"
    )
    wanted = {
        "a": ("real", 8, "dummy"), "b": ("real", 8, "dummy"), "n": ("integer", 4, "dummy"),
        "r": ("real", 8, "result"), "c": ("real", 4, "local"), "i": ("integer", 8, "local"),
        "l": ("logical", 1, "local"), "s": ("real", 8, "saved"), "d": ("real", 4, "saved"),
        "z": ("complex", 8, "local"), "z2": ("complex", 8, "local"), "p": ("type", 0, "local"),
        "q": ("real", 4, "common"), "x": ("real", 4, "common"),
        "sp": ("integer", 4, "parameter"), "dp": ("integer", 4, "parameter"),
    }  # fmt: skip
    assert {name: (s.type, s.kind, s.storage) for name, s in found.symbols.items()} == wanted
    a = found.symbol("a")
    assert a.intent == "in" and a.optional
    assert found.bounds(a) == ((1, None), (0, None))
    x = found.symbol("x")
    assert (x.owner, x.place_in_block, x.declared) == ("c", 1, False)
    assert found.symbol("p").type_name == "t"
    assert found.symbol("wp").owner == "iso_fortran_env"


def test_implicit_typing(program: Build) -> None:
    found = program(
        "module m\nimplicit real(8) (a-h), logical (l)\ncontains\nsubroutine s\n"
        "implicit integer (x)\nend subroutine\nend module\n"
        "subroutine none\nimplicit none\nend\nsubroutine plain\nend\n"
    )
    inner = found.scope(found.find("s"))
    kinds = {name: (inner.symbol(name).type, inner.symbol(name).kind) for name in "alxiz"}
    # What a contained procedure does not say is as its host has it.
    assert kinds == {
        "a": ("real", 8), "l": ("logical", 4), "x": ("integer", 4), "i": ("integer", 4),
        "z": ("real", 4),
    }  # fmt: skip
    assert not inner.symbol("a").declared
    with pytest.raises(Refused, match="'y': is not declared, and typing is not implicit here"):
        found.scope(found.find("none")).symbol("y", NOWHERE)
    assert found.scope(found.find("plain")).find("y") is None
    assert found.scope(found.find("plain")).symbol("y", NOWHERE).type == "real"


def test_implicit_names_of_a_host_are_shared(program: Build) -> None:
    found = program(
        "subroutine host\nx = 1\ncall inner\ncontains\nsubroutine inner\ny = x\nend\nend\n"
    )
    inner = found.scope(found.find("inner"))
    assert inner.symbol("x", NOWHERE) is found.scope(found.find("host")).symbol("x", NOWHERE)
    assert inner.symbol("y", NOWHERE).scope is inner


def test_statements_that_say_parts(scope: Of) -> None:
    found = scope(
        "subroutine s(f, x)\nreal x, y, g\ndimension y(3)\nintent(in) x\noptional x\nsave y\n"
        "external f, g\nintrinsic sin\nparameter (n = 3, h = 2*n)\ndata z /2*1/\nend\n"
    )
    assert found.extents(found.symbol("y")) == (3,)
    assert found.symbol("y").storage == "saved"
    assert found.symbol("x").intent == "in" and found.symbol("x").optional
    assert "external" in found.symbol("f").attributes and found.symbol("f").storage == "dummy"
    assert "external" in found.symbol("g").attributes
    assert found.find("sin") is None
    assert found.constant(Name("h")) == 6.0
    assert found.symbol("z").storage == "saved"


# ---- where names come from ----------------------------------------------------------------------
USES = (
    "module base\nreal(8) :: a = 1, b, hidden\nprivate hidden\ninteger, private :: c\n"
    "type t\nreal :: x(2)\nend type\ncontains\nreal function f()\nf = 1\nend function\n"
    "end module\n"
    "module middle\nuse base, d => b\nprivate\npublic :: a, d, own\ninteger :: own, mine\n"
    "end module\n"
    "subroutine all\nuse base\nend\n"
    "subroutine only\nuse base, only: a, e => b\nend\n"
    "subroutine chain\nuse middle, z => own\nend\n"
    "subroutine missing\nuse nowhere, only: k\nuse base\nreal j\nend\n"
    "subroutine missing_all\nuse nowhere\nend\n"
)


def test_use(program: Build) -> None:
    found = program(USES)
    base = found.scope(found.modules["base"])
    everything = found.scope(found.find("all"))
    assert everything.find("a") is base.symbol("a")
    assert everything.symbol("b").storage == "module" and everything.symbol("b").owner == "base"
    assert everything.find("hidden") is None and everything.find("c") is None
    assert everything.procedure("f") is found.find("base::f")
    assert everything.derived("t").definition.components[0].name == "x"
    only = found.scope(found.find("only"))
    assert only.find("e") is base.symbol("b")
    assert only.find("b") is None and only.procedure("f") is None
    chain = found.scope(found.find("chain"))
    assert chain.find("d") is base.symbol("b") and chain.find("b") is None
    assert chain.find("z") is found.scope(found.modules["middle"]).symbol("own")
    assert chain.find("own") is None and chain.find("mine") is None
    assert chain.procedure("f") is None  # Private in the module between.
    inside = found.scope(found.find("f"))
    assert inside.find("c") is base.symbol("c")


def test_a_module_that_is_not_given(program: Build) -> None:
    found = program(USES)
    some = found.scope(found.find("missing"))
    with pytest.raises(Refused, match="'k': may come from module 'nowhere', which is not given"):
        some.symbol("k", NOWHERE)
    assert some.symbol("i", NOWHERE).type == "integer"  # The only list does not give it.
    assert some.symbol("j").type == "real"
    everything = found.scope(found.find("missing_all"))
    with pytest.raises(Refused, match="nowhere"):
        everything.symbol("i", NOWHERE)
    with pytest.raises(Refused, match="type 'u': module 'nowhere' is not given"):
        everything.derived("u", NOWHERE)


@pytest.mark.parametrize(
    "statement",
    ["use mpi", "use mpi_f08", "use omp_lib", "use openacc", "use netcdf", "use wraps",
     "include 'mpif.h'"],
)  # fmt: skip
def test_names_of_a_library_begin_with_its_word(statement: str, program: Build) -> None:
    """Other names have implicit types, although nobody gives the module."""
    found = program(f"module wraps\nuse mpi\nend module\nsubroutine s\n{statement}\ns0 = 1\nend\n")
    scope = found.scope(found.find("s"))
    assert scope.symbol("s0").type == "real" and scope.symbol("k").type == "integer"
    library = {"omp_lib": "omp_x", "openacc": "acc_x", "netcdf": "nf90_x"}
    name = library.get(statement.removeprefix("use "), "mpi_x")
    for word in (name, "pmpi_x") if name == "mpi_x" else (name,):
        with pytest.raises(Refused, match=f"'{word}': may come from"):
            scope.symbol(word, NOWHERE)


def test_what_is_not_understood_is_not_guessed(program: Build) -> None:
    found = program(
        "subroutine s\nreal(8) : : q, w\ninclude 'none.inc'\nend\n"
        "subroutine k\nreal(nowhere) :: x\nend\n"
        "subroutine t\nimplicit none\nreal(8) : : q\nend\n"
        "subroutine e\nenum, bind(c)\nenumerator :: red = 4\nend enum\nend\n"
    )
    with pytest.raises(Refused, match=r"'red': stands in 'enum"):
        found.scope(found.find("e")).symbol("red", NOWHERE)
    with pytest.raises(Refused, match="'x': may come from \"include 'none.inc'\""):
        found.scope(found.find("s")).symbol("x", NOWHERE)
    with pytest.raises(Refused, match=r"'q': stands in .* which is not understood"):
        found.scope(found.find("t")).symbol("q", NOWHERE)
    with pytest.raises(Refused, match="kind of real: is not a known constant"):
        found.scope(found.find("k")).symbol("x", NOWHERE)


def test_an_include_that_is_not_found_may_change_implicit_types(program: Build) -> None:
    found = program(
        "subroutine s\ninclude 'none.inc'\ndimension x(3)\nreal y\nend\n"
        "subroutine n\nnamelist /group/ q\nq = 1\nend\n"
    )
    scope = found.scope(found.find("s"))
    assert scope.symbol("y").type == "real"
    with pytest.raises(Refused, match="'x': may come from"):
        scope.symbol("x")
    assert found.scope(found.find("n")).symbol("q").type == "real"


def test_generic_names(program: Build) -> None:
    found = program(
        "module m\ninterface g\nmodule procedure a, b\nend interface\ninterface\n"
        "subroutine e(x)\nreal x\nend subroutine\nend interface\ncontains\nsubroutine a\nend\n"
        "subroutine b\nend\nend module\n"
        "subroutine s\nuse m, h => g\nend\nsubroutine e(x)\nend\n"
    )
    user = found.scope(found.find("s"))
    assert user.generic("h") == ("a", "b") and user.generic("g") == () == user.generic("e")
    with pytest.raises(Refused, match="'h': is a generic name"):
        user.symbol("h", NOWHERE)
    assert user.procedure("e") is found.procedures["e"]


def test_names_of_programs(program: Build) -> None:
    found = program(USES, "module other\ncontains\nfunction f(x)\nend function\nend module\n")
    assert path(found.find("Other::F")) == "other::f"
    inner = program(
        "module m\ncontains\nsubroutine s\ncontains\nsubroutine t\nend\nend\nend module\n"
    )
    for word in ("m::s::t", "s::t", "t"):
        assert path(inner.find(word)) == "m::s::t"
    with pytest.raises(Refused, match="no such program unit"):
        inner.find("m::t")
    with pytest.raises(Refused, match=r"'f': stands for base::f .*, other::f .*; name the module"):
        found.find("f")
    last = next(unit.place.file for unit in found.units if unit.name == "other")
    assert path(found.find("f", last)) == "other::f"
    with pytest.raises(
        Refused, match="'misin': there is no such program unit; near names: .*miss"
    ):
        found.find("misin")
    with pytest.raises(Refused, match="not among the files"):
        found.find("f", "none.f90")
    assert set(found.modules) == {"base", "middle", "other"}
    assert "f" not in found.procedures and "all" in found.procedures


def test_submodules_have_their_host(program: Build) -> None:
    found = program(
        "module m\nreal(8) :: x\nend module\nsubmodule (m) n\ncontains\nsubroutine s\nend\nend\n"
    )
    assert found.scope(found.find("s")).find("x").kind == 8  # type: ignore[union-attr]
    lone = program("submodule (m) n\ncontains\nsubroutine s\nend\nend\n")
    with pytest.raises(Refused, match="module 'm', which is not given"):
        lone.scope(lone.find("s")).symbol("x", NOWHERE)


def test_submodules_of_submodules(program: Build) -> None:
    """Two modules may have submodules of one name."""
    found = program(
        "module a\nend module\nmodule b\nend module\n"
        "submodule (a) n\nreal(4) :: x\nend submodule\n"
        "submodule (b) n\nreal(8) :: x\nend submodule\n"
        "submodule ( B : N ) inner\ncontains\nsubroutine s\nend\nend\n"
    )
    assert found.scope(found.find("s")).find("x").kind == 8  # type: ignore[union-attr]
    lone = program("module b\nend module\nsubmodule (b:n) i\ncontains\nsubroutine s\nend\nend\n")
    with pytest.raises(Refused, match="module 'b:n', which is not given"):
        lone.scope(lone.find("s")).symbol("x", NOWHERE)


SEPARATE = """\
module m
integer, parameter :: dp = 8
interface
module real(dp) function f(x)
real(dp), intent(in) :: x
end function
module subroutine g(x)
real(dp), intent(out) :: x
end subroutine
end interface
contains
subroutine user(x)
call g(x)
end subroutine
end module
"""


def test_a_module_procedure_has_its_interface(program: Build) -> None:
    """That of its module, or of a submodule around it; whichever file is read first."""
    texts = [
        "submodule (m) n\ncontains\nmodule procedure f\nf = 2*x\nend procedure\nend submodule\n"
        "submodule (m:n) i\ncontains\nmodule procedure g\ninteger :: j\nx = 2\nend procedure\n"
        "end submodule\n",
        SEPARATE,
    ]
    for some in (texts, texts[::-1]):
        found = program(*some)
        f, g = found.find("f"), found.find("g")
        assert (f.kind, f.arguments, f.result) == ("function", ["x"], "f")
        assert (g.kind, g.arguments) == ("subroutine", ["x"])
        scope = found.scope(f)
        assert scope.find("f").kind == 8 == scope.find("x").kind  # type: ignore[union-attr]
        assert found.scope(g).find("x").intent == "out"  # type: ignore[union-attr]
        assert found.scope(found.find("user")).as_written("g") is g
    lone = program(texts[0])
    assert lone.find("f").kind == "procedure"


def test_recursive_functions_and_results(program: Build) -> None:
    found = program(
        "recursive function f(n) result(r)\nr = f(n - 1)\nend\nreal(8) function g(x)\ng = x\nend\n"
        "subroutine s(h)\nreal(8) f, y\ny = f(3)\nend\n"
        "module m\nreal, external :: f\nreal :: g\ncontains\nsubroutine t(h)\nexternal h\n"
        "end\nend module\nsubroutine h\nend\n"
    )
    inner = found.scope(found.find("t"))
    assert inner.procedure("f") is found.find("f")
    assert inner.procedure("g") is None  # A variable of the module.
    assert inner.procedure("h") is None  # A dummy procedure.
    f, g = found.find("f"), found.find("g")
    assert found.scope(f).procedure("f") is f
    assert found.scope(g).symbol("g", NOWHERE).storage == "result"
    user = found.scope(found.find("s"))
    assert user.procedure("f") is f and user.procedure("h") is None
    assert user.procedure("y") is None


# ---- values -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("7/2", 3), ("-7/2", -3), ("7/(-2)", -3), ("2**10", 1024), ("2**(-1)", 0), ("1/0", None),
        ("1.0/3.0", float(np.float32(1) / np.float32(3))), ("1.0/3", float(np.float32(1) / 3)),
        ("1.d0/3", 1 / 3), ("0.1", float(np.float32(0.1))), ("0.1d0", 0.1), ("0.1_8", 0.1),
        ("0.1 + 0.2d0", float(np.float32(0.1)) + 0.2), ("1e10*1e30", None), ("1e39", None),
        ("3 == 3.0 .and. .not. .false.", True), ("1 > 2 .neqv. .true.", True),
        ("2147483647 + 1", None), ("2147483647_8 + 1", 2147483648), ("3000000000", None),
        ("mod(-7, 3)", -1), ("modulo(-7, 3)", 2), ("mod(-7.5d0, 2.d0)", -1.5),
        ("nint(2.5)", 3), ("nint(-2.5)", -3), ("int(-2.7)", -2), ("floor(-2.2)", -3),
        ("ceiling(2.2)", 3), ("abs(-3)", 3), ("max(1, 5, 3)", 5), ("dmin1(1.d0, 2.d0)", 1.0),
        ("sign(2, -1)", -2), ("dim(3, 5)", 0), ("dim(5., 3.)", 2.0), ("sqrt(2.d0)", math.sqrt(2)),
        ("dsqrt(2.d0)", math.sqrt(2)), ("sqrt(2.0)", float(np.sqrt(np.float32(2)))),
        ("dble(0.1)", float(np.float32(0.1))), ("real(1, 8)/3", 1 / 3),
        ("real(0.1d0)", float(np.float32(0.1))), ("int(3.7, kind=8)", 3),
        ("kind(1.d0)", 8), ("kind(1)", 4), ("kind(.true.)", 4), ("huge(1)", 2147483647),
        ("epsilon(1.d0)", 2.0**-52), ("tiny(1.0)", 2.0**-126), ("digits(1.d0)", 53),
        ("selected_real_kind(6)", 4), ("selected_real_kind(7)", 8),
        ("selected_real_kind(15, 307)", 8), ("selected_real_kind(r=200)", 8),
        ("selected_real_kind(p=18)", 10), ("selected_int_kind(9)", 4),
        ("selected_int_kind(10)", 8), ("iand(12, 10)", 8), ("ishft(1, 4)", 16),
        ("ishft(-1, -28)", 15), ("merge(1, 2, 3 > 2)", 1),
        ("ichar('A')", 65), ("len_trim('ab  ')", 2), ("'ab' == 'ab  '", True),
        ("atan2(1.d0, 1.d0)", math.atan2(1, 1)), ("2.0**3", 8.0), ("4.d0**0.5d0", 2.0),
        ("sum([1, 2, 3])", 6), ("maxval([1.d0, 3.d0])", 3.0), ("size([1, 2, 3])", 3),
        ("x + 1", None), ("unknown(1)", None), ("1.0_16", None), ("n", 3), ("t(2, n)", 6.0),
        ("t(3, 1)", None), ("size(t)", 6), ("size(t, 2)", 3), ("ubound(w, 1)", 4),
        ("lbound(w, 1)", 2), ("sum(t(1, :))", 9.0), ("z", None),
    ],
)  # fmt: skip
def test_constants(scope: Of, text: str, wanted: object) -> None:
    found = scope(
        "subroutine s(m)\ninteger, parameter :: n = 3\n"
        "real, parameter :: t(2, n) = reshape([1., 2., 3., 4., 5., 6.], shape(t))\n"
        "real :: w(2:4), z = 1\ninteger m\nend\n"
    )
    value = found.constant(expression(text))
    assert value == wanted and type(value) is type(wanted)


def test_tables(scope: Of) -> None:
    found = scope(
        "subroutine s\ninteger, parameter :: n = 3\n"
        "real(8), parameter :: a(*) = [(i*1.d0, (j*10, j=1,i), i=1,n)], b(2) = 7\n"
        "integer, parameter :: p(0:2) = [3, 2, 1]\n"
        "integer, parameter :: q(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3])\nend\n"
    )
    assert found.extents(found.symbol("a")) == (9,)
    assert found.table(Name("a")) == [1.0, 10.0, 2.0, 10.0, 20.0, 3.0, 10.0, 20.0, 30.0]
    assert found.table(Name("b")) == [7.0, 7.0]
    assert found.table(expression("2*p(::2) + [1, 0]")) == [7, 2]
    assert found.table(expression("p(p - 1)")) == [1, 2, 3]
    assert found.table(expression("reshape([1, 2], [2, 2], pad=[9, 8])")) == [1, 2, 9, 8]
    assert found.table(expression("[1, x]")) is None
    assert found.table(expression("q(:, 2:1:-1)")) == [3, 4, 1, 2]
    assert found.table(expression("q(2, :)")) == [2, 4, 6]
    assert found.table(expression("a + p")) is None
    assert found.constant(Name("a")) is None


def test_data(scope: Of) -> None:
    found = scope(
        "      subroutine s\n"
        "      parameter (n = 3)\n"
        "      real*8 a(n), b(2, 2), c(4), d(5), e(2, n)\n"
        "      integer i, j, k, m(2)/1, -2/\n"
        "      logical l\n"
        "      common /blk/ q\n"
        "      data a /1.d0, 2*2.5/, ((b(i, j), i = 1, 2), j = 1, 2) /1, 2, 3, 4/\n"
        "      data (c(i), i = 4, 1, -1) /n*1, 0.1/, k, l /7, .true./\n"
        "      data d(2), d(4:5) /3*1/, e(:, 2:3) /3, 4, 5, 6/\n"
        "      end\n",
        ".f",
    )

    def initial(name: str) -> object:
        return found.initial(found.symbol(name))

    assert initial("a") == [1.0, 2.5, 2.5]
    assert initial("b") == [1.0, 2.0, 3.0, 4.0]
    assert initial("c") == [float(np.float32(0.1)), 1.0, 1.0, 1.0]
    assert initial("e") == [None, None, 3.0, 4.0, 5.0, 6.0]
    assert initial("d") == [None, 1.0, None, 1.0, 1.0]
    assert (initial("k"), initial("l"), initial("m")) == (7, True, [1, -2])
    assert initial("i") is None and initial("q") is None


@pytest.mark.parametrize("values", ["/1, 2/", "/4*0./", "/x*1/"])
def test_data_that_do_not_fit_are_refused(scope: Of, values: str) -> None:
    found = scope(f"subroutine s\nreal a(3)\ndata a {values}\nend\n")
    with pytest.raises(Refused, match="data"):
        found.initial(found.symbol("a"))


def test_common_is_initialised_by_block_data(program: Build) -> None:
    found = program(
        "subroutine s\ncommon /c/ x, k(2)\nend\n"
        "block data\ncommon /c/ y, m(2)\ndata y /2.5/, m /1, 2/\nend\n"
    )
    scope = found.scope(found.find("s"))
    assert scope.initial(scope.symbol("x")) == 2.5
    assert scope.initial(scope.symbol("k")) == [1, 2]


def test_parameters_of_modules_and_themselves(program: Build) -> None:
    found = program(
        "module kinds\ninteger, parameter :: wp = kind(1.d0)\nend module\n"
        "module m\nuse kinds\nreal(wp), parameter :: half = 0.5_wp, quarter = half**2\n"
        "integer, parameter :: loop = loop + 1\nend module\n"
        "subroutine s\nuse m, only: q => quarter, loop\nend\n"
    )
    scope = found.scope(found.find("s"))
    assert scope.constant(expression("4*q")) == 1.0
    assert scope.kind_of(expression("4*q")) == 8
    with pytest.raises(Refused, match="is defined by itself"):
        scope.constant(Name("loop"))


# ---- types of expressions -----------------------------------------------------------------------
def test_an_external_subroutine_hides_no_intrinsic_function(program: Build) -> None:
    found = program(
        "subroutine all\nend\nsubroutine scale\nend\n",
        "subroutine p(x)\nif (all(x > 0)) x = scale(x, 2)\nend\nsubroutine q\ncall scale\nend\n",
    )
    asks, calls = found.scope(found.find("p")), found.scope(found.find("q"))
    assert asks.procedure("all") is None and asks.procedure("scale") is None
    assert calls.procedure("scale") is found.find("scale")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("i + 1", ("integer", 4)), ("i*x", ("real", 4)), ("x*d", ("real", 8)),
        ("d**i", ("real", 8)), ("i + k", ("integer", 8)), ("k*x", ("real", 4)),
        ("1.0d0", ("real", 8)), ("1.0_wp", ("real", 8)), ("x < d", ("logical", 4)),
        ("-(d)", ("real", 8)), ("a(i)", ("real", 8)), ("a(:)", ("real", 8)),
        ("p%v(2)", ("real", 8)), ("p%n", ("integer", 4)), ("p%in%y", ("real", 4)),
        ("f(x)", ("real", 8)), ("sqrt(d)", ("real", 8)), ("sqrt(x)", ("real", 4)),
        ("real(d)", ("real", 4)), ("real(x, wp)", ("real", 8)), ("dble(x)", ("real", 8)),
        ("int(d)", ("integer", 4)), ("nint(x, 8)", ("integer", 8)), ("size(a)", ("integer", 4)),
        ("max(d, 1.d0)", ("real", 8)), ("sum(a)", ("real", 8)), ("any(a > 1)", ("logical", 4)),
        ("merge(d, d, .true.)", ("real", 8)), ("[d, d]", ("real", 8)), ("abs(z)", ("real", 8)),
        ("z*x", ("complex", 8)), ("present(x)", ("logical", 4)), ("'a'", ("character", 1)),
        ("count(a > 1) + x", ("real", 4)), ("undeclared", ("real", 4)), ("nothing(x)", None),
        ("x .cross. d", None),
    ],
)  # fmt: skip
def test_types_of_expressions(program: Build, text: str, wanted: object) -> None:
    found = program(
        "module m\ninteger, parameter :: wp = 8\ntype inner\nreal :: y\nend type\n"
        "type t\nreal(wp) :: v(3)\ninteger :: n\ntype(inner) :: in\nend type\ncontains\n"
        "subroutine s(x)\nreal, optional :: x\nreal(8) :: d, a(3)\ninteger(8) k\n"
        "complex(8) z\ntype(t) p\nend\nfunction f(x) result(y)\nreal(wp) :: x, y\nend\n"
        "end module\n"
    )
    assert found.scope(found.find("s")).type_of(expression(text)) == wanted


RESOLVED = """
module m
  type :: point
    real(8) :: x, u(3)
  end type
contains
  subroutine s(a, t, list, cells, p, q, word, n)
    integer :: n, list(n)
    real(8) :: a(n), t(n, n)
    type(point) :: cells(n), p, q
    character(8) :: word
    real(8) :: half, y
    half(y) = 0.5*y
    a(1) = own(1)
  end subroutine
  function own(k)
    integer :: k
    real(8) :: own(2)
    own = k
  end function
end module
"""


@pytest.mark.parametrize(
    ("text", "kind", "type", "rank"),
    [
        ("a", resolved.Variable, ("real", 8), 1),
        ("a(1)", resolved.Element, ("real", 8), 0),
        ("a(list)", resolved.Element, ("real", 8), 1),
        ("t(:, 2)", resolved.ArraySection, ("real", 8), 1),
        ("t(:, list)", resolved.ArraySection, ("real", 8), 2),
        ("cells%u(2)", resolved.Element, ("real", 8), 1),
        ("cells(2)%u", resolved.Variable, ("real", 8), 1),
        ("word(2:3)", resolved.Substring, ("character", 1), 0),
        ("half(a(1))", resolved.StatementFunctionCall, ("real", 8), 0),
        ("own(3)", resolved.Call, ("real", 8), 1),
        ("sum(t, 1)", resolved.IntrinsicCall, ("real", 8), 1),
        ("sum(t, t > 0)", resolved.IntrinsicCall, ("real", 8), 0),
        ("max(a(2), 1d0)", resolved.IntrinsicCall, ("real", 8), 0),
        ("point(1d0, a)", resolved.StructureConstructor, None, 0),
        ("nowhere(1)", resolved.Reference, None, None),
        ("p == q", resolved.Operation, None, 0),
        ("2*a", resolved.Operation, ("real", 8), 1),
    ],
)
def test_what_an_expression_is_where_it_stands(
    program: Build, text: str, kind: type, type: object, rank: object
) -> None:
    found = program(RESOLVED)
    one = resolved.resolve(expression(text), found.scope(found.find("s")))
    assert one.__class__ is kind
    assert (one.type, one.rank) == (type, rank)
