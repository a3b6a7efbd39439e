"""Frames for kernel packs that know no species: ns = 0, one kernel by its name, sets with more
arrays than a run uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from packs.loops import BOX, INTERIOR, SHAPE, energy, outside, scalar, vector

import bridge
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")


@pytest.fixture
def tv(without_species: TVProperties) -> TVProperties:
    return without_species


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
        tv.composite("loopAuxiliaries", n)
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
    with pytest.raises(bridge.ArgumentError, match="'Y', ns values per point, with ns = 0"):
        tv.bind_array("cells", "Y", "in", scalar())
    with pytest.raises(bridge.ArgumentError, match="'Y', ns values per point, with ns = 0"):
        tv.populate_input_stripe("Y", scalar())
    with pytest.raises(bridge.ArgumentError, match="nq.*0 species"):
        tv.bind_array("cells", "Q", "in", np.zeros((*SHAPE, 5), order="F"))
    with pytest.raises(bridge.StateError, match="populatepreosshareddata.*ns = 0"):
        tv.populate_preos_shared_data([], [], [], [], [])


def test_a_plan_with_a_shipped_kernel_is_refused_by_its_name(tv: TVProperties) -> None:
    """The composite itself names nothing that has a value for each species."""
    for name in ("cp", "cv"):
        tv.bind_array("cells", name, "in", scalar(300.0))
    tv.bind_array("cells", "gamma", "out", scalar())
    with pytest.raises(bridge.StateError, match="loopPhysics needs species .it runs prEOSGamma"):
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
    """Some of its outputs, in chunks but of a loop nest, and fringes stay."""
    u, e = vector(), scalar()
    tv.bind_array("cells", "loop_u", "in", u, **BOX)
    tv.bind_array("cells", "loop_energy", "out", e, **BOX)
    chunks = (1,) if tv.impl.backend.name == "cpu" else (3, 4)
    assert tv.run("cells", "loopSpeed") in chunks
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
        ({"composite": "loopStep"}, "loopStep reads 'loop_rhs', which has no value"),
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
