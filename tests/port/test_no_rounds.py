"""Loops of no rounds: a host that runs them, and the check that chooses how many they have."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hosts import TIME_LIMIT, bridge_config, bridge_objects, compiler
from packsbuilt import ISA, build_here

from bridge import cli

HERE = Path(__file__).parent
NESTS = "tail", "plane", "numbers", "wholes", "listed", "endless", "back"

pytestmark = pytest.mark.fortran


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the nests as a pack, and `cache`, which holds it for this machine."""
    folder = tmp_path_factory.mktemp("norounds")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_CACHE", str(folder / "cache"))
        for nest in NESTS:
            source = f"{HERE / 'norounds.f90'}@{nest}"
            assert cli.main(["port", source, "-o", str(folder / "pack")]) == 0
        build_here(folder / "pack", isas=[ISA])
    return folder


def test_a_host_with_loops_of_no_rounds(place: Path) -> None:
    """Runs, reductions, comparisons and recordings beside the original, with any ends."""
    modules = [str(place / "pack" / f"pack_{nest}_bridge.f90") for nest in NESTS]
    command = [
        compiler("gfortran"), "-g", "-O0", "-fcheck=all", *bridge_objects("gfortran"),
        str(HERE / "norounds.f90"), *modules, str(HERE / "norounds_host.f90"),
        *bridge_config("--fflags", "--libs", folder=place), "-o", "host",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    around = os.environ | {
        "BRIDGE_PACKS": str(place / "pack"), "BRIDGE_CACHE": str(place / "cache"),
        "BRIDGE_BACKEND": "cpu", "BRIDGE_CPU_ISA": ISA,
    }  # fmt: skip
    done = subprocess.run(
        [place / "host"], cwd=place, env=around, capture_output=True, text=True, timeout=TIME_LIMIT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "differs" not in done.stdout and done.stdout.endswith("end\n"), done.stdout
    assert "runs without points: pack_plane on set 'pack_plane': 45" in done.stdout
    told = "rank 0: 'pack_b' of set 'pack_back' has SptX = 8, EptX = 3: no points"
    assert done.stdout.count(told) == 1 and done.stdout.count("'pack_tail_2' has") == 0


def test_an_array_ends_with_the_loops_that_have_rounds(place: Path) -> None:
    text = (place / "pack" / "pack_endless_bridge.f90").read_text()
    assert "a(max(merge(n, -huge(n), n >= 1), merge(i2, -huge(i2), i2 >= i1)))" in text


def test_the_check_has_points_for_every_kernel(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its first sizes; else the loops that ran would be checked alone."""
    monkeypatch.setenv("BRIDGE_CACHE", str(place / "cache"))
    words = ["port", "--check", str(place / "pack"), "--kernel", "pack_tail_1"]
    words += ["--isa", ISA]
    assert cli.main(words) == 0
    told = capsys.readouterr().out
    assert "sizes: m = 9, n = 10; m = 9, n = 9" in told and "1 of 1 verified" in told
    assert cli.main([*words, "--range", "m=9,9", "n=9,9"]) == 1
    assert "original runs (pack_tail_2 has no points)" in capsys.readouterr().out
