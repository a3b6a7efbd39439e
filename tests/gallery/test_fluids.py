"""Stable fluids: the reference itself, and what the ladder's table is made of."""

from __future__ import annotations

import numpy as np
import pytest

from bridge_gallery import fluids
from bridge_gallery.fluids import blocked, reference
from bridge_gallery.fluids.blocked import Passes
from bridge_gallery.fluids.launches import SETTINGS, Steps, bytes_of, half_sweeps
from bridge_gallery.fluids.layouts import Halves, Rows


def test_projection_takes_divergence_away() -> None:
    """Of a wave of 8 cells all but the share by which differences over two cells and over one
    differ: sin(pi / 8)**2."""
    n = 64
    y, x = np.mgrid[0 : n + 2, 0 : n + 2].astype("f4") * np.float32(np.pi / 4)
    u, v = np.sin(x).astype("f4"), np.zeros_like(x)
    p, div = np.zeros_like(u), np.zeros_like(u)
    left = []
    for _ in range(2):
        reference.project(u, v, p, div)
        left.append(np.abs(div[16:-16, 16:-16]).max())
    assert left[1] / left[0] == pytest.approx(np.sin(np.pi / 8) ** 2, rel=0.1)


def test_still_fluid_gets_sources_once() -> None:
    """In the first step, and not again while something is left of them."""
    n = 66
    fields = {name + end: np.zeros((n + 2, n + 2), "f4") for name in "uvd" for end in ("", "0")}
    reference.step(fields, SETTINGS)
    most = fields["d"].max()
    assert most > 100 and np.abs(fields["u"]).max() > 1
    reference.step(fields, SETTINGS)
    assert fields["d"].sum() > 0 and fields["d"].max() < most


@pytest.mark.parametrize("layout", [Halves.of_document(10), Halves.aligned(10), Rows(10)])
def test_layouts_hold_every_cell_once(layout: Halves | Rows) -> None:
    """A cell's value is found once, and nothing but zeros beside them."""
    field = np.arange(1.0, 145.0, dtype="f4").reshape(12, 12)
    packed = layout.packed(field)
    assert packed.shape == layout.shape
    assert sorted(packed[packed != 0]) == list(range(1, 145))


def test_bytes_of_the_schemes() -> None:
    """100 sweeps of 12 bytes, and the rest of a step; passes of 5 sweeps take a fifth of it."""
    steps = Steps(Halves.of_document(64), half_sweeps())
    rest = 24 + 36 + 2 * (16 + 20) + 12 + 12 + 16
    assert bytes_of([*steps.react(), *steps.step()]) == 100 * 12 + rest
    ours = Passes(Rows(4096), 5).step()
    assert blocked.bytes_of(ours) == 5 * (8 + 3 * 12) + 2 * 12 + 20 + 16 + 28


@pytest.mark.parametrize("sweeps", blocked.WARPS)
def test_passes_never_write_what_they_read(sweeps: int) -> None:
    """Neighbouring warps read what a warp writes: not in the same launch."""
    for one in Passes(Rows(256), sweeps).step():
        if one.kernel.startswith("sweep"):
            fields = one.arguments[8:]  # behind sizes, strengths, sources and the largest value
            layers = one.grid[2]
            rhs, source, target = (fields[k : k + layers] for k in (0, 3, 6))
            assert not set(target) & ({*rhs, *source} if one.kernel == "sweep_next" else {*rhs})


@pytest.mark.parametrize(("size", "ladder"), [("63", "fluids"), ("62", "fluids"), ("64", "nbody")])
def test_size_is_checked(size: str, ladder: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Even, 64 or more, and of a ladder that has one."""
    from bridge import cli

    assert cli.main(["gallery", ladder, "--backend", "cpu", "--size", size]) == 1
    assert "--size" in capsys.readouterr().err


def test_size_is_taken() -> None:
    """All rungs at that size."""
    (problem,) = fluids.at(512)
    assert problem.cells == 512 * 512 and len(problem.rungs) > 25
