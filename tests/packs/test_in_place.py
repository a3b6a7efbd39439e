"""Kernels of a pack that write where they read: the old values are there for all who need them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends import launcher_of
from packsbuilt import ISA, build_here

import bridge
from bridge.backends.base import Binding, Box
from bridge.backends.cpu.inplace import written_directly
from bridge.plan.plan import Loop, Plan, Slot, Step
from bridge.tvproperties import TVProperties

CATALOGUE = (
    "".join(
        f"""
[quantity.{name}]
unit = "1"
columns = "{columns}"
about = "of this test"
"""
        for name, columns in (("one", 1), ("two", 1), ("three", 1), ("five", 5), ("nine", 9))
    )
    + "".join(
        f"""
[[kernel]]
name = "{name}"
header = "kernels.h"
inputs = {inputs}
outputs = ["{output}"]
about = "of this test"
"""
        for name, inputs, output in (
            ("reverseFive", ["five"], "five"),
            ("reverseNine", ["nine"], "nine"),
            ("double", ["one"], "two"),
            ("add", ["one", "two"], "three"),
        )
    )
    + "".join(
        f"""
[[composite]]
name = "{name}"
inputs = {inputs}
outputs = {outputs}
"""
        for name, inputs, outputs in (
            ("turnFive", ["five"], ["five"]),
            ("turnNine", ["nine"], ["nine"]),
            ("sum", ["one"], ["two", "three"]),
        )
    )
    + """
[quantity.follower]
unit = "1"
[quantity.turns]
unit = "1"
type = "int32"
[quantity.finished]
unit = "1"
type = "int32"
[[kernel]]
name = "follow"
header = "kernels.h"
inputs = ["one", "turns"]
outputs = ["follower", "turns", "finished"]
"""
)

KERNELS = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class In, class Out>
BRIDGE_FN void reverseFive(const Shared&, const In& old, Out& next) {
    for (int m = 0; m < 5; ++m) next[m] = old[4 - m];
}
template <class Real, class In, class Out>
BRIDGE_FN void reverseNine(const Shared&, const In& old, Out& next) {
    for (int m = 0; m < 9; ++m) next[m] = old[8 - m];
}
template <class Real> BRIDGE_FN void double_(const Shared&, Real a, Real& b) { b = a + a; }
template <class Real>
BRIDGE_FN void follow(const Shared&, Real a, const Bits<Real>& turns, Real& b,
                      Bits<Real>& next, Bits<Real>& finished) {
    b = a + 1.0;
    next = turns + 1;
    finished = select(next >= 3, 1, 0);
}
template <class Real> BRIDGE_FN void add(const Shared&, Real a, Real b, Real& c) { c = a + b; }
}
"""


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inplace") / "inplace_pack"
    folder.mkdir()
    (folder / "catalogue.toml").write_text(CATALOGUE.replace('"double"', '"double_"'))
    (folder / "kernels.h").write_text(KERNELS)
    return folder


@pytest.fixture
def tv(
    pack: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TVProperties]:
    monkeypatch.setenv("BRIDGE_PACKS", str(pack))
    monkeypatch.setenv("BRIDGE_CACHE", str(pack.parent / "cache"))
    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
    build_here(pack)
    frame = bridge.Frame()
    for key, value in {"species": "N2", "backend": "cpu", "threads": "1"}.items():
        frame.set(key, value)
    frame.initialize(0, 30, 1, 0)
    yield frame.tvproperties
    frame.finalize()


EXTENTS = [(3, 4, 2), (16, 3, 2), (21, 2, 2)]


def direct(tv: TVProperties, composite: str) -> bool:
    program: Any = launcher_of(tv, "cells", composite)._program
    names = {*program.plan.inputs, *program.plan.outputs}
    bindings = {name: tv._bound._sets["cells"].arrays[name].binding for name in names}
    return bool(written_directly(program.plan, bindings))


@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize(("name", "columns", "in_place"), [("Five", 5, True), ("Nine", 9, False)])
def test_a_kernel_may_mix_the_columns_that_it_rewrites(
    tv: TVProperties, extent: tuple[int, int, int], name: str, columns: int, in_place: bool
) -> None:
    """Few columns are kept until all are read; many go through scratch."""
    values = np.arange(np.prod(extent) * columns, dtype=float).reshape(
        (*extent, columns), order="F"
    )
    field = values.copy(order="F")
    tv.bind_array("cells", name.lower(), "inout", field)
    tv.run("cells", f"turn{name}")
    np.testing.assert_array_equal(field, values[..., ::-1])
    assert direct(tv, f"turn{name}") is in_place


@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("shared", [False, True])
def test_a_later_kernel_reads_the_old_value(
    tv: TVProperties, extent: tuple[int, int, int], shared: bool
) -> None:
    """c = a + 2a, where 2a may lie in the array of a."""
    a = np.arange(np.prod(extent), dtype=float).reshape(extent, order="F")
    old = a.copy()
    b = a if shared else np.zeros_like(a)
    c = np.zeros_like(a)
    for name, intent, array in (("one", "in", a), ("two", "out", b), ("three", "out", c)):
        tv.bind_array("cells", name, intent, array)
    tv.run("cells", "sum")
    np.testing.assert_array_equal(b, 2.0 * old)
    np.testing.assert_array_equal(c, 3.0 * old)
    program: Any = launcher_of(tv, "cells", "sum")._program
    bindings = {n: tv._bound._sets["cells"].arrays[n].binding for n in ("one", "two", "three")}
    assert written_directly(program.plan, bindings) == ({"three"} if shared else {"two", "three"})


@pytest.mark.parametrize("maker", ["turnFive", "reverseFive"])
@pytest.mark.parametrize("operation", ["sum", "nan"])
def test_no_reduction_makes_what_its_maker_also_reads(
    tv: TVProperties, maker: str, operation: str
) -> None:
    """Names bind memory: the new values would lie where the old ones are read."""
    field = np.ones((4, 3, 2, 5), order="F")
    tv.bind_array("cells", "five", "inout", field)
    told = rf"quantity: '{maker}:five': it reads 'five' of set 'cells' too.*; run {maker}, then"
    with pytest.raises(bridge.ArgumentError, match=told):
        tv.reduce("cells", f"{maker}:five", operation)
    tv.run("cells", "turnFive")
    assert tv.reduce("cells", "five", "sum") == field.size


@pytest.mark.parametrize("quantity", [":five", " :five"])
def test_nothing_before_the_colon_makes_no_quantity(tv: TVProperties, quantity: str) -> None:
    tv.bind_array("cells", "five", "in", np.ones((4, 3, 2, 5), order="F"))
    assert tv.reduce("cells", "five", "sum") == 120.0
    with pytest.raises(bridge.ArgumentError, match=f"got '{quantity}', wanted 'five', or what"):
        tv.reduce("cells", quantity, "sum")


@pytest.mark.parametrize("n", [5, 16, 43])
def test_a_loop_of_one_kernel_reads_the_old_value_at_each_turn(tv: TVProperties, n: int) -> None:
    """b = a + 1, three times over, in the array of a: no turn reads what another wrote."""
    slots = (
        Slot("one", 1, "float64"),
        Slot("turns", 1, "int32", zero=True),
        Slot("follower", 1, "float64"),
        Slot("finished", 1, "int32", zero=True),
    )
    loop = Loop((Step("follow", (0, 1, 2, 1, 3)),), done=3, limit=10)
    plan = Plan("followed", slots, (loop,), {"one": 0}, {"follower": 2})
    once = Plan("once", slots, loop.steps, {"one": 0}, {"follower": 2})
    for which, directly in ((plan, set()), (once, {"follower"})):
        a = np.arange(float(n))
        binding = Binding(a.ctypes.data, Box.flat(n, n), 1, owner=a)
        bindings = {"one": binding, "follower": binding}
        tv.impl.backend.program(which, bindings).run(0, n)
        np.testing.assert_array_equal(a, np.arange(float(n)) + 1.0)
        assert written_directly(which, bindings) == directly
