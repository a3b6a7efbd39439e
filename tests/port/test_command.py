"""`bridge port`: files of a pack, refusals, what was edited by hand."""

from __future__ import annotations

import json
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from bridge import cli
from bridge.plan import verified

SOURCES = Path(__file__).parent / "checked"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sources, and a place for packs."""
    for source in SOURCES.iterdir():
        shutil.copy(source, tmp_path)
    return tmp_path


def port(*words: object) -> int:
    return cli.main(["port", *map(str, words)])


def test_a_pack_of_several_kernels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = folder / "packs" / "own"
    assert port(f"{folder}/gas.f90::sound_speed", "-o", pack) == 0
    said = capsys.readouterr().out
    assert (
        "own_sound_speed of" in said
        and "gas.f90:9: 3 inputs, 3 outputs, 2 constants, 1 table" in said
    )
    assert "call give_own_sound_speed (own_model, own_fits)" in said
    header = (pack / "own_sound_speed.h").read_text()
    catalogue = (pack / "catalogue.toml").read_text()
    assert port(f"{folder}/flow.f90@smooth", "-o", pack) == 0
    assert "run_own_smooth" in capsys.readouterr().out
    assert port(f"{folder}/flow.f90:28-33", "--name", "most", "-o", pack) == 0
    assert "2 reductions" in capsys.readouterr().out
    assert (pack / "own_sound_speed.h").read_text() == header
    entries = tomllib.loads((pack / "catalogue.toml").read_text())
    names = [kernel["name"] for kernel in entries["kernel"]]
    assert names == ["own_sound_speed", "own_smooth", "own_most"]
    assert entries["quantity"].keys() >= tomllib.loads(catalogue)["quantity"].keys()
    known = verified.read(pack)
    assert [one.name for one in known] == names
    smooth = known[1]
    assert smooth.asked[0] == "../../flow.f90@smooth"
    assert smooth.made.keys() == {"own_smooth.h", "own_smooth_bridge.f90"}
    assert (smooth.original[-1].first, smooth.original[-1].last) == (11, 16)
    assert smooth.summary(pack) == "unverified: not checked"

    # Again: only what belongs to the kernel is written, and the catalogue is the same.
    before = (pack / "catalogue.toml").read_text()
    assert port(f"{folder}/flow.f90@smooth", "-o", pack) == 0
    assert tomllib.loads((pack / "catalogue.toml").read_text()) == {
        **tomllib.loads(before),
        "kernel": [entries["kernel"][n] for n in (0, 2, 1)],
    }


def test_what_was_edited_by_hand_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = folder / "own"
    source = f"{folder}/flow.f90@recur"
    assert port(source, "-o", pack) == 0
    for file in ("own_recur.h", "own_recur_bridge.f90", "catalogue.toml"):
        path = pack / file
        text = path.read_text()
        edited = text.replace('"x+"', '"x-"') if file == "catalogue.toml" else text + "\n// mine\n"
        assert edited != text
        path.write_text(edited)
        capsys.readouterr()
        assert port(source, "-o", pack) == 2
        said = capsys.readouterr().err
        assert file in said and "edited by hand" in said and "--force" in said
        assert path.read_text() == edited
        assert port(source, "-o", pack, "--force") == 0
        assert path.read_text() == text


def test_a_file_of_another_origin_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = folder / "own"
    pack.mkdir()
    (pack / "own_recur.h").write_text("// a user's\n")
    assert port(f"{folder}/flow.f90@recur", "-o", pack) == 2
    assert "did not write" in capsys.readouterr().err
    assert {path.name for path in pack.iterdir()} == {"own_recur.h"}


def test_a_refusal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = folder / "own"
    source = f"{folder}/refused.f90::told"
    assert port(source, "-o", pack) == 1
    said = capsys.readouterr()
    assert said.out == "" and f"{folder}/refused.f90:6: write" in said.err
    assert "nothing is written" in said.err and not pack.exists()
    assert port(source, "-o", pack, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "refused"
    first = found["refusals"][0]
    assert Path(first["file"]).name == "refused.f90" and first["line"] == 6
    assert first["construct"].startswith("write") and first.keys() >= {"why", "change", "last"}
    assert not pack.exists()


def test_an_option_that_is_given_twice_adds_up(tmp_path: Path) -> None:
    source = tmp_path / "two.f90"
    source.write_text(
        "subroutine two(a, b, n)\n  real(8), intent(in) :: a(:)\n"
        "  real(8), intent(out) :: b(:)\n  integer, intent(in) :: n\n  b = a(1)*n\n"
        "end subroutine\n"
    )
    words = (f"{source}::two", "-o", tmp_path / "own", "--shape", "a=3")
    assert port(*words) == 1
    assert port(*words, "--value", "n=2", "--shape", "b=4") == 0


def test_a_procedure_without_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "none.f90"
    source.write_text("subroutine none(x)\n  real(8), intent(in) :: x\nend subroutine\n")
    assert port(f"{source}::none", "-o", tmp_path / "own") == 1
    assert "none.f90:1: subroutine none: it gives no result" in capsys.readouterr().err


def test_a_prefix_is_not_doubled(folder: Path) -> None:
    """gsw_rho of a pack gsw; two arguments never have one name."""
    (folder / "rho.f90").write_text(
        "module gsw_data\n  real(8) :: gsw_t0, p0\nend module\n"
        "function gsw_rho(gsw_s, s, t) result(gsw_r)\n  use gsw_data\n"
        "  real(8), intent(in) :: gsw_s, s, t\n  real(8) :: gsw_r\n"
        "  gsw_r = gsw_s + s * (t - gsw_t0) + p0\nend function\n"
        "subroutine gsw_sum(n, a)\n  integer, intent(in) :: n\n"
        "  real(8), intent(inout) :: a(n)\n  integer :: i\n  do i = 2, n\n"
        "    a(i) = 2*a(i)\n  end do\nend subroutine\n"
    )
    pack = folder / "gsw"
    assert port(f"{folder}/rho.f90::gsw_rho", "-o", pack) == 0
    assert port(f"{folder}/rho.f90:14-16", "-o", pack, "--name", "gsw_sum") == 0
    catalogue = tomllib.loads((pack / "catalogue.toml").read_text())
    rho, total = catalogue["kernel"]
    assert rho["name"] == "gsw_rho" and rho["outputs"] == ["gsw_rho"]
    assert rho["inputs"] == ["gsw_s", "gsw_s_", "gsw_t", "gsw_t0", "gsw_p0"]
    assert total["name"] == "gsw_sum" and (pack / "gsw_sum_bridge.f90").is_file()


OBSTACLES = """\
module obstacles
contains
  subroutine several(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    real(8) :: t, u
    complex(8) :: c; character(4) :: word
    if (x < 0) stop 'negative'
    y = x
    c = transfer(x, c)
    t = real(c)
    u = unknown(t)
    if (x > 3) then
      write (*, *) x
      t = besty(x)
    end if
    call told(y)
    y = y + t + u
    word = name(x)
    if (word == 'a') y = 2
  end subroutine several
  subroutine told(q)
    real(8), intent(inout) :: q
    print *, q
    q = 2*q
  end subroutine told
  subroutine gathered(n, a, b, at)
    integer, intent(in) :: n, at(n)
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 2, n
      b(at(i)) = a(i)
      print *, i
      b(i) = lost(a(i))
    end do
  end subroutine gathered
end module obstacles
"""


def test_all_that_is_refused_in_one_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also behind the first one, inside of an if and in a procedure that is called; nothing that
    is refused only because something before it was."""
    source = tmp_path / "obstacles.f90"
    source.write_text(OBSTACLES)
    for name, lines, constructs in (
        ("::several", [8, 10, 12, 14, 15, 19, 24],
         ["stop", "function transfer", "function unknown", "write", "function besty",
          "function name", "print"]),
        (":32-36", [34, 33, 35], ["print", "subscript at(i) of b", "function lost"]),
    ):  # fmt: skip
        assert port(f"{source}{name}", "-o", tmp_path / "own", "--json") == 1
        found = json.loads(capsys.readouterr().out)
        assert [one["line"] for one in found["refusals"]] == lines, found
        assert found["refusal"] == found["refusals"][0]
        for one, construct in zip(found["refusals"], constructs, strict=True):
            assert one["construct"].startswith(construct), one
        assert port(f"{source}{name}", "-o", tmp_path / "own") == 1
        said = capsys.readouterr().err.splitlines()
        assert len(said) > len(lines) and f"{source}:{lines[0]}: " in said[0]
        assert said[len(lines)] == "bridge port: refused, nothing is written"
        assert not (tmp_path / "own").exists()


def test_json_of_a_port(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert port(f"{folder}/flow.f90@largest", "-o", folder / "own", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "written"
    assert found["kernels"][0]["reductions"] == ["most", "total"]
    assert set(found["files"]) == {path.name for path in (folder / "own").iterdir()}


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["{f}/flow.f90", "-o", "{f}/own"], 2, "SRC:first-last, SRC:line or SRC@name"),
        (["{f}/none.f90::x", "-o", "{f}/own"], 2, "none.f90"),
        (["{f}/flow.f90::smooth"], 2, "-o"),
        (["{f}/flow.f90::smoot", "-o", "{f}/own"], 1, "smooth"),
        (["{f}/flow.f90@smoot", "-o", "{f}/own"], 1, "smooth, largest, recur"[:6]),
        (["{f}/flow.f90:11-12", "-o", "{f}/own"], 1, "flow.f90:11"),
        (["{f}/flow.f90:900-901", "-o", "{f}/own"], 1, "flow.f90:900"),
        (["{f}/gas.f90::sound_speed", "-o", "{f}/own", "--value", "n=x"], 2, "an integer"),
        (["--check", "{f}"], 2, "port.toml"),
    ],
)  # fmt: skip
def test_wrong_calls(
    words: list[str], status: int, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert port(*(word.format(f=folder) for word in words)) == status
    assert said in capsys.readouterr().err
    assert not (folder / "own").exists()


@pytest.mark.parametrize(
    ("source", "option", "word", "said"),
    [
        ("flow.f90@smooth", "--value", "nxx=5", "--value: got nxx.*(nx"),
        ("flow.f90@smooth", "--private", "wight", "--private: got wight.*weight"),
        ("flow.f90@smooth", "--axis", "m=x", "--axis: got m.*(i, j)"),
        ("flow.f90@smooth", "--shape", "uu=5", "--shape: got uu.*(u"),
        ("gas.f90::pick", "--value", "m=5", "--value: got m.*n"),
        ("gas.f90::pick", "--private", "y", "--private: got y.*(fits, gamma_of_gas, model"),
        ("gas.f90::pick", "--axis", "n=x", "--axis: got n, wanted.*it has none"),
        ("gas.f90::pick", "--shape", "step=4", "--shape: got step"),
        ("gas.f90::pick", "--species", "gas::ns", "--species: got ns"),
    ],
)  # fmt: skip
def test_names_that_nothing_has(
    source: str, option: str, word: str, said: str, folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert port(f"{folder}/{source}", "-o", folder / "own", option, word) == 2
    told = capsys.readouterr().err
    first, _, second = said.partition(".*")
    assert first in told and second in told.partition(first)[2], told
    assert not (folder / "own").exists()


@pytest.mark.parametrize("words", [(), ("--value", "n=3"), ("--shape", "x=3")])
def test_other_procedures_may_need_modules_that_are_not_given(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """Names of options are looked for in all of the file."""
    source = tmp_path / "host.f90"
    source.write_text("""\
module host
contains
  subroutine driven(x, y)
    use host_kinds, only: wp
    real(wp), intent(in) :: x(10)
    real(wp), intent(out) :: y(10)
    y = x(1)
  end subroutine driven
  subroutine total(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y
    y = x(1) + n
  end subroutine total
end module host
""")
    assert port(f"{source}::total", "-o", tmp_path / "own", "--shape", "x=3", *words) == 0


def test_text_behind_column_72_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "wide.f"
    head = "      subroutine {}(a, b, c)\n      real(8) a, b, c\n"
    source.write_text(
        head.format("cut") + f"      {'c = a':66}+ b\n      end\n"
        + head.format("broken") + f"      {'c = a*(a':66}+ b)\n      end\n"
        + head.format("plain") + f"      {'c = a ! of all':66}+ b\n      {'b = c':66}! own\n"
        + f"c     {'':66}+ b\n      end\n"
    )  # fmt: skip
    pack = tmp_path / "own"
    told = "wide.f:3: text behind column 72 is not read (--width 132)"
    assert port(f"{source}::cut", "-o", pack) == 0
    assert told in capsys.readouterr().out
    assert port(f"{source}::cut", "-o", pack, "--width", "132") == 0
    assert port(f"{source}::plain", "-o", pack) == 0
    assert "text behind" not in capsys.readouterr().out
    assert port(f"{source}::broken", "-o", pack) == 1
    assert "is not read, --width 132 reads it" in capsys.readouterr().err
    source.write_text(head.format("broken") + f"      {'c = a*(a':140}+ b)\n      end\n")
    assert port(f"{source}::broken", "-o", pack) == 1
    assert "is not read, --width 0 reads it" in capsys.readouterr().err


def test_an_include_file_that_is_lacking_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "lacking.F90"
    source.write_text(
        'subroutine s(x)\n#include "sizes.h"\n  real(8) :: x\n  x = 1\nend subroutine\n'
    )
    assert port(f"{source}::s", "-o", tmp_path / "own") == 1
    said = capsys.readouterr().err
    assert "'#include \"sizes.h\"': there is no such file; give its folder by -I" in said


def test_names_of_one_pack_are_one_thing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """r of another type: refused, and the pack stays as it is."""
    pack = folder / "own"
    assert port(f"{folder}/flow.f90@smooth", "-o", pack) == 0
    before = {path.name: path.read_text() for path in pack.iterdir()}
    (folder / "other.f90").write_text(
        "subroutine other(r, y)\n  integer, intent(in) :: r\n  real(8), intent(out) :: y\n"
        "  y = 2 * r\nend subroutine other\n"
    )
    assert port(f"{folder}/other.f90::other", "-o", pack) == 2
    assert "own_r" in capsys.readouterr().err
    assert {path.name: path.read_text() for path in pack.iterdir()} == before
    assert port(f"{folder}/other.f90::other", "-o", pack, "--prefix", "two_") == 0


def test_the_type_of_an_argument_of_a_class(tmp_path: Path) -> None:
    source = Path(__file__).parent / "constructs" / "types.f90"
    shutil.copy(source, tmp_path)
    words = [f"{tmp_path}/types.f90::fluid_volume", "-o", tmp_path / "own"]
    assert port(*words) == 1
    assert port(*words, "--type", "this") == 2
    assert port(*words, "--type", "this=limits") == 1
    assert not (tmp_path / "own").exists()
    assert port(*words, "--type", "this=realGas") == 0
    (known,) = verified.read(tmp_path / "own")
    said = "../types.f90::fluid_volume --type this=realGas --prefix=own_"
    assert " ".join(known.asked) == said
    assert port(f"{tmp_path}/types.f90:159-160", "-o", tmp_path / "own", "--type", "x=gas") == 2


def test_loops_of_a_procedure_that_is_refused_have_their_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ports them as it is printed; of what is no nest none is printed."""
    source = tmp_path / "axpy.f90"
    source.write_text("""\
subroutine axpy(n, m, a, x, y, z)
  integer(8), intent(in) :: n, m
  real(8), intent(in) :: a, x(n)
  real(8), intent(inout) :: y(n), z(m)
  integer(8) :: i
  do i = 1, n
    y(i) = y(i) + a*x(i)
  end do
  do i = 1, m
    z(i) = z(i)*z(m - i)
  end do
end subroutine
""")
    asked = ["port", f"{source}::axpy", "-o", str(tmp_path / "packs"), "-I", str(tmp_path)]
    assert cli.main(asked) == 1
    said = capsys.readouterr().err
    assert "integer(8) n: integers of kernels have 32 bits" in said
    (command,) = (one for one in said.splitlines() if one.startswith("  bridge port "))
    pack = tmp_path / "packs"
    assert command.strip() == f"bridge port {source}:6-8 -I{tmp_path} -o {pack}"
    pack.mkdir()
    (pack / verified.FILE).write_text('[options."::axpy"]\nwidth = 80\n')
    assert cli.main(asked) == 1
    assert f"bridge port {source}:6-8 -I{tmp_path} --width=80 -o" in capsys.readouterr().err
    (pack / verified.FILE).unlink()
    assert cli.main(shlex.split(command)[1:]) == 0
    assert cli.main([*asked, "--json"]) == 1
    told = capsys.readouterr().out
    assert json.loads(told[told.index("{") :])["commands"] == [command.strip()]
