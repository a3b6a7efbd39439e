"""Composites on views as one launch, kernel by kernel and as a graph: the same numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from unit.blocks import FRINGES, INTERIOR, POINTS, SHAPE, SPECIES, block

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

NAMES = {"rho": 1, "cp": 1, "eta": 1, "D_im": 3, "status": 1}


@pytest.mark.parametrize("mode", ["fused", "stream", "graph"])
def test_all_launch_modes_give_the_same(
    make_frame: Callable[..., bridge.Frame], mode: str
) -> None:
    tv = make_frame(launch=mode).tvproperties
    for turn in range(5):
        Q, T, P, Y = block(turn)
        stripe = 60 if turn < 4 else 17
        want = bridge.evaluate(SPECIES, T, P, Y, tuple(NAMES), stability="off")
        results = {n: np.full((*SHAPE, c), -1.0, order="F") for n, c in NAMES.items()}
        for start in range(1, POINTS + 1, stripe):
            end = min(start + stripe - 1, POINTS)
            part = dict(FRINGES, stripeStart=start, stripeEnd=end)
            tv.populate_input_stripe("Q", Q, **part)
            tv.composite("eosthermalandviscousproperties", end - start + 1)
            for name, array in results.items():
                tv.extract_output_stripe(name, array, **part)
        for name, array in results.items():
            got = array[INTERIOR].reshape(POINTS, -1, order="F")
            np.testing.assert_allclose(got, want[name].reshape(POINTS, -1), rtol=1e-12)


@pytest.mark.parametrize("mode", ["fused", "graph"])
def test_a_search_for_temperature(make_frame: Callable[..., bridge.Frame], mode: str) -> None:
    tv = make_frame(launch=mode).tvproperties
    Q, T, P, Y = block()
    h = bridge.evaluate(SPECIES, T, P, Y, ("h",))["h"]
    tv.populate_input_stripe("Q", Q, **FRINGES)
    target = np.zeros(SHAPE, order="F")
    target[INTERIOR] = h.reshape(5, 4, 3, order="F")
    for _ in range(3):
        tv.populate_input_stripe("h_target", target, **FRINGES)
        tv.composite("prEOSCalcTFromHP", POINTS)
    found = np.zeros(SHAPE, order="F")
    tv.extract_output_stripe("T", found, **FRINGES)
    np.testing.assert_allclose(found[INTERIOR].ravel(order="F"), T, rtol=1e-9)


def test_a_launch_again_sees_what_has_changed(make_frame: Callable[..., bridge.Frame]) -> None:
    """What a launch remembers of its inputs holds only as long as they are where they were."""
    tv = make_frame().tvproperties
    Q, T, P, Y = block()
    rho = np.zeros(SHAPE, order="F")

    def density(n: int = POINTS) -> np.ndarray:
        tv.composite("eosThermalProperties", n)
        tv.extract_output_stripe("rho", rho, **FRINGES, stripeEnd=n)
        return rho[INTERIOR].ravel(order="F")[:n].copy()

    tv.populate_input_stripe("Q", Q, **FRINGES)
    first = density()
    np.testing.assert_array_equal(density(), first)
    hotter = np.asfortranarray(np.full(SHAPE, 700.0))
    tv.populate_input_stripe("T", hotter, **FRINGES)
    by_view = bridge.evaluate(SPECIES, 700.0, P, Y)["rho"]
    np.testing.assert_allclose(density(), by_view, rtol=1e-12)
    tv.populate_input_stripe("Q", Q, **FRINGES)
    np.testing.assert_array_equal(density(), first)
    tv.populate_input_stripe("Q", Q, **FRINGES, stripeEnd=9)
    with pytest.raises(bridge.StateError, match="'P', but the view has 9 points|'T'"):
        density(10)
    np.testing.assert_array_equal(density(9), first[:9])
    with pytest.raises(bridge.ArgumentError, match="at most the 9 points that view 'rho'"):
        tv.extract_output_stripe("rho", rho, **FRINGES, stripeEnd=10)
    with pytest.raises(bridge.ArgumentError, match="nActivePoints"):
        density(65)


def test_a_launch_again_has_the_species_of_now(make_frame: Callable[..., bridge.Frame]) -> None:
    tv = make_frame().tvproperties
    Q, T, P, Y = block()
    rho = np.zeros(SHAPE, order="F")
    tv.populate_input_stripe("Q", Q, **FRINGES)
    for names in (SPECIES, ["N2", "H2", "CO2"]):
        tv.use_species(SpeciesData.load(names))
        for _ in range(2):
            tv.composite("eosThermalProperties", POINTS)
            tv.extract_output_stripe("rho", rho, **FRINGES)
            want = bridge.evaluate(names, T, P, Y)["rho"]
            np.testing.assert_allclose(rho[INTERIOR].ravel(order="F"), want, rtol=1e-12)
