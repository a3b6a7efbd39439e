"""A kernel is verified as long as all that decides it is as the check saw it: modules, included
files, macros, what is called. Comments, and lines of other things, may change and move."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hosts import build
from packsbuilt import ISA, build_here

from bridge import cli
from bridge.plan import packs, verified
from bridge.plan.sourcetext import Text
from bridge_port.request import Request

CONSTS = """\
module consts
  implicit none
  ! of air
  real(8), parameter :: ratio = 2
contains
  subroutine other(x)
    real(8), intent(inout) :: x
    x = x + 1
  end subroutine
end module
"""
POINT = """\
subroutine pressure(e, p)
{head}
  real(8), intent(in) :: e
  real(8), intent(out) :: p
  p = {value}
end subroutine
"""
FORM = """\
      subroutine pressure(e, p)
      include 'ratio.h'
      real(8), intent(in) :: e
      real(8), intent(out) :: p
      p = ratio*e
      end
"""
LOOPS = """\
module own
  integer, parameter :: factor = 3
contains
  subroutine grow(n)
    include 'grid.h'
    integer :: n, i
    do i = 1, m
      u(i) = factor*v(i) + shift(v(i))
    end do
    n = m
  end subroutine
  real(8) function shift(x)
    real(8), intent(in) :: x
    shift = x + 1
  end function
  subroutine unused
    print *, 'nothing'
  end subroutine
end module
"""
GRID = """\
integer, parameter :: m = 80
real(8) :: u(m), v(m)
common /fields/ u, v
"""


@dataclass
class Case:
    """files: those of a folder; source: what is ported of it; bad, good: edits of a file, after
    which the kernel is unverified, or still verified."""

    files: dict[str, str]
    source: str = "main.f90::pressure"
    words: tuple[str, ...] = ()
    bad: list[tuple[str, str, str]] = field(default_factory=list)
    good: list[tuple[str, str, str]] = field(default_factory=list)


def point(head: str, value: str = "ratio*e") -> str:
    return POINT.format(head=f"  {head}", value=value)


CASES = {
    "module": Case(
        {"main.f90": point("use consts, only: ratio"), "consts.f90": CONSTS},
        words=("--more", "consts.f90"),
        bad=[("consts.f90", "= 2", "= 3"), ("consts.f90", "  implicit", "  save\n  implicit")],
        good=[
            ("consts.f90", "! of air", "! of water\n\n  ! at rest"),
            ("consts.f90", "= 2", "= 2   ! as before"),
            ("consts.f90", "module consts", "! moved\n\n\nmodule consts"),
            ("consts.f90", "x + 1", "x + 2"),
        ],
    ),
    "module of a module, found in a folder": Case(
        {
            "main.f90": point("use middle"), "lib/consts.f90": CONSTS,
            "lib/middle.f90": "module middle\n  use consts, only: ratio\nend module\n",
            "lib/stranger.f90": "module stranger\n  integer :: k\nend module\n",
        },
        words=("-I", "lib"),
        bad=[
            ("lib/consts.f90", "= 2", "= 3"),
            ("lib/middle.f90", "only: ratio", "only: ratio => other"),
        ],
        good=[("lib/stranger.f90", "k", "j"), ("lib/middle.f90", "use", "! of air\n  use")],
    ),
    "include": Case(
        {
            "main.f90": point("include 'outer.inc'"),
            "inc/outer.inc": "include 'ratio.inc'\n",
            "inc/ratio.inc": "real(8), parameter :: ratio = 2 ! of air\n",
        },
        words=("-I", "inc"),
        bad=[
            ("inc/ratio.inc", "= 2", "= 3"),
            ("inc/outer.inc", "include", "integer :: k\ninclude"),
        ],
        good=[
            ("inc/ratio.inc", "! of air", "! of water"),
            ("inc/outer.inc", "include", "\ninclude"),
        ],
    ),
    "include of a module": Case(
        {
            "main.f90": point("use consts"),
            "consts.f90": "module consts\n  include 'ratio.inc'\nend module\n",
            "ratio.inc": "real(8), parameter :: ratio = 2\n",
        },
        words=("--more", "consts.f90"),
        bad=[("ratio.inc", "= 2", "= 3")],
        good=[("ratio.inc", "real", "! of air\nreal")],
    ),
    "macro of a header": Case(
        {
            "main.F90": '#include "outer.h"\n' + point("implicit none", "RATIO*e"),
            "outer.h": '/* constants\n   of air */\n#include "ratio.h"\n',
            "ratio.h": "#define RATIO 2.0d0 /* of air */\n",
        },
        "main.F90::pressure",
        bad=[("ratio.h", "2.0", "3.0"), ("main.F90", '"outer.h"', '"ratio.h"')],
        good=[("ratio.h", "of air", "of water"), ("outer.h", "constants\n", "constants\n\n")],
    ),
    "macro of the file": Case(
        {
            "main.F90": "#ifdef LARGE\n#define RATIO 3.0d0\n#else\n#define RATIO 2.0d0\n#endif\n"
            + point("implicit none", "RATIO*e")
            + "subroutine rest\n  print *, 1\nend subroutine\n",
        },
        "main.F90::pressure",
        bad=[
            ("main.F90", "RATIO 2.0", "RATIO 4.0"), ("main.F90", "ifdef", "ifndef"),
            ("main.F90", "subroutine pressure", "#undef LARGE\nsubroutine pressure"),
        ],
        good=[("main.F90", "  print *, 1\n", "#ifdef TALK\n  print *, 1\n#endif\n")],
    ),
    "fixed form": Case(
        {
            "main.f": FORM,
            "ratio.h": "      real(8) ratio\n      parameter (ratio=2)\n",
        },
        "main.f::pressure",
        bad=[("ratio.h", "=2", "=3"), ("main.f", "ratio*e", "ratio*e\n     &  *2")],
        good=[
            ("ratio.h", "      param", "c of air\n      param"),
            ("main.f", "      p =", "* of air\n      p ="),
        ],
    ),
    "nest": Case(
        {"main.f90": LOOPS, "grid.h": GRID},
        "main.f90:7-9",
        bad=[
            ("grid.h", "m = 80", "m = 90"), ("grid.h", "u(m), v(m)", "u(m), v(0:m)"),
            ("main.f90", "factor = 3", "factor = 4"), ("main.f90", "x + 1", "x + 2"),
            ("main.f90", "factor*v", "2*v"),
        ],
        good=[
            ("grid.h", "real", "! fields\n\nreal"), ("main.f90", "'nothing'", "'something'"),
            ("main.f90", "n = m", "n = m + 1"), ("main.f90", "    do i", "    ! all\n    do i"),
            ("main.f90", "    incl", "    use own_grow_7_bridge, only: &\n      run\n    incl"),
        ],
    ),
    "what is called": Case(
        {
            "main.f90": point("use consts, only: scaled", "scaled(e)"),
            "consts.f90": CONSTS.replace(
                "contains\n",
                "contains\n  real(8) function scaled(x)\n    real(8), intent(in) :: x\n"
                "    scaled = outside(x)*ratio\n  end function\n",
            ).replace("  real(8), par", "  real(8), external :: outside\n  real(8), par"),
            "outside.f90": "real(8) function outside(x)\n  real(8), intent(in) :: x\n"
            "  outside = x + 1\nend function\nsubroutine rest\n  print *, 1\nend subroutine\n",
        },
        words=("--more", "consts.f90", "outside.f90"),
        bad=[
            ("consts.f90", "= 2", "= 3"), ("consts.f90", "(x)*ratio", "(x)/ratio"),
            ("outside.f90", "x + 1", "x - 1"),
        ],
        good=[("consts.f90", "x + 1", "x + 2"), ("outside.f90", "print *, 1", "print *, 2")],
    ),
    "bound to a type": Case(
        {
            "main.f90": point("use gas\n  type(air) :: a", "a%times(e)"),
            "gas.f90": "module gas\n  type :: air\n    integer :: k = 1\n  contains\n"
            "    procedure :: times\n  end type\ncontains\n  real(8) function times(self, x)\n"
            "    class(air), intent(in) :: self\n    real(8), intent(in) :: x\n"
            "    times = 2*x\n  end function\nend module\n",
        },
        words=("--more", "gas.f90"),
        bad=[("gas.f90", "2*x", "3*x")],
        good=[("gas.f90", "    times = ", "    ! of air\n    times = ")],
    ),
    "a text that nothing assigns": Case(
        {
            "main.f90": "module words\n  character(4) :: model = 'good'\nend module\n"
            + point("use words", "e") .replace("  p = e\n",
                "  p = e\n  if (model == 'poor') p = 2*e\n"),
            "rest.f90": "subroutine rest\n  print *, 'nothing'\nend subroutine\n",
        },
        words=("--more", "rest.f90"),
        bad=[
            ("main.f90", "'good'", "'poor'"),
            ("rest.f90", "print *, 'nothing'", "use words\n  model = 'poor'"),
        ],
        good=[("rest.f90", "  print", "  ! says\n  print")],
    ),
    "block data": Case(
        {
            "main.f90": point("common /air/ k\n  integer :: k", "k*e"),
            "data.f90": "block data\n  integer :: k\n  common /air/ k\n  data k /2/\nend\n",
        },
        words=("--more", "data.f90"),
        bad=[("data.f90", "/2/", "/3/")],
        good=[("data.f90", "  data", "  ! of air\n  data")],
    ),
}  # fmt: skip


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """Its files, and a pack of them as a check leaves it that has found no difference."""
    found = CASES[request.param]
    for file, text in found.files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["port", found.source, *found.words, "-o", "own"]) == 0
    folder = Path("own")
    verified.write(folder, [one.passed("v2").passed("v3") for one in verified.read(folder)])
    return found


def states() -> set[str]:
    return set(verified.states(found=[packs.Pack.read(Path("own"), "here")]).values())


def test_what_decides_a_kernel(case: Case) -> None:
    assert states() == {"verified v2 v3"}
    for edits, wanted in ((case.bad, "unverified: {} has changed"), (case.good, "verified v2 v3")):
        for file, old, new in edits:
            path = Path(file)
            text = path.read_text()
            assert text.count(old) >= 1, old
            path.write_text(text.replace(old, new, 1))
            assert states() == {wanted.format(path.name)}, (file, old, new)
            path.write_text(text)
    for file, _, _ in case.bad:
        path = Path(file)
        text = path.read_text()
        path.unlink()
        assert states() == {f"verified v2 v3 (source not here: {path.name})"}
        path.write_text(text)


def test_options_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """-D and what else says how the source is read; a port.toml that says nothing of it."""
    monkeypatch.chdir(tmp_path)
    Path("main.F90").write_text(point("implicit none", "RATIO*e"))
    assert cli.main(["port", "main.F90::pressure", "-DRATIO=2.0d0", "-o", "own"]) == 0
    folder, file = Path("own"), Path("own/port.toml")
    verified.write(folder, [one.passed("v2") for one in verified.read(folder)])
    assert states() == {"verified v2"}
    text = file.read_text()
    file.write_text(text.replace("-DRATIO=2.0d0", "-DRATIO=3.0d0"))
    assert states() == {"unverified: options changed"}
    begin = text.index("read = [")
    file.write_text(text[:begin] + text[text.index("]\n", begin) + 2 :])
    assert states() == {"unverified: port.toml does not say what was read: check again"}


def test_what_counts_of_a_text() -> None:
    """Where it is not sure that something is a comment it counts."""

    def same(one: str, other: str, fixed: bool = False) -> bool:
        return Text(one.encode(), fixed).whole() == Text(other.encode(), fixed).whole()

    assert same("x = 1 ! one\n", "! two\n  x = 1\r\n\n")
    assert same("x = 'it''s' ! one\n", "x = 'it''s' ! two\n")
    assert not same("x = '!1'\n", "x = '!2'\n")
    assert not same("x = 'a&\n  &b !1'\n", "x = 'a&\n  &b !2'\n")
    assert not same("c = 1\n", "c = 2\n") and same("c = 1\n", "c = 2\n", fixed=True)
    assert not same("      x = 1\n     !+ 1\n", "      x = 1\n     !+ 2\n", fixed=True)
    assert not same("      x = 'a\n     & !1'\n", "      x = 'a\n     & !2'\n", fixed=True)
    assert same("      y = 5H don't\n      x = 1 ! 1\n", "      y = 5H don't\n      x = 1\n", True)
    assert same("#define A 1 /* 1 */\n/* 2\n 3 */\n", "#define A 1\n/* 4 */\n")
    assert not same("#define A 1\nx = a /* 1 */ + 1\n", "#define A 1\nx = a /* 1 */ + 2\n")
    one = Text(b"use a_bridge\nuse, intrinsic :: b\nUSE :: A_Bridge ! 1\n", own=("a_bridge",))
    assert one.whole() == Text(b"use, intrinsic :: b\n").whole()
    lines = b"      use a_bridge, only: a,\n     &  b\n      x = 1\n"
    assert Text(lines, True, ("a_bridge",)).whole() == Text(b"      x = 1\n", True).whole()
    directives = "#define A(x) \\\n  x + 1\n#if B\ny = 1\n#endif\n"
    assert Text(directives.encode()).definitions() == ["#define A(x) \\\nx + 1"]


# ---- a host that is compiled anew ---------------------------------------------------------------

HOST = {
    "grid.h": GRID,
    "own.f90": """\
module own
  integer, parameter :: n = 100
  real(8), parameter :: ratio = 2/3d0
  real(8), target :: w(n)
end module
""",
    "main.f90": """\
subroutine grow
  use own
  include 'grid.h'
  integer :: i
  do i = 1, m
    u(i) = v(i) + ratio*w(i)
  end do
end subroutine
""",
    "host.f90": """\
program host
  use bridge
  use own, only: w
  use p_grow_bridge
  include 'grid.h'
  v = 1
  w = 3
  call frame_initialize(0, 64, 0, 0, 0)
  call bind_p_grow
  call run_p_grow
  call frame_finalize
  print '(a, i0)', 'sum ', nint(sum(u))
end program
""",
}


@pytest.mark.fortran
def test_a_host_that_is_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With bounds of an included file the old port is right, with another constant or another
    shape of an array of a module it ends the run."""
    for file, text in HOST.items():
        (tmp_path / file).write_text(text)
    monkeypatch.chdir(tmp_path)
    words = ["--more", "own.f90", "--name", "grow", "-o", "p"]
    assert cli.main(["port", "main.f90:5-7", *words]) == 0
    environment = {"BRIDGE_PACKS": str(tmp_path / "p"), "BRIDGE_CACHE": str(tmp_path / "cache"),
                   "BRIDGE_CPU_ISA": ISA}  # fmt: skip
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    build_here()
    for file, old, new, said in (
        ("grid.h", "m = 80", "m = 90", "sum 270"),
        ("own.f90", "2/3d0", "2/4d0", "bind_p_grow: ratio is not 0.6666666666666666 as in the po"),
        ("own.f90", "n = 100", "n = 120", "bind_p_grow: w has not the shape (100) that it had in"),
    ):
        (tmp_path / file).write_text(HOST[file].replace(old, new))
        sources = [tmp_path / one for one in ("own.f90", "p/p_grow_bridge.f90", "host.f90")]
        done = build(tmp_path / "built", sources, flags=(f"-I{tmp_path}",)).run(
            environment=environment
        )
        assert said in done.out + done.err
        (tmp_path / file).write_text(HOST[file])


def module_of(
    folder: Path, grid: str, head: str = "", line: str = "      include 'grid.inc'",
    suffix: str = "f90", value: str = "v(i)*m",
) -> str:  # fmt: skip
    """Of a nest with this grid.inc; head: a line in front of the one that includes it."""
    (folder / "grid.inc").write_text(grid)
    (folder / f"main.{suffix}").write_text(f"""\
      subroutine grow
{head}
{line}
      integer i
      do i = 1, m
        u(i) = {value}
      end do
      end subroutine
""")
    return " ".join(Request(f"{folder}/main.{suffix}:5-7").ported().module.text.split())


def test_where_the_module_includes_the_file(tmp_path: Path) -> None:
    text = module_of(tmp_path, GRID)
    begin = "subroutine bind_grow_5() include 'grid.inc' target :: u, v real(c_double), pointer"
    assert begin in text and "if (m /= 80) error stop" in text

    old = "      parameter (m = 80)\n      real*8 u, v\n      common /fields/ u(m), v(m)\n"
    text = module_of(tmp_path, old)
    implicit = "implicit integer (i-n), real (a-h, o-z) include 'grid.inc'"
    assert f"bind_grow_5() {implicit}" in text
    text = module_of(tmp_path, old, head="      implicit integer (a-z)")
    assert "implicit integer" in text and text.count("include 'grid.inc'") == 1
    text = module_of(tmp_path, f"      implicit real*8 (a-h, o-z)\n{old}")
    assert "bind_grow_5() include 'grid.inc'" in text

    beside = "      common /beside/ a(80)"
    text = module_of(
        tmp_path, f"      implicit real*8 (a-h, o-z)\n{old}", beside, value="a(i)*v(i)"
    )
    assert "bind_grow_5() include 'grid.inc' " in text and "target :: a(80)" in text

    needs = "real(8) :: u(m), v(m)\ncommon /fields/ u, v\n"
    text = module_of(tmp_path, needs, head="      integer, parameter :: m = 80")
    assert "bind_grow_5() integer(4), parameter :: m = 80 include 'grid.inc'" in text


FIXED = """\
c     of the fields
      integer m
      parameter (m = 80)
      real*8 u(m), v(m)
      common /fields/ u, v
"""


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        (FIXED, {"suffix": "f"}),
        (GRID + "real(8) :: x\n", {}),
        (GRID.replace("m = 80", "m = 80, size = 3"), {}),
        (GRID.replace("80", "N"), {"head": "#define N 80", "line": '#include "grid.inc"'}),
        (GRID + "data v /m*0/\n", {}),
        (GRID, {"head": "      real(8) :: x(3); common /fields/ x"}),
    ],
    ids=["form", "variable", "intrinsic", "macro", "data", "part"],
)
def test_where_it_does_not(grid: str, words: dict[str, str], tmp_path: Path) -> None:
    """Then bounds are numbers."""
    text = module_of(tmp_path, grid, **words)
    assert "include" not in text and "parameter :: m = 80" in text
