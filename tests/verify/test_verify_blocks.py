"""Verify mode where kernels read neighbours, components are points, sets have many blocks, points
are masked or follow each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.cli import main
from bridge.plan.catalogue import shipped_file
from bridge.verify.verifier import Verifier

Make = Callable[..., bridge.Frame]
EXTENT, FRINGE, NC = (11, 5, 4), 2, 3
SPANS: dict[str, Any] = {
    f"{what}{axis}": FRINGE + (1 if what == "Spt" else n)
    for axis, n in zip("XYZ", EXTENT, strict=True)
    for what in ("Spt", "Ept")
}
GROWN = tuple(n + 2 * FRINGE for n in EXTENT)


def totals(frame: bridge.Frame) -> dict[str, Any]:
    found: Verifier | None = frame._observers.verifier
    assert found is not None
    return {key[2]: one for key, one in found.told.totals.items()}


def values(*more: int) -> np.ndarray:
    return np.asfortranarray(np.random.default_rng(2).normal(size=(*GROWN, *more)))


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("run", ["stSmoothed", "stLaplacian", "stCorner"])
def test_neighbours_and_components(
    frame_of: Make, stencil_packs: tuple[Path, Path], first: bool, run: str
) -> None:
    """Stages as well: each look takes one component, in turn."""
    outputs = {"stSmoothed": ("st_a", "st_b", "st_c", "st_lap"), "stLaplacian": ("st_lap",),
               "stCorner": ("st_corner",)}[run]  # fmt: skip
    components = 1 if run == "stCorner" else NC
    frame = frame_of(stencil_packs)
    tv = frame.tvproperties
    p = values(components)
    p = np.asfortranarray(np.moveaxis(p, 3, 0)) if first else p
    tv.bind_array("cells", "st_p", "in", p, component_first=first, **SPANS)
    for name in outputs:
        tv.bind_array("cells", name, "out", np.zeros(p.shape, order="F"), component_first=first,
                      **SPANS)  # fmt: skip
    for _ in range(components):
        tv.run("cells", run)
    found = totals(frame)
    assert {*found} == {*outputs}
    assert all(one.points == components * np.prod(EXTENT) for one in found.values())
    assert all(one.measure < 1e-13 for one in found.values()), found


def test_a_wrong_neighbour_is_seen_and_kept(
    frame_of: Make, stencil_packs: tuple[Path, Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A loop of the host that reads one wrong neighbour: the file has all neighbours."""
    frame = frame_of(stencil_packs)
    tv = frame.tvproperties
    p, lap = values(1), np.zeros((*GROWN, 1), order="F")
    tv.bind_array("cells", "st_p", "in", p, **SPANS)
    tv.bind_array("cells", "st_lap", "out", lap, **SPANS)
    tv.run("cells", "stLaplacian")
    right = lap.copy()
    tv.compare_begin("cells", "stLaplacian", 1.0)
    lap[...] = right
    lap[7, 4, 3] += 1e-3
    tv.compare("cells", "stLaplacian")
    found = frame._observers.verifier
    assert found is not None
    one = found.told.totals["cells", "stLaplacian", "st_lap", "the host's loop"]
    assert (one.above, one.at) == (1, "(8, 5, 4)")
    frame.finalize()
    [file] = tmp_path.glob("found.0.*.json")
    capsys.readouterr()
    assert main(["replay", str(file), "--on", "v2"]) == 1
    told = capsys.readouterr().out
    assert f"[{lap[7, 4, 3, 0]}] of the reference; seen again on v2" in told


def test_masked_points_do_not_count(frame_of: Make, stencil_packs: tuple[Path, Path]) -> None:
    frame = frame_of(stencil_packs)
    tv = frame.tvproperties
    mask = np.ones(GROWN, np.int32, order="F")
    mask[FRINGE : FRINGE + 3] = 0
    tv.bind_array("cells", "st_p", "in", values(1), **SPANS)
    tv.bind_array("cells", "iblank", "in", mask, **SPANS)
    tv.bind_array("cells", "st_corner", "out", np.zeros(GROWN, order="F"), **SPANS)
    tv.run("cells", "stCorner")
    [one] = totals(frame).values()
    assert one.points == np.prod(EXTENT) - 3 * np.prod(EXTENT[1:]) and one.measure < 1e-13


def test_many_blocks(frame_of: Make, stencil_packs: tuple[Path, Path]) -> None:
    frame = frame_of(stencil_packs)
    tv = frame.tvproperties
    extents = [(7, 5, 4), (6, 8, 5)]
    bounds = [(x, y, z, 2, x - 1, 2, y - 1, 2, z - 1, 1, 1, 1) for x, y, z in extents]
    offsets = [0, 7 * 5 * 4]
    memory = np.random.default_rng(3).normal(size=7 * 5 * 4 + 6 * 8 * 5)
    lap = np.zeros(memory.size)
    tv.bind_blocks("many", "st_p", "in", memory, bounds, offsets)
    tv.bind_blocks("many", "st_lap", "out", lap, bounds, offsets)
    tv.run("many", "stLaplacian")
    [one] = totals(frame).values()
    assert one.points == 5 * 3 * 2 + 4 * 6 * 3 and one.measure < 1e-13
    assert "of block" in one.at


def test_what_follows_each_other_is_said_not_to_be_verified(
    frame_of: Make, order_packs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    frame = frame_of(order_packs)
    catalogue = frame.tvproperties._catalogue
    kernel = next(k for k in catalogue.kernels.values() if k.file != shipped_file()
                  and catalogue.single(k.name, 0).ordered)  # fmt: skip
    tv = frame.tvproperties
    for name in dict.fromkeys((*kernel.inputs, *kernel.outputs)):
        if name in catalogue.constants or name in catalogue.positions:
            continue
        quantity = catalogue.quantity(name)
        columns = catalogue.columns(name, 0)
        array = np.ones((*GROWN, columns), quantity.dtype, order="F")
        both = name in kernel.inputs and name in kernel.outputs
        intent = "inout" if both else "in" if name in kernel.inputs else "out"
        tv.bind_array("cells", name, intent, array, **SPANS)
    tv.run("cells", kernel.name)
    frame.finalize()
    assert f"not verified: {kernel.name} of set 'cells': its points follow" in (
        capsys.readouterr().out
    )
