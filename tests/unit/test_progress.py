"""What a long command says while it works."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest

from bridge import cli, mpi, progress


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """Steps are told at once; what it gives waits for the next line."""
    told = Event()
    lines: list[str] = []

    def say(text: str) -> None:
        lines.append(text)
        told.set()

    def line() -> str:
        told.clear()
        lines.clear()
        assert told.wait(60)
        return lines[0]

    monkeypatch.setattr(progress, "say", say)
    for name in ("AFTER", "EVERY", "EVERY_IN_FILE"):
        monkeypatch.setattr(progress, name, 0.01)
    return line


def _without_time(line: str) -> str:
    what, _, seconds = line.rpartition(", ")
    assert seconds.endswith(" s") and float(seconds[:-2]) >= 0
    return what


def test_steps_in_steps_say_how_far_they_are(heard: Callable[[], str]) -> None:
    """The command's own name is said where it says nothing of its parts, and only there."""
    with progress.waiting("bridge bench kernels"):
        assert _without_time(heard()) == "bridge bench kernels"
        for ns in progress.each((1, 16), "NS ="):
            with progress.waiting("compiling", 3) as step:
                step.done = 2
                number = {1: 1, 16: 2}[ns]
                assert _without_time(heard()) == f"NS = {ns} ({number} of 2): compiling: 2 of 3"
        assert _without_time(heard()) == "bridge bench kernels"
    assert "bridge-progress" not in [thread.name for thread in threading.enumerate()]


def test_counted_items_say_how_many_have_come(
    heard: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    said = []
    for item in progress.counted("abcd", 4, "compiling"):
        if item in "bd":
            said.append(_without_time(heard()))
    assert said == ["compiling: 2 of 4", "compiling: 4 of 4"]


def test_a_part_of_nothing_says_nothing(heard: Callable[[], str]) -> None:
    """A user's program that calls what a command calls too has no command to tell of."""
    for _ in progress.each("a", "part"):
        with progress.waiting("timing", alone=False):
            assert "bridge-progress" not in [thread.name for thread in threading.enumerate()]


def test_what_is_said_puts_the_next_line_off(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file gets a line each ten seconds, from whomever it comes."""
    clock = [0.0]
    waits: list[float] = []

    class Ended:
        def wait(self, pause: float) -> bool:
            waits.append(pause)
            clock[0] += pause
            if len(waits) == 1:
                progress.say("a result")
            return len(waits) == 4

    monkeypatch.setattr(progress, "AFTER", 2.0)
    monkeypatch.setattr(progress, "monotonic", lambda: clock[0])
    teller = progress._Teller()
    teller._steps.append(progress.Step("measuring"))
    monkeypatch.setattr(progress, "_teller", teller)
    teller._tell(Ended())  # type: ignore[arg-type]
    assert waits == [progress.AFTER, 10.0, 10.0, 10.0]
    assert capsys.readouterr().err == "a result\nmeasuring, 12 s\nmeasuring, 22 s\n"


def test_a_forked_process_is_not_stopped_by_what_is_told(heard: Callable[[], str]) -> None:
    with progress.waiting("measuring"):
        heard()
        child = os.fork()
        if not child:
            with progress.waiting("in the child"):
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def test_every_command_is_told(heard: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def action(_: object) -> int:
        said.append(_without_time(heard()))
        return 0

    monkeypatch.setattr("bridge.commands.info.run", action)
    assert cli.main(["info"]) == 0 and said == ["bridge info"]


def test_a_quick_command_says_nothing() -> None:
    command = [sys.executable, "-P", "-m", "bridge", "species", "list"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "CH4" in done.stdout


def test_tqdm_is_used_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    class Module:
        @staticmethod
        def tqdm(items: Any, **named: Any) -> Any:
            seen.update(named)
            return list(items)

    monkeypatch.setitem(sys.modules, "tqdm", Module)
    monkeypatch.setattr(progress, "on_terminal", lambda: False)
    assert list(progress.counted(range(3), 3, "compiling")) == [0, 1, 2] and not seen
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    assert list(progress.counted(range(3), 3, "compiling")) == [0, 1, 2]
    assert seen["desc"] == "compiling" and seen["total"] == 3


def test_a_quick_step_says_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "AFTER", 1000.0)
    with pytest.raises(KeyError), progress.waiting("compiling the pack"):
        raise KeyError
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("rank", [0, 1])
def test_one_rank_says_what_is_compiled(rank: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from bridge.backends.cuda import cache

    said: list[str] = []

    @contextmanager
    def waiting(what: str) -> Iterator[None]:
        said.append(what)
        yield

    monkeypatch.setattr(progress, "waiting", waiting)
    monkeypatch.setattr(mpi, "host_rank", lambda: rank)
    launches = ("box_a", "box_b", "gather_c", "d")
    text = "\n".join(
        f'extern "C" __global__ void __launch_bounds__(128, 2)\n{name}(int n) {{}}'
        for name in launches
    )
    with cache._told(text, "sm_90"):
        pass
    assert said == (["compiling for sm_90: box_a, box_b, gather_c and 1 more"] if not rank else [])
