"""Stable fluids: the original, built free of the bridge, and each stage of its move end with the
same fields; the check of residency finds no copy missing."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hosts import Host, build, compiler, counting
from packsbuilt import ISA, build_here
from sharing import Once

from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.stages import split

FOLDER = Path(__file__).parents[2] / "fortran_stub" / "fluids"
PACKS = os.pathsep.join(str(FOLDER / name) for name in ("ported", "kernels"))
#: As the makefile has them, in the order of their use.
ORIGINAL = ("settings", "fields", "react", "solve", "step", "output")
MOVED = ("arrays", "bridgestep")
VERSIONS = ("fortran", "reactburst", "threacburst", "stepburst")
#: Cells along a side, steps, the largest difference. Kernels compute in double precision and round
#: what they store; the original rounds each operation. Where a source of 64, 128, ... moves the
#: fluid, it crosses more cells in a step than there are, and the last digit of a velocity decides
#: what arrives: the original itself, compiled in double precision, is as far away after one step
#: of 192 x 192 cells, and differs by a fifth of its largest value after 20 steps of 256 x 256.
CASES = [(64, 20, 1e-5), (128, 20, 1e-5), (192, 1, 5e-4)]

pytestmark = pytest.mark.fortran


@pytest.fixture(scope="module")
def programs(once: Once) -> tuple[Host, Host, Path]:
    """The original, the program that has all versions, a cache that holds the packs."""

    def make(place: Path) -> None:
        modules = [FOLDER / "original" / f"{name}module.f90" for name in ORIGINAL]
        command = [compiler("gfortran"), "-O2", *map(str, modules)]
        command += [str(FOLDER / "original" / "fluids.f90"), "-o", "original"]
        subprocess.run(command, cwd=place, check=True)
        modules += [FOLDER / "moved" / f"{name}module.f90" for name in MOVED]
        build(place / "moved", [*modules, FOLDER / "moved" / "fluids.f90"], flags=("-O2",))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_PACKS", PACKS)
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            build_here(isas=[ISA])

    place = once("fluids_programs", make)
    return Host(place / "original"), Host(place / "moved" / "host"), place / "cache"


def fields(
    host: Host, folder: Path, n: int, steps: int, version: str, **variables: str
) -> tuple[np.ndarray, str]:
    """u, v, d at the end with their border, and what the program said."""
    case, results, frames = (folder / f"{version}.{end}" for end in ("nml", "dat", "frames"))
    case.write_text(
        f"&fluids\n n = {n}\n steps = {steps}\n version = '{version}'\n"
        f" every = {steps}\n frames = '{frames}'\n results = '{results}'\n/\n"
    )
    outcome = host.run(str(case), environment=variables)
    assert outcome.status == 0, outcome.out + outcome.err
    assert float(outcome.words("ns")[-1]) > 0
    found = np.fromfile(results, np.float32).reshape(3, n + 2, n + 2)
    head, cells = np.fromfile(frames, np.int32, 2), np.fromfile(frames, np.float32, offset=8)
    assert head.tolist() == [n, 1]
    np.testing.assert_array_equal(cells.reshape(n, n), found[2, 1:-1, 1:-1])
    return found.astype(np.float64), outcome.out


def differences(found: np.ndarray, wanted: np.ndarray) -> list[float]:
    """Of u, v and d: the largest one over the largest magnitude. At 128 cells u and v are 0: the
    only source of both lies in the middle, where its direction is none."""
    return [
        float(np.abs(a - b).max() / (np.abs(b).max() or 1.0))
        for a, b in zip(found, wanted, strict=True)
    ]


def environment(cache: Path, backend: str, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "CUDA_PATH") if name in os.environ}
    return {**kept, "BRIDGE_PACKS": PACKS, "BRIDGE_CACHE": str(cache), "BRIDGE_BACKEND": backend,
            "BRIDGE_CPU_ISA": ISA, **more}  # fmt: skip


@pytest.mark.parametrize(("n", "steps", "most"), CASES)
def test_every_stage_gives_the_fields_of_the_original(
    programs: tuple[Host, Host, Path], tmp_path: Path, n: int, steps: int, most: float
) -> None:
    original, moved, cache = programs
    wanted, _ = fields(original, tmp_path, n, steps, "fortran")
    assert np.abs(wanted[2]).max() > 1.0 and (n == 128 or np.abs(wanted[0]).max() > 0.01)
    for version in VERSIONS:
        found, _ = fields(moved, tmp_path, n, steps, version, **environment(cache, "cpu"))
        tolerance = 0.0 if version == "fortran" else most
        assert max(differences(found, wanted)) <= tolerance, version


@pytest.mark.parametrize("kind", ["cpu", "stand-in"])
def test_repeated_steps_enter_python_never(
    programs: tuple[Host, Host, Path], tmp_path_factory: pytest.TempPathFactory, kind: str
) -> None:
    """Kernels that were ported and others, boxes of a border, reductions and constants."""
    _, moved, cache = programs
    counted = counting(kind != "cpu")
    variables = environment(cache, "cpu" if kind == "cpu" else "cuda", **counted)
    folder, entered = tmp_path_factory.mktemp("counted"), []
    for steps in (3, 8):
        _, said = fields(moved, folder, 16, steps, VERSIONS[-1], **variables)
        entered += [int(one) for one in re.findall(r"entered (\d+)", said)]
    assert len(entered) == 2 and entered[0] == entered[1]


@pytest.mark.parametrize("which", ["u", "v", "d", "p"])
def test_sweeps_of_a_system_are_one_launch_for_each_colour(which: str) -> None:
    """A GPU compiles two kernels, not one for each sweep."""
    found = Catalogue.load([shipped_file(), FOLDER / "kernels" / "catalogue.toml"])
    plan = found.composite_plan(found.composite(f"fluids_solve_{which}"), 1)
    plans = [stage.plan for stage in split(plan, (), (64, 64, 1)).stages]
    assert len(plans) == 40 and plans[0] != plans[1]
    assert all(plan == plans[number % 2] for number, plan in enumerate(plans))


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_no_copy_is_missing(
    programs: tuple[Host, Host, Path], tmp_path: Path, version: str
) -> None:
    """With a copy of resident arrays that stands for the device, on which runs work."""
    _, moved, cache = programs
    checked = environment(cache, "cpu", BRIDGE_CHECK_RESIDENCY="1")
    wanted, _ = fields(moved, tmp_path, 66, 3, version, **environment(cache, "cpu"))
    found, said = fields(moved, tmp_path, 66, 3, version, **checked)
    np.testing.assert_array_equal(found, wanted)
    assert "without frame_update_device" not in said


@pytest.mark.gpu
@pytest.mark.skipif(os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="needs a process's GPU")
@pytest.mark.parametrize(("n", "steps", "most"), CASES)
def test_on_a_gpu(
    programs: tuple[Host, Host, Path], tmp_path: Path, n: int, steps: int, most: float
) -> None:
    original, moved, cache = programs
    wanted, _ = fields(original, tmp_path, n, steps, "fortran")
    for version in VERSIONS[1:]:
        found, _ = fields(moved, tmp_path, n, steps, version, **environment(cache, "cuda"))
        assert max(differences(found, wanted)) <= most, version


def test_listings_of_the_page() -> None:
    """They are parts of the program."""
    page = (FOLDER.parents[1] / "docs" / "how-to" / "fluids.md").read_text()
    listings = re.findall(r"```fortran\n(.*?)```", page, re.S)
    program = (FOLDER / "moved" / "fluids.f90").read_text()
    assert listings and all(listing in program for listing in listings)


def test_a_version_that_there_is_not(programs: tuple[Host, Host, Path], tmp_path: Path) -> None:
    case = tmp_path / "fluids.nml"
    case.write_text("&fluids\n n = 64\n steps = 1\n version = 'fullburst'\n/\n")
    outcome = programs[1].run(str(case), environment=environment(programs[2], "cpu"))
    assert outcome.status != 0
    assert "wanted fortran, reactburst, threacburst or stepburst" in outcome.err
