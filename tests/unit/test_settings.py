"""Settings of a Frame: names, numbers, the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import bridge.frame
from bridge.settings import PACK_BITS, STATUS_BITS, resolve_threads

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("spezies", "O2", "species"),
        ("backend", "gpu", "auto, cpu, cuda"),
        ("launch", "quick", "fused, stream, graph"),
        ("exchange", "mpi", "auto, nccl, mpi-device, staged"),
        ("threads", "none", "whole number"),
        ("qlayout", "P T", "'Y' exactly once"),
        ("prCross", "MAYBE", "SIGNED"),
        ("species", " ", "value"),
        ("constants", "a=1 b", "got 'b', wanted name=number"),
        ("constants", "a=1 b=", "got 'b=', wanted name=number"),
        ("constants", "a= b=1", "got 'a=b=1', wanted name=number"),
        ("constants", "a=1, =2", "got '=2', wanted name=number"),
        ("constants", "a=5-3", "got 'a=5-3', wanted name=number"),
        ("constants", "a=1.5 2.5", "got '2.5', wanted name=number"),
        ("constants", "a=" + 25 * "*", r"got 'a=\*{25}', wanted name=number"),
        ("constants", "a=" + 99 * "9.", r"got 'a=(9\.){29}\.\.\.', wanted name=number"),
        ("constants", "a=1.0+400", "'a=1.0\\+400'.*a finite number"),
        ("constants", "a=1 b=nan", "'b=nan'.*a finite number"),
        ("constants", "a=-Inf", "'a=-Inf'.*a finite number"),
        ("constants", "a=1d999", "'a=1d999'.*a finite number"),
    ],
)
def test_settings_refuse(key: str, value: str, message: str) -> None:
    with pytest.raises(bridge.ArgumentError, match=message):
        bridge.Frame().set(key, value)


def test_constants_as_fortran_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Edit descriptors leave blanks, and no letter where an exponent has three digits."""
    settings = bridge.Frame().settings
    text = "a=  1.50000000000000000E+00 b = -2.5D-03,c=1.00000000000000000-100 d=\t.5+100"
    settings.set("constants", f"{text} e=-3.Q2 f=4")
    wanted = {"a": 1.5, "b": -2.5e-3, "c": 1e-100, "d": 0.5e100, "e": -300.0, "f": 4.0}
    assert settings.constants() == wanted
    settings.set("omega22G", " 1.5D-03")
    settings.set("dilutePrefactor", "4.0D+01 41.0")
    settings.set("override", "dipole=  1.0D+00, 2.0-100")
    options = settings.options()
    assert (options.omega22G, options.dilutePrefactor) == (1.5e-3, (40.0, 41.0))
    assert options.override == (("dipole", (1.0, 2e-100)),)
    monkeypatch.setenv("BRIDGE_CONSTANTS", 60 * "a=1.5 " + "b=c")
    with pytest.raises(bridge.ArgumentError, match="BRIDGE_CONSTANTS.*got 'b=c', wanted name="):
        settings.constants()


def test_environment_wins(
    make_frame: Callable[..., bridge.Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_TAKAMODE", "")  # as good as unset
    monkeypatch.setenv("BRIDGE_PRCROSS", "ABS")
    assert make_frame(prCross="SIGNED").tvproperties.options.prCross == "ABS"
    monkeypatch.setenv("BRIDGE_PRCROSS", "NEITHER")
    with pytest.raises(bridge.ArgumentError, match="BRIDGE_PRCROSS"):
        bridge.Frame().initialize(0, 8, 3, 8)


@pytest.mark.parametrize(
    ("wanted", "variable", "ranks", "threads"),
    [
        ("3", "5", 4, 3),
        (None, "5", 4, 5),
        (None, "2,1", 1, 2),
        (None, None, 4, 1),
        (None, None, 1, len(os.sched_getaffinity(0))),
        (None, "many", 1, len(os.sched_getaffinity(0))),
    ],
)
def test_threads(
    monkeypatch: pytest.MonkeyPatch,
    wanted: str | None,
    variable: str | None,
    ranks: int,
    threads: int,
) -> None:
    """What is set, else OMP_NUM_THREADS, else one under MPI, else every core we may use."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if variable is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", variable)
    assert resolve_threads(wanted, ranks) == threads


def test_settings_given_as_numbers() -> None:
    frame = bridge.Frame()
    int_of_numpy: Any = np.int64(3)
    frame.set("threads", int_of_numpy)
    frame.set("omega22G", 0.25)
    assert frame.settings.get("threads") == "3"
    assert frame.settings.options().omega22G == 0.25
    wrong: tuple[Any, ...] = (None, ["2"], 2 + 1j)
    for value in wrong:
        with pytest.raises(bridge.ArgumentError, match="value: got .* wanted text or a number"):
            frame.set("threads", value)
    with pytest.raises(bridge.ArgumentError, match="threads: got '2.0', wanted a whole number"):
        frame.set("threads", 2.0)
    key: Any = 3
    with pytest.raises(bridge.ArgumentError, match="key: got 3, wanted text"):
        frame.set(key, "2")


def test_the_bits_of_the_status_word_are_named_alike_everywhere() -> None:
    """In Python, in the kernels and in the table of the page, which names those of packs too."""
    root = Path(bridge.__file__).parent
    header = (root / "kernels" / "eos" / "status.h").read_text()
    kernels = dict(re.findall(r"^    (\w+) = 1 << (\d+),", header, re.M))
    assert {name: int(bit) for name, bit in kernels.items()} == {
        name: bit for bit, name in enumerate(STATUS_BITS)
    }
    page = (Path(__file__).parents[2] / "docs" / "physics" / "inputs-and-status.md").read_text()
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\w+) \|", page, re.M)
    assert [
        (int(bit), int(value), name) for bit, value, name in rows if int(value) == 1 << int(bit)
    ] == [(bit, 1 << bit, name) for bit, name in enumerate(STATUS_BITS)]
    assert f"| {PACK_BITS[0]} to {PACK_BITS[-1]} | | | of kernel packs | |" in page
    assert len(STATUS_BITS) <= PACK_BITS[0]
