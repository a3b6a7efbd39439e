"""The shipped example of a kernel pack, built once into a cache of the tests' own."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hosts import compiler

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE = EXAMPLES / "sutherland_pack"
UPDATE = EXAMPLES / "update_pack"
LANGUAGE = EXAMPLES / "language_pack"


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
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache (BRIDGE_CACHE) that holds the examples as they are shipped."""
    cache = tmp_path_factory.mktemp("cache")
    done = run("build", BRIDGE_PACKS=f"{EXAMPLE}:{UPDATE}:{LANGUAGE}", BRIDGE_CACHE=str(cache))
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "the examples compile without warnings"
    return cache


@pytest.fixture
def example(built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The built example, found by this process."""
    monkeypatch.setenv("BRIDGE_PACKS", str(EXAMPLE))
    monkeypatch.setenv("BRIDGE_CACHE", str(built))
    return EXAMPLE


@pytest.fixture
def update(built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The built pack that gives a quantity a new value, found by this process."""
    monkeypatch.setenv("BRIDGE_PACKS", str(UPDATE))
    monkeypatch.setenv("BRIDGE_CACHE", str(built))
    return UPDATE


@pytest.fixture
def language(built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The built pack of what a kernel may say, found by this process."""
    monkeypatch.setenv("BRIDGE_PACKS", str(LANGUAGE))
    monkeypatch.setenv("BRIDGE_CACHE", str(built))
    return LANGUAGE


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example that a test may spoil, found by this process; nothing is built."""
    folder = tmp_path / "copied"
    shutil.copytree(EXAMPLE, folder)
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    return folder


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
