"""Options of `bridge port`: one definition each, on the command line, in a port.toml, in its help
and in what a refusal prints."""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from pathlib import Path

import pytest

from bridge import cli
from bridge.errors import ArgumentError
from bridge.plan import verified
from bridge_port import options
from bridge_port.options import KEPT, OPTIONS, Asked, Table, asked, complete, lines
from bridge_port.request import of_words, request_of

EOS = """\
module eos
  implicit none
  real(8) :: last_t = -1, kept = 0
contains
  subroutine density(t, p, n, y, r)
    real(8), intent(in) :: t, p, y(:)
    integer, intent(in) :: n
    real(8), intent(out) :: r
    if (t /= last_t) then
      last_t = t
      kept = exp(-t/300)
    end if
    r = p/(287*t)*kept + y(1)**n
    if (r < 0) stop
  end subroutine
  subroutine speed(t, mode, r)
    real(8), intent(in) :: t
    character(*), intent(in) :: mode
    real(8), intent(out) :: r
    r = t
    if (mode == 'cold') r = 2*t
  end subroutine
end module
"""
TABLE = """\
# our pack
[options."::density"]  # of one procedure
errors = "status"
# private = ["nothing"]
private = ["last_t",
  "kept"]
shape = { y = [3] }
value.n = 2
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A folder beside the source, with the user's table alone."""
    (tmp_path / "eos.f90").write_text(EOS)
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / verified.FILE).write_text(TABLE)
    return folder


def port(folder: Path, name: str, *words: str) -> int:
    return cli.main(["port", f"{folder.parent}/eos.f90::{name}", "-o", str(folder), *words])


# ---- the definitions ---------------------------------------------------------------------------


def test_each_option_has_one_name() -> None:
    for names in ([one.word for one in OPTIONS], [one.key for one in OPTIONS]):
        assert len(names) == len({*names})
    assert not {one.form for one in KEPT.values()} & {None}


def test_the_first_help_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    """The other words are in the whole one, and are taken all the same."""
    helps = []
    for word in ("--help", "--help-all"):
        with pytest.raises(SystemExit) as ended:
            cli.main(["port", word])
        assert ended.value.code == 0
        helps.append(capsys.readouterr().out)
    shown = [re.findall(r"(?m)^  (-[\w-]+)", text) for text in helps]
    assert len(shown[0]) <= 12 < 40 < len(shown[1])
    assert {"-o", "--check", "--survey"} < {*shown[0]} < {*shown[1]}
    assert len(helps[0].splitlines()) <= 40 and "port.toml" in helps[0]
    with pytest.raises(SystemExit):
        cli.main(["port", "--privat_e", "x"])
    said = capsys.readouterr().err
    assert "there is no option --privat_e; did you mean --private?" in said
    assert "`bridge port --help-all` has every option" in said


#: Of each form: what stands in TOML, and the words of the command.
BOTH = [
    ("private", '["a", "b"]', ["--private", "a", "b"]),
    ("private", '"a"', ["--private", "a"]),
    ("defines", '["A=1", "B"]', ["-DA=1", "-DB"]),
    ("folders", '["inc"]', ["-Iinc"]),
    ("more", '["a.f90"]', ["--more", "a.f90"]),
    ("type", '{ this = "gas" }', ["--type", "this=gas"]),
    ("procedure", '{ "m%f" = "a.f90::f", g = "n::g" }', ["--procedure", "m%f=a.f90::f", "g=n::g"]),
    ("value", '{ n = -3, s = "cold" }', ["--value", "n=-3", "s='cold'"]),
    ("shape", '{ "s%t" = ["0:9", 4], y = 3 }', ["--shape", "s%t=0:9,4", "y=3"]),
    ("width", "132", ["--width=132"]),
    ("fixed", "true", ["--fixed"]),
    ("free", "true", ["--free"]),
    ("drop-output", "true", ["--drop-output"]),
    ("errors", '"status"', ["--errors=status"]),
    ("species", '"ns"', ["--species=ns"]),
]


@pytest.mark.parametrize(("key", "toml", "words"), BOTH)
def test_a_table_says_what_the_command_line_says(
    key: str, toml: str, words: list[str], tmp_path: Path
) -> None:
    """Paths in both are those from the folder of the pack; both ways come back."""
    (tmp_path / verified.FILE).write_text(f"[options]\n{key} = {toml}\n")
    table = Table.read(tmp_path)
    source = argparse.Namespace(source=f"{tmp_path}/a.f90::f")
    given = options.parsed(["a.f90::f", *words], tmp_path)
    assert vars(complete(source, table)) == vars(complete(given, Table()))
    assert options.kept(given, tmp_path)[1:] == words
    form = KEPT[key].form
    own = form.read(tomllib.loads(f"x = {toml}")["x"])
    written = form.toml(own if isinstance(own, list) else [str(own)])
    assert form.read(tomllib.loads(f"x = {written}")["x"]) == own


def test_the_command_line_goes_before_a_table(pack: Path) -> None:
    file = pack / verified.FILE
    file.write_text(f'{file.read_text()}width = 80\nprefix = "y_"\n')
    words = [f"{pack.parent}/eos.f90::density", "--value", "n=7", "m=1", "--private", "x"]
    given = options.parsed([*words, "--width=90"], Path())
    request = request_of(given, Table.read(pack, given.source))
    assert request.values == {"n": 7, "m": 1} and request.errors == "status"
    assert (request.width, request.prefix) == (90, "y_")
    assert request.private == ("last_t", "kept", "x")
    other = Table.read(pack, "eos.f90::speed")
    assert other.values == {} and other.other == ""


# ---- a pack ------------------------------------------------------------------------------------


def test_the_tools_keep_what_the_user_wrote(
    pack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Port, port another one, add a comment and options at the end: lines and their order stay."""
    file = pack / verified.FILE
    assert port(pack, "density") == 0
    (first,) = verified.read(pack)
    assert first.asked == ("../eos.f90::density", "--prefix=pack_") and first.as_asked
    assert f"\n\n{TABLE}\n[[kernel]]\n" in file.read_text()
    more = '# of the other one\n[options."::speed"]\nvalue = { mode = "cold" }\n'
    file.write_text(f"{file.read_text()}{more}")
    assert port(pack, "speed") == 0
    text = file.read_text()
    assert text.count(TABLE) == 1 == text.count(more)
    assert text.index(TABLE) < text.index(more) < text.index("[[kernel]]")
    assert [one.name for one in verified.read(pack)] == ["pack_density", "pack_speed"]
    assert all(one.as_asked for one in verified.read(pack))
    assert (
        of_words(first.asked, pack).ported().kernels[0].text
        == (pack / "pack_density.h").read_text()
    )
    # Again: the same file.
    assert port(pack, "speed") == 0
    assert file.read_text() == text
    # What is for one source changes nothing else, comments change nothing.
    file.write_text(text.replace("cold", "warm").replace("# our pack", "# ours"))
    density, speed = verified.read(pack)
    assert density.summary(pack) == "unverified: not checked"
    assert speed.summary(pack) == "unverified: options changed"
    file.write_text(text + '[options."::sped"]\nname = "x"\n')
    capsys.readouterr()
    assert port(pack, "speed") == 0
    assert 'note: [options."::sped"] is of no kernel of this pack' in capsys.readouterr().out


@pytest.mark.fortran
def test_the_check_takes_the_options_of_a_pack(
    pack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = pack / verified.FILE
    assert port(pack, "density") == 0
    file.write_text(
        f'{file.read_text()}[options]\nrange.t = [300, 400]\nisa = "v2"\npoints = 101\n'
    )
    words = ["port", "--check", str(pack)]
    assert cli.main(words) == 0
    assert "101 states" in capsys.readouterr().out and TABLE in file.read_text()
    (one,) = verified.read(pack)
    assert {*one.verified} == {"v2"} and one.summary(pack) == "verified v2"
    # Other options that give another kernel: the header that is there is not of them.
    text = file.read_text()
    file.write_text(text.replace("value.n = 2", "value.n = 3"))
    assert cli.main(words) == 1
    assert "its options in port.toml give another kernel: port it again" in capsys.readouterr().out
    file.write_text(text.replace("range.t", "range.tt"))
    assert cli.main(words) == 2
    assert "argument range in [options] of" in capsys.readouterr().err
    file.write_text(text.replace("points = 101", "points = 0"))
    assert cli.main(words) == 2
    assert "argument points in [options] of" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("privat = ['x']", "[options] of {f}: got privat, wanted an option (private,"),
        ("profile = 'x'", "[options] of {f}: got profile, wanted --profile on the command line"),
        ("private = 5", "private in [options] of {f}: got 5, wanted a list of texts"),
        ("value.n = 1.5", "value in [options] of {f}: got {{'n': 1.5}}, wanted a table of"),
        ("value.nn = 2", "value in [options] of {f}: got nn, wanted an integer of its source (n"),
        ("width = true", "width in [options] of {f}: got True, wanted a whole number"),
        ("fixed = true\nfree = true", "free in [options] of {f}: got true, wanted one of"),
        ("errors = 'stop'", "errors in [options] of {f}: got 'stop', wanted one of status"),
        ("folders = ['inc']", "folders in [options] of {f}: got {p}/inc, wanted a folder"),
        ("shape = { y = [", "port: got {f} (TOMLDecodeError"),
        ("[[options]]", "options: got [{{}}], wanted a table [options]"),
        ("'::density' = 3", "::density of [options]: got 3, wanted a table [options."),
    ],
)  # fmt: skip
def test_what_a_table_cannot_say(
    text: str, said: str, pack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = pack / verified.FILE
    written = text if text.startswith("[[") else f"[options]\n{text}\n"
    file.write_text(written)
    assert port(pack, "density") == 2
    assert f"argument {said.format(f=file, p=pack)}" in capsys.readouterr().err
    assert file.read_text() == written


def test_a_name_of_another_kernel_has_a_section(
    pack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert port(pack, "density") == 0
    file = pack / verified.FILE
    file.write_text(file.read_text() + '[options]\nvalue.m = 2\nvalue.mode = "cold"\n')
    capsys.readouterr()
    assert port(pack, "speed") == 2
    said = capsys.readouterr().err
    assert f"value in [options] of {file}: got m, wanted" in said
    assert said.rstrip().endswith('what another source has alone stands in [options."::density"]')


# ---- what a refusal asks for -------------------------------------------------------------------


def test_a_refusal_prints_the_lines(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They port it as they are printed, but for values that a user has to know."""
    file = pack / verified.FILE
    file.write_text('[options."::density"]\nprivate = ["kept"]\n')
    for words in ((), ("--json",)):
        assert port(pack, "density", *words) == 1
        out, err = capsys.readouterr()
        if words:
            told = json.loads(out)["options"]
        else:
            _, _, behind = err.partition(f"as lines of {file}:\n")
            told = [line.strip() for line in behind.splitlines()]
        assert told == [
            '[options."::density"]',
            'as-inout = ["last_t"]',
            "shape = { y = [N] }",
            'errors = "status"',
            '# or private = ["kept", "last_t"]',
        ]
    told[1] = told.pop().removeprefix("# or ")
    told[2] = "shape = { y = [3] }"
    file.write_text("\n".join(told) + "\n")
    assert port(pack, "density") == 0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("give the value with --value n=N m%k=N, or", {"value": "{ n = N, \"m%k\" = N }"}),
        ("say --value p%scheme='...'", {"value": '{ "p%scheme" = "..." }'}),
        ("give it with --value; or declare it", {"value": "{ NAME = N }"}),
        ("say its shape, --shape s%t=FIRST:LAST,N", {"shape": '{ "s%t" = ["FIRST:LAST", N] }'}),
        ("or if it is a cache, --private t", {"private": '["t"]'}),
        ("say --present x or --absent x", {"present": '["x"]', "absent": '["x"]'}),
        ("--drop-output or --errors status if", {"drop-output": "true", "errors": '"status"'}),
        ("is not read, --width 132 reads it", {"width": "132"}),
        ("--more FILE, or -I FOLDER with", {"more": '["FILE"]', "folders": '["FOLDER"]'}),
        ("name the point loops with --axis", {"axis": '{ VARIABLE = "x|y|z" }'}),
        ("say which one, --type this=gas", {"type": '{ this = "gas" }'}),
        ("say --as-output-of x, a-I b", {}),
    ],
)  # fmt: skip
def test_words_of_a_refusal(text: str, found: dict[str, str]) -> None:
    read: list[Asked] = asked(text)
    assert {
        one.option.key: one.option.form.toml(one.words or [one.option.metavar]) for one in read
    } == found


def test_every_word_that_a_refusal_may_have_is_an_option() -> None:
    """Texts of the package name no other word."""
    package = Path(options.__file__).parent
    known = {one.word for one in OPTIONS} | {"--help", "--help-all"}
    known |= {"--fsource", "--libs", "--fortran-stub", "--wrap"}  # of other commands
    for file in package.rglob("*.py"):
        said = re.findall(r"(?<![\w-])--[a-z][a-z-]+", file.read_text())
        assert {*said} <= known, file


def test_lines_of_no_option() -> None:
    assert lines(["write a loop", "", "say --force"], "a.f90::f", Path()) == []
    with pytest.raises(ArgumentError, match="source"):
        lines(["say --private x"], "a.f90", Path())
