"""The pages of block kernels and of resident arrays: listings are parts of the pack and of the
flow solver, messages are those of the bridge, kernels do what the page says.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packsbuilt import ISA

import bridge
from bridge.plan import packbuild
from bridge.tvproperties import TVProperties

ROOT = Path(__file__).parents[2]
PACK = ROOT / "examples" / "stage_pack"
ORDERS = ROOT / "examples" / "order_pack"
FLOW = ROOT / "fortran_stub" / "flow"
FILES = [path.read_text(encoding="utf-8") for place in (PACK, FLOW) for path in place.glob("*.*")]
#: Pages, each to the heading where the parts of these end, or whole.
PAGES = {
    "write-block-kernels.md": "## Colours and sweeps",
    "keep-arrays-on-the-gpu.md": None,
}
N = (9, 4, 3)


def ordered() -> list[str]:
    """Texts of the section of colours and sweeps."""
    page = ROOT / "docs" / "how-to" / "write-block-kernels.md"
    _, _, text = page.read_text(encoding="utf-8").partition("## Colours and sweeps")
    return re.findall(r"```(?:cpp|toml)\n(.*?)```", text, re.S)


def blocks(page: str) -> list[tuple[str, str]]:
    """Kind and text of what is set apart on a page."""
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    heading = PAGES[page]
    if heading:
        text, found, _ = text.partition(heading)
        assert found, "the heading where the parts of the pack end"
    return re.findall(r"```(\w*)\n(.*?)```", text, re.S)


def told(page: str, *words: str) -> str:
    """The one message of a page with these words, on one line."""
    texts = [" ".join(text.split()) for kind, text in blocks(page) if not kind]
    (message,) = (text for text in texts if all(word in text for word in words))
    return message


LISTINGS = [
    pytest.param(text, id=f"{page}-{number}")
    for page in PAGES
    for number, (kind, text) in enumerate(blocks(page), start=1)
    if kind in ("fortran", "cpp", "toml") and not re.match(r"! \w+\.f90\n", text)
]


@pytest.mark.parametrize("listing", LISTINGS)
def test_listing(listing: str) -> None:
    assert any(listing in file for file in FILES)


def test_listings_of_colours_and_sweeps() -> None:
    files = [path.read_text(encoding="utf-8") for path in ORDERS.iterdir()]
    assert len(ordered()) == 4
    for listing in ordered():
        assert any(listing in file for file in files), listing


@pytest.mark.parametrize("page, kinds", [
    ("write-block-kernels.md", {"fortran", "cpp", "toml"}),
    ("keep-arrays-on-the-gpu.md", {"fortran"}),
])  # fmt: skip
def test_there_are_listings_of_every_kind(page: str, kinds: set[str]) -> None:
    assert kinds <= {kind for kind, _ in blocks(page)}


def test_files_of_the_commands_are_there() -> None:
    commands = "".join(text for kind, text in blocks("keep-arrays-on-the-gpu.md") if kind == "sh")
    files = set(re.findall(r"(?<=\s)(?:cases|flow)/\w+\.\w+", commands))
    assert len(files) == 2
    assert all((FLOW.parent / file).is_file() for file in files), files


def test_reads_that_contradict_the_header_end_the_build_as_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = shutil.copytree(PACK, tmp_path / "pack")
    catalogue = (pack / "catalogue.toml").read_text()
    said = "reads.flow_Q = { x = [-1, 0] }"
    wide = catalogue.replace(said, said.replace("-1", "-2"), 1)
    (pack / "catalogue.toml").write_text(wide)
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(bridge.ArgumentError) as refused:
        list(packbuild.build([pack]))
    words = told("write-block-kernels.md", "argument reads").replace("...", str(pack))
    assert str(refused.value) == words


# ---- the pack, built ----------------------------------------------------------------------------


@pytest.fixture
def tv(examples_built: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TVProperties]:
    """Of a Frame without species that has the packs and the constants."""
    monkeypatch.setenv("BRIDGE_PACKS", f"{PACK}:{ORDERS}")
    monkeypatch.setenv("BRIDGE_CACHE", str(examples_built))
    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
    frame = bridge.Frame()
    frame.set("backend", "cpu")
    frame.initialize(0, 64, 0, 0)
    frame.tvproperties.constant("flow_spacing", np.full(3, 1e-3))
    frame.tvproperties.constant("flow_dt", 1e-7)
    frame.tvproperties.constant("flow_a", 0.5)
    yield frame.tvproperties
    frame.finalize()


def interior(fringe: int) -> dict[str, Any]:
    return {
        f"{which}pt{axis}": fringe + (1 if which == "S" else n)
        for axis, n in zip("XYZ", N, strict=True)
        for which in "SE"
    }


def array(fringe: int, columns: int, value: float = -7.0) -> np.ndarray:
    return np.full((*(n + 2 * fringe for n in N), columns), value, order="F")


def conserved(fringe: int) -> np.ndarray:
    """A gas in motion, other at each point."""
    random, Q = np.random.default_rng(2), array(fringe, 5)
    Q[..., 0] = random.uniform(1.0, 1.3, Q.shape[:3])
    Q[..., 1:4] = random.uniform(-20.0, 60.0, (*Q.shape[:3], 3))
    Q[..., 4] = random.uniform(2.4e5, 2.6e5, Q.shape[:3])
    return Q


def test_the_composite_of_the_page_does_what_its_kernels_do(tv: TVProperties) -> None:
    """In one run with a fringe of one layer; the fringe of a bound output stays as it was."""
    whole, parts, start = conserved(1), conserved(1), conserved(1)
    found = array(1, 6)
    for name, data in {"one": whole, "cells": parts}.items():
        tv.bind_array(name, "flow_Q", "inout", data, **interior(1))
        tv.bind_array(name, "flow_Qstart", "in", start, **interior(1))
    tv.bind_array("one", "flow_properties", "out", found, **interior(1))
    before = whole.copy()
    tv.run("one", "stageOfCells")

    properties = array(1, 6)
    tv.bind_array("cells", "flow_properties", "inout", properties, **interior(1))
    tv.bind_array("cells", "flow_change", "inout", array(1, 5), **interior(1))
    for place, axis in enumerate("XYZ"):
        faces = [*N]
        faces[place] += 1
        flux = np.full((*faces, 5), -7.0, order="F")
        tv.bind_array(f"faces{axis}", f"flow_flux{axis}", "out", flux)
        for name in ("flow_Q", "flow_properties"):
            tv.bind_from(f"faces{axis}", name, "cells")
        tv.bind_from("cells", f"flow_flux{axis}", f"faces{axis}")
    box = [number for n in N for number in (0, n + 1)]
    tv.run("cells", "properties", box=box)
    for axis in "XYZ":
        tv.run(f"faces{axis}", f"flux{axis}")
    tv.run("cells", "divergence")
    tv.run("cells", "rkUpdate")

    np.testing.assert_allclose(whole, parts, rtol=1e-13)
    inner = (slice(1, -1),) * 3
    assert (whole[inner] != before[inner]).all()
    np.testing.assert_allclose(found[inner], properties[inner], rtol=1e-13)
    found[inner] = -7.0
    assert (found == -7.0).all() and (properties != -7.0).all()


def test_a_fringe_that_is_too_small_is_refused_as_told(tv: TVProperties) -> None:
    Q = conserved(0)
    tv.bind_array("cells", "flow_Q", "inout", Q)
    tv.bind_array("cells", "flow_Qstart", "in", conserved(0))
    before = Q.copy()
    with pytest.raises(bridge.ArgumentError) as refused:
        tv.run("cells", "stageOfCells")
    assert str(refused.value) == told("write-block-kernels.md", "missing")
    np.testing.assert_array_equal(Q, before)


def test_a_set_beyond_the_array_is_refused_as_told(tv: TVProperties) -> None:
    tv.bind_array("cells", "flow_Q", "in", np.ones((12, 10, 9, 5), order="F"), SptX=3, EptX=10,
                  SptY=3, EptY=8, SptZ=3, EptZ=7)  # fmt: skip
    tv.bind_array("cells", "flow_properties", "in", np.ones((8, 6, 5, 6), order="F"))
    tv.bind_array("facesX", "flow_fluxX", "out", np.zeros((9, 6, 5, 5), order="F"))
    tv.bind_from("facesX", "flow_Q", "cells", shift=[5, 0, 0])
    tv.bind_from("facesX", "flow_properties", "cells")
    with pytest.raises(bridge.ArgumentError) as refused:
        tv.run("facesX", "fluxX")
    assert str(refused.value) == told("write-block-kernels.md", "argument shift")


def test_a_layer_among_what_is_read_is_refused_as_told(tv: TVProperties) -> None:
    Q = conserved(1)
    tv.bind_array("inlet", "flow_Q", "in", Q, **interior(1))
    tv.bind_array("inlet", "flow_ghost", "out", Q, **interior(1))
    with pytest.raises(bridge.ArgumentError) as refused:
        tv.run("inlet", "inflow")
    assert str(refused.value) == told("write-block-kernels.md", "argument flow_ghost")


def test_an_inlet_of_the_page_is_computed_from_the_cells_beside_it(tv: TVProperties) -> None:
    """In the layer of the set alone: velocity and temperature given, pressure of the cell."""
    f, Q = 2, conserved(2)
    before, spans = Q.copy(), interior(f) | {"SptX": f, "EptX": f}
    tv.bind_array("inlet", "flow_Q", "in", Q, **spans)
    tv.bind_array("inlet", "flow_ghost", "out", Q, **spans)
    tv.run("inlet", "inflow")
    layer = (f - 1, slice(f, -f), slice(f, -f))
    ghost, inside = Q[layer], before[f, f:-f, f:-f]

    def pressure(cells: np.ndarray) -> np.ndarray:
        kinetic = 0.5 * (cells[..., 1:4] ** 2).sum(axis=-1) / cells[..., 0]
        return np.asarray(0.4 * (cells[..., 4] - kinetic))

    np.testing.assert_allclose(pressure(ghost), pressure(inside), rtol=1e-12)
    np.testing.assert_allclose(ghost[..., 1] / ghost[..., 0], 60.0, rtol=1e-12)
    np.testing.assert_allclose(pressure(ghost) / (287.0 * ghost[..., 0]), 310.0, rtol=1e-12)
    Q[layer] = before[layer]
    np.testing.assert_array_equal(Q, before)


@pytest.mark.parametrize(
    "asked, argument",
    [({"outputs": ("flow_fluxX",)}, "outputs"), ({"composite": "stageOfCells"}, "composite")],
)
def test_states_of_evaluate_have_no_neighbours(
    tv: TVProperties, asked: dict[str, Any], argument: str
) -> None:
    columns = {"flow_Q": 5, "flow_Qstart": 5, "flow_properties": 6}
    if argument == "composite":
        del columns["flow_properties"]
    else:
        del columns["flow_Qstart"]
    inputs = {name: np.ones((3, n)) for name, n in columns.items()}
    constants = {"flow_spacing": np.ones(3), "flow_dt": 1.0, "flow_a": 1.0}
    with pytest.raises(bridge.ArgumentError, match=r"that read neighbours \(.*fluxX") as refused:
        bridge.evaluate(inputs=inputs | constants, **asked)
    assert f"argument {argument}: " in str(refused.value)
