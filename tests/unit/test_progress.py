"""What a long command says while it works."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from bridge import progress


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
