"""Constants that a host sets between runs, and tables that it fills."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends import launcher_of
from packsbuilt import build_here

import bridge
from bridge.backends.gpu.order import ChangedWords
from bridge.plan.catalogue import Catalogue

pytestmark = pytest.mark.usefixtures("backend")

SHAPE = (9, 6, 5)
BOX: dict[str, Any] = dict(SptX=2, EptX=8, SptY=1, EptY=6, SptZ=2, EptZ=4)
INSIDE = (slice(1, 8), slice(0, 6), slice(1, 4))
POINTS = 7 * 6 * 3
NODES = np.array([250.0, 500.0, 800.0, 1400.0])
CP = np.array([3.4e6, 3.6e6, 4.1e6, 4.9e6])
TABLE = np.column_stack([NODES, CP, 0.5 * CP])


def started(**settings: str) -> bridge.Frame:
    frame = bridge.Frame()
    for key, value in {"species": "N2", "threads": "1", **settings}.items():
        frame.set(key, value)
    frame.initialize(0, 60, 1, 0)
    return frame


@pytest.fixture
def tv(heat: Path) -> Iterator[bridge.TVProperties]:
    """TVProperties whose chunks are smaller than the box."""
    frame = started()
    yield frame.tvproperties
    frame.finalize()


def arrays(seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    T = np.asfortranarray(random.uniform(260.0, 1300.0, SHAPE))
    return T, np.asfortranarray(random.uniform(-1e9, 1e9, SHAPE))


def advanced(
    T: np.ndarray,
    q: np.ndarray,
    dt: Any,
    material: int = 1,
    bounds: Any = None,
    table: np.ndarray = TABLE,
) -> np.ndarray:
    """The step by NumPy: straight lines between the temperatures of a table."""
    below = np.clip(np.searchsorted(table[:, 0], T, side="right") - 1, 0, len(table) - 2)
    low, high = table[below, 0], table[below + 1, 0]
    cp = table[below, material]
    cp = cp + (table[below + 1, material] - cp) * ((T - low) / (high - low))
    new = T + dt * q / cp
    return np.asarray(new if bounds is None else np.clip(new, *bounds))


def check(T: np.ndarray, before: np.ndarray, wanted: np.ndarray) -> None:
    """The interior has its new values, the fringes the old ones."""
    np.testing.assert_allclose(T[INSIDE], wanted[INSIDE], rtol=1e-14)
    fringes = np.ones(SHAPE, bool)
    fringes[INSIDE] = False
    np.testing.assert_array_equal(T[fringes], before[fringes])


def bound(tv: bridge.TVProperties, T: np.ndarray, q: np.ndarray) -> None:
    tv.bind_array("solid", "heat_T", "inout", T, **BOX)
    tv.bind_array("solid", "heat_source", "in", q, **BOX)


# ---- runs on bound arrays -----------------------------------------------------------------


def test_new_values_between_runs(tv: bridge.TVProperties) -> None:
    """Every type of constant; runs read the values as they are, without a new program."""
    T, q = arrays()
    bound(tv, T, q)
    tv.table("heat_cp", TABLE)
    values: dict[str, Any] = dict(material=1, bounds=None)
    programs = set()
    for step in range(1, 7):
        dt = 0.1 / step
        tv.constant("heat_dt", dt)
        if step == 3:
            tv.constant("heat_material", 2)
            values["material"] = 2
        if step == 4:
            tv.constant("heat_limited", True)
            tv.constant("heat_bounds", np.array([400.0, 900.0], np.float32))
            values["bounds"] = (400.0, 900.0)
        before = T.copy(order="F")
        tv.run("solid", "advanceSolid")
        check(T, before, advanced(before, q, dt, **values))
        programs.add(id(launcher_of(tv, "solid", "advanceSolid")._program))
        if step == 2:
            allocated = tv.impl.backend.allocations()
    assert len(programs) == 1
    assert tv.impl.backend.allocations() == allocated


def test_what_is_given_again_goes_nowhere(
    tv: bridge.TVProperties, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ported nest gives all its scalars before each run: a GPU gets those that have changed."""
    sent: list[None] = []
    real = ChangedWords.go
    monkeypatch.setattr(ChangedWords, "go", lambda self: sent.append(real(self)))
    on_gpu = tv.impl.backend.name == "cuda"
    bound(tv, *arrays())
    tv.table("heat_cp", TABLE)
    for dt in (0.0, 0.0, 0.25, 0.25, -0.0, 0.0):  # -0 is another one than 0
        tv.constant("heat_dt", dt)
        tv.run("solid", "advanceSolid")
    assert len(sent) == (3 if on_gpu else 0)
    for highest in (900.0, 901.0, 901.0):
        tv.constant("heat_bounds", np.array([400.0, highest]))
        tv.run("solid", "advanceSolid")
    assert len(sent) == (5 if on_gpu else 0)


def test_a_table_filled_again(tv: bridge.TVProperties) -> None:
    """The host's array may go away, and the next may have another size."""
    T, q = arrays()
    bound(tv, T, q)
    tv.constant("heat_dt", 0.05)
    for table in (TABLE, 1.5 * TABLE[:, :2], TABLE[1:3]):
        array = table.copy()
        tv.table("heat_cp", array)
        array[...] = np.nan
        before = T.copy(order="F")
        for _ in range(3):  # a GPU replays the third as a graph
            T[...] = before
            tv.run("solid", "advanceSolid")
            check(T, before, advanced(before, q, 0.05, table=table))


def test_a_constant_bound_as_an_array(tv: bridge.TVProperties) -> None:
    """It varies by point there, whatever the constant is; elsewhere it does not."""
    T, q = arrays()
    dt = np.asfortranarray(np.random.default_rng(5).uniform(0.0, 0.1, SHAPE))
    bound(tv, T, q)
    tv.bind_array("solid", "heat_dt", "in", dt, **BOX)
    tv.table("heat_cp", TABLE)
    for step in range(2):
        before = T.copy(order="F")
        tv.run("solid", "advanceSolid")
        check(T, before, advanced(before, q, dt))
        if step == 0:
            tv.constant("heat_dt", 1.0)
    tv.unbind("solid", "heat_dt")
    before = T.copy(order="F")
    tv.run("solid", "advanceSolid")
    check(T, before, advanced(before, q, 1.0))


def test_what_nobody_gave_is_named(tv: bridge.TVProperties) -> None:
    T, q = arrays()
    before = T.copy(order="F")
    bound(tv, T, q)
    tv.table("heat_cp", TABLE)
    words = r"advanceSolid needs the constant 'heat_dt' of .*heat_pack.catalogue.toml.*"
    with pytest.raises(bridge.StateError, match=words + r"frame_constant\('heat_dt', ...\)"):
        tv.run("solid", "advanceSolid")
    np.testing.assert_array_equal(T, before)
    tv.constant("heat_dt", 0.0)
    tv.run("solid", "advanceSolid")


def test_a_table_that_nobody_filled_is_named(tv: bridge.TVProperties) -> None:
    T, q = arrays()
    bound(tv, T, q)
    tv.constant("heat_dt", 0.1)
    words = r"advanceSolid needs the table 'heat_cp' of .*heat_pack.catalogue.toml.*"
    with pytest.raises(bridge.StateError, match=words + r"frame_table\('heat_cp', ...\)"):
        tv.run("solid", "advanceSolid")
    for name, array in (("heat_T", T), ("heat_source", q)):
        tv.populate_input_stripe(name, array, **BOX, stripeEnd=20)
    for launch in ("advanceHeat", "advanceSolid"):
        with pytest.raises(bridge.StateError, match=f"{launch} needs the table 'heat_cp'"):
            tv.launch(launch, 20)


def test_new_values_wait_for_pending_runs(tv: bridge.TVProperties) -> None:
    T, q = arrays()
    bound(tv, T, q)
    tv.constant("heat_dt", 0.1)
    tv.table("heat_cp", TABLE)
    before = T.copy(order="F")
    tv.run_begin("solid", "advanceSolid")
    words = "came while advanceSolid is pending on set 'solid'"
    with pytest.raises(bridge.StateError, match=f"frame_constant of 'heat_dt' {words}"):
        tv.constant("heat_dt", 0.2)
    with pytest.raises(bridge.StateError, match=f"frame_table of 'heat_cp' {words}"):
        tv.table("heat_cp", TABLE)
    tv.wait("solid")
    check(T, before, advanced(before, q, 0.1))
    tv.bind_array("solid", "heat_dt", "in", np.full(SHAPE, 0.1, order="F"), **BOX)
    tv.run_begin("solid", "advanceSolid")
    tv.constant("heat_dt", 0.3)  # that run reads an array in its place
    tv.wait("solid")


# ---- launches on views --------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["fused", "stream", "graph"])
@pytest.mark.parametrize("launch", ["advanceHeat", "advanceSolid"])
def test_on_views(heat: Path, mode: str, launch: str) -> None:
    """The value, then values by point, then a value again: the latest counts."""
    frame = started(launch=mode)
    tv = frame.tvproperties
    T, q = arrays()
    part = dict(BOX, stripeStart=4, stripeEnd=53)
    dt = np.asfortranarray(np.random.default_rng(6).uniform(0.0, 0.1, SHAPE))
    tv.table("heat_cp", TABLE)
    new = np.zeros(SHAPE, order="F")

    def stepped() -> np.ndarray:
        tv.populate_input_stripe("heat_T", T, **part)
        tv.populate_input_stripe("heat_source", q, **part)
        tv.launch(launch, 50)
        tv.extract_output_stripe("heat_T", new, **part)
        return new[INSIDE].ravel(order="F")[3:53]

    def check_views(dt: Any, material: int = 1) -> None:
        wanted = advanced(T, q, dt, material)[INSIDE].ravel(order="F")[3:53]
        np.testing.assert_allclose(stepped(), wanted, rtol=1e-14)

    with pytest.raises(bridge.StateError, match=f"{launch} needs the constant 'heat_dt'"):
        stepped()
    for step in (0.1, 0.2, 0.3, 0.4):
        tv.constant("heat_dt", step)
        check_views(step)
    tv.populate_input_stripe("heat_dt", dt, **part)
    check_views(dt)
    check_views(dt)
    tv.constant("heat_dt", 0.5)
    check_views(0.5)
    tv.constant("heat_material", 2)
    check_views(0.5, material=2)
    frame.finalize()


# ---- evaluate -----------------------------------------------------------------------------


CHECKS = {
    "catalogue.toml": """
[constant.checks_scale]
unit = "m"
[constant.checks_on]
unit = "1"
type = "logical"
value = true
[constant.checks_shift]
unit = "1"
type = "int32"
columns = "3"
value = [0, 0, 0]
[table.checks_line]
unit = "1"
size = [5]
[table.checks_box]
unit = "1"
size = [4, 3, 2]
[quantity.checks_i]
unit = "1"
type = "int32"
[quantity.checks_j]
unit = "1"
type = "int32"
[quantity.checks_k]
unit = "1"
type = "int32"
[quantity.checks_found]
unit = "1"
[quantity.checks_scaled]
unit = "m"
[[kernel]]
name = "checksLookup"
header = "checksLookup.h"
tables = ["checks_box", "checks_line"]
inputs = ["checks_i", "checks_j", "checks_k", "checks_shift"]
outputs = ["checks_found"]
[[kernel]]
name = "checksScale"
header = "checksLookup.h"
inputs = ["T", "checks_scale", "checks_on"]
outputs = ["checks_scaled"]
[[composite]]
name = "checksFound"
inputs = ["checks_i", "checks_j", "checks_k"]
outputs = ["checks_found"]
""",
    "checksLookup.h": """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class Shift>
BRIDGE_FN void checksLookup(const Shared&, const Table<Real, 3>& box, const Table<Real, 1>& line,
                            const Bits<Real>& i, const Bits<Real>& j, const Bits<Real>& k,
                            const Shift& shift, Real& found) {
    found = box(i + shift[0], j + shift[1], k + shift[2]) + 1000.0 * line(i) +
            1e6 * box.size(0) + 1e7 * line.size(0);
}
template <class Real>
BRIDGE_FN void checksScale(const Shared&, const Real& T, const Real& scale, const Bits<Real>& on,
                           Real& scaled) {
    scaled = select(on != Bits<Real>(0), scale * T, -T);
}
}
""",
}


@pytest.fixture
def checks(tmp_path: Path, one_isa: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    pack = tmp_path / "checks"
    pack.mkdir()
    for name, text in CHECKS.items():
        (pack / name).write_text(text)
    monkeypatch.setenv("BRIDGE_PACKS", str(pack))
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    assert all(done.new for done in build_here())
    return pack


def test_an_index_outside_is_that_of_the_nearest_end(checks: Path) -> None:
    """Every lane by itself, in tables of rank 1 and 3."""
    frame = started()
    tv = frame.tvproperties
    random = np.random.default_rng(4)
    box = random.integers(0, 999, (4, 3, 2)).astype(float)
    line = random.integers(0, 99, 5).astype(float)
    tv.table("checks_box", box)
    tv.table("checks_line", line)
    shape = (53, 1, 1)
    ends = np.array([-(2**31), -1, 0, 1, 2, 3, 4, 5, 2**31 - 1])
    at = {name: random.choice(ends, shape) for name in ("checks_i", "checks_j", "checks_k")}
    for name, index in at.items():
        tv.bind_array("points", name, "in", np.asfortranarray(index, dtype=np.float64))
    found = np.zeros(shape, order="F")
    tv.bind_array("points", "checks_found", "out", found)
    tv.run("points", "checksFound")
    inside = [np.clip(index, 0, n - 1) for index, n in zip(at.values(), box.shape, strict=True)]
    wanted = box[tuple(inside)] + 1000.0 * line[np.clip(at["checks_i"], 0, 4)] + 4e6 + 5e7
    np.testing.assert_array_equal(found, wanted)
    for name in at:  # integers as a constant of several columns, one of them past the end
        tv.bind_array("points", name, "in", np.zeros(shape, order="F"))
    tv.constant("checks_shift", np.array([2, 9, -7]))
    tv.run("points", "checksFound")
    np.testing.assert_array_equal(found, box[2, 2, 0] + 1000.0 * line[0] + 4e6 + 5e7)
    frame.finalize()


def test_evaluate_takes_constants_and_tables(checks: Path) -> None:
    T = np.linspace(300.0, 900.0, 19)
    state = ("N2", T, 1e5, [1.0], ("checks_scaled",))
    words = r"the constant 'checks_scale' of .*catalogue.toml has no value"
    with pytest.raises(bridge.ArgumentError, match=words):
        bridge.evaluate(*state)
    for on in (True, False):
        inputs = {"checks_scale": 3.0, **({} if on else {"checks_on": 0})}
        got = bridge.evaluate(*state, inputs=inputs)["checks_scaled"]
        np.testing.assert_array_equal(got, 3.0 * T if on else -T)
    with pytest.raises(bridge.ArgumentError, match="checks_on.*integers of 32 bits"):
        inputs = {"checks_scale": 3.0, "checks_on": 0.5}
        bridge.evaluate(*state, inputs=inputs)


# ---- what is refused ----------------------------------------------------------------------


def test_values_that_are_none_are_refused(tv: bridge.TVProperties) -> None:
    nothing_changed = {name: held.values.copy() for name, held in tv.impl.constants.items()}
    for name, value, words in (
        ("heat_d", 1.0, "constant: got 'heat_d', wanted a constant .*heat_dt"),
        ("heat_cp", 1.0, "wanted a constant"),
        ("heat_dt", True, "value of 'heat_dt'.*finite real numbers"),
        ("heat_dt", "0.1", "value of 'heat_dt'.*real numbers"),
        ("heat_dt", np.nan, "value of 'heat_dt'.*finite real numbers"),
        ("heat_dt", np.inf, "value of 'heat_dt'.*finite real numbers"),
        ("heat_dt", [1.0, 2.0], r"shape \(2,\), wanted one value"),
        ("heat_material", 1.0, "value of 'heat_material'.*integers of 32 bits"),
        ("heat_material", 2**31, "integers of 32 bits"),
        ("heat_material", True, "integers of 32 bits"),
        ("heat_limited", 1, "value of 'heat_limited'.*logicals"),
        ("heat_bounds", 1.0, r"shape \(\), wanted an array of 2 values"),
        ("heat_bounds", [1.0, 2.0, 3.0], r"shape \(3,\), wanted an array of 2 values"),
    ):
        with pytest.raises(bridge.ArgumentError, match=words):
            tv.constant(name, value)
    for name, values in nothing_changed.items():
        np.testing.assert_array_equal(dict(tv.impl.constants.items())[name].values, values)
    for name, array, words in (
        ("heat_c", TABLE, "table: got 'heat_c', wanted a table .*heat_cp"),
        ("heat_cp", TABLE[0], r"shape \(3,\), wanted an array of rank 2"),
        ("heat_cp", TABLE[:0], r"shape \(0, 3\), wanted 1 to"),
        ("heat_cp", "table", "real numbers"),
    ):
        with pytest.raises(bridge.ArgumentError, match=words):
            tv.table(name, array)


def test_a_table_of_a_declared_size_has_that(checks: Path) -> None:
    frame = started()
    with pytest.raises(bridge.ArgumentError, match=r"\(4, 3\), wanted shape \(4, 3, 2\)"):
        frame.tvproperties.table("checks_box", np.zeros((4, 3)))
    with pytest.raises(bridge.ArgumentError, match=r"\(2, 3, 4\), wanted shape \(4, 3, 2\)"):
        frame.tvproperties.table("checks_box", np.zeros((2, 3, 4)))
    frame.finalize()


def test_the_setting_gives_values_of_every_type(heat: Path) -> None:
    frame = started(constants="heat_dt=0.25 heat_material=2 heat_limited=1")
    held = frame.tvproperties.impl.constants
    values = {name: view.values.tolist() for name, view in held.items()}
    assert values == {
        "heat_dt": [0.25], "heat_material": [2], "heat_limited": [1],
        "heat_bounds": [200.0, 1500.0],
    }  # fmt: skip
    frame.finalize()
    for text, words in (
        ("heat_material=1.5", "heat_material=1.5, wanted an integer"),
        ("heat_limited=2", "heat_limited=2, wanted 0 or 1"),
        ("heat_bounds=2", "heat_bounds=2, wanted one value, not the 2"),
    ):
        with pytest.raises(bridge.ArgumentError, match=words):
            started(constants=text)


@pytest.mark.parametrize(
    "text, words",
    [
        ('[constant.a]\nunit="1"\ntype="real"', "type: got 'real' of a"),
        ('[constant.a]\nunit="1"\nvalue=true', "value: got True.*finite number"),
        ('[constant.a]\nunit="1"\nvalue=nan', "value: got nan.*finite number"),
        ('[constant.a]\nunit="1"\ntype="int32"\nvalue=1.0', "value: got 1.0.*integer of 32"),
        ('[constant.a]\nunit="1"\ntype="int32"\nvalue=2147483648', "integer of 32 bits"),
        ('[constant.a]\nunit="1"\ntype="logical"\nvalue=1', "value: got 1.*true or false"),
        ('[constant.a]\nunit="1"\ncolumns="3"\nvalue=1.0', "an array of 3 values"),
        ('[constant.a]\nunit="1"\ncolumns="3"\nvalue=[1,2]', "an array of 3 values"),
        ('[constant.a]\nunit="1"\nvalue=[1.0]', "one value"),
        ('[constant.a]\nunit="1"\ncolumns="ns"\nvalue=[1.0]', "none, as its columns are 'ns'"),
        ('[constant.a]\nunit="1"\ncolumns="x"', "columns: got 'x' of a"),
        ('[table.a]\nunit="1"', "rank: got None.*1 to 3 dimensions"),
        ('[table.a]\nunit="1"\nrank=4', "rank: got 4"),
        ('[table.a]\nunit="1"\nrank=2\nsize=[3]', "rank: got 2"),
        ('[table.a]\nunit="1"\nsize=[3,0]', "size: got .*whole numbers from 1"),
        ('[table.rho]\nunit="1"\nrank=1', "rho, also a quantity"),
        (
            '[[kernel]]\nname="k"\nheader="k.h"\ninputs=[]\noutputs=[]\ntables=["a"]',
            "tables: got 'a' in k of",
        ),
    ],
)
def test_declarations_that_contradict_themselves(tmp_path: Path, text: str, words: str) -> None:
    from bridge.plan.catalogue import shipped_file

    (tmp_path / "catalogue.toml").write_text(text)
    (tmp_path / "k.h").write_text("")
    with pytest.raises(bridge.ArgumentError, match=words):
        Catalogue.load([shipped_file(), tmp_path / "catalogue.toml"])
