"""What recorded/run.py keeps and compares: texts of a small source, and their bits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from port.recorded import bits, compare, further
from port.recorded.recorder import recording, without_compilers

from bridge_port import request
from bridge_port.kernel import PointProcedure
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.translate import translate

SOURCE = """
module laws
  real(8) :: scale
contains
  subroutine speed(x, y, z)
    real(8), intent(in) :: x, y
    real(8), intent(out) :: z
    z = sqrt(x) + y*scale
  end subroutine
  subroutine told(x)
    real(8), intent(inout) :: x
    print *, x
  end subroutine
end module
"""


def kept(folder: Path) -> compare.Records:
    """Of the source in the folder, which is made: asked by the command's way, and without it."""
    folder.mkdir()
    file = folder / "laws.f90"
    file.write_text(SOURCE)
    with recording(folder / "kept"):
        request.Request(f"{file}::speed", prefix="k_").ported()
        with pytest.raises(Refused):
            request.Request(f"{file}::told").ported()
        program = Program([file])
        unit = program.find("speed")
        translate.translate(program, PointProcedure("own", unit, unit.place))
    return compare.records(folder / "kept")


def changed(records: compare.Records, old: str, new: str) -> compare.Records:
    """The same with another text in headers."""
    return {
        asked: [
            {name: text.replace(old, new) if name.startswith("header") else text
             for name, text in one.items()}
            for one in results
        ]
        for asked, results in records.items()
    }  # fmt: skip


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> compare.Records:
    return kept(tmp_path_factory.mktemp("recorded") / "one")


def test_the_outermost_calls_are_kept(records: compare.Records) -> None:
    asked = sorted(json.loads(one)["what"] for one in records)
    assert asked == ["Request.ported", "Request.ported", "translate"]
    (result,) = next(one for asked, one in records.items() if '"laws.f90::speed"' in asked)
    assert [part.split()[0] for part in result] == [
        "header", "arguments", "module", "catalogue",
    ]  # fmt: skip
    (refusal,) = next(one for asked, one in records.items() if '"laws.f90::told"' in asked)
    assert refusal.keys() == {"refused"}


def test_two_folders_have_the_same_texts(records: compare.Records, tmp_path: Path) -> None:
    assert kept(tmp_path / "another") == records
    assert str(tmp_path.parent) not in str(records)


def test_the_source_is_kept(tmp_path: Path) -> None:
    kept(tmp_path / "one")
    (source,) = (tmp_path / "one" / "kept" / "sources").iterdir()
    assert source.read_text() == SOURCE


def test_the_functions_are_put_back(tmp_path: Path) -> None:
    def functions() -> list[object]:
        imported = vars(request)["translate"]
        return [imported, translate.translate, request.Request.ported, Program.add]

    before = functions()
    with recording(tmp_path):
        assert functions()[0] is translate.translate
        assert all(now is not one for now, one in zip(functions(), before, strict=True))
    assert functions() == before


def test_quick_finds_no_compiler(tmp_path: Path) -> None:
    with without_compilers():
        with pytest.raises(FileNotFoundError):
            subprocess.run(["c++", "--version"])
        assert kept(tmp_path / "one")
        subprocess.run([sys.executable, "-c", ""], check=True)
    subprocess.run(["c++", "--version"], check=True, stdout=subprocess.DEVNULL)


def test_a_random_program_is_written_again(tmp_path: Path) -> None:
    texts = []
    for place in (tmp_path / "one", tmp_path / "two"):
        place.mkdir()
        texts.append({file.name: file.read_text() for file in further.programs(place, 2)})
    assert texts[0] == texts[1]
    assert len(texts[0]) == 6


@pytest.mark.parametrize(
    ("instead", "how"),
    [
        ("sqrt(x) + y * host.scale;  // more", bits.SAME),
        ("y * host.scale + sqrt(x)", bits.SAME),
        ("sqrt(x) - y * host.scale", bits.DIFFERENT),
    ],
)
def test_another_text_is_named(
    records: compare.Records, tmp_path: Path, instead: str, how: str
) -> None:
    other = changed(records, "sqrt(x) + y * host.scale", instead)
    found = compare.ordered(compare.differences(records, other))
    assert [one.part for one in found] == ["header own.h", "header k_speed.h"]
    assert "translate of laws.f90" in found[0].told(10)
    one = found[1]
    assert bits.compared(one.name, one.texts, one.arguments, tmp_path)[0] == how
