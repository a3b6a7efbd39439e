"""What a set says of its points: their positions, and a mask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packs.loops import BOX, INTERIOR, SHAPE, energy, outside, scalar, vector

import bridge
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")


@pytest.fixture
def tv(without_species: TVProperties) -> TVProperties:
    return without_species


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
            ("loop_place", 4, 7, 1.0),
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


@pytest.mark.parametrize("first", [False, True])
def test_a_mask_of_integers_on_arrays_of_other_types(tv: TVProperties, first: bool) -> None:
    """real(4) and integer arrays under an integer mask, component last and first."""
    random = np.random.default_rng(9)
    mask = np.asfortranarray(random.integers(0, 2, SHAPE).astype(np.int32))
    on = (mask != 0)[INTERIOR]
    u, order = vector(), (3, 0, 1, 2) if first else (0, 1, 2, 3)
    found = {}
    for set in ("plain", "masked"):
        energy = np.asfortranarray(
            random.normal(size=(*SHAPE, 2)).astype(np.float32).transpose(order)
        )
        status = np.full(SHAPE, -9, dtype=np.int32, order="F")
        found[set] = energy, energy.copy(), status
        tv.bind_array(set, "loop_u", "in", u, **BOX)
        where = dict(BOX, SptData=2, EptData=2, component_first=first)
        tv.bind_array(set, "loop_speed", "out", energy, scale=0.3, **where)
        tv.bind_array(set, "status", "out", status, **BOX)
    tv.bind_array("masked", "iblank", "in", mask, **BOX)
    back = np.argsort(order)
    for set in ("plain", "masked"):
        tv.run(set, "loopChecked")
    plain, masked, before = (
        array.transpose(back)[..., 1]
        for array in (found["plain"][0], found["masked"][0], found["masked"][1])
    )
    np.testing.assert_array_equal(masked[INTERIOR][on], plain[INTERIOR][on])
    np.testing.assert_array_equal(masked[INTERIOR][~on], before[INTERIOR][~on])
    np.testing.assert_array_equal(
        found["masked"][2][INTERIOR], np.where(on, found["plain"][2][INTERIOR], -9)
    )


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


@pytest.mark.parametrize("whole", [False, True])
def test_blanked_points_enter_no_reduction(tv: TVProperties, whole: bool) -> None:
    """Of what is bound, and of what kernels make; whole: an integer mask without fringes."""
    u, mask = vector(), blanked()
    on = mask[INTERIOR] != 0.0
    energies = energy(u)
    bound = np.asfortranarray(mask[INTERIOR].astype(np.int32)) if whole else mask
    tv.bind_array("cells", "loop_u", "in", u, **BOX)
    tv.bind_array("cells", "iblank", "in", bound, **({} if whole else BOX))
    for name, values, component in (("loop_u", inner(u), 2), ("loop_energy", energies, None)):
        values[~on] = np.nan  # as a blanked cell may have it
        u[INTERIOR][~on] = np.nan
        numbers = values[on]
        total = tv.reduce("cells", name, "sum", component)
        assert total == pytest.approx(numbers.sum(), rel=1e-12)
        for operation, best in (("minloc", numbers.min()), ("maxloc", numbers.max())):
            value, (i, j, k, _) = tv.reduce("cells", name, operation, component)
            assert value == pytest.approx(best, rel=1e-15)
            assert on[i - 3, j - 2, k - 1] and values[i - 3, j - 2, k - 1] == pytest.approx(value)
    assert tv.reduce("cells", "loop_energy", "any") is True
    bound[...] = 0
    for name in ("loop_u", "loop_energy"):
        assert tv.reduce("cells", name, "sum", 1) == 0.0
        assert tv.reduce("cells", name, "any") is False
        assert tv.reduce("cells", name, "minloc") == (np.inf, None)
        assert tv.reduce("cells", name, "maxloc", 1) == (-np.inf, None)
    tv.unbind("cells", "iblank")
    assert np.isnan(tv.reduce("cells", "loop_energy", "sum"))


def test_a_mask_of_reals_is_a_whole_number(tv: TVProperties) -> None:
    """A run and a reduction leave out the same points; a factor of the array is none of a mask."""
    u, density = vector(), scalar()
    mask = np.resize([0.5, 1.0, -0.75, -1.5, 0.0, 2.0, -0.0], SHAPE).astype(np.float64, order="F")
    on = np.abs(mask[INTERIOR]) >= 1.0
    tv.bind_array("cells", "loop_u", "in", u, **BOX)
    tv.bind_array("cells", "loop_density", "out", density, **BOX)
    for scale in (1.0, 4.0):
        tv.bind_array("cells", "iblank", "in", mask, scale=scale, **BOX)
        density[...] = -7.0
        tv.run("cells", "loopBlank")
        np.testing.assert_array_equal(density[INTERIOR] != -7.0, on)
        assert tv.reduce("cells", "loop_u", "max", 2) == inner(u)[on].max()
        assert tv.reduce("cells", "loop_energy", "min") == pytest.approx(energy(u)[on].min())
    for number in (0, 4):
        with pytest.raises(bridge.ArgumentError, match=f"component: got {number}, wanted a comp"):
            tv.reduce("cells", "loop_u", "max", number)


def inner(u: np.ndarray) -> np.ndarray:
    """The second component of the interior."""
    values: np.ndarray = u[INTERIOR][..., 1].copy()
    return values


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
