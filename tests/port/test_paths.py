"""Nests of components of derived types, pointers and allocatable arrays: against gfortran."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hosts import TIME_LIMIT, bridge_config, bridge_objects, compiler
from sharing import Once

from bridge import cli
from bridge_port.nest import directives, outline
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.request import Request

HERE = Path(__file__).parent
NESTS = ("diffuse", "heating", "hottest", "ramp", "cooled")
pytestmark = pytest.mark.fortran


@pytest.fixture(scope="session")
def made(once: Once) -> Path:
    """A folder with the pack `at` of all nests."""

    def make(place: Path) -> None:
        shutil.copy(HERE / "paths.f90", place)
        for name in NESTS:
            assert cli.main(["port", f"{place}/paths.f90@{name}", "-o", str(place / "at")]) == 0

    return once("port_paths", make)


def test_the_kernels_give_what_the_nests_give(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A subroutine, one of a dummy of a derived type, a function, a main program. Arrays begin
    # elsewhere than at 1, as the check gives them memory.
    shutil.copytree(made, tmp_path / "copy", ignore=shutil.ignore_patterns("cache"))
    monkeypatch.setenv("BRIDGE_CACHE", str(made / "cache"))
    pack = str(tmp_path / "copy" / "at")
    status = cli.main(["port", "--check", pack, "--isa", "v2", "--json"])
    told = json.loads(capsys.readouterr().out)
    found = {one["kernel"]: one for one in told["kernels"]}
    assert status == 0, told
    compared = {
        name: {o["name"]: o["compared"] for o in one["machines"][0]["outputs"]}
        for name, one in found.items()
    }
    whole = {f"at_{name}" for name in NESTS if name != "cooled"}
    assert {*compared} == {*whole, "at_cooled_1, at_cooled_2"}
    assert {*compared["at_diffuse"]} == {"u", "total"}
    assert {*compared["at_heating"]} == {"heat", "flux", "w"}
    assert {*compared["at_hottest"]} == {"hottest"} and {*compared["at_ramp"]} == {"q"}
    assert all(n for one in compared.values() for n in one.values())
    assert min(compared["at_diffuse"]["u"], compared["at_heating"]["w"]) > 500


def test_the_calls_are_told(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = str(made / "again")
    assert cli.main(["port", f"{made}/paths.f90@diffuse", "-o", pack]) == 0
    told = " ".join(capsys.readouterr().out.replace("&\n", " ").split())
    u = "chunk%tiles(tile)%field%u"
    assert f"{u}, lbound({u}, 1), lbound({u}, 2)" in told.replace("( ", "(")
    assert "call run_again_diffuse(chunk%dt, chunk%tiles(tile)%dx, " in told
    shutil.rmtree(pack)


def test_names_are_short_and_their_own(tmp_path: Path) -> None:
    source = tmp_path / "names.f90"
    source.write_text("""
subroutine names(a, b, n, u)
  type inner
    real(8), allocatable :: u(:), q(:)
    real(8) :: size, work(8), t
  end type inner
  type outer
    type(inner) :: left, right
  end type outer
  type(outer), intent(inout) :: a, b
  integer, intent(in) :: n
  real(8), intent(inout) :: u(n)
  type(inner) :: own
  integer :: i, k
  do i = 1, n
    do k = 1, 8
      own%work(k) = a%left%u(i)*k
    end do
    own%t = a%left%q(i)
    b%left%q(i) = own%work(2) + own%t*a%left%size
    u(i) = u(i) + a%right%u(i)
  end do
end subroutine names
""")
    program = Program([source])
    (one,) = outline(program, program.find("names"), name="point")
    assert {*one.arrays} == {"u", "left_u", "right_u", "q", "left_q"}
    assert one.arrays["u"].name == "u" and one.scalars == ("left_size",)
    assert "work" in one.private
    assert [d.name for d in one.unit.declarations if d.name in ("t", "work")] == ["t", "work"]


@pytest.fixture(scope="module")
def host(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that calls bind of the first nest."""
    folder = tmp_path_factory.mktemp("paths_host")
    text = (made / "at" / "at_diffuse_bridge.f90").read_text()
    given = re.search(r"call bind_at_diffuse\((.*)\)", _told(made))
    assert given is not None
    wrapper = f"""
module diffuse_test
  use path_types
  use at_diffuse_bridge
contains
  subroutine bind_test(tile)
    integer, intent(in) :: tile
    call bind_at_diffuse({given[1].replace(", lbound", ", &" + chr(10) + "lbound")})
  end subroutine bind_test
end module diffuse_test
"""
    types = (HERE / "paths.f90").read_text().partition("\nmodule paths\n")[0]
    (folder / "types.f90").write_text(types + "\n")
    (folder / "module.f90").write_text(text + wrapper)
    command = [
        compiler("gfortran"), "-g", "-O0", "-ffree-line-length-none", "-fcheck=bounds",
        *bridge_objects("gfortran"), "types.f90", "module.f90",
        str(HERE / "paths_host.f90"), *bridge_config("--fflags", "--libs", folder=folder),
        "-o", "host",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "host"


def _told(made: Path) -> str:
    ported = Request(f"{made}/paths.f90@diffuse", prefix="at_").ported()
    return ported.told("bind")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("shared", "bind_at_diffuse: v and u share memory, and the nest writes one of them"),
        ("gaps", "bind_at_diffuse: v is not contiguous"),
        ("fine", ""),
    ],
)
def test_bind_refuses_what_two_names_share(word: str, said: str, host: Path) -> None:
    done: Any = subprocess.run(
        [str(host), word], cwd=host.parent, capture_output=True, text=True, timeout=TIME_LIMIT
    )
    if said:
        assert done.returncode and said in done.stderr
    else:
        # What stands in the way now is that no Frame has begun.
        assert "frame_bind" in done.stderr and "share" not in done.stderr


def test_a_table_that_a_pointer_may_change(tmp_path: Path) -> None:
    source = tmp_path / "table.f90"
    text = """subroutine table(s, p, n)
  type holder
    real(8) :: rates(3)
  end type holder
  type(holder), intent(inout)TARGET :: s
  real(8), pointer :: p(:)
  integer, intent(in) :: n
  integer :: i
  do i = 1, n
    p(i) = 2*s%rates(2)
  end do
end subroutine table
"""
    source.write_text(text.replace("TARGET", ", target"))
    with pytest.raises(Refused, match="table rates: the pointer p, .* may point to it"):
        Request(f"{source}:9-11").ported()
    source.write_text(text.replace("TARGET", ""))
    assert Request(f"{source}:9-11").ported().actuals["run"] == ["s%rates"]


def test_a_table_that_does_not_begin_at_1_is_refused(made: Path) -> None:
    text = (made / "at" / "at_heating_bridge.f90").read_text()
    assert "if (any(lbound(rates) /= 1)) error stop 'at_rates: " in text
    assert "real(8), intent(in) :: rates(rates_low1:)" in text


def test_data_of_its_own_module_is_given(made: Path) -> None:
    # The module of a nest cannot use the module that the nest stands in.
    text = (made / "at" / "at_heating_bridge.f90").read_text()
    assert "use paths," not in text and "use path_types, only: aim" in text


def test_all_directives_are_found(made: Path) -> None:
    program = Program([HERE / "paths.f90"])
    names = {name for unit in program.find("paths").units for name in directives(unit)}
    assert names == {"diffuse", "heating", "hottest", "cooled"}
