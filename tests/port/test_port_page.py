"""The pages of `bridge port`: the listings of the first are parts of the example and of what the
command makes, its commands run, the program gives the same in all its ways.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hosts import compiler
from packsbuilt import ISA

from bridge import cli
from bridge_port import options

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "port_pack"
PAGE = (ROOT / "docs" / "how-to" / "port.md").read_text(encoding="utf-8")
REFERENCE = [ROOT / "docs" / "reference" / name for name in ("port.md", "survey-and-check.md")]
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.S)
LISTINGS = [text for kind, text in BLOCKS if kind in ("fortran", "cpp", "toml")]
COMMANDS = [text for kind, text in BLOCKS if kind == "sh"]
PORTED = ("room.f90::airProperties", "room.f90@conduction")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources, and the pack of the page."""
    folder = tmp_path_factory.mktemp("port_page") / "room"
    shutil.copytree(EXAMPLE, folder)
    before = Path.cwd()
    try:
        os.chdir(folder)
        for source in PORTED:
            assert cli.main(["port", source, "-o", "packs/room"]) == 0
    finally:
        os.chdir(before)
    return folder


@pytest.mark.parametrize("number", range(len(LISTINGS)))
def test_listing(number: int, place: Path) -> None:
    files = [path.read_text() for path in place.rglob("*") if path.is_file()]
    assert any(LISTINGS[number] in file for file in files), LISTINGS[number]


def test_there_are_listings_of_every_kind() -> None:
    assert {kind for kind, _ in BLOCKS} == {"", "fortran", "cpp", "toml", "sh"}


def test_what_the_command_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLE / "room.f90", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["port", PORTED[0], "-o", "packs/room"]) == 0
    said = capsys.readouterr().out
    assert said in [text for kind, text in BLOCKS if not kind]


def test_a_refusal_reads_as_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["function density(s, p)", "real(8), intent(in) :: s, p", "real(8) :: density"]
    lines.append("real(8), external :: specvol")
    lines += ["!"] * (30 - len(lines)) + ["density = 1/specvol(s, p)", "end function density"]
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "eos.f90").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["port", "src/eos.f90::density", "-o", "packs/eos"]) == 1
    first = capsys.readouterr().err.splitlines()[0]
    assert first + "\n" in [text for kind, text in BLOCKS if not kind]


def test_options_and_links_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    """Each option that the pages name is one of the command; each page that they name is there."""
    for words in (("port", "--help-all"), ("bench", "port", "--help")):
        with pytest.raises(SystemExit):
            cli.main([*words])
    known = set(re.findall(r"(?<![\w-])--[a-z-]+", capsys.readouterr().out))
    for page in (ROOT / "docs" / "how-to" / "port.md", *REFERENCE):
        text = page.read_text(encoding="utf-8")
        named = re.findall(r"`(--[a-z-]+)", re.sub(r"```.*?```", "", text, flags=re.S))
        assert set(named) <= known, page.name
        for target in re.findall(r"\]\(([\w./-]+\.md)", text):
            assert (page.parent / target).is_file(), target


def test_the_table_of_the_reference_is_one_of_options(tmp_path: Path) -> None:
    """Every key and value of the example is taken."""
    (listing,) = re.findall(r"```toml\n(.*?)```", REFERENCE[0].read_text(encoding="utf-8"), re.S)
    (tmp_path / "port.toml").write_text(listing)
    table = options.Table.read(tmp_path, "src/eos.f90::density")
    assert table.values.keys() == {"folders", "width", "range", "private", "value", "shape"}


@pytest.mark.fortran
def test_commands_of_the_page(tmp_path: Path) -> None:
    """In their order, in a folder with the sources, for one instruction set."""
    compiler("gfortran")
    lines = "".join(COMMANDS).replace(" --isa v3", "")
    for command in ("bridge packs build", "bridge port --check packs/room"):
        assert command in lines
        lines = lines.replace(command, f"{command} --isa {ISA}")
    for source in EXAMPLE.iterdir():
        shutil.copy(source, tmp_path)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BRIDGE_", "CXX"))}
    environment = {
        **kept,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "BRIDGE_CACHE": str(tmp_path / "cache"),
        "BRIDGE_CPU_ISA": ISA,
        "OMP_NUM_THREADS": "2",
    }
    done = subprocess.run(
        ["sh", "-e", "-c", lines + "bridge kernels\n"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    out = done.stdout
    line = (
        r"^  v\d   room_rho  +\d+ compared, largest difference \S+ \(.* of the tolerance\) same$"
    )
    assert re.search(line, out, re.M)
    assert re.search(r"^2 of 2 verified on v2", out, re.M)
    assert re.search(r"^room_airproperties +verified v2", out, re.M)
    assert re.search(r"^room_conduction +verified v2", out, re.M)
    results = [[float(x) for x in line.split()[1:]] for line in out.splitlines()
               if line.startswith("result")]  # fmt: skip
    assert len(results) == 4
    for one in results[1:]:
        assert one == pytest.approx(results[0], rel=1e-11)
    worst = [float(line.split()[-1]) for line in out.splitlines()
             if line.startswith("largest difference")]  # fmt: skip
    assert len(worst) == 2 and all(0 < one < 1e-13 for one in worst)
    assert (tmp_path / "heat.0.npz").is_file()
    assert "ranges of the recordings: lambda, t, dx" in out
