"""The shipped example of a kernel pack, built once into a cache of the tests' own."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hosts import compiler
from packs import loops as loops_pack
from packsbuilt import built_once
from sharing import Once

import bridge
from bridge.plan import packs
from bridge.tvproperties import TVProperties

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE = EXAMPLES / "sutherland_pack"
UPDATE = EXAMPLES / "update_pack"
HEAT = EXAMPLES / "heat_pack"
LANGUAGE = EXAMPLES / "language_pack"
CFL = EXAMPLES / "cfl_pack"


def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`bridge packs ...` with BRIDGE_*, CXX as given here alone."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BRIDGE_", "CXX"))}
    return subprocess.run(
        [sys.executable, "-m", "bridge", "packs", *map(str, words)],
        env={**kept, **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    return run


@pytest.fixture(scope="session")
def built(once: Once) -> Path:
    """A cache (BRIDGE_CACHE) that holds the examples as they are shipped: the first for all
    instruction sets, the others for the one that a run on this machine takes."""

    def make(cache: Path) -> None:
        others = ":".join(map(str, (UPDATE, HEAT, LANGUAGE, CFL)))
        for folders, isas in ((str(EXAMPLE), ()), (others, ("--isa", "here"))):
            done = run("build", *isas, BRIDGE_PACKS=folders, BRIDGE_CACHE=str(cache))
            assert done.returncode == 0, done.stderr
            # how far a slow machine is goes to stderr too
            assert "warning" not in done.stderr, "the examples compile without warnings"

    return once("packs", make)


def shipped(folder: Path) -> Any:
    """A fixture: the built pack in this folder, found by this process."""

    @pytest.fixture
    def found(built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("BRIDGE_PACKS", str(folder))
        monkeypatch.setenv("BRIDGE_CACHE", str(built))
        return folder

    return found


example, update, heat, language, cfl = map(shipped, (EXAMPLE, UPDATE, HEAT, LANGUAGE, CFL))


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example that a test may spoil, found by this process; nothing is built."""
    folder = tmp_path / "copied"
    shutil.copytree(EXAMPLE, folder)
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    return folder


@pytest.fixture
def copied_library(copied: Path, built: Path) -> list[Path]:
    """The libraries of the copy, as if it had just been built: those of the example, whose sources
    are the same."""
    pack = packs.Pack.read(copied, "test")
    paths = [pack.library(isa) for isa in packs.TARGETS]
    paths[0].parent.mkdir(parents=True)
    for path in paths:
        same = path.name.replace(copied.name, EXAMPLE.name)
        shutil.copy(built / "packs" / same, path)
    assert [pack.state(isa) for isa in packs.TARGETS] == ["built"] * len(paths)
    return paths


@pytest.fixture(scope="session")
def gas(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """The Fortran subroutine that the example is ported from, point by point."""
    library = tmp_path_factory.mktemp("gas") / "gas.so"
    line: list[str | Path] = [
        compiler("gfortran"),
        "-O2",
        "-shared",
        "-fPIC",
        EXAMPLE / "gas.f90",
        "-o",
        library,
    ]
    subprocess.run(line, check=True)
    subroutine = ctypes.CDLL(str(library)).gas_

    def call(T: np.ndarray, P: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rho, mu = np.empty_like(T), np.empty_like(T)
        for i in range(len(T)):
            given = [ctypes.c_double(array[i]) for array in (T, P, W)]
            results = [ctypes.c_double(), ctypes.c_double()]
            subroutine(*map(ctypes.byref, (*given, *results)))
            rho[i], mu[i] = (result.value for result in results)
        return rho, mu

    return call


@pytest.fixture(scope="session")
def loops(once: Once) -> Path:
    """The pack of loops.py, built once (a GPU needs no library of it)."""

    files = {"catalogue.toml": loops_pack.CATALOGUE, "loops.h": loops_pack.HEADER}
    return built_once(once, "loops", files)[0]


@pytest.fixture
def policy() -> str:
    """The launch policy of a GPU; that of its table where it is empty."""
    return ""


@pytest.fixture
def without_species(
    loops: Path, policy: str, one_isa: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TVProperties]:
    """Of a Frame without species, whose chunks are smaller than the box."""
    monkeypatch.setenv("BRIDGE_POLICY", policy)
    monkeypatch.setenv("BRIDGE_PACKS", str(loops))
    monkeypatch.setenv("BRIDGE_CACHE", str(loops.parent / "cache"))
    frame = bridge.Frame()
    frame.set("threads", 1)
    frame.initialize(0, 30, 0, 5)
    yield frame.tvproperties
    frame.finalize()


@pytest.fixture
def found(loops: Path, one_isa: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pack, found by `bridge.evaluate`."""
    monkeypatch.setenv("BRIDGE_PACKS", str(loops))
    monkeypatch.setenv("BRIDGE_CACHE", str(loops.parent / "cache"))
