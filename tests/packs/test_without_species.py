"""Frames for kernel packs that know no species: ns = 0, one kernel by its name, sets with more
arrays than a run uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.plan import packbuild
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.tvproperties import TVProperties

CATALOGUE = """
[quantity.loop_u]
unit = "1"
columns = 3
[quantity.loop_rhs]
unit = "1"
columns = 3
[quantity.loop_speed]
unit = "m/s"
[quantity.loop_energy]
unit = "1"
[quantity.loop_gas]
unit = "J/(mol K)"
[quantity.loop_density]
unit = "kg/m3"
[quantity.loop_place]
unit = "1"
columns = 4
[quantity.loop_mixture]
unit = "kg/m3"
[constant.loop_gamma]
unit = "1"
value = 1.5

[[kernel]]
name = "loopSpeed"
header = "loops.h"
inputs = ["loop_u"]
outputs = ["loop_speed", "loop_energy"]
[[kernel]]
name = "loopStep"
header = "loops.h"
inputs = ["loop_u", "loop_rhs", "loop_gamma"]
outputs = ["loop_u"]
[[kernel]]
name = "loopFlag"
header = "loops.h"
inputs = ["loop_speed", "status"]
outputs = ["loop_gas", "status"]
[[kernel]]
name = "loopDensity"
header = "loops.h"
inputs = ["W"]
outputs = ["loop_mixture"]
[[kernel]]
name = "loopPlace"
header = "loops.h"
inputs = ["loop_speed", "position_i", "position_j", "position_k"]
outputs = ["loop_place"]
[[kernel]]
name = "loopBlank"
header = "loops.h"
inputs = ["iblank"]
outputs = ["loop_density"]

[[composite]]
name = "loopPlaced"
inputs = ["loop_u"]
outputs = ["loop_energy", "loop_place"]
[[composite]]
name = "loopAuxiliaries"
inputs = ["loop_u"]
outputs = ["loop_speed", "loop_energy"]
[[composite]]
name = "loopChecked"
inputs = ["loop_u"]
outputs = ["loop_speed", "loop_gas", "status"]
[[composite]]
name = "loopUpdate"
inputs = ["loop_u", "loop_rhs"]
outputs = ["loop_u"]
[[composite]]
name = "loopMixture"
inputs = ["Y"]
outputs = ["loop_mixture"]
[[composite]]
name = "loopPhysics"
inputs = ["P", "W", "T", "Z"]
outputs = ["rho"]
"""

HEADER = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class In>
BRIDGE_FN void loopSpeed(const Shared&, const In& u, Real& speed, Real& energy) {
    energy = 0.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    speed = sqrt(2.0 * energy);
}
template <class Real, class In, class Out>
BRIDGE_FN void loopStep(const Shared&, const In& u, const In& rhs, const Real& gamma, Out& next) {
    for (int m = 0; m < 3; ++m) next[m] = u[m] + gamma * rhs[m];
}
template <class Real>
BRIDGE_FN void loopFlag(const Shared& shared, const Real& speed, const Bits<Real>& status,
                        Real& gas, Bits<Real>& status_out) {
    gas = Real(shared.R);
    for (int i = 0; i < species(shared); ++i) gas = gas + shared.W[i];
    status_out = status | flag<Real>(speed > 1.0, 1 << 20);
}
template <class Real, class Out>
BRIDGE_FN void loopPlace(const Shared&, const Real& speed, const Bits<Real>& i,
                         const Bits<Real>& j, const Bits<Real>& k, Out& place) {
    place[0] = speed;
    place[1] = Real(i);
    place[2] = Real(j);
    place[3] = Real(k);
}
template <class Real>
BRIDGE_FN void loopBlank(const Shared&, const Bits<Real>& blank, Real& density) {
    density = Real(blank + Bits<Real>(1));
}
template <class Real> BRIDGE_FN void loopDensity(const Shared&, const Real& W, Real& density) {
    density = W;
}
}
"""

pytestmark = pytest.mark.usefixtures("backend")

SHAPE, INTERIOR = (9, 5, 4), (slice(2, 7), slice(1, 5), slice(0, 4))
BOX: dict[str, Any] = dict(SptX=3, EptX=7, SptY=2, EptY=5, SptZ=1, EptZ=4)


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pack above, built once (a GPU needs no library of it)."""
    folder = tmp_path_factory.mktemp("loops") / "loops_pack"
    folder.mkdir()
    (folder / "catalogue.toml").write_text(CATALOGUE)
    (folder / "loops.h").write_text(HEADER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_CACHE", str(folder.parent / "cache"))
        list(packbuild.build([folder]))
    return folder


@pytest.fixture
def policy() -> str:
    """The launch policy of a GPU; that of its table where it is empty."""
    return ""


@pytest.fixture
def tv(loops: Path, policy: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[TVProperties]:
    """Of a Frame without species, whose chunks are smaller than the box."""
    monkeypatch.setenv("BRIDGE_POLICY", policy)
    monkeypatch.setenv("BRIDGE_PACKS", str(loops))
    monkeypatch.setenv("BRIDGE_CACHE", str(loops.parent / "cache"))
    frame = bridge.Frame()
    frame.set("threads", 1)
    frame.initialize(0, 30, 0, 5)
    yield frame.tvproperties
    frame.finalize()


def vector(seed: int = 1) -> np.ndarray:
    return np.asfortranarray(np.random.default_rng(seed).normal(size=(*SHAPE, 3)))


def scalar(value: float = -7.0) -> np.ndarray:
    return np.full(SHAPE, value, order="F")


def energy(u: np.ndarray) -> np.ndarray:
    value: np.ndarray = 0.5 * (u[INTERIOR] ** 2).sum(axis=-1)
    return value


def outside(array: np.ndarray) -> np.ndarray:
    """What of an array lies in its fringes."""
    kept = np.ones(SHAPE, dtype=bool)
    kept[INTERIOR] = False
    return array[kept]


# ---- ns = 0 -----------------------------------------------------------------------------


def test_a_composite_of_a_pack_runs_without_species(tv: TVProperties) -> None:
    u, speed, e = vector(), scalar(), scalar()
    tv.bind_array("cells", "loop_u", "in", u, **BOX)
    tv.bind_array("cells", "loop_speed", "out", speed, **BOX)
    tv.bind_array("cells", "loop_energy", "out", e, **BOX)
    tv.run("cells", "loopAuxiliaries")
    np.testing.assert_allclose(e[INTERIOR], energy(u), rtol=1e-15)
    np.testing.assert_allclose(speed[INTERIOR], np.sqrt(2 * energy(u)), rtol=1e-15)
    assert (outside(e) == -7.0).all()


def test_data_of_the_run_are_there_and_tables_are_empty(tv: TVProperties) -> None:
    """The gas constant is known; a loop over species has no turn; the status starts at zero."""
    u, gas, status = vector(), scalar(), scalar()
    for name, intent, array in (("loop_u", "in", u), ("loop_gas", "out", gas)):
        tv.bind_array("cells", name, intent, array, **BOX)
    tv.bind_array("cells", "status", "out", status, **BOX)
    tv.run("cells", "loopChecked")
    assert (gas[INTERIOR] == 8.31446261815324).all()
    fast = np.sqrt(2 * energy(u)) > 1.0
    assert fast.any() and not fast.all()
    np.testing.assert_array_equal(status[INTERIOR], np.where(fast, 1 << 20, 0))


def test_views_without_species(tv: TVProperties) -> None:
    u, e = vector(), scalar()
    for first in range(1, 81, 30):
        part = dict(BOX, stripeStart=first, stripeEnd=min(first + 29, 80))
        n = part["stripeEnd"] - first + 1
        tv.populate_input_stripe("loop_u", u, **part)
        tv.launch("loopSpeed", n)
        tv.loopAuxiliaries(n)
        tv.extract_output_stripe("loop_energy", e, **part)
    np.testing.assert_allclose(e[INTERIOR], energy(u), rtol=1e-15)


def test_what_needs_species_is_refused_by_name(tv: TVProperties) -> None:
    tv.bind_array("cells", "T", "in", scalar(300.0))
    tv.bind_array("cells", "P", "in", scalar(1e5))
    tv.bind_array("cells", "loop_mixture", "out", scalar())
    for name, reason in (
        ("eosThermalProperties", "'Y' has a value for each"),
        ("loopMixture", "'Y' has a value for each"),
        ("prEOSCalcSoundSpeed", "it is physics of the package"),
    ):
        with pytest.raises(bridge.StateError) as refused:
            tv.run("cells", name)
        text = str(refused.value)
        assert text.startswith(f"{name} needs species") and reason in text and "ns = 0" in text
        with pytest.raises(bridge.StateError, match=f"{name} needs species .*ns = 0"):
            tv.launch(name, 3)
    with pytest.raises(bridge.ArgumentError, match="'Y', one value per species, with ns = 0"):
        tv.bind_array("cells", "Y", "in", scalar())
    with pytest.raises(bridge.ArgumentError, match="'Y', one value per species, with ns = 0"):
        tv.populate_input_stripe("Y", scalar())
    with pytest.raises(bridge.ArgumentError, match="nq.*0 species"):
        tv.bind_array("cells", "Q", "in", np.zeros((*SHAPE, 5), order="F"))
    with pytest.raises(bridge.StateError, match="populatepreosshareddata.*ns = 0"):
        tv.populate_preos_shared_data([], [], [], [], [])


def test_a_plan_with_a_shipped_kernel_is_refused_by_its_name(tv: TVProperties) -> None:
    """The composite itself names nothing that has a value for each species."""
    for name in ("T", "P", "W", "Z"):
        tv.bind_array("cells", name, "in", scalar(300.0))
    tv.bind_array("cells", "rho", "out", scalar())
    with pytest.raises(bridge.StateError, match="loopPhysics needs species .it runs prEOSDensity"):
        tv.run("cells", "loopPhysics")


@pytest.mark.parametrize(
    ("ns", "message"),
    [(-1, "ns: got -1, wanted at least 0"), (0, "ns: got 0, wanted 2, the number of names")],
)
def test_ns_of_initialize(ns: int, message: str) -> None:
    frame = bridge.Frame()
    frame.set("species", "O2 CH4")
    with pytest.raises(bridge.ArgumentError, match=message):
        frame.initialize(0, 10, ns, 0)


# ---- one kernel by its name -------------------------------------------------------------


def test_a_kernel_runs_on_bound_arrays(tv: TVProperties) -> None:
    """Some of its outputs, in chunks, and fringes stay."""
    u, e = vector(), scalar()
    tv.bind_array("cells", "loop_u", "in", u, **BOX)
    tv.bind_array("cells", "loop_energy", "out", e, **BOX)
    assert tv.run("cells", "loopSpeed") in (3, 4)
    np.testing.assert_allclose(e[INTERIOR], energy(u), rtol=1e-15)
    assert (outside(e) == -7.0).all()


def test_a_kernel_rewrites_in_place_and_takes_its_constants(tv: TVProperties) -> None:
    u, rhs = vector(1), vector(2)
    wanted = u.copy()
    wanted[INTERIOR] += 1.5 * rhs[INTERIOR]
    tv.bind_array("cells", "loop_u", "inout", u, **BOX)
    tv.bind_array("cells", "loop_rhs", "in", rhs, **BOX)
    tv.run("cells", "loopStep")
    np.testing.assert_allclose(u, wanted, rtol=1e-15, atol=1e-15)
    gamma = scalar(0.25)
    tv.bind_array("cells", "loop_gamma", "in", gamma, **BOX)
    wanted[INTERIOR] += 0.25 * rhs[INTERIOR]
    tv.run_begin("cells", "loopStep")
    tv.wait("cells")
    np.testing.assert_allclose(u, wanted, rtol=1e-15, atol=1e-15)


def test_a_status_word_that_nobody_binds_begins_at_zero(tv: TVProperties) -> None:
    speed, status = scalar(2.0), scalar(5.0)
    tv.bind_array("cells", "loop_speed", "in", speed, **BOX)
    tv.bind_array("cells", "loop_gas", "out", scalar(), **BOX)
    tv.run("cells", "loopFlag")
    tv.bind_array("cells", "status", "out", status, **BOX)
    tv.run("cells", "loopFlag")
    assert (status[INTERIOR] == 1 << 20).all()
    status[...] = 5.0
    tv.bind_array("cells", "status", "inout", status, **BOX)
    tv.run("cells", "loopFlag")
    assert (status[INTERIOR] == (1 << 20) + 5).all() and (outside(status) == 5.0).all()


def test_a_kernel_of_the_package_runs_on_bound_arrays() -> None:
    """The same bits as on views, and the same refusals as for a composite."""
    frame = bridge.Frame()
    frame.set("species", "O2 CH4")
    frame.initialize(0, 50, 2, 0)
    tv, T = frame.tvproperties, np.linspace(200.0, 900.0, 40).reshape(40, 1, 1, order="F")
    cp0 = np.zeros((40, 1, 1, 2), order="F")
    viewed = cp0.copy(order="F")
    tv.populate_input_stripe("T", T)
    tv.launch("prEOSIdealSpeciesCp", 40)
    tv.extract_output_stripe("cp0_i", viewed)
    tv.bind_array("line", "T", "in", T)
    with pytest.raises(bridge.StateError, match="nowhere to put results: bind one of cp0_i"):
        tv.run("line", "prEOSIdealSpeciesCp")
    tv.bind_array("line", "cp0_i", "out", cp0)
    tv.run("line", "prEOSIdealSpeciesCp")
    np.testing.assert_array_equal(cp0, viewed)
    with pytest.raises(bridge.StateError, match="prEOSIdealSpeciesEnthalpy on set .* nowhere"):
        tv.run("line", "prEOSIdealSpeciesEnthalpy")
    with pytest.raises(bridge.StateError, match="prEOSMixB on set 'line' needs '"):
        tv.run("line", "prEOSMixB")
    with pytest.raises(bridge.ArgumentError, match="composite or a kernel.*prEOSMixB"):
        tv.run("line", "prEOSMixb")
    frame.finalize()


# ---- a set with more than a run uses ----------------------------------------------------


def test_arrays_that_a_run_does_not_use_are_left_alone(tv: TVProperties) -> None:
    """One set for all loops of a block."""
    u, rhs, speed, e, gas = vector(1), vector(2), scalar(), scalar(), scalar()
    for name, intent, array in (
        ("loop_u", "inout", u), ("loop_rhs", "in", rhs), ("loop_speed", "inout", speed),
        ("loop_energy", "out", e), ("loop_gas", "out", gas),
    ):  # fmt: skip
        tv.bind_array("cells", name, intent, array, **BOX)
    before = u.copy()
    tv.run("cells", "loopUpdate")
    wanted = before.copy()
    wanted[INTERIOR] += 1.5 * rhs[INTERIOR]
    np.testing.assert_allclose(u, wanted, rtol=1e-15, atol=1e-15)
    for untouched in (speed, e, gas):
        assert (untouched == -7.0).all()
    tv.run("cells", "loopAuxiliaries")
    np.testing.assert_allclose(e[INTERIOR], energy(u), rtol=1e-15)
    assert (gas == -7.0).all()
    tv.run("cells", "loopFlag")
    assert (gas[INTERIOR] == 8.31446261815324).all()
    np.testing.assert_allclose(u, wanted, rtol=1e-15, atol=1e-15)


def test_a_run_none_of_whose_outputs_is_bound_is_refused(tv: TVProperties) -> None:
    tv.bind_array("cells", "loop_u", "in", vector(), **BOX)
    tv.bind_array("cells", "loop_gas", "out", scalar(), **BOX)
    wanted = r"nowhere to put results: bind one of loop_speed, loop_energy .*'out' \(bound: " \
        "loop_u in, loop_gas out"  # fmt: skip
    with pytest.raises(bridge.StateError, match=wanted):
        tv.run("cells", "loopAuxiliaries")
    with pytest.raises(bridge.ArgumentError, match="'loop_enery'.*loop_energy"):
        tv.bind_array("cells", "loop_enery", "out", scalar(), **BOX)


def test_every_array_of_a_set_has_its_extent(tv: TVProperties) -> None:
    """A set is one group of points, those of arrays that a run does not use among them."""
    tv.bind_array("cells", "loop_u", "in", vector(), **BOX)
    tv.bind_array("cells", "loop_energy", "out", scalar(), **BOX)
    tv.bind_array("cells", "loop_gas", "out", scalar(), **{**BOX, "EptX": 6})
    with pytest.raises(bridge.ArgumentError, match="loop_gas: .*(4, 4, 4)"):
        tv.run("cells", "loopAuxiliaries")


# ---- bridge.evaluate --------------------------------------------------------------------


@pytest.fixture
def found(loops: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pack, found by `bridge.evaluate`."""
    monkeypatch.setenv("BRIDGE_PACKS", str(loops))
    monkeypatch.setenv("BRIDGE_CACHE", str(loops.parent / "cache"))


def test_evaluate_without_species(found: None) -> None:
    u = np.random.default_rng(3).normal(size=(13, 3))
    result = bridge.evaluate(outputs=("loop_energy",), inputs={"loop_u": u})
    assert list(result) == ["loop_energy"]  # no kernel that runs gives a status
    np.testing.assert_allclose(result["loop_energy"], 0.5 * (u**2).sum(1), rtol=1e-15)
    result = bridge.evaluate(outputs=("loop_gas",), inputs={"loop_u": u})
    assert list(result) == ["loop_gas", "status"]
    assert (result["loop_gas"] == 8.31446261815324).all()
    fast = (u**2).sum(1) > 1.0
    np.testing.assert_array_equal(result["status"], np.where(fast, 1 << 20, 0))


def test_evaluate_gives_what_a_composite_or_kernel_gives(found: None) -> None:
    u, rhs = np.random.default_rng(3).normal(size=(2, 13, 3))
    given = {"loop_u": u, "loop_rhs": rhs}
    before = u.copy()
    for name in ("loopUpdate", "loopStep"):
        result = bridge.evaluate(composite=name, inputs=given)
        np.testing.assert_allclose(result["loop_u"], u + 1.5 * rhs, rtol=1e-15, atol=1e-15)
        changed = bridge.evaluate(composite=name, inputs={**given, "loop_gamma": 2.0})
        np.testing.assert_allclose(changed["loop_u"], u + 2.0 * rhs, rtol=1e-15, atol=1e-15)
    np.testing.assert_array_equal(u, before)
    # one row of columns stands for all points
    single = bridge.evaluate(composite="loopStep", inputs={"loop_u": u, "loop_rhs": rhs[0]})
    np.testing.assert_allclose(single["loop_u"], u + 1.5 * rhs[0], rtol=1e-15, atol=1e-15)
    result = bridge.evaluate(composite="loopChecked", inputs={"loop_u": u})
    assert list(result) == ["loop_speed", "loop_gas", "status"]
    result = bridge.evaluate(
        composite="loopFlag",
        inputs={"loop_speed": 2.0, "status": [1, 2]},
        outputs=("status",),
    )
    np.testing.assert_array_equal(result["status"], [(1 << 20) + 1, (1 << 20) + 2])


def test_a_composite_of_evaluate_with_species(found: None) -> None:
    plain = bridge.evaluate("O2 CH4", [300.0, 400.0], 1e6, [0.7, 0.3], ("rho", "h", "status"))
    named = bridge.evaluate(
        "O2 CH4",
        [300.0, 400.0],
        1e6,
        [0.7, 0.3],
        ("rho", "h", "status"),
        composite="eosThermalProperties",
    )
    for name in plain:
        np.testing.assert_array_equal(named[name], plain[name])
    solved = bridge.evaluate(
        "O2 CH4", P=1e6, Y=[0.7, 0.3], h=plain["h"], composite="prEOSCalcTFromHP", outputs=["T"]
    )
    np.testing.assert_allclose(solved["T"], [300.0, 400.0], rtol=1e-9)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({}, "outputs: got None, wanted names of quantities, or a composite"),
        ({"outputs": ("rho",)}, "outputs: got 'rho' from"),
        ({"composite": "loopStep"}, "inputs: got no 'loop_rhs', wanted it, as loopStep reads it"),
        ({"composite": "loopSpeed", "T": 300.0}, "inputs: got 'T', wanted what loopSpeed reads"),
        ({"composite": "loopSpeed", "outputs": ("rho",)}, "outputs of loopSpeed: loop_speed"),
        ({"composite": "loopSped"}, "a composite or a kernel .*loopSpeed"),
        ({"composite": "loopSpeed", "Y": 1.0}, "species: got None, wanted species, as Y is given"),
        ({"composite": "eosThermalProperties"}, "eosThermalProperties needs species"),
        (
            {"composite": "loopFlag", "inputs": {"loop_speed": 1.0, "status": 0.5}},
            "got 0.5, .* 32",
        ),
        (
            {"composite": "loopFlag", "inputs": {"loop_speed": 1.0, "status": 3e9}},
            "got 3e.09, .* 32",
        ),
        ({"inputs": {"status": 1.0}, "outputs": ("loop_gas",)}, "'status'.*of their own"),
    ],
)
def test_what_evaluate_cannot_do_without_species(
    found: None, named: dict[str, Any], message: str
) -> None:
    with pytest.raises(bridge.BridgeError, match=message):
        bridge.evaluate(**{"inputs": {"loop_u": np.ones((4, 3))}, **named})


# ---- positions --------------------------------------------------------------------------


def placed(first: tuple[int, int, int] = (3, 2, 1)) -> np.ndarray:
    """Positions of the interior's points, (5, 4, 4, 3)."""
    axes = (np.arange(f, f + n) for f, n in zip(first, (5, 4, 4), strict=True))
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def test_kernels_read_where_their_points_lie(tv: TVProperties) -> None:
    """In rows, whatever the order of the array, in chunks that begin anywhere."""
    u, e = vector(), scalar()
    place = np.full((4, *SHAPE), -7.0, order="F")
    tv.bind_array("cells", "loop_u", "in", u, **BOX)
    tv.bind_array("cells", "loop_energy", "out", e, **BOX)
    tv.bind_array("cells", "loop_place", "out", place, component_first=True, **BOX)
    for _ in range(3):  # a GPU replays the third
        tv.run("cells", "loopPlaced")
        inside = np.moveaxis(place, 0, -1)[INTERIOR]
        np.testing.assert_array_equal(inside[..., 1:], placed())
        np.testing.assert_allclose(inside[..., 0], np.sqrt(2 * energy(u)), rtol=1e-15)
        assert (outside(place[1]) == -7.0).all()
        place[...] = -7.0
    # one kernel alone, on a set whose caller says where it begins: a rank's own part
    speed, wide = scalar(2.0), np.full((*SHAPE, 4), -7.0, order="F")
    tv.bind_array("rank", "loop_speed", "in", speed, **BOX)
    tv.bind_array("rank", "loop_place", "out", wide, **BOX)
    for first in ((3, 2, 1), (-4, 0, 1000), (2**31 - 10, 7, 7)):
        tv.position("rank", *first)
        tv.run("rank", "loopPlace")
        np.testing.assert_array_equal(wide[INTERIOR][..., 1:], placed(first))


def test_positions_of_flat_rows_and_of_evaluate(tv: TVProperties, found: None) -> None:
    """Arrays without fringes would be one row: those along y and z begin anew all the same."""
    shape = (21, 3, 2)
    speed, place = np.ones(shape, order="F"), np.zeros((*shape, 4), order="F")
    tv.bind_array("whole", "loop_speed", "in", speed)
    tv.bind_array("whole", "loop_place", "out", place)
    tv.run("whole", "loopPlace")
    axes = np.meshgrid(*(np.arange(1, n + 1) for n in shape), indexing="ij")
    np.testing.assert_array_equal(place[..., 1:], np.stack(axes, axis=-1))
    result = bridge.evaluate(outputs=("loop_place",), inputs={"loop_speed": np.ones(4)})
    np.testing.assert_array_equal(result["loop_place"][:, 1:], [(i, 1, 1) for i in (1, 2, 3, 4)])
    given = {"loop_speed": 1.0, "position_i": [5, 9]}
    result = bridge.evaluate(composite="loopPlace", inputs=given)
    np.testing.assert_array_equal(result["loop_place"][:, 1], [5, 9])


def test_positions_that_cannot_be_told_are_refused(tv: TVProperties) -> None:
    tv.bind_array("cells", "loop_speed", "in", scalar(), **BOX)
    tv.bind_array("cells", "loop_place", "out", np.zeros((5, 4, 4, 4), order="F"))
    with pytest.raises(bridge.StateError, match="position_i on set 'cells'.* 3 of 'loop_speed' .*"
                       "1 of 'loop_place'.*frame_position"):  # fmt: skip
        tv.run("cells", "loopPlace")
    tv.position("cells", 3, 2, 1)
    tv.run("cells", "loopPlace")
    tv.position("cells", 2**31 - 3, 2, 1)
    with pytest.raises(bridge.ArgumentError, match="argument i: got 2147483645, wanted a last"):
        tv.run("cells", "loopPlace")
    with pytest.raises(bridge.ArgumentError, match="argument j: got 2147483648"):
        tv.position("cells", 1, 2**31, 1)
    with pytest.raises(bridge.ArgumentError, match="set.*'cell'"):
        tv.position("cell", 1, 1, 1)
    with pytest.raises(bridge.ArgumentError, match="'position_i', wanted a quantity with an arr"):
        tv.bind_array("cells", "position_i", "in", scalar(), **BOX)
    with pytest.raises(bridge.StateError, match="needs view 'position_i'"):
        tv.populate_input_stripe("loop_speed", scalar(), **BOX, stripeStart=1, stripeEnd=9)
        tv.launch("loopPlace", 9)


# ---- a mask -----------------------------------------------------------------------------


def blanked() -> np.ndarray:
    """A mask with points, a row and a plane of zeros."""
    mask = np.asfortranarray(np.random.default_rng(5).integers(-1, 2, SHAPE).astype(float))
    mask[:, 2, 1], mask[:, :, 3] = 0.0, 0.0
    return mask


@pytest.mark.parametrize("policy", ["", "local points=2 threads=8"])
@pytest.mark.parametrize("shape", [(5, 4, 4), (33, 2, 2)])
@pytest.mark.parametrize("first", [False, True])
def test_masked_points_keep_what_the_arrays_hold(
    tv: TVProperties, shape: tuple[int, int, int], first: bool
) -> None:
    """Results of all other points have the bits of a run without mask; a scaled array, the status
    in a real one and an array of several components keep every bit as well."""
    random = np.random.default_rng(6)
    mask = np.asfortranarray(random.integers(0, 2, shape).astype(float))
    mask[:, :, -1] = 0.0
    u = np.asfortranarray(random.normal(size=(*shape, 3)))
    order = (3, 0, 1, 2) if first else (0, 1, 2, 3)
    before = np.random.default_rng(7).normal(size=(*shape, 7)).transpose(order)
    results = {}
    for set in ("plain", "masked"):
        results[set] = np.asfortranarray(before.copy())
        given = np.asfortranarray(u.transpose(order))
        tv.bind_array(set, "loop_u", "in", given, component_first=first)
        for name, begin, end, scale in (
            ("loop_speed", 1, 1, 0.3), ("loop_gas", 2, 2, 1.0), ("status", 3, 3, 1.0),
            ("loop_place", 4, 7, 7.0),
        ):  # fmt: skip
            columns: dict[str, Any] = {"SptData": begin, "EptData": end}
            tv.bind_array(
                set, name, "out", results[set], scale=scale, component_first=first, **columns
            )
    tv.bind_array("masked", "iblank", "in", mask)
    for _ in range(3):
        for set in ("plain", "masked"):
            tv.run(set, "loopChecked")
            tv.run(set, "loopPlaced")
    assert not (results["plain"] == before).any()
    on = np.broadcast_to((mask != 0.0)[..., None], (*shape, 7)).transpose(order)
    np.testing.assert_array_equal(results["masked"][on], results["plain"][on])
    np.testing.assert_array_equal(results["masked"][~on], before[~on])


def test_a_masked_update_in_place(tv: TVProperties) -> None:
    for first in (False, True):
        u, rhs, mask = vector(1), vector(2), blanked()
        wanted = u.copy()
        on = (mask != 0.0)[INTERIOR]
        wanted[INTERIOR][on] += 1.5 * rhs[INTERIOR][on]
        field = np.asfortranarray(np.moveaxis(u, 3, 0)) if first else u
        tv.bind_array("cells", "loop_u", "inout", field, component_first=first, **BOX)
        tv.bind_array("cells", "loop_rhs", "in", rhs, **BOX)
        tv.bind_array("cells", "iblank", "in", mask, **BOX)
        for name in ("loopUpdate", "loopStep"):
            tv.run("cells", name)
            result = np.moveaxis(field, 0, -1) if first else field
            np.testing.assert_allclose(result, wanted, rtol=1e-14, atol=1e-14)
            np.testing.assert_array_equal(result[INTERIOR][~on], vector(1)[INTERIOR][~on])
            wanted[INTERIOR][on] += 1.5 * rhs[INTERIOR][on]
        tv.unbind("cells", "*")


def test_a_kernel_may_read_the_mask(tv: TVProperties) -> None:
    mask, density = blanked(), scalar()
    tv.bind_array("cells", "iblank", "in", mask, **BOX)
    tv.bind_array("cells", "loop_density", "out", density, **BOX)
    tv.run("cells", "loopBlank")
    np.testing.assert_array_equal(
        density[INTERIOR], np.where(mask == 0.0, -7.0, mask + 1.0)[INTERIOR]
    )
    # the mask of the next run is what the array holds then; without it all points are written
    mask[...] = 1.0 - np.abs(mask)
    density[...] = -7.0
    tv.run("cells", "loopBlank")
    np.testing.assert_array_equal(density[INTERIOR], np.where(mask == 0.0, -7.0, 2.0)[INTERIOR])
    tv.unbind("cells", "iblank")
    with pytest.raises(bridge.StateError, match="needs 'iblank'"):
        tv.run("cells", "loopBlank")
    for intent in ("out", "inout"):
        with pytest.raises(bridge.ArgumentError, match="'in' for 'iblank'"):
            tv.bind_array("cells", "iblank", intent, mask, **BOX)


def test_a_mask_on_the_physics_of_the_package() -> None:
    """A search with a loop, and species, under a mask."""
    frame = bridge.Frame()
    frame.set("species", "O2 CH4")
    frame.set("threads", 2)
    frame.initialize(0, 300, 2, 0)
    tv, n = frame.tvproperties, 700
    T = np.linspace(150.0, 900.0, n).reshape(n, 1, 1, order="F")
    P, Y = np.full((n, 1, 1), 5e6), np.zeros((n, 1, 1, 2), order="F")
    Y[..., 0], Y[..., 1] = 0.7, 0.3
    h = bridge.evaluate("O2 CH4", T.ravel(), 5e6, [0.7, 0.3], ("h",))["h"]
    mask = np.asfortranarray(np.random.default_rng(8).integers(0, 2, (n, 1, 1)).astype(float))
    mask[100:240] = 0.0
    results = {}
    for set in ("plain", "masked"):
        found = {name: np.full((n, 1, 1), -3.0, order="F") for name in ("T", "rho", "status")}
        found["h_Yi"] = np.full((n, 1, 1, 2), -3.0, order="F")
        for name, array in (("h_target", h.reshape(n, 1, 1)), ("P", P), ("Y", Y)):
            tv.bind_array(set, name, "in", np.asfortranarray(array))
        for name in ("T", "rho", "status"):
            tv.bind_array(set, name, "out", found[name])
        if set == "masked":
            tv.bind_array(set, "iblank", "in", mask)
        tv.run(set, "prEOSCalcTFromHP")
        results[set] = found
    on = mask != 0.0
    for name in ("T", "rho", "status"):
        np.testing.assert_array_equal(results["masked"][name][on], results["plain"][name][on])
        assert (results["masked"][name][~on] == -3.0).all()
    np.testing.assert_allclose(results["plain"]["T"], T, rtol=1e-9)
    frame.finalize()


def test_reserved_names_are_no_outputs(loops: Path, tmp_path: Path) -> None:
    (tmp_path / "f.h").touch()
    for name in ("position_j", "iblank"):
        entry = f'[[kernel]]\nname = "f"\nheader = "f.h"\ninputs = ["T"]\noutputs = ["{name}"]\n'
        (tmp_path / "catalogue.toml").write_text(entry)
        with pytest.raises(bridge.ArgumentError, match=f"{name} in outputs of f of .* reserved"):
            Catalogue.load([shipped_file(), tmp_path / "catalogue.toml"])
