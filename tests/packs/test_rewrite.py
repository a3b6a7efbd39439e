"""Quantities that a pack gives a new value: in place, and under a second name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hosts import build
from packsbuilt import build_here

import bridge
from bridge.tvproperties import TVProperties

SHAPE, INTERIOR = (7, 6, 5), (slice(2, 6), slice(1, 5), slice(0, 5))
BOX: dict[str, Any] = dict(SptX=3, EptX=6, SptY=2, EptY=5, SptZ=1, EptZ=5)
DT = 1e-6


@pytest.mark.fortran
@pytest.mark.parametrize("with_compiler", ["gfortran", "flang"])
def test_the_fortran_program_of_the_example(
    update: Path, built: Path, tmp_path: Path, with_compiler: str
) -> None:
    host = build(tmp_path, [update / "solver.f90"], with_compiler=with_compiler)
    outcome = host.run(environment={"BRIDGE_PACKS": str(update), "BRIDGE_CACHE": str(built)})
    assert outcome.status == 0, outcome.err
    for label in ("inplace", "second", "same", "kernel", "masked", "each", "launched"):
        assert float(outcome.words(label)[-1]) <= 2.3e-16, outcome.out
    assert outcome.words("old") == ["T"]
    assert outcome.words("kept") == ["T"]


@pytest.fixture
def tv(update: Path) -> Iterator[TVProperties]:
    """TVProperties whose chunks are smaller than the box."""
    frame = bridge.Frame()
    for key, value in {"species": "N2", "backend": "cpu", "threads": "1"}.items():
        frame.set(key, value)
    frame.initialize(0, 30, 1, 0)
    yield frame.tvproperties
    frame.finalize()


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values before, rates, values after: a new interior in the old fringes."""
    random = np.random.default_rng(7)
    before = np.asfortranarray(random.normal(size=(*SHAPE, 5)))
    rhs = np.asfortranarray(random.normal(size=(*SHAPE, 5)) / DT)
    after = before.copy(order="F")
    after[INTERIOR] += DT * rhs[INTERIOR]
    return before, rhs, after


def test_in_place_twice(tv: TVProperties) -> None:
    """The second step starts from what the first one left in the array."""
    field, rhs, after = arrays()
    tv.bind_array("cells", "rhs", "in", rhs, **BOX)
    tv.bind_array("cells", "conserved", "inout", field, **BOX)
    for _ in range(2):
        tv.run("cells", "advanceInPlace")
        np.testing.assert_allclose(field, after, rtol=0, atol=1e-15)
        after[INTERIOR] += DT * rhs[INTERIOR]


@pytest.mark.parametrize("in_place", [False, True])
def test_a_second_name(tv: TVProperties, in_place: bool) -> None:
    before, rhs, after = arrays()
    field = before.copy(order="F")
    new = field if in_place else before.copy(order="F")
    tv.bind_array("cells", "rhs", "in", rhs, **BOX)
    tv.bind_array("cells", "conserved", "in", field, **BOX)
    tv.bind_array("cells", "conserved_new", "out", new, **BOX)
    tv.run("cells", "advanceToNew")
    np.testing.assert_allclose(new, after, rtol=0, atol=1e-15)
    assert in_place or np.array_equal(field, before)


def test_on_views(tv: TVProperties) -> None:
    before, rhs, after = arrays()
    for start in range(1, 81, 30):
        part = dict(BOX, stripeStart=start, stripeEnd=min(start + 29, 80))
        n = part["stripeEnd"] - start + 1
        tv.populate_input_stripe("conserved", before, **part)
        tv.populate_input_stripe("rhs", rhs, **part)
        tv.composite("advanceInPlace", n)
        tv.extract_output_stripe("conserved", before, **part)
    np.testing.assert_allclose(before, after, rtol=0, atol=1e-15)


def test_what_cannot_take_its_new_value_is_refused(tv: TVProperties) -> None:
    field, rhs, _ = arrays()
    tv.bind_array("cells", "rhs", "in", rhs, **BOX)
    tv.bind_array("cells", "conserved", "in", field, **BOX)
    with pytest.raises(bridge.StateError, match="nowhere to put results.*conserved .*'inout'"):
        tv.run("cells", "advanceInPlace")
    tv.bind_array("cells", "conserved", "out", field, **BOX)
    with pytest.raises(bridge.StateError, match="needs 'conserved'.*'inout'"):
        tv.run("cells", "advanceInPlace")


def frame_with(
    files: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch, nq: int
) -> bridge.Frame:
    """A Frame with the kernel pack of these files, which is built first."""
    pack = folder / "pack"
    pack.mkdir()
    for name, text in files.items():
        (pack / name).write_text(text)
    monkeypatch.setenv("BRIDGE_PACKS", str(pack))
    monkeypatch.setenv("BRIDGE_CACHE", str(folder / "cache"))
    assert all(done.new for done in build_here())
    frame = bridge.Frame()
    frame.set("species", "N2")
    frame.set("backend", "cpu")
    frame.initialize(0, 30, 1, nq)
    return frame


CLIP = {
    "catalogue.toml": """
[[kernel]]
name = "clipTemperature"
header = "clipTemperature.h"
inputs = ["T"]
outputs = ["T"]
[[composite]]
name = "clipped"
inputs = ["T"]
outputs = ["T"]
""",
    "clipTemperature.h": """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real>
BRIDGE_FN void clipTemperature(const Shared&, const Real& T, Real& clipped) {
    clipped = at_most(T, Real(500.0));
}
}
""",
}


@pytest.mark.usefixtures("one_isa")
def test_a_column_of_q_is_not_where_its_new_value_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Q gives the old T: an array bound 'out' is another place, which no kernel has read."""
    frame = frame_with(CLIP, tmp_path, monkeypatch, nq=6)
    tv = frame.tvproperties
    Q = np.full((4, 1, 1, 6), 900.0, order="F")
    T = np.full((4, 1, 1), 400.0, order="F")
    tv.bind_array("cells", "Q", "in", Q)
    tv.bind_array("cells", "T", "out", T)
    with pytest.raises(bridge.ArgumentError, match="'T' bound 'out'.*'Q' gives.*'inout'"):
        tv.run("cells", "clipped")
    assert (T == 400.0).all()
    T[0] = 900.0
    tv.bind_array("cells", "T", "inout", T)
    tv.run("cells", "clipped")
    np.testing.assert_array_equal(T.ravel(), [500.0, 400.0, 400.0, 400.0])
    frame.finalize()


LIMIT = {
    "catalogue.toml": """
[quantity.limited]
unit = "1"
about = "1 where T was above the limit"
[[kernel]]
name = "limitTemperature"
header = "limitTemperature.h"
inputs = ["T"]
outputs = ["T", "limited"]
[[composite]]
name = "limitedDensity"
inputs = ["T", "P", "Y"]
outputs = ["limited", "rho", "status"]
""",
    "limitTemperature.h": """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real>
BRIDGE_FN void limitTemperature(const Shared&, const Real& T, Real& T_out, Real& limited) {
    T_out = at_most(T, Real(500.0));
    limited = select(T > 500.0, Real(1.0), Real(0.0));
}
}
""",
}


@pytest.mark.usefixtures("one_isa")
def test_what_is_bound_does_not_decide_whether_a_quantity_is_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel rewrites T for the others and makes one output: it runs without that one too."""
    frame = frame_with(LIMIT, tmp_path, monkeypatch, nq=0)
    tv = frame.tvproperties
    shape = (4, 1, 1)
    rho = {}
    for bound in (("rho",), ("rho", "limited"), ("rho", "limited", "status")):
        tv.bind_array("cells", "T", "in", np.full(shape, 900.0, order="F"))
        tv.bind_array("cells", "P", "in", np.full(shape, 1e5, order="F"))
        tv.bind_array("cells", "Y", "in", np.ones((*shape, 1), order="F"))
        out = {name: np.zeros(shape, order="F") for name in bound}
        for name, array in out.items():
            tv.bind_array("cells", name, "out", array)
        tv.run("cells", "limitedDensity")
        rho[bound] = out["rho"].tobytes()
    frame.finalize()
    assert len(set(rho.values())) == 1
    at_limit = bridge.evaluate("N2", 500.0, 1e5, [1.0], ("rho",), backend="cpu")["rho"]
    np.testing.assert_allclose(np.frombuffer(rho[("rho",)]), at_limit, rtol=1e-14)
