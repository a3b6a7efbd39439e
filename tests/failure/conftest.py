"""The hosts of the failure tests, each compiled once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import Host, build, object_of

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return object_of(tmp_path_factory.mktemp("probe"), HERE / "probe.c")


def _host(tmp_path_factory: pytest.TempPathFactory, probe: Path, *flags: str) -> Host:
    folder = tmp_path_factory.mktemp("host")
    return build(folder, [HERE / "host.f90", probe], flags=flags)


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory, probe: Path) -> Host:
    """host.f90, a plain build."""
    return _host(tmp_path_factory, probe, "-O1", "-fopenmp")


@pytest.fixture(scope="session")
def trapping_host(tmp_path_factory: pytest.TempPathFactory, probe: Path) -> Host:
    """host.f90 of a user who wants SIGFPE on the first NaN."""
    flags = ("-O1", "-fopenmp", "-ffpe-trap=invalid,zero,overflow")
    return _host(tmp_path_factory, probe, *flags)


@pytest.fixture(scope="session")
def fast_host(tmp_path_factory: pytest.TempPathFactory, probe: Path) -> Host:
    """host.f90 of a user who wants speed: flush-to-zero from the first instruction on."""
    return _host(tmp_path_factory, probe, "-Ofast", "-fopenmp")


@pytest.fixture(scope="session")
def mpi_host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("mpi_host")
    counter = object_of(folder, HERE / "abort.c", with_compiler="mpicc")
    sources = [HERE / "parallel.f90", counter]
    return build(folder, sources, with_compiler="mpif90", flags=("-O1", "-rdynamic"))
