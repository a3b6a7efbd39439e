"""Frames, and mechanism files, for the tests of the Python side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit.blocks import SPECIES

import bridge


@pytest.fixture
def make_frame(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Frames on the backend under test, the CPU where a module names none, that are finalised at
    the end of the test."""
    name = request.getfixturevalue("backend") if "backend" in request.fixturenames else "cpu"
    frames = []

    def make(
        n_grid_points: int = 64,
        species: tuple[Any, ...] | None = SPECIES,
        nq: int | None = None,
        **settings: Any,
    ) -> bridge.Frame:
        frame = bridge.Frame()
        frame.set("backend", name)
        frame.set("threads", "1")
        if species:
            frame.set("species", " ".join(species))
        for key, value in settings.items():
            frame.set(key, value)
        ns = len(species) if species else 3
        frame.initialize(0, n_grid_points, ns, 5 + ns if nq is None else nq, 0)
        frames.append(frame)
        return frame

    yield make
    for frame in frames:
        if frame.initialized:
            frame.finalize()


@pytest.fixture
def as_numpy(backend: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], np.ndarray]:
    """Results as NumPy arrays. A stand-in's memory is the host's, so NumPy has it without CuPy."""
    import backends

    if backend == "cuda" and backends.STANDIN:
        from contextlib import nullcontext

        from bridge.backends.gpu.ndarrays import GpuNdarrays
        from bridge.backends.host import ndarrays

        monkeypatch.setattr(GpuNdarrays, "_stream", lambda self: nullcontext())
        monkeypatch.setattr(
            GpuNdarrays, "_on_device", lambda self, binding: ndarrays.on_memory(binding)
        )
    return lambda array: array.get() if hasattr(array, "get") else np.asarray(array)


@pytest.fixture(scope="module")
def ct() -> Any:
    module = pytest.importorskip("cantera")
    module.suppress_thermo_warnings()
    return module


@pytest.fixture
def mechanism(tmp_path: Path) -> Callable[..., Any]:
    """Write a mechanism file; `species` is text that follows `species:`."""

    def write(species: str, head: str = "") -> Path:
        file = tmp_path / "mech.yaml"
        file.write_text(f"{head}\nspecies:{species}", encoding="utf-8")
        return file

    return write
