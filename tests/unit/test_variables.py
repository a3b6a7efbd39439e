"""Environment variables BRIDGE_...: one list of those that something reads; the others are named,
once, when a Frame starts."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge import settings

ROOT = Path(__file__).parents[2]
CODE = """
import bridge
for _ in range(2):
    frame = bridge.Frame()
    frame.initialize(0, 8, 2, 7)
    frame.finalize()
"""


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """said(NAME=value ...) -> what two Frames of a new process say of variables."""

    def said(**variables: str) -> list[str]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        done = subprocess.run(
            [sys.executable, "-P", "-c", CODE], capture_output=True, text=True, check=True
        )
        return [line for line in done.stdout.splitlines() if "environment variable" in line]

    monkeypatch.setenv("BRIDGE_BACKEND", "cpu")
    monkeypatch.delenv("BRIDGE_REQUIRE_GPU", raising=False)
    return said


def test_the_list_has_what_the_package_reads() -> None:
    """Names asked of the environment in Python, C and make; keys of settings have theirs."""
    asked = re.compile(r"""(?:environ[^\n]*?|getenv)\(?\[?["'](BRIDGE_[A-Z_]+)["']""")
    found = set()
    for file in (ROOT / "bridge").rglob("*"):
        if file.suffix in (".py", ".c", ".h", ".cpp"):
            found |= set(asked.findall(file.read_text(encoding="utf-8")))
    found |= set(
        re.findall(r"\b(BRIDGE_[A-Z_]+)\b *\?=", (ROOT / "fortran_stub/makefile").read_text())
    )
    assert {"BRIDGE_PYTHON", "BRIDGE_CACHE"} < found
    assert found <= set(settings.VARIABLES)


def test_the_page_has_the_list() -> None:
    page = (ROOT / "docs" / "how-to" / "settings.md").read_text(encoding="utf-8")
    for name in settings.VARIABLES:
        assert f"`{name}`" in page, name


def test_a_misspelt_variable_is_named_once_with_the_nearest_name(said: Callable[..., Any]) -> None:
    assert said(BRIDGE_THREAD="3") == [
        "bridge: nothing reads the environment variable BRIDGE_THREAD "
        "(did you mean BRIDGE_THREADS?)"
    ]


def test_one_of_lower_case_and_one_that_is_like_none(said: Callable[..., Any]) -> None:
    first, second = said(BRIDGE_cpu_isa="v3", BRIDGE_ZZZZZZZ="1")
    assert first.endswith("BRIDGE_ZZZZZZZ")
    assert second.endswith("BRIDGE_cpu_isa (did you mean BRIDGE_CPU_ISA?)")


def test_what_is_read_is_not_named(said: Callable[..., Any]) -> None:
    assert said(BRIDGE_THREADS="1", BRIDGE_CHUNGDENSE="BOUNDED", BRIDGE_CACHE="/tmp") == []
