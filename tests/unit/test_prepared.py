"""What is prepared once and used again: every change that makes it void, one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from unit.blocks import FRINGES, INTERIOR, SHAPE, block

import bridge
from bridge.prepared import Change, Prepared, PreparedRun
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

COMPOSITE = "eosThermalProperties"
RUN = COMPOSITE, None, None
Make = Callable[..., Any]


@dataclass
class Sets:
    """Set 'cells' on Q, with rho; 'others', which reads P, T and Y of 'columns', with rho as
    well. Both have run."""

    tv: TVProperties
    Q: np.ndarray
    rho: np.ndarray
    columns: dict[str, np.ndarray]
    read: np.ndarray

    @classmethod
    def made(cls, make: Make) -> Sets:
        Q, _, _, _ = block()
        rho, read = np.zeros(SHAPE, order="F"), np.zeros(SHAPE, order="F")
        tv = make(100).tvproperties
        tv.bind_array("cells", "Q", "in", Q, **FRINGES)
        tv.bind_array("cells", "rho", "out", rho, **FRINGES)
        columns = {name: Q[..., at].copy(order="F") for name, at in (("P", 0), ("T", 4))}
        columns["Y"] = Q[..., 5:].copy(order="F")
        for name, array in columns.items():
            tv.bind_array("columns", name, "in", array, **FRINGES)
            tv.bind_from("others", name, "columns") if name == "P" else tv.bind_array(
                "others", name, "in", array, **FRINGES
            )
        tv.bind_array("others", "rho", "out", read, **FRINGES)
        tv.run("cells", COMPOSITE)
        tv.run("others", COMPOSITE)
        return cls(tv, Q, rho, columns, read)

    def run(self, set: str) -> PreparedRun:
        """That of a set, as it was prepared."""
        run = self.tv._bound.set_of(set).runs.get(RUN)
        assert run is not None, f"nothing is prepared on {set}"
        return run


def bind(sets: Sets) -> None:
    sets.tv.bind_array("cells", "Q", "in", sets.Q * 1.0, **FRINGES)


def unbind(sets: Sets) -> None:
    sets.tv.bind_array("cells", "h", "out", np.zeros(SHAPE, order="F"), **FRINGES)
    sets.tv.run("cells", COMPOSITE)
    found = sets.run("cells")
    sets.tv.unbind("cells", "h")
    assert not found.valid()


def bind_from(sets: Sets) -> None:
    sets.tv.bind_from("cells", "T", "columns")


def read_set(sets: Sets) -> None:
    sets.tv.bind_array("columns", "P", "in", 2.0 * sets.columns["P"], **FRINGES)


def position(sets: Sets) -> None:
    sets.tv.position("cells", 7, 8, 9)


def skip(sets: Sets) -> None:
    sets.tv.compare_without("cells", "rho")


def enter_data(sets: Sets) -> None:
    sets.tv.enter_data("cells", "Q", "copyin")


def exit_data(sets: Sets) -> None:
    sets.tv.enter_data("cells", "Q", "copyin")
    sets.tv.run("cells", COMPOSITE)
    found = sets.run("cells")
    sets.tv.exit_data("cells", "Q", "delete")
    assert not found.valid()


def species(sets: Sets) -> None:
    known = sets.tv.species
    assert known is not None
    sets.tv.use_species(known)


def status_policy(sets: Sets) -> None:
    sets.tv.status_policy("stop")


def watch(sets: Sets) -> None:
    sets.tv.impl.watch_by(None)


def close(sets: Sets) -> None:
    sets.tv.close()


#: What makes each change, and the set whose run it makes void.
CASES: dict[Change, tuple[Callable[[Sets], None], str]] = {
    Change.BIND: (bind, "cells"),
    Change.UNBIND: (unbind, "cells"),
    Change.BIND_FROM: (bind_from, "cells"),
    Change.READ_SET: (read_set, "others"),
    Change.POSITION: (position, "cells"),
    Change.SKIP: (skip, "cells"),
    Change.ENTER_DATA: (enter_data, "cells"),
    Change.EXIT_DATA: (exit_data, "cells"),
    Change.SPECIES: (species, "cells"),
    Change.STATUS_POLICY: (status_policy, "cells"),
    Change.WATCH: (watch, "cells"),
    Change.CLOSE: (close, "cells"),
}


@pytest.mark.parametrize("change", Change, ids=lambda change: change.name)
def test_a_change_makes_void_what_was_prepared(
    make_frame: Make, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it is this change alone which does so is seen where it is not told."""
    act, set = CASES[change]
    sets = Sets.made(make_frame)
    before = sets.run(set)
    assert before.valid()
    act(sets)
    assert not before.valid()

    told = Prepared.changed

    def deaf(self: Prepared, other: Change) -> None:
        if other is not change:
            told(self, other)

    again = Sets.made(make_frame)
    before = again.run(set)
    with monkeypatch.context() as patch:
        patch.setattr(Prepared, "changed", deaf)
        if change in (Change.UNBIND, Change.EXIT_DATA):
            with pytest.raises(AssertionError):
                act(again)
        else:
            act(again)
            assert before.valid()


def test_a_change_of_one_set_leaves_the_others(make_frame: Make) -> None:
    sets = Sets.made(make_frame)
    cells, others = sets.run("cells"), sets.run("others")
    bind(sets)
    assert others.valid() and sets.run("others") is others and not cells.valid()
    sets.tv.run("cells", COMPOSITE)
    cells = sets.run("cells")
    read_set(sets)
    assert cells.valid() and not others.valid()
    sets.tv.run("others", COMPOSITE)
    species(sets)
    assert not cells.valid()
    assert sets.tv._bound.set_of("others").runs.get(RUN) is None


def test_a_run_after_a_change_meets_what_is_there_now(make_frame: Make) -> None:
    """New arrays, other species constants, the array of another set."""
    sets = Sets.made(make_frame)
    before = sets.rho[INTERIOR].copy()
    np.testing.assert_array_equal(sets.read[INTERIOR], before)
    hot = sets.Q.copy(order="F")
    hot[..., 4] *= 1.5
    sets.tv.bind_array("cells", "Q", "in", hot, **FRINGES)
    sets.tv.run("cells", COMPOSITE)
    assert np.all(sets.rho[INTERIOR] < before)
    sets.tv.bind_array("columns", "P", "in", 0.5 * sets.columns["P"], **FRINGES)
    sets.tv.run("others", COMPOSITE)
    assert np.all(sets.read[INTERIOR] < before)


def test_another_spelling_of_a_name_is_the_same_run(make_frame: Make) -> None:
    sets = Sets.made(make_frame)
    sets.tv.run("cells", COMPOSITE.lower())
    kept = sets.tv._bound.set_of("cells").runs
    assert len(kept) == 2 and len({id(run) for run in kept.values()}) == 1


def test_launches_on_views_are_kept_until_the_species_change(make_frame: Make) -> None:
    tv = make_frame(10).tvproperties
    for name, value in (("T", 300.0), ("P", 1e6)):
        column = np.full((10, 1, 1), value, order="F")
        tv.populate_input_stripe(name, column, stripeStart=1, stripeEnd=10)
    Y = np.full((10, 1, 1, tv.ns), 1.0 / tv.ns, order="F")
    tv.populate_input_stripe("Y", Y, stripeStart=1, stripeEnd=10)
    tv.composite(COMPOSITE, 10)
    generation = tv.impl.prepared.generation
    tv.composite(COMPOSITE, 10)
    assert tv.impl.prepared.generation == generation
    kept = tv.impl.prepared.of(bridge.prepared.PreparedLaunch)
    assert list(kept) == [COMPOSITE]
    tv.use_species(tv.species)
    assert not tv.impl.prepared.of(bridge.prepared.PreparedLaunch)
