"""Figures of the GPU that is there, and the bounds that come of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.advise import limits
from bridge.advise.advice import advise

pytestmark = pytest.mark.gpu
LOOPS = Path(__file__).parents[2] / "fortran_stub" / "bench" / "loops"


def test_a_gpu_has_bounds_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST", 1 << 22)
    monkeypatch.setattr(limits, "TURN", 1e-4)
    figures = limits.measure()
    gpu = figures.gpu
    assert gpu is not None
    # a link of the third generation of PCIe at least, memory and arithmetic of a computing GPU
    assert 5e9 < min(gpu.to, gpu.back) < gpu.memory and gpu.arithmetic > 1e11
    advice = advise("update", figures, pack=LOOPS)
    over, inside = advice.bounds[3:]
    assert over.one == pytest.approx(1e9 * max(88 / gpu.to, 40 / gpu.back))
    assert inside.one < over.one and gpu.name in inside.name
