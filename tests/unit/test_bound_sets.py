"""Sets of bound arrays from Python: what a run gives, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.measure import assert_parts, present
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
import bridge.frame

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize("chunk", [64, 13])
def test_bound_sets_give_the_bits_of_stripes(
    make_frame: Callable[..., bridge.Frame], chunk: int
) -> None:
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


def test_component_first_arrays_and_scales(make_frame: Callable[..., bridge.Frame]) -> None:
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
    expected = bridge.evaluate(SPECIES, T, P, Y, ("rho", "D_im"))
    D = np.moveaxis(D_first, 0, 3)[INTERIOR].reshape(POINTS, 3, order="F")
    np.testing.assert_allclose(D, expected["D_im"], rtol=1e-12)
    rho = rho_cgs[INTERIOR].ravel(order="F") * 1e3
    np.testing.assert_allclose(rho, expected["rho"], rtol=1e-12)
    assert np.count_nonzero(rho_cgs != -1.0) == POINTS


def test_one_frame_holds_many_sets(make_frame: Callable[..., bridge.Frame]) -> None:
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


def test_a_block_that_changes_size_allocates_nothing_while_a_chunk_suffices(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    tv = make_frame(64).tvproperties

    def step(n: int) -> None:
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


def test_temperature_from_enthalpy_by_stripes_and_bound(
    make_frame: Callable[..., bridge.Frame],
) -> None:
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


def test_what_is_unbound_or_bound_anew_is_let_go(make_frame: Callable[..., bridge.Frame]) -> None:
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


def test_new_species_constants_reach_sets_that_are_bound(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    Q, T, P, Y = block()
    tv = make_frame().tvproperties
    rho = np.full(SHAPE, -1.0, order="F")
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "rho", "out", rho, **FRINGES)
    tv.run("cells", "eosThermalProperties")
    kij = np.array([[0.0, 0.1, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.0]])
    data = present(tv.species)
    tv.populate_preos_shared_data(data.W, data.Tc, data.Pc, data.omega, data.nasa7, kij)
    tv.run("cells", "eosThermalProperties")
    expected = bridge.evaluate(SPECIES, T, P, Y, kij=kij)["rho"]
    assert_parts(rho[INTERIOR].ravel(order="F"), expected)


def test_a_run_without_a_place_for_its_results_is_refused(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    """None of what is bound is its output; beside one that is, others are left alone."""
    tv = make_frame().tvproperties
    for name, columns in (("T", 1), ("P", 1), ("Y", 3)):
        tv.bind_array("s", name, "in", np.ones((4, 1, 1, columns), order="F"))
    with pytest.raises(bridge.StateError, match="nowhere to put"):
        tv.run("s", "eosThermalProperties")
    eta = np.full((4, 1, 1), -1.0, order="F")
    tv.bind_array("s", "eta", "out", eta)
    with pytest.raises(bridge.StateError, match="nowhere to put.*eta out"):
        tv.run("s", "eosThermalProperties")
    rho = np.full((4, 1, 1), -1.0, order="F")
    tv.bind_array("s", "rho", "out", rho)
    tv.run("s", "eosThermalProperties")
    assert (eta == -1.0).all() and not (rho == -1.0).any()
    tv.bind_array("s", "rho", "out", np.ones((5, 1, 1), order="F"))
    with pytest.raises(bridge.ArgumentError, match="interior"):
        tv.run("s", "eosThermalProperties")


def test_component_first_arrays_of_numpy(make_frame: Callable[..., bridge.Frame]) -> None:
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


def test_component_first_refusals(make_frame: Callable[..., bridge.Frame]) -> None:
    tv = make_frame().tvproperties
    array = np.zeros((3, *SHAPE), order="F")
    bind = ("cells", "Y", "in")
    one: Any = 1
    with pytest.raises(bridge.ArgumentError, match=r"EptData: got 4, wanted a component up to 3"):
        tv.bind_array(*bind, array, EptData=4, component_first=True)
    with pytest.raises(bridge.ArgumentError, match=r"data: got strides .* wanted Fortran order"):
        tv.bind_array(*bind, np.zeros((3, *SHAPE)), component_first=True)
    with pytest.raises(bridge.ArgumentError, match=r"wanted \(nx, ny, nz\) or \(nData, nx, ny"):
        tv.bind_array(*bind, np.zeros(()), component_first=True)
    with pytest.raises(bridge.ArgumentError, match=r"EptData: got .* 1 components, wanted the 3"):
        tv.bind_array(*bind, np.zeros(3), component_first=True)  # three points in a row
    with pytest.raises(bridge.ArgumentError, match=r"component_first: got 1, wanted True or"):
        tv.bind_array(*bind, array, component_first=one)


def test_the_report_counts_runs_and_their_chunks(
    make_frame: Callable[..., bridge.Frame], capsys: pytest.CaptureFixture[str]
) -> None:
    Q, *_ = block()
    frame = make_frame(n_grid_points=16)
    tv = frame.tvproperties
    rho = np.zeros(SHAPE, order="F")
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "rho", "out", rho, **FRINGES)
    chunks = [tv.run("cells", "eosThermalProperties") for _ in range(3)]
    assert chunks == [chunks[0]] * 3 and chunks[0] >= 4  # a GPU begins and ends with short ones
    tv.populate_input_stripe("Q", Q, **FRINGES, stripeStart=1, stripeEnd=5)
    capsys.readouterr()
    frame.report()
    lines = [line.removeprefix("bridge: ") for line in capsys.readouterr().out.splitlines()]
    cells = {words[0]: words[1:] for words in (line.split() for line in lines) if words}
    run = next(line for line in lines if line.startswith("run eosThermalProperties"))
    assert run.split()[2:4] == ["3", str(sum(chunks))]  # calls, chunks
    assert cells["what"][:2] == ["calls", "chunks"] and len(cells["populate"]) == 7
