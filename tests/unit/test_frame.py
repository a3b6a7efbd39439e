"""Frame and TVProperties from Python: stripes, composites, bound sets, and what they refuse."""

from __future__ import annotations

import os
from functools import partial
from threading import Thread

import numpy as np
import pytest
from kernels.measure import assert_parts
from unit.conftest import SPECIES, random_states

import bridge
import bridge.frame
from bridge.physics.species import SpeciesData
from bridge.settings import resolve_threads

THERMAL = ("rho", "h", "cp", "c", "status")
FRINGES = dict(SptX=3, EptX=7, SptY=2, EptY=5, SptZ=1, EptZ=3)
SHAPE = (9, 6, 4)
INTERIOR = np.s_[2:7, 1:5, 0:3]
POINTS = 5 * 4 * 3


def block(seed=1):
    """Q(nx, ny, nz, 5+NS) with valid states inside and NaN on the fringes."""
    T, P, Y = random_states(POINTS, len(SPECIES), seed)
    Q = np.full((*SHAPE, 5 + len(SPECIES)), np.nan, order="F")
    columns = np.column_stack([P, np.ones((POINTS, 3)), T, Y])
    Q[INTERIOR] = columns.reshape(5, 4, 3, -1, order="F")
    return Q, T, P, Y


def run_stripes(tv, Q, names, stripe, composite="eosThermalAndViscousProperties"):
    """The loop of the talk."""
    results = {
        name: np.full((*SHAPE, columns), -1.0, order="F") for name, columns in names.items()
    }
    for start in range(1, POINTS + 1, stripe):
        end = min(start + stripe - 1, POINTS)
        tv.populate_input_stripe("Q", Q, **FRINGES, stripeStart=start, stripeEnd=end)
        tv.composite(composite, end - start + 1)
        for name, array in results.items():
            tv.extract_output_stripe(name, array, **FRINGES, stripeStart=start, stripeEnd=end)
    return results


NAMES = {"rho": 1, "h": 1, "c": 1, "eta": 1, "lambda": 1, "D_im": 3, "h_Yi": 3, "status": 1}


@pytest.mark.parametrize("stripe", [64, 60, 17, 8, 1])
def test_stripes_of_any_length_give_the_bits_of_evaluate(make_frame, stripe):
    Q, T, P, Y = block()
    results = run_stripes(make_frame().tvproperties, Q, NAMES, stripe)
    expected = bridge.evaluate(SPECIES, T, P, Y, tuple(NAMES), backend="cpu", threads=1)
    for name, array in results.items():
        got = array[INTERIOR].reshape(POINTS, -1, order="F")
        assert_parts(got, expected[name].reshape(POINTS, -1), name)
        array[INTERIOR] = -1.0
        assert (array == -1.0).all(), f"{name}: fringes were written"


def test_the_composition_that_was_written_last_counts(make_frame):
    """Y and Y_leading stand for each other, whichever way a launch was prepared."""
    tv = make_frame().tvproperties
    n = 8
    T, P, *_ = random_states(n, len(SPECIES), 1)
    views = {"T": T, "P": P}

    def rho(seed, name):
        Y = random_states(n, len(SPECIES), seed)[2]
        views[name] = Y if name == "Y" else Y[:, :-1]
        for view in [name] if seed > 2 else views:
            data = views[view].reshape(n, 1, 1, -1)
            tv.populate_input_stripe(view, np.asfortranarray(data))
        tv.composite("eosThermalProperties", n)
        found = np.zeros((n, 1, 1), order="F")
        tv.extract_output_stripe("rho", found)
        expected = bridge.evaluate(SPECIES, T, P, Y, ("rho",), backend="cpu")["rho"]
        np.testing.assert_allclose(found.ravel(), expected, rtol=1e-12, err_msg=name)

    for seed, name in enumerate(("Y", "Y_leading", "Y", "Y_leading"), start=2):
        rho(seed, name)


@pytest.mark.parametrize("chunk", [64, 13])
def test_bound_sets_give_the_bits_of_stripes(make_frame, chunk):
    Q, *_ = block()
    expected = run_stripes(make_frame().tvproperties, Q, NAMES, 60)
    tv = make_frame(chunk).tvproperties
    arrays = {name: np.full((*SHAPE, n), -1.0, order="F") for name, n in NAMES.items()}
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    for name, array in arrays.items():
        tv.bind_array("cells", name, "out", array, **FRINGES)
    chunks = tv.run("cells", "eosThermalAndViscousProperties")
    assert chunks >= -(-POINTS // chunk)  # a GPU cuts at whole rows
    for name, array in arrays.items():
        assert_parts(array, expected[name], name)


def test_component_first_arrays_and_scales(make_frame):
    Q, T, P, Y = block()
    tv = make_frame().tvproperties
    T_millikelvin = np.asfortranarray(Q[..., 4] * 1e3)
    P_bar = np.asfortranarray(Q[..., 0] * 1e-5)
    Y_first = np.asfortranarray(np.moveaxis(Q[..., 5:], 3, 0))
    D_first = np.full((3, *SHAPE), -1.0, order="F")
    rho_cgs = np.full(SHAPE, -1.0, order="F")
    bounds = [*SHAPE, *FRINGES.values()]
    tv.bind_array("cells", "T", "in", T_millikelvin, **FRINGES, scale=1e-3)
    tv.bind_array("cells", "P", "in", P_bar, **FRINGES, scale=1e5)
    tv.bind("cells", "Y", "in", Y_first.ctypes.data, [*bounds, 1, 3, -3])
    tv.bind("cells", "D_im", "out", D_first.ctypes.data, [*bounds, 1, 3, -3])
    tv.bind_array("cells", "rho", "out", rho_cgs, **FRINGES, scale=1e3)
    tv.run("cells", "eosThermalAndViscousProperties")
    expected = bridge.evaluate(SPECIES, T, P, Y, ("rho", "D_im"), backend="cpu")
    D = np.moveaxis(D_first, 0, 3)[INTERIOR].reshape(POINTS, 3, order="F")
    np.testing.assert_allclose(D, expected["D_im"], rtol=1e-12)
    rho = rho_cgs[INTERIOR].ravel(order="F") * 1e3
    np.testing.assert_allclose(rho, expected["rho"], rtol=1e-12)
    assert np.count_nonzero(rho_cgs != -1.0) == POINTS


def test_one_frame_holds_many_sets(make_frame):
    """Cells, faces with n+1 points, a one-plane patch and a second block."""
    tv = make_frame(50).tvproperties
    sets = {"cells": (6, 5, 4), "x-faces": (7, 5, 4), "inlet": (1, 5, 4), "block2": (3, 9, 2)}
    kept = {}
    for seed, (name, shape) in enumerate(sets.items()):
        n = int(np.prod(shape))
        T, P, Y = random_states(n, 3, seed)
        inputs = {
            "T": np.asfortranarray(T.reshape(shape, order="F")),
            "P": np.asfortranarray(P.reshape(shape, order="F")),
            "Y": np.asfortranarray(Y.reshape((*shape, 3), order="F")),
        }
        rho = np.zeros(shape, order="F")
        for quantity, array in inputs.items():
            tv.bind_array(name, quantity, "in", array)
        tv.bind_array(name, "rho", "out", rho)
        kept[name] = (rho, bridge.evaluate(SPECIES, T, P, Y, ("rho",))["rho"], inputs)
    for name in sets:
        tv.run(name, "eosRhohFromTPprop")
    for rho, expected, _ in kept.values():
        assert_parts(rho.ravel(order="F"), expected)


def test_a_block_that_changes_size_allocates_nothing_while_a_chunk_suffices(make_frame):
    tv = make_frame(64).tvproperties

    def step(n):
        T, P, Y = random_states(n, 3, n)
        columns = {"T": T, "P": P, "Y": Y}
        arrays = {k: np.asfortranarray(v.reshape(n, 1, 1, -1)) for k, v in columns.items()}
        for start in range(1, n + 1, 64):
            end = min(n, start + 63)
            for name, array in arrays.items():
                tv.populate_input_stripe(name, array, stripeStart=start, stripeEnd=end)
            tv.composite("eosThermalAndViscousProperties", end - start + 1)
        for name, array in arrays.items():
            tv.bind_array("block", name, "in", array)
        tv.bind_array("block", "eta", "out", np.zeros((n, 1, 1), order="F"))
        tv.run("block", "eosThermalAndViscousProperties")

    step(64)
    allocations = tv.impl.views.allocations
    scratch = tv.impl.backend.allocations()
    for n in (10, 64, 3, 200, 128, 1):
        step(n)
    assert tv.impl.views.allocations == allocations
    assert tv.impl.backend.allocations() == scratch


def test_named_kernels_one_by_one_are_the_composite(make_frame):
    tv = make_frame().tvproperties
    T, P, Y = random_states(20, 3)
    names = {"T": T, "P": P, "Y": Y}

    def populate():
        for name, values in names.items():
            array = np.asfortranarray(values.reshape(20, 1, 1, -1))
            tv.populate_input_stripe(name, array)

    def extract(name):
        array = np.zeros((20, 1, 1, 1), order="F")
        tv.extract_output_stripe(name, array)
        return array.ravel()

    populate()
    tv.composite("prEOSRhohFromTPprop", 20)
    expected = extract("rho"), extract("h")
    populate()
    plan = tv.impl.catalogue.plan(["rho", "h", "status"], ["T", "P", "Y"], 3, name="parts")
    for kernel in plan.kernels():
        tv.launch(kernel, 20)
    assert_parts(extract("rho"), expected[0])
    assert_parts(extract("h"), expected[1])


def test_q_without_the_last_species(make_frame):
    Q, T, P, Y = block()
    tv = make_frame(nq=7).tvproperties
    results = run_stripes(tv, np.asfortranarray(Q[..., :7]), {"rho": 1}, 60)
    expected = bridge.evaluate(SPECIES, T, P, Y, ("rho",))["rho"]
    got = results["rho"][INTERIOR].ravel(order="F")
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_the_latest_of_q_and_a_view_of_its_own_counts(make_frame):
    Q, T, P, Y = block()
    tv = make_frame().tvproperties
    hotter = np.asfortranarray(np.full(SHAPE, 700.0))
    rho = np.full(SHAPE, -1.0, order="F")

    def density(*names):
        for name in names:
            tv.populate_input_stripe(name, {"Q": Q, "T": hotter}[name], **FRINGES)
        tv.composite("eosThermalProperties", POINTS)
        tv.extract_output_stripe("rho", rho, **FRINGES)
        return rho[INTERIOR].ravel(order="F")

    by_q, by_view = (bridge.evaluate(SPECIES, t, P, Y)["rho"] for t in (T, 700.0))
    assert_parts(density("T", "Q"), by_q)
    assert_parts(density("T"), by_view)
    assert_parts(density("Q"), by_q)


def test_a_launch_on_more_points_than_views_hold_is_refused(make_frame):
    Q, *_ = block()
    tv = make_frame().tvproperties
    tv.populate_input_stripe("Q", Q, **FRINGES, stripeEnd=9)
    with pytest.raises(bridge.StateError, match="10 points needs 'T', of which views hold 9"):
        tv.eosThermalProperties(10)
    tv.eosThermalProperties(9)
    with pytest.raises(bridge.StateError, match="10 points needs view 'Z', which holds 9"):
        tv.launch("prEOSDensity", 10)
    tv.launch("prEOSMoleFractions", 0)
    with pytest.raises(bridge.ArgumentError, match="at most the 9 points that view 'rho' holds"):
        tv.extract_output_stripe("rho", np.zeros(SHAPE, order="F"), **FRINGES, stripeEnd=10)


def test_qlayout(make_frame):
    Q, T, P, Y = block()
    tv = make_frame(qlayout="T Y _ P", nq=6).tvproperties
    columns = [Q[..., 4:5], Q[..., 5:], Q[..., 1:2], Q[..., 0:1]]
    results = run_stripes(tv, np.asfortranarray(np.concatenate(columns, axis=3)), {"h": 1}, 60)
    expected = bridge.evaluate(SPECIES, T, P, Y, ("h",))["h"]
    got = results["h"][INTERIOR].ravel(order="F")
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-7)


def test_total_enthalpy_takes_velocity_from_q(make_frame):
    Q, T, P, Y = block()
    Q[..., 1:4] = 10.0, 20.0, 30.0
    names = {"h": 1, "h0": 1, "rho": 1, "rhoh0": 1}
    results = run_stripes(make_frame().tvproperties, Q, names, 60, "eosCalcRhoh0FromTP")
    inside = {name: array[INTERIOR] for name, array in results.items()}
    np.testing.assert_allclose(inside["h0"] - inside["h"], 700.0, rtol=1e-6)
    np.testing.assert_allclose(inside["rhoh0"], inside["rho"] * inside["h0"], rtol=1e-15)


def test_temperature_from_enthalpy_by_stripes_and_bound(make_frame):
    tv = make_frame(8).tvproperties
    T, P, Y = random_states(20, 3)
    h = bridge.evaluate(SPECIES, T, P, Y, ("h",))["h"]
    solved = np.zeros((20, 1, 1), order="F")
    bound = np.full((20, 1, 1), 400.0, order="F")
    columns = {"h_target": h, "P": P, "Y": Y}
    arrays = {k: np.asfortranarray(v.reshape(20, 1, 1, -1)) for k, v in columns.items()}
    for start in (1, 9, 17):
        end = min(start + 7, 20)
        for name, array in arrays.items():
            tv.populate_input_stripe(name, array, stripeStart=start, stripeEnd=end)
        tv.composite("prEOSCalcTFromHP", end - start + 1)
        tv.extract_output_stripe("T", solved, stripeStart=start, stripeEnd=end)
    np.testing.assert_allclose(solved.ravel(), T, rtol=1e-9)
    for name, array in arrays.items():
        tv.bind_array("all", name, "in", array)
    tv.bind_array("all", "T", "inout", bound)
    tv.run("all", "prEOSCalcTFromHP")
    np.testing.assert_allclose(bound.ravel(), T, rtol=1e-9)


def test_host_species_constants_equal_the_shipped_ones(make_frame):
    from bridge.physics.species import SpeciesData

    data = SpeciesData.resolve(SPECIES)
    Q, *_ = block()
    expected = run_stripes(make_frame().tvproperties, Q, {"rho": 1, "eta": 1}, 60)
    tv = make_frame(species=None).tvproperties
    tv.populate_preos_shared_data(data.W, data.Tc, data.Pc, data.omega, data.nasa7)
    with pytest.raises(bridge.StateError, match="chung"):
        tv.composite("eosThermalAndViscousProperties", 1)
    tv.populate_chung_shared_data(data.Vc, data.dipole, data.kappa)
    results = run_stripes(tv, Q, {"rho": 1, "eta": 1}, 60)
    for name in results:
        np.testing.assert_array_equal(results[name], expected[name])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tv: tv.composite("eosThermalProperteis", 1), "eosThermalProperties"),
        (lambda tv: tv.composite("eosThermalProperties", 65), "nActivePoints.*65.*64"),
        (lambda tv: tv.composite("eosThermalProperties", -1), "nActivePoints"),
        (lambda tv: tv.launch("prEOSDensit", 1), "prEOSDensity"),
        (lambda tv: tv.run("cells", "eosThermalProperties"), "set.*cells"),
        (lambda tv: tv.populate_input_stripe("rhoo", np.zeros((4, 1, 1), order="F")), "rho"),
        (lambda tv: tv.populate_input_stripe("T", np.zeros((4, 1, 1), "f4", "F")), "float32"),
        (lambda tv: tv.populate_input_stripe("T", np.zeros((4, 2, 2))), "Fortran order"),
        (lambda tv: tv.populate_input_stripe("T", np.ones((4, 1, 1)), 1.5), "SptX.*whole number"),
        (lambda tv: tv.populate_input_stripe("T", np.ones((4, 1, 1)), EptX="4"), "EptX.*whole"),
        (lambda tv: tv.eosThermalProperties(3.0), "nActivePoints.*whole number"),
        (lambda tv: tv.impl.view("p"), "such as P,"),
        (lambda tv: tv.populate_input_stripe("T", np.zeros((65, 1, 1), order="F")), "nGridPoints"),
    ],
)
def test_bad_arguments_name_themselves(make_frame, call, message):
    tv = make_frame().tvproperties
    with pytest.raises(bridge.ArgumentError, match=message):
        call(tv)


def test_order_of_calls(make_frame):
    frame = bridge.Frame()
    with pytest.raises(bridge.StateError, match="initialize"):
        _ = frame.tvproperties
    with pytest.raises(bridge.StateError, match="initialize"):
        frame.finalize()
    frame = make_frame()
    with pytest.raises(bridge.StateError, match="already"):
        frame.initialize(0, 8, 3, 8)
    with pytest.raises(bridge.StateError, match="before"):
        frame.set("backend", "cpu")
    with pytest.raises(bridge.StateError, match="'T'"):
        frame.tvproperties.composite("eosThermalProperties", 1)
    frame.finalize()
    with pytest.raises(bridge.StateError):
        _ = frame.tvproperties
    frame.initialize(0, 8, 3, 8)


def test_no_species_is_said_by_name(make_frame):
    tv = make_frame(species=None).tvproperties
    with pytest.raises(bridge.StateError, match="eosThermalProperties needs species"):
        tv.composite("eosThermalProperties", 1)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((-1, 8, 3, 8, 0), "device_id"),
        ((0, 0, 3, 8, 0), "nGridPoints"),
        ((0, 10.5, 3, 8, 0), "nGridPoints"),
        ((0, 8, 0, 8, 0), "ns"),
        ((0, 8, 3, -1, 0), "nq"),
        ((0, 8, 2, 8, 0), "ns"),
    ],
)
def test_initialize_refuses(arguments, name):
    frame = bridge.Frame()
    frame.set("species", "O2 CH4 H2O")
    with pytest.raises(bridge.ArgumentError) as refused:
        frame.initialize(*arguments)
    assert refused.value.argument == name
    assert not frame.initialized


def test_a_frame_that_fails_to_start_gives_its_backend_back(monkeypatch):
    opened, closed = bridge.frame.open_backend, []

    def open_backend(*arguments, **named):
        backend = opened(*arguments, **named)
        close = backend.close
        monkeypatch.setattr(backend, "close", lambda: (closed.append(backend), close()))
        return backend

    monkeypatch.setattr(bridge.frame, "open_backend", open_backend)
    monkeypatch.setattr(bridge.frame, "TVProperties", None)
    frame = bridge.Frame()
    frame.set("backend", "cpu")
    with pytest.raises(TypeError):
        frame.initialize(0, 8, 3, 8, 0)
    assert len(closed) == 1


def test_species_that_the_backend_refuses_are_not_taken(make_frame, monkeypatch):
    tv = make_frame().tvproperties
    before = tv.species

    def full(_):
        raise bridge.DeviceError("no room")

    monkeypatch.setattr(tv.impl.backend, "set_shared", full)
    with pytest.raises(bridge.DeviceError):
        tv.use_species(SpeciesData.load(["N2", "CO2", "CO"]))
    assert tv.species is before


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("spezies", "O2", "species"),
        ("backend", "gpu", "auto, cpu, cuda"),
        ("launch", "quick", "fused, stream, graph"),
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
def test_settings_refuse(key, value, message):
    with pytest.raises(bridge.ArgumentError, match=message):
        bridge.Frame().set(key, value)


def test_constants_as_fortran_writes_them(monkeypatch):
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


def test_environment_wins(make_frame, monkeypatch):
    monkeypatch.setenv("BRIDGE_TAKAMODE", "")  # as good as unset
    monkeypatch.setenv("BRIDGE_PRCROSS", "ABS")
    assert make_frame(prCross="SIGNED").tvproperties.options.prCross == "ABS"
    monkeypatch.setenv("BRIDGE_PRCROSS", "NEITHER")
    with pytest.raises(bridge.ArgumentError, match="BRIDGE_PRCROSS"):
        bridge.Frame().initialize(0, 8, 3, 8)


def test_what_is_unbound_or_bound_anew_is_let_go(make_frame):
    Q, *_ = block()
    tv = make_frame().tvproperties
    first, second = (np.full(SHAPE, -1.0, order="F") for _ in range(2))
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "rho", "out", first, **FRINGES)
    tv.run("cells", "eosThermalProperties")
    kept = first.copy()
    first[INTERIOR] = -1.0
    tv.bind_array("cells", "rho", "out", second, **FRINGES)
    tv.run("cells", "eosThermalProperties")
    assert (first == -1.0).all()
    np.testing.assert_array_equal(second, kept)
    tv.unbind("cells", "Q")
    with pytest.raises(bridge.StateError, match="needs 'T'"):
        tv.run("cells", "eosThermalProperties")


def test_new_species_constants_reach_sets_that_are_bound(make_frame):
    Q, T, P, Y = block()
    tv = make_frame().tvproperties
    rho = np.full(SHAPE, -1.0, order="F")
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "rho", "out", rho, **FRINGES)
    tv.run("cells", "eosThermalProperties")
    kij = np.array([[0.0, 0.1, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.0]])
    data = tv.species
    tv.populate_preos_shared_data(data.W, data.Tc, data.Pc, data.omega, data.nasa7, kij)
    tv.run("cells", "eosThermalProperties")
    expected = bridge.evaluate(SPECIES, T, P, Y, kij=kij)["rho"]
    assert_parts(rho[INTERIOR].ravel(order="F"), expected)


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
def test_threads(monkeypatch, wanted, variable, ranks, threads):
    """What is set, else OMP_NUM_THREADS, else one under MPI, else every core we may use."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if variable is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", variable)
    assert resolve_threads(wanted, ranks) == threads


def test_report_names_what_ran(make_frame, capsys):
    frame = make_frame()
    Q, *_ = block()
    run_stripes(frame.tvproperties, Q, {"rho": 1}, 20)
    frame.report()
    printed = capsys.readouterr().out
    assert "eosThermalAndViscousProperties" in printed
    assert "populate" in printed and "extract" in printed and "nGridPoints" in printed


def test_out_arrays_the_composite_does_not_give_are_refused(make_frame):
    tv = make_frame().tvproperties
    for name, columns in (("T", 1), ("P", 1), ("Y", 3)):
        tv.bind_array("s", name, "in", np.ones((4, 1, 1, columns), order="F"))
    with pytest.raises(bridge.StateError, match="nowhere to put"):
        tv.run("s", "eosThermalProperties")
    eta = np.full((4, 1, 1), -1.0, order="F")
    tv.bind_array("s", "eta", "out", eta)
    with pytest.raises(bridge.ArgumentError, match="'eta'.*eosThermalProperties"):
        tv.run("s", "eosThermalProperties")
    assert (eta == -1.0).all()
    tv.unbind("s", "eta")
    tv.bind_array("s", "rho", "out", np.ones((5, 1, 1), order="F"))
    with pytest.raises(bridge.ArgumentError, match="interior"):
        tv.run("s", "eosThermalProperties")


def test_component_first_arrays_of_numpy(make_frame):
    """(nData, nx, ny, nz), in and out, with fringes and a range of components."""
    Q, *_ = block()
    turned = np.asfortranarray(np.moveaxis(Q, 3, 0))
    expected = run_stripes(make_frame().tvproperties, Q, {"rho": 1, "h_Yi": 3}, 60)
    tv = make_frame().tvproperties
    out = np.full((5, *SHAPE), -1.0, order="F")
    tv.bind_array("cells", "Q", "in", turned, **FRINGES, component_first=True)
    for name, first, last in (("rho", 1, 1), ("h_Yi", 3, 5)):
        positions = dict(FRINGES, SptData=first, EptData=last)
        tv.bind_array("cells", name, "out", out, **positions, component_first=True)
    tv.run("cells", "eosThermalAndViscousProperties")
    np.testing.assert_allclose(out[0], expected["rho"][..., 0], rtol=1e-13)
    np.testing.assert_allclose(out[2:], np.moveaxis(expected["h_Yi"], 3, 0), rtol=1e-13)
    assert (out[1] == -1.0).all()


def test_component_first_refusals(make_frame):
    tv = make_frame().tvproperties
    array = np.zeros((3, *SHAPE), order="F")
    bind = ("cells", "Y", "in")
    with pytest.raises(bridge.ArgumentError, match=r"EptData: got 4, wanted a component up to 3"):
        tv.bind_array(*bind, array, EptData=4, component_first=True)
    with pytest.raises(bridge.ArgumentError, match=r"data: got strides .* wanted Fortran order"):
        tv.bind_array(*bind, np.zeros((3, *SHAPE)), component_first=True)
    with pytest.raises(bridge.ArgumentError, match=r"wanted \(nx, ny, nz\) or \(nData, nx, ny"):
        tv.bind_array(*bind, np.zeros(3), component_first=True)
    with pytest.raises(bridge.ArgumentError, match=r"component_first: got 1, wanted True or"):
        tv.bind_array(*bind, array, component_first=1)


def test_settings_given_as_numbers():
    frame = bridge.Frame()
    frame.set("threads", np.int64(3))
    frame.set("omega22G", 0.25)
    assert frame.settings.get("threads") == "3"
    assert frame.settings.options().omega22G == 0.25
    for value in (None, ["2"], 2 + 1j):
        with pytest.raises(bridge.ArgumentError, match="value: got .* wanted text or a number"):
            frame.set("threads", value)
    with pytest.raises(bridge.ArgumentError, match="threads: got '2.0', wanted a whole number"):
        frame.set("threads", 2.0)
    with pytest.raises(bridge.ArgumentError, match="key: got 3, wanted text"):
        frame.set(3, "2")


def test_the_report_counts_runs_and_their_chunks(make_frame, caplog):
    Q, *_ = block()
    frame = make_frame(n_grid_points=16)
    tv = frame.tvproperties
    rho = np.zeros(SHAPE, order="F")
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "rho", "out", rho, **FRINGES)
    chunks = [tv.run("cells", "eosThermalProperties") for _ in range(3)]
    assert chunks == [chunks[0]] * 3 and chunks[0] >= 4  # a GPU begins and ends with short ones
    tv.populate_input_stripe("Q", Q, **FRINGES, stripeStart=1, stripeEnd=5)
    with caplog.at_level("INFO"):
        frame.report()
    lines = [record.getMessage() for record in caplog.records]
    cells = {words[0]: words[1:] for words in (line.split() for line in lines) if words}
    run = next(line for line in lines if line.startswith("run eosThermalProperties"))
    assert run.split()[2:4] == ["3", str(sum(chunks))]  # calls, chunks
    assert cells["what"][:2] == ["calls", "chunks"] and len(cells["populate"]) == 7


def test_threads_that_ask_for_a_view_at_the_same_time_get_one(make_frame):
    """While one thread allocates a view, another one asks for it and writes there."""
    tv = make_frame().tvproperties
    backend = tv.impl.backend
    allocate = backend.allocate

    def meanwhile(*arguments):
        backend.allocate = allocate
        populate = partial(tv.populate_input_stripe, "T", np.full((4, 1, 1), 300.0))
        thread = Thread(target=populate)
        thread.start()
        thread.join()
        return allocate(*arguments)

    backend.allocate = meanwhile
    mine, theirs = np.full((4, 1, 1), 400.0), np.zeros((4, 1, 1))
    tv.populate_input_stripe("T", mine)
    tv.extract_output_stripe("T", theirs)
    np.testing.assert_array_equal(theirs, mine)
    assert tv.impl.views.allocations == 1
