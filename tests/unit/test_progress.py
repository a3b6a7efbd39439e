"""What a long command says while it works."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest

from bridge import mpi, progress


def test_lines_say_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    clock = iter(range(0, 100, 3))  # seconds: each item takes three
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    assert list(progress.counted("abcd", 4, "compiling")) == [*"abcd"]
    assert capsys.readouterr().err.splitlines() == [
        "compiling: 1 of 4, 3 s",
        "compiling: 3 of 4, 9 s",
    ]


def test_what_is_quick_says_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(progress, "monotonic", lambda: 1.0)
    assert list(progress.counted(range(3), 3, "compiling")) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_tqdm_is_used_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    class Module:
        @staticmethod
        def tqdm(items: Any, **named: Any) -> Any:
            seen.update(named)
            return list(items)

    monkeypatch.setitem(sys.modules, "tqdm", Module)
    assert list(progress.counted(range(3), 3, "compiling")) == [0, 1, 2]
    assert seen["desc"] == "compiling" and seen["total"] == 3


def test_a_step_of_unknown_length_says_what_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Event()

    def say(text: str) -> None:
        print(text, file=sys.stderr)
        told.set()

    monkeypatch.setattr(progress, "say", say)
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "EVERY", 1000.0)
    with progress.waiting("compiling the pack"):
        assert told.wait(60)
    assert capsys.readouterr().err.startswith("compiling the pack, ")


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
