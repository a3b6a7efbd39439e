"""Kernels compiled ahead: nodes without a compiler, and that runs ask for what was built."""

from __future__ import annotations

import mmap
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from kernels.kernelcache import Compiler
from standin import StandIn

import bridge.backends.cuda
import bridge.frame
from bridge.backends.cuda import CudaBackend, api, cache, precompile, why_unusable
from bridge.backends.gpu import marshal
from bridge.errors import ArgumentError, DeviceError
from bridge.tvproperties import TVProperties


def test_what_was_compiled_ahead_needs_no_compiler(tmp_path: Path, no_compiler: None) -> None:
    cache.compiled("text", "sm_90", using=Compiler("one 1"), place=tmp_path)
    got = cache.compiled("text", "sm_90", place=tmp_path, driver="13000")
    assert got.cubin == b"text by one 1"
    cache.compiled("text", "sm_90", using=Compiler("two 2"), place=tmp_path)
    assert cache.compiled("text", "sm_90", place=tmp_path).cubin == b"text by two 2"
    cache.compiled("text", "sm_90", using=Compiler("one 1"), place=tmp_path)
    assert cache.compiled("text", "sm_90", place=tmp_path).cubin == b"text by one 1"


def test_what_a_run_has_compiled_serves_nodes_of_the_same_driver(
    tmp_path: Path, no_compiler: None
) -> None:
    cache.compiled("text", "sm_90", using=Compiler(), place=tmp_path, driver="13000")
    assert cache.compiled("text", "sm_90", place=tmp_path, driver="13000").cubin
    with pytest.raises(DeviceError, match="no compiler.*\n.*\n.*sm_90.*kernels build") as raised:
        cache.compiled("text", "sm_90", place=tmp_path, driver="12090")
    assert str(tmp_path) in str(raised.value)


def test_a_compiler_that_is_there_counts(tmp_path: Path) -> None:
    cache.compiled("text", "sm_90", using=Compiler("one 1"), place=tmp_path)
    got = cache.compiled("text", "sm_90", using=Compiler("two 2"), place=tmp_path, driver="1")
    assert got.cubin == b"text by two 2"


def test_a_gpu_is_usable_where_its_kernels_were_compiled_ahead(
    tmp_path: Path, no_compiler: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = SimpleNamespace(CDLL=lambda name: None)
    monkeypatch.setattr(bridge.backends.cuda, "ctypes", driver)
    monkeypatch.setattr(api, "Api", lambda: StandIn())  # an sm_90
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path))

    def compiled(arch: str) -> None:
        cache.compiled(marshal.SOURCE, arch, using=Compiler(), place=cache.folder())

    compiled("sm_80")
    reason = why_unusable()
    assert reason is not None
    assert "nothing is precompiled for sm_90" in reason and "no compiler for GPU" in reason
    compiled("sm_90")
    assert why_unusable() is None


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """asked(number of columns of Q) -> a TVProperties, and the sources that it asks for."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    for name in ("BRIDGE_BACKEND", "BRIDGE_LAUNCH", "BRIDGE_POLICY", "BRIDGE_QLAYOUT"):
        monkeypatch.delenv(name, raising=False)
    device: Any = StandIn()
    texts: set[str] = set()

    def compiled(text: str, arch: str, **named: Any) -> Any:
        texts.add(text)
        return device.compile(text, arch)

    def asked(nq: int) -> tuple[TVProperties, set[Any]]:
        monkeypatch.setattr(cache, "compiled", compiled)
        frame.set("species", "O2 CH4")
        frame.initialize(0, 64, 2, nq)
        return frame.tvproperties, texts

    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path))
    monkeypatch.setattr(bridge.frame, "open_backend", lambda *_, **__: CudaBackend(api=device))
    frame = bridge.Frame()
    yield asked
    frame.finalize()


def built(monkeypatch: pytest.MonkeyPatch, **named: Any) -> set[str]:
    """Texts that `bridge kernels build` compiles."""
    texts: set[str] = set()
    monkeypatch.setattr(
        precompile, "_compile", lambda tasks: texts.update(t[0].text for t in tasks)
    )
    precompile.build(["sm_90"], [2], **named)
    return texts


def pages(*shape: Any) -> np.ndarray:
    """Zeros whose pages are no other array's, which are page-locked then."""
    memory = np.frombuffer(mmap.mmap(-1, 8 * int(np.prod(shape))), np.float64)
    return memory.reshape(shape, order="F")


@pytest.mark.parametrize("nq", [7, 6])
def test_calls_on_views_ask_for_what_was_built(
    asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, nq: int
) -> None:
    properties, texts = asked(nq)
    Q = pages(4, 4, 4, nq)
    Q[..., 0], Q[..., 4], Q[..., 5:] = 1e6, 300.0, 0.5
    properties.populate_input_stripe("Q", Q)
    properties.composite("eosRhohFromTPprop", 64)
    assert len(texts - {marshal.SOURCE}) == 1
    assert texts <= built(monkeypatch, leading=nq == 6)
    assert not texts - {marshal.SOURCE} & built(monkeypatch, leading=nq == 7)


@pytest.mark.parametrize("policy", ["", "local threads=64"])
@pytest.mark.parametrize("outputs", [("rho",), ("h", "status")])
@pytest.mark.parametrize("nq", [7, 6])
def test_runs_on_bound_arrays_ask_for_what_was_built(
    asked: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    outputs: tuple[Any, ...],
    nq: int,
) -> None:
    monkeypatch.setenv("BRIDGE_POLICY", policy)
    properties, texts = asked(nq)
    Q = pages(4, 4, 4, nq)
    Q[..., 0], Q[..., 4], Q[..., 5:] = 1e6, 300.0, 0.5
    properties.bind_array("cells", "Q", "in", Q)
    for name in outputs:
        properties.bind_array("cells", name, "out", pages(4, 4, 4))
    properties.run("cells", "eosRhohFromTPprop")
    assert len(texts - {marshal.SOURCE}) == 1
    assert texts <= built(monkeypatch, outputs=outputs, leading=nq == 6)


def test_outputs_that_no_composite_has_are_refused() -> None:
    with pytest.raises(ArgumentError, match="--outputs: got rho iterations Tcm"):
        precompile.build(["sm_90"], [2], outputs=["rho", "iterations", "Tcm"])
