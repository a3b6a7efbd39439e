"""Bits of status words that every run on the CPU counts by itself: as many as the words have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from unit.blocks import SPECIES

from bridge import log
from bridge.backends.cpu import tallies
from bridge.backends.host import library
from bridge.frame import Frame

NS = len(SPECIES)
COMPOSITE = "eosThermalProperties"


def field(shape: tuple[int, int, int], seed: int = 3) -> np.ndarray:
    """Q of which many points are bad, some in more than one way, and others have other bits."""
    rng = np.random.default_rng(seed)
    Q = np.zeros((*shape, 5 + NS), order="F")
    Q[..., 0] = rng.choice([1e7, 2e6, -1.0, np.nan], shape, p=[0.5, 0.3, 0.1, 0.1])
    Q[..., 4] = rng.choice([150.0, 300.0, 5000.0, -4.0], shape, p=[0.3, 0.3, 0.3, 0.1])
    Q[..., 5:] = rng.dirichlet(np.ones(NS), shape)
    Q[..., 5] = np.where(rng.random(shape) < 0.1, np.nan, Q[..., 5])
    return Q


@pytest.fixture
def frame() -> Any:
    frame = Frame()
    for key, value in (("backend", "cpu"), ("species", " ".join(SPECIES)), ("threads", 2)):
        frame.set(key, value)
    frame.set("stability", "off")
    frame.initialize(0, 4096, NS, 5 + NS)
    yield frame
    if frame.initialized:
        frame.finalize()


def by_bit(words: np.ndarray) -> np.ndarray:
    counts = [np.count_nonzero(words >> bit & 1) for bit in range(32)]
    return np.array(counts) * (tallies.COUNTED >> np.arange(32) & 1)


def met(frame: Frame, name: str = COMPOSITE) -> np.ndarray:
    return np.asarray(frame.tvproperties.impl.backend.met()[name])


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 2), (16, 4, 2), (17, 9, 8), (300, 7, 3)])
@pytest.mark.parametrize("masked", [0.0, 0.4, 0.95])
def test_as_many_as_the_words_have(frame: Frame, shape: Any, masked: float) -> None:
    """Rows that fill vectors and others, packed points, threads; points that do not count, where
    they are few and where most of them are."""
    tv, Q = frame.tvproperties, field(shape)
    status, rho = np.zeros(shape, np.int32, order="F"), np.zeros(shape, order="F")
    tv.bind_array("cells", "Q", "in", Q)
    tv.bind_array("cells", "rho", "out", rho)
    mask = np.asfortranarray(np.random.default_rng(5).random(shape) >= masked).astype(np.int32)
    if masked:
        tv.bind_array("cells", "iblank", "in", mask)
    tv.run("cells", COMPOSITE)
    alone = met(frame)
    tv.bind_array("cells", "status", "out", status)
    tv.run("cells", COMPOSITE)
    wanted = by_bit(np.where(mask != 0, status, 0) if masked else status)
    if shape[0] > 5 and masked < 0.9:
        assert wanted[:3].all()
    np.testing.assert_array_equal(alone, wanted)
    np.testing.assert_array_equal(met(frame), 2 * wanted)


def test_many_blocks_and_views(frame: Frame) -> None:
    tv = frame.tvproperties
    T = np.array([300.0, -1.0, 300.0, -2.0, -3.0, 300.0, 0.0])
    data = {"T": T, "P": np.full(7, 1e7), "Y": np.full(7 * NS, 1.0 / NS), "rho": np.zeros(7)}
    for name, values in data.items():
        columns = NS if name == "Y" else 1
        bounds = [[n, 1, 1, 1, n, 1, 1, 1, 1, 1, columns, columns] for n in (4, 3)]
        intent = "out" if name == "rho" else "in"
        tv.bind_blocks("cells", name, intent, values, bounds, [0, 4 * columns])
    tv.run("cells", COMPOSITE)
    assert met(frame)[:3].tolist() == [4, 0, 0]
    for name in ("T", "P", "Y"):
        shape = (7, 1, 1, NS) if name == "Y" else (7, 1, 1)
        tv.populate_input_stripe(name, data[name].reshape(shape, order="F"))
    tv.composite(COMPOSITE, 7)
    assert met(frame)[:3].tolist() == [8, 0, 0]


def test_a_search_that_does_not_end(frame: Frame) -> None:
    """Bits of the search are in the words that mergeStatus makes; enthalpies that no temperature
    has are among them."""
    tv, n = frame.tvproperties, 40
    rng = np.random.default_rng(2)
    status = np.zeros((n, 1, 1), np.int32, order="F")
    values = {"P": np.full(n, 1e7), "h_target": rng.choice([1e5, np.nan, 1e9, -1e9], n)}
    for name, numbers in values.items():
        tv.bind_array("cells", name, "in", numbers.reshape(n, 1, 1))
    Y = np.asfortranarray(np.full((n, 1, 1, NS), 1.0 / NS))
    tv.bind_array("cells", "Y", "in", Y)
    tv.bind_array("cells", "T", "out", np.zeros((n, 1, 1), order="F"))
    tv.bind_array("cells", "status", "out", status)
    tv.run("cells", "prEOSCalcTFromHP")
    wanted = by_bit(status)
    assert wanted[0] == np.isnan(values["h_target"]).sum() > 0
    assert wanted[9] == (values["h_target"] == -1e9).sum() > 0  # H_BELOW
    assert wanted[10] == (values["h_target"] == 1e9).sum() > 0  # H_ABOVE
    np.testing.assert_array_equal(met(frame, "prEOSCalcTFromHP"), wanted)


def test_said_once_at_the_end(frame: Frame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every composite that met bad points; nothing where none did."""
    lines: list[str] = []
    monkeypatch.setattr(log, "say", lines.append)
    tv = frame.tvproperties
    Q = np.zeros((4, 1, 1, 5 + NS), order="F")
    Q[..., 0], Q[..., 4], Q[..., 5:] = 1e7, 300.0, 1.0 / NS
    tv.bind_array("cells", "Q", "in", Q)
    tv.bind_array("cells", "rho", "out", np.zeros((4, 1, 1), order="F"))
    tv.run("cells", COMPOSITE)
    assert tv.met() == {}
    Q[2, 0, 0, 4] = -1.0
    for _ in range(3):
        tv.run("cells", COMPOSITE)
    assert lines == []
    frame.finalize()
    assert lines == [f"rank 0: status of {COMPOSITE}, all runs and launches: 3 BAD_T"]


def test_no_more_tallies_than_a_library_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "_numbers", {})

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

    mine: Any = library.choose()
    most = int(mine.lib.BRIDGE_TALLIES)
    plans: list[Any] = [Named(str(number)) for number in range(most + 1)]
    assert [tallies.number(mine, plan) for plan in plans] == [*range(most), None]
    assert tallies.number(mine, plans[3]) == 3
