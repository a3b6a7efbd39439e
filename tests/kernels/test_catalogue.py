"""Catalogue files: what a pack adds, and the contradictions that are refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bridge
from bridge.errors import ArgumentError
from bridge.kernels.cpu import generate_launchers
from bridge.physics.options import Options
from bridge.plan.catalogue import Catalogue

pytest.importorskip("hypothesis")
from kernels.test_plan import SHIPPED, flat

# ---- catalogue files --------------------------------------------------------------------

PACK = """
[quantity.x]
unit = "1"
[quantity.z]
unit = "1"
columns = "ns"
[[kernel]]

name = "packOne"
header = "packOne.h"
inputs = ["x"]
outputs = ["z"]
"""
SECOND = """
[[kernel]]
name = "packTwo"
header = "packOne.h"
inputs = ["x"]
outputs = ["z"]
"""
COMPOSITE = """
[[composite]]
name = "packMove"
inputs = ["x"]
outputs = ["x"]
"""
MOVE = """
[[kernel]]
name = "packMover"
header = "packOne.h"
inputs = ["x"]
outputs = ["x"]
"""


def write(folder: Path, name: str, text: str, headers: tuple[str, ...] = ("packOne.h",)) -> Path:
    folder.mkdir(exist_ok=True)
    for header in headers:
        (folder / header).write_text("")
    path = folder / name
    path.write_text(text)
    return path


def test_a_pack_adds_to_the_catalogue(tmp_path: Path) -> None:
    shipped = next(iter(SHIPPED.kernels.values())).file
    both = Catalogue.load([shipped, write(tmp_path, "pack.toml", PACK)])
    assert both.plan(["z"], ["x"], 3).kernels() == ["packOne"]


def test_one_of_two_makers_that_lists_the_other_is_taken(tmp_path: Path) -> None:
    for text in (PACK + SECOND + 'fuses = ["packOne"]', SECOND + 'fuses = ["packOne"]' + PACK):
        catalogue = Catalogue.load([write(tmp_path, "pack.toml", text)])
        assert catalogue.plan(["z"], ["x"], 3, status=False).kernels() == ["packTwo"]


REWRITES = """
[quantity.rate]
unit = "1/s"
[quantity.after]
unit = "1"
[[kernel]]
name = "packRate"
header = "packOne.h"
inputs = ["x"]
outputs = ["rate"]
[[kernel]]
name = "packAfter"
header = "packOne.h"
inputs = ["x", "rate"]
outputs = ["after"]
[[kernel]]
name = "packMover"
header = "packOne.h"
inputs = ["x", "rate"]
outputs = ["x"]
[[composite]]
name = "packMove"
inputs = ["x"]
outputs = ["x", "rate", "after"]
"""


def test_a_composite_gives_what_it_takes_its_new_value(tmp_path: Path) -> None:
    catalogue = Catalogue.load([write(tmp_path, "pack.toml", PACK + REWRITES)])
    composite = catalogue.composite("packMove")
    order = ["packRate", "packMover", "packAfter"]  # the rate of the old value, the rest after it
    for outputs in (None, ["x", "after"], ["after"]):
        plan = catalogue.composite_plan(composite, 3, outputs=outputs)
        assert plan.kernels() == order, "the new value counts, whether it is bound or not"
    whole = catalogue.composite_plan(composite, 3)
    rate, mover, after = flat(whole)
    assert rate.slots[0] == mover.slots[0] == whole.inputs["x"]
    assert mover.slots[2] == after.slots[0] == whole.outputs["x"] != whole.inputs["x"]
    # outside such a composite a quantity that is given stays as it was given
    plain = catalogue.plan(["x", "after"], ["x"], 3, status=False)
    assert plain.outputs["x"] == plain.inputs["x"] and "packMover" not in plain.kernels()


def test_kernels_that_rewrite_what_each_other_reads_are_refused(tmp_path: Path) -> None:
    text = (
        PACK.replace('columns = "ns"\n', "")
        + """
[[kernel]]
name = "packMover"
header = "packOne.h"
inputs = ["x", "z"]
outputs = ["x"]
[[kernel]]
name = "packOther"
header = "packOne.h"
inputs = ["z", "x"]
outputs = ["z"]
[[composite]]
name = "packBoth"
inputs = ["x", "z"]
outputs = ["x", "z"]
"""
    )
    catalogue = Catalogue.load([write(tmp_path, "pack.toml", text)])
    with pytest.raises(ArgumentError, match="packMover, packOther have no order"):
        catalogue.composite_plan(catalogue.composite("packBoth"), 3)


OTHER = SECOND + 'option = "denseDiffusion=RIAZI_WHITSON"\nin_place_of = "packOne"\n'


def test_an_option_chooses_between_two_makers(tmp_path: Path) -> None:
    """The second one stands for the first in plans of that option, and in no others."""
    text = PACK + OTHER + MOVE + '[[composite]]\nname = "packSteps"\n'
    text += 'inputs = ["x"]\noutputs = ["z"]\nsteps = ["packOne"]\n'
    catalogue = Catalogue.load([write(tmp_path, "pack.toml", text)])
    dense = catalogue.with_options(Options(denseDiffusion="RIAZI_WHITSON"))
    assert catalogue.with_options(Options()) is catalogue
    for which, kernel in ((catalogue, "packOne"), (dense, "packTwo"), (catalogue, "packOne")):
        assert which.plan(["z"], ["x"], 3, status=False).kernels() == [kernel]
        steps = which.composite_plan(which.composite("packSteps"), 3)
        assert steps.kernels() == ["packOne"], "what a composite names it runs"


def test_a_given_quantity_chooses_between_two_makers(tmp_path: Path) -> None:
    text = PACK + SECOND + 'in_place_of = "packOne"\ngiven = "w"\n[quantity.w]\nunit = "1"\n'
    catalogue = Catalogue.load([write(tmp_path, "pack.toml", text)])
    for inputs, kernel in ((["x"], "packOne"), (["x", "w"], "packTwo")):
        assert catalogue.plan(["z"], inputs, 3, status=False).kernels() == [kernel]


def test_duplicate_kernel_names_both_files(tmp_path: Path) -> None:
    one = write(tmp_path / "a", "one.toml", PACK)
    kernel_only = PACK[PACK.index("[[kernel]]") :]
    two = write(tmp_path / "b", "two.toml", kernel_only)
    with pytest.raises(ArgumentError, match=r"packOne declared twice.*one\.toml.*two\.toml"):
        Catalogue.load([one, two])
    generator = Path(bridge.__file__).parent / "kernels" / "cpu" / "generate_launchers.py"
    run = subprocess.run(
        [sys.executable, generator, tmp_path / "out.cpp", one, two], capture_output=True, text=True
    )
    assert run.returncode != 0 and "packOne" in run.stderr
    assert "one.toml" in run.stderr and "two.toml" in run.stderr
    assert not (tmp_path / "out.cpp").exists()


def test_wrappers_are_dealt_to_the_sources(tmp_path: Path) -> None:
    """In equal parts, but kernels that share a long header are compiled together."""
    names = ("ofOne", "ofTwo", "ofThree", "ofFour", "longOne", "longTwo")
    kernel = '[[kernel]]\nname = "{0}"\nheader = "{0}.h"\ninputs = ["x"]\noutputs = ["x"]\n'
    text = '[quantity.x]\nunit = "1"\n' + "".join(map(kernel.format, names))
    for name in names:
        shared = '#include "shared.h"\n' if name.startswith("long") else ""
        write(tmp_path, f"{name}.h", shared + 100 * "// a line of the kernel\n")
    write(tmp_path, "shared.h", 500 * "// a line of both kernels\n")
    outputs = [tmp_path / "one.cpp", tmp_path / "two.cpp"]
    catalogue = write(tmp_path, "pack.toml", text)
    generate_launchers.main(outputs, [catalogue])
    parts = [{n for n in names if f"launch_{n}(" in one.read_text()} for one in outputs]
    assert sorted(parts, key=len) == [{"longOne", "longTwo"}, {*names[:4]}]
    write(tmp_path, "shared.h", "// a line of both kernels\n")
    generate_launchers.main(outputs, [catalogue])
    assert [one.read_text().count("static void launch_") for one in outputs] == [3, 3]


@pytest.mark.parametrize(
    "text, complaint",
    [
        (PACK.replace('inputs = ["x"]', 'inputs = ["nothing"]'), "quantity.*nothing in packOne"),
        (PACK.replace("packOne.h", "other.h"), "other.h, which kernel packOne has, is missing"),
        (PACK.replace('"ns"', '"many"'), "'many' of z"),
        (PACK.replace('"ns"', '"0*ns"'), "'0\\*ns' of z.*wanted.*a\\*ns\\+b as in ns"),
        (PACK.replace('"ns"', '"ns+1.5"'), "'ns\\+1.5' of z"),
        (PACK.replace('unit = "1"\n', 'unit = "1"\ntype = "float32"\n', 1), "'float32' of x"),
        (PACK + 'fuses = ["packNone"]', "fuses.*packNone"),
        (PACK + OTHER.replace('of = "packOne"', 'of = "packNone"'), "in_place_of.*packNone"),
        (PACK + OTHER.replace("WHITSON", "X"), "option.*RIAZI_X.*denseDiffusion=RIAZI_WHITSON"),
        (
            PACK + SECOND + 'in_place_of = "packOne"',
            "in_place_of.*packOne.*option or given beside it",
        ),
        (PACK + SECOND + 'given = "x"', "given.*'x' of.*in_place_of beside it"),
        (PACK + OTHER + 'given = "x"', "given.*no option beside it"),
        (
            PACK + SECOND + 'in_place_of = "packOne"\ngiven = "nothing"',
            "given.*'nothing' in packTwo",
        ),
        (PACK + SECOND + 'in_place_of = "packOne"\ngiven = 3', "given.*3 of.*text"),
        (
            PACK + SECOND,
            r"packOne of .* and packTwo of .*pack\.toml both make z; list one in 'fuses'",
        ),
        (PACK + COMPOSITE, "x in inputs and outputs of packMove.*a kernel that takes and gives x"),
        (
            PACK + COMPOSITE + MOVE + MOVE.replace("packMover", "packOther"),
            "x in inputs and outputs of packMove.*packMover of .* and packOther of",
        ),
        (PACK + "number = 901", r"'number' in \[\[kernel\]\] packOne of .*keys out of name"),
        (
            PACK
            + PACK[PACK.index("[[kernel]]") :]
            .replace('packOne"', 'packTwo"')
            .replace('["x"]', '["t"]')
            .replace('["z"]', '["x"]')
            .replace('["t"]', '["z"]'),
            "quantities need themselves",
        ),
        ("kernel = 3 = 4", "a readable TOML file"),
    ],
)
def test_contradictions_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ArgumentError, match=complaint):
        Catalogue.load([write(tmp_path, "pack.toml", text)])


@pytest.mark.parametrize(
    "said, word, of_three",
    [("ns", "ns", 3), ("3 * ns + 6", "3*ns+6", 15), ("ns-2", "ns-2", 1), ("1*ns", "ns", 3),
     ("pairs", "pairs", 6), ("ns*ns", "ns*ns", 9), ("12", "12", 12)],
)  # fmt: skip
def test_columns_that_the_species_decide(
    tmp_path: Path, said: str, word: str, of_three: int
) -> None:
    text = PACK.replace('"ns"', f'"{said}"')
    catalogue = Catalogue.load([write(tmp_path / "pack", "catalogue.toml", text)])
    assert catalogue.quantity("z").columns == word
    assert catalogue.columns("z", 3) == of_three
    assert catalogue.per_species("z") == (word != "12")
    if word == "ns-2":
        assert catalogue.columns("z", 2) == 0
        with pytest.raises(ArgumentError, match="got 1, with ns-2 values of 'z'.*at least 2"):
            catalogue.columns("z", 1)
