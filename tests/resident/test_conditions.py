"""What a run that C does again relies on: each condition by itself, on a GPU that is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sharing

HERE = Path(__file__).parent
COUNTED = HERE.parent / "fortran" / "counted"


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """Lines of conditions.py by their first words."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(COUNTED),
        "TEST_STANDIN": str(sharing.folder("standin")),
        "BRIDGE_PACKS": str(HERE / "conditions_pack"),
    }
    line = [sys.executable, "-P", str(HERE / "conditions.py")]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return {
        first: rest for first, _, rest in (one.partition(" ") for one in done.stdout.split("\n"))
    }


def test_a_run_that_comes_again_does_not_enter_python(printed: dict[str, str]) -> None:
    assert printed["nothing"] == "0 0 0"


@pytest.mark.parametrize("change", ["species", "block", "pool", "value"])
def test_a_change_is_met_in_python_once(printed: dict[str, str], change: str) -> None:
    """The module has the species of another Frame, the block of constants has moved, the pool has
    grown, a value of the host is another one."""
    assert printed[change] == "1 0 0"


def test_no_run_overtakes_a_loop_over_chunks(printed: dict[str, str]) -> None:
    assert printed["loop"] == "1 1"
    assert printed["waited"] == "0 0 0"


def test_what_is_said_to_be_unchanged_is_so_for_one_run(printed: dict[str, str]) -> None:
    assert printed["unchanged"] == "0 none cond_y none"


@pytest.mark.parametrize("change", ["handed", "moved"])
@pytest.mark.parametrize("call", ["run", "constants"])
def test_no_change_comes_before_the_launch(
    printed: dict[str, str], call: str, change: str
) -> None:
    """A thread that has the lock of the device just before C has it gives an address away, or
    moves the block of constants: Python does the call, and waits for it or finds the block."""
    assert printed[f"{call}-{change}"] == "1 0"


def test_nothing_comes_between_the_parts_of_a_run(printed: dict[str, str]) -> None:
    assert printed["parts"] == "0 take launch launch give"


def test_a_copy_is_freed_when_nobody_runs_there(printed: dict[str, str]) -> None:
    """Also no run on another part of its memory, and none that was void before it was kept."""
    assert printed["late"] == "0"
    assert printed["kept"] == "1 1"
    assert printed["freed"] == "0 0"
    assert printed["left"] == "3.0 4.0"


def test_threads_do_not_wait_for_each_other_for_ever(printed: dict[str, str]) -> None:
    """One of them enters data, runs and exits data; others run meanwhile."""
    assert printed["threads"] == "60.0 60.0"


def test_a_device_that_has_failed_is_not_asked_again(printed: dict[str, str]) -> None:
    assert printed["failed"] == "0 1 -7 -7"
