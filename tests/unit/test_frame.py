"""Frame and TVProperties from Python: stripes, composites, order of calls, what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Any

import numpy as np
import pytest
from kernels.measure import assert_parts
from unit.blocks import (
    FRINGES,
    INTERIOR,
    NAMES,
    POINTS,
    SHAPE,
    SPECIES,
    block,
    random_states,
    run_stripes,
)

import bridge
import bridge.backends
import bridge.frame
from bridge.backends import Backend
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")
THERMAL = ("rho", "h", "cp", "c", "status")


@pytest.mark.parametrize("stripe", [64, 60, 17, 8, 1])
def test_stripes_of_any_length_give_the_bits_of_evaluate(
    make_frame: Callable[..., bridge.Frame], stripe: int
) -> None:
    Q, T, P, Y = block()
    results = run_stripes(make_frame().tvproperties, Q, NAMES, stripe)
    expected = bridge.evaluate(SPECIES, T, P, Y, tuple(NAMES), threads=1, stability="off")
    for name, array in results.items():
        got = array[INTERIOR].reshape(POINTS, -1, order="F")
        assert_parts(got, expected[name].reshape(POINTS, -1), name)
        array[INTERIOR] = -1.0
        assert (array == -1.0).all(), f"{name}: fringes were written"


def test_the_composition_that_was_written_last_counts(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    """Y and Y_leading stand for each other, whichever way a launch was prepared."""
    tv = make_frame().tvproperties
    n = 8
    T, P, *_ = random_states(n, len(SPECIES), 1)
    views = {"T": T, "P": P}

    def rho(seed: int, name: str) -> None:
        Y = random_states(n, len(SPECIES), seed)[2]
        views[name] = Y if name == "Y" else Y[:, :-1]
        for view in [name] if seed > 2 else views:
            data = views[view].reshape(n, 1, 1, -1)
            tv.populate_input_stripe(view, np.asfortranarray(data))
        tv.composite("eosThermalProperties", n)
        found = np.zeros((n, 1, 1), order="F")
        tv.extract_output_stripe("rho", found)
        expected = bridge.evaluate(SPECIES, T, P, Y, ("rho",))["rho"]
        np.testing.assert_allclose(found.ravel(), expected, rtol=1e-12, err_msg=name)

    for seed, name in enumerate(("Y", "Y_leading", "Y", "Y_leading"), start=2):
        rho(seed, name)


def test_named_kernels_one_by_one_are_the_composite(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    tv = make_frame().tvproperties
    T, P, Y = random_states(20, 3)
    names = {"T": T, "P": P, "Y": Y}

    def populate() -> None:
        for name, values in names.items():
            array = np.asfortranarray(values.reshape(20, 1, 1, -1))
            tv.populate_input_stripe(name, array)

    def extract(name: str) -> np.ndarray:
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


def test_q_without_the_last_species(make_frame: Callable[..., bridge.Frame]) -> None:
    Q, T, P, Y = block()
    tv = make_frame(nq=7).tvproperties
    results = run_stripes(tv, np.asfortranarray(Q[..., :7]), {"rho": 1}, 60)
    expected = bridge.evaluate(SPECIES, T, P, Y, ("rho",))["rho"]
    got = results["rho"][INTERIOR].ravel(order="F")
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_the_latest_of_q_and_a_view_of_its_own_counts(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    Q, T, P, Y = block()
    tv = make_frame().tvproperties
    hotter = np.asfortranarray(np.full(SHAPE, 700.0))
    rho = np.full(SHAPE, -1.0, order="F")

    def density(*names: Any) -> np.ndarray:
        for name in names:
            tv.populate_input_stripe(name, {"Q": Q, "T": hotter}[name], **FRINGES)
        tv.composite("eosThermalProperties", POINTS)
        tv.extract_output_stripe("rho", rho, **FRINGES)
        return rho[INTERIOR].ravel(order="F")

    by_q, by_view = (bridge.evaluate(SPECIES, t, P, Y)["rho"] for t in (T, 700.0))
    assert_parts(density("T", "Q"), by_q)
    assert_parts(density("T"), by_view)
    assert_parts(density("Q"), by_q)


def test_a_launch_on_more_points_than_views_hold_is_refused(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    Q, *_ = block()
    tv = make_frame().tvproperties
    tv.populate_input_stripe("Q", Q, **FRINGES, stripeEnd=9)
    with pytest.raises(bridge.StateError, match="10 points needs 'T', but the view has 9 points"):
        tv.eosThermalProperties(10)
    tv.eosThermalProperties(9)
    with pytest.raises(bridge.StateError, match="10 points needs view 'cp', which holds 9"):
        tv.launch("prEOSGamma", 10)
    tv.launch("prEOSMoleFractions", 0)
    with pytest.raises(bridge.ArgumentError, match="at most the 9 points that view 'rho' holds"):
        tv.extract_output_stripe("rho", np.zeros(SHAPE, order="F"), **FRINGES, stripeEnd=10)


def test_qlayout(make_frame: Callable[..., bridge.Frame]) -> None:
    Q, T, P, Y = block()
    tv = make_frame(qlayout="T Y _ P", nq=6).tvproperties
    columns = [Q[..., 4:5], Q[..., 5:], Q[..., 1:2], Q[..., 0:1]]
    results = run_stripes(tv, np.asfortranarray(np.concatenate(columns, axis=3)), {"h": 1}, 60)
    expected = bridge.evaluate(SPECIES, T, P, Y, ("h",))["h"]
    got = results["h"][INTERIOR].ravel(order="F")
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-7)


def test_total_enthalpy_takes_velocity_from_q(make_frame: Callable[..., bridge.Frame]) -> None:
    Q, T, P, Y = block()
    Q[..., 1:4] = 10.0, 20.0, 30.0
    names = {"h": 1, "h0": 1, "rho": 1, "rhoh0": 1}
    results = run_stripes(make_frame().tvproperties, Q, names, 60, "eosCalcRhoh0FromTP")
    inside = {name: array[INTERIOR] for name, array in results.items()}
    np.testing.assert_allclose(inside["h0"] - inside["h"], 700.0, rtol=1e-6)
    np.testing.assert_allclose(inside["rhoh0"], inside["rho"] * inside["h0"], rtol=1e-15)


def test_host_species_constants_equal_the_shipped_ones(
    make_frame: Callable[..., bridge.Frame],
) -> None:
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
def test_bad_arguments_name_themselves(
    make_frame: Callable[..., bridge.Frame], call: Callable[..., Any], message: str
) -> None:
    tv = make_frame().tvproperties
    with pytest.raises(bridge.ArgumentError, match=message):
        call(tv)


def test_order_of_calls(make_frame: Callable[..., bridge.Frame]) -> None:
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


def test_no_species_is_said_by_name(make_frame: Callable[..., bridge.Frame]) -> None:
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
def test_initialize_refuses(arguments: tuple[Any, ...], name: str) -> None:
    frame = bridge.Frame()
    frame.set("species", "O2 CH4 H2O")
    with pytest.raises(bridge.ArgumentError) as refused:
        frame.initialize(*arguments)
    assert refused.value.argument == name
    assert not frame.initialized


def test_a_frame_that_fails_to_start_gives_its_backend_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: Callable[..., Backend] = vars(bridge.frame)["open_backend"]
    closed: list[Backend] = []

    def open_backend(*arguments: Any, **named: Any) -> Backend:
        backend = opened(*arguments, **named)
        close = backend.close

        def seen() -> None:
            closed.append(backend)
            close()

        monkeypatch.setattr(backend, "close", seen)
        return backend

    monkeypatch.setattr(bridge.frame, "open_backend", open_backend)
    monkeypatch.setattr(bridge.frame, "TVProperties", None)
    frame = bridge.Frame()
    with pytest.raises(TypeError):
        frame.initialize(0, 8, 3, 8, 0)
    assert len(closed) == 1


def test_species_that_the_backend_refuses_are_not_taken(
    make_frame: Callable[..., bridge.Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    tv = make_frame().tvproperties
    before = tv.species

    def full(_: SharedData) -> None:
        raise bridge.DeviceError("no room")

    monkeypatch.setattr(tv.impl.backend, "set_shared", full)
    with pytest.raises(bridge.DeviceError):
        tv.use_species(SpeciesData.load(["N2", "CO2", "CO"]))
    assert tv.species is before


def test_report_names_what_ran(
    make_frame: Callable[..., bridge.Frame], capsys: pytest.CaptureFixture[str]
) -> None:
    frame = make_frame()
    Q, *_ = block()
    run_stripes(frame.tvproperties, Q, {"rho": 1}, 20)
    frame.report()
    printed = capsys.readouterr().out
    assert "eosThermalAndViscousProperties" in printed
    assert "populate" in printed and "extract" in printed and "nGridPoints" in printed


def test_threads_that_ask_for_a_view_at_the_same_time_get_one(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    """While one thread allocates a view, another one asks for it and writes there."""
    tv = make_frame().tvproperties
    backend: Any = tv.impl.backend
    allocate = backend.allocate

    def meanwhile(*arguments: Any) -> Any:
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


@pytest.mark.parametrize(
    "options",
    [
        {"denseDiffusion": "TAKAHASHI"},
        {"denseDiffusion": "RIAZI_WHITSON"},
        {"dilute": "KINETIC"},
        {"cubic": "SOAVE_REDLICH_KWONG"},
        {"viscosity": "FRICTION", "override": "criticalViscosity=2e-5"},
    ],
    ids=str,
)
def test_options_of_the_physics(
    make_frame: Callable[..., bridge.Frame], options: dict[str, str]
) -> None:
    tv = make_frame(**options).tvproperties
    T, P, Y = random_states(20, 3)
    for name, values in {"T": T, "P": P, "Y": Y}.items():
        tv.populate_input_stripe(name, np.asfortranarray(values.reshape(20, 1, 1, -1)))
    tv.composite("eosThermalAndViscousProperties", 20)
    names = {"D_im": 3, "lambda": 1, "eta": 1}
    expected = bridge.evaluate(SPECIES, T, P, Y, [*names], options=options, stability="off")
    for name, columns in names.items():
        found = np.zeros((20, 1, 1, columns), order="F")
        tv.extract_output_stripe(name, found)
        assert_parts(found.reshape(expected[name].shape), expected[name])
