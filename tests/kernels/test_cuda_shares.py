"""The share of the limits of link and memory that runs on a stand-in device had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.cuda_cases import CATALOGUE, NS, SPECIES, fringed

import bridge
from bridge import machine
from bridge.backends import Backend, open_backend
from bridge.backends.base import Spent
from bridge.backends.host.library import choose
from bridge.machine import Figures, Gpu
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

#: Of the stand-in: bytes per second that are easy to compute with.
LINK = Gpu("stand-in", to=1e9, back=5e8, memory=1e12, arithmetic=1e13)
MEMORY = Gpu("stand-in", to=1e15, back=1e15, memory=1e9, arithmetic=1e13)


def keep(gpu: Gpu | None, cache: Any, patch: pytest.MonkeyPatch) -> None:
    """As if `bridge advise` had measured this machine."""
    patch.setenv("BRIDGE_CACHE", str(cache))
    isa = choose().isa
    figures = Figures("node7", "2020-02-02", "P", 4, isa, (1e10, 2e10), (1e11, 4e11), {}, {}, gpu)
    machine.keep(figures)


@pytest.fixture
def limited(
    make: Callable[..., Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Gpu | None], Any]:
    def limited(gpu: Gpu | None) -> Any:
        keep(gpu, tmp_path, monkeypatch)
        return make()

    return limited


@pytest.mark.parametrize("graphs", ["0", "1"])
@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("layout", ["last", "first"])
def test_what_crosses_the_link_bounds_a_run(
    limited: Callable[[Gpu | None], Any],
    graphs: str,
    locked: bool,
    layout: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """NS - 1 mass fractions go in and NS come out, at the same time; what stays on the device is
    not brought again. Every run takes a millisecond of the stand-in."""
    monkeypatch.setenv("BRIDGE_GRAPH", graphs)
    points, shape = 140, (7, 5, 4)
    for limits, link, memory in ((LINK, 1.0, 0.0), (MEMORY, 0.0, 1.0)):
        gpu = limited(limits)
        gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
        plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
        _, source, leading = fringed(shape, ((1, 1),) * 3, NS - 1, layout, 1)
        _, target, whole = fringed(shape, ((1, 1),) * 3, NS, layout, 2)
        for binding in (source, target) if locked else ():
            gpu.adopt(binding)
        program = gpu.program(plan, {"Y_leading": source, "Y": target})
        assert program.spent() == Spent(0, 0)
        outward, inside = 8 * NS * points * 2.0, 8 * (2 * NS - 1) * points * 1.0
        inward = 8 * (NS - 1) * points * 1.0
        for _ in range(4):
            program.run_box(points, 40)
            assert program.spent() == Spent(
                round(link * max(inward, outward) + memory * inside), 1_000_000
            )
            np.testing.assert_array_equal(whole[..., :-1], leading)
        gpu.device.limits = Gpu("stand-in", 1e9, 1e15, 1e15, 1e13)
        for said in (True, True):
            program.run_box(points, 40, ("Y_leading",) if said else ())
        assert program.spent().least == 0  # kept, and the other direction takes no time


def test_nothing_is_recorded_where_nobody_has_measured(
    limited: Callable[[Gpu | None], Any],
) -> None:
    """Neither without figures nor with those of another GPU."""
    for limits in (None, Gpu("another", 1e9, 1e9, 1e12, 1e13)):
        gpu = limited(limits)
        gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
        plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
        _, source, _ = fringed((3, 2, 2), ((1, 1),) * 3, NS - 1, "last", 1)
        _, target, _ = fringed((3, 2, 2), ((1, 1),) * 3, NS, "last", 2)
        program = gpu.program(plan, {"Y_leading": source, "Y": target})
        program.run_box(12, 40)
        assert program.spent() == Spent(0, 0) and gpu.limit() is None


def test_a_report_tells_the_share_of_a_gpu(
    make: Callable[..., Any],
    tmp_path: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    keep(LINK, tmp_path, monkeypatch)

    def opened(name: str, **named: Any) -> Backend:
        found: Backend = make() if name == "cuda" else open_backend(name, **named)
        return found

    monkeypatch.setattr("bridge.frame.open_backend", opened)
    frame = bridge.Frame()
    frame.set("species", "N2")
    frame.set("backend", "cuda")
    frame.initialize(0, 10000, 1, 0)
    points = 3000
    arrays = [np.full((points, 1, 1), v, order="F") for v in (300.0, 1e5, 1.0, 0.0)]
    for name, array in zip(("T", "P", "Y", "rho"), arrays, strict=True):
        frame.tvproperties.bind_array("cells", name, "out" if name == "rho" else "in", array)
    for _ in range(3):
        frame.tvproperties.run("cells", "eosRhohFromTPprop")
    frame.report()
    frame.finalize()
    printed = capsys.readouterr().out
    assert "GPU limit    link 1 and 0.5 GB/s, memory 1e+03 GB/s, of node7, 2020-02-02" in printed
    (row,) = [line for line in printed.splitlines() if "run eosRhohFromTPprop" in line]
    # 24 bytes of a point in, 72 microseconds; 8 out, 48: of a millisecond
    assert row.split()[-1] == "7" and "% of the" in printed and "GPU limit" in printed
    (waited,) = [line for line in printed.splitlines() if "wait eosRhohFromTPprop" in line]
    assert len(waited.split()) < len(row.split())
