"""Runs of several sets in one call: the bits of one run after the other, whatever the sets read
and write of each other's points, for every layout, size of pieces and number of threads."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from hosts import Host, build, run_counted
from packs.test_nests import COLUMNS, WORDS, catalogue

import bridge
from bridge import machine
from bridge.backends.cpu import nests as cpu_nests
from bridge.errors import ArgumentError, StateError
from bridge.plan.catalogue import Catalogue
from bridge.prepared import Change, PreparedSeveral
from bridge.tvproperties import TVProperties

__all__ = ["catalogue"]

#: First and last interior point, x, y and z, of an array with 3 points around 13 x 7 x 24.
Box = tuple[int, int, int, int, int, int]
FULL, ALL = (19, 13, 30), (4, 16, 4, 10, 4, 27)
KERNELS = ("nmScale", "nmAdd", "nmSmooth", "nmFlux", "nmStep", "nmTurn", "nmFlags")
QUANTITIES = ("nm_a", "nm_b", "nm_q", "nm_r", "nm_wide", "nm_flag", "nm_two")


@dataclass(frozen=True)
class One:
    """A run: what, on which points."""

    kernel: str
    box: Box = ALL


@dataclass(frozen=True)
class How:
    """first: components before the points; dtype: of the arrays; cache: bytes that pieces may
    have."""

    first: bool = False
    dtype: str = "float64"
    threads: int = 1
    cache: int = 4096


def made(how: How) -> dict[str, np.ndarray]:
    random = np.random.default_rng(7)
    found = {}
    for name in QUANTITIES:
        columns = WORDS.get(name) or COLUMNS[name]
        first = how.first and columns > 1 and name not in WORDS
        shape = (*([columns] if first else []), *FULL, *([columns] if not first else []))
        if name in WORDS:
            values = random.integers(0, 9, shape).astype(np.int32)
        else:
            values = random.uniform(0.5, 1.5, shape).astype(how.dtype)
        found[name] = np.asfortranarray(values)
    return found


class Both:
    """The same runs one after the other and in one call, each on arrays of its own."""

    def __init__(self, tv: TVProperties, catalogue: Catalogue, runs: list[One], how: How) -> None:
        self.tv, self.kernels = tv, [one.kernel for one in runs]
        self.alone, self.together = made(how), made(how)
        self.sets = [self._bound(f"{way}{{}}", catalogue, arrays, runs, how) for way, arrays in
                     (("alone", self.alone), ("together", self.together))]  # fmt: skip

    def _bound(
        self, set: str, catalogue: Catalogue, arrays: dict[str, np.ndarray], runs: list[One],
        how: How,
    ) -> list[str]:  # fmt: skip
        for number, one in enumerate(runs):
            kernel = catalogue.kernels[one.kernel]
            for name in {*kernel.inputs, *kernel.outputs} & {*arrays}:
                inward, outward = name in kernel.inputs, name in kernel.outputs
                intent = "inout" if inward and outward else "in" if inward else "out"
                first = how.first and COLUMNS.get(name, 1) > 1
                self.tv.bind_array(
                    set.format(number), name, intent, arrays[name], *one.box,
                    component_first=first,
                )  # fmt: skip
        return [set.format(number) for number in range(len(runs))]

    def differ(self) -> str:
        """Which arrays do after each was run three times; "" where none. The first time that
        several runs come, each goes by itself."""
        for _ in range(3):
            for name, kernel in zip(self.sets[0], self.kernels, strict=True):
                self.tv.run(name, kernel)
            self.tv.run_several(self.sets[1], self.kernels)
        both = ((name, one, self.together[name]) for name, one in self.alone.items())
        return ", ".join(name for name, one, other in both if one.tobytes() != other.tobytes())

    @property
    def program(self) -> Any:
        """Of the runs together."""
        kept: Any = self.tv.impl.prepared.of(PreparedSeveral)[
            tuple(self.sets[1]), tuple(self.kernels)
        ]
        return kept.together._programs[0][0]

    @property
    def ways(self) -> list[str]:
        return self.tv.impl.backend.ways()


@pytest.fixture
def both(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[list[One], How], Both]]:
    """Pieces of few rows, and threads for any number of points."""
    with ExitStack() as stack:

        def begin(runs: list[One], how: How) -> Both:
            monkeypatch.setattr(machine, "cache_size", lambda level: how.cache)
            monkeypatch.setattr(cpu_nests, "points_per_thread", lambda plan, ns: 1)
            frame = bridge.Frame(64, nq=0, backend="cpu", threads=how.threads)
            return Both(stack.enter_context(frame).tvproperties, catalogue, runs, how)

        yield begin


LINE_ENDS = [
    One("nmFlux"), One("nmAdd", (4, 4, 4, 10, 4, 27)), One("nmAdd", (5, 5, 4, 10, 4, 27)),
    One("nmSmooth", (6, 14, 4, 10, 4, 27)), One("nmAdd", (16, 16, 4, 10, 4, 27)),
]  # fmt: skip
#: A later run reads what an earlier one has made around its points, and the next one writes there.
CHAIN = [One("nmScale", (3, 17, 3, 11, 3, 28)), One("nmSmooth"), One("nmScale"), One("nmFlux")]
SEQUENCES = {
    "line ends": LINE_ENDS,
    "planes": [One("nmFlux"), *(One("nmAdd", (4, 16, 4, 10, k, k)) for k in (4, 5, 27))],
    "rows of planes": [One("nmFlux"), *(One("nmAdd", (4, 16, j, j, 4, 27)) for j in (10, 4, 5))],
    "chain": CHAIN,
    "chain, the other way": CHAIN[::-1],
    "boxes beside each other": [
        One("nmAdd", (4, 9, 4, 10, 4, 27)), One("nmStep", (10, 16, 4, 10, 4, 27)),
    ],
    "a box below the earlier one": [
        One("nmStep", (4, 16, 4, 10, 7, 27)), One("nmSmooth", (4, 16, 4, 6, 4, 5)),
    ],
    "integers": [One("nmFlags"), One("nmScale"), One("nmFlags", (4, 16, 5, 9, 4, 27))],
    "nothing in common": [One("nmScale"), One("nmFlags")],
}  # fmt: skip
HOWS = {
    "rows": How(), "components first": How(first=True), "real(4)": How(dtype="float32"),
    "threads": How(threads=2), "more threads, components first": How(first=True, threads=4),
    "one piece": How(cache=1 << 24), "rows one by one": How(cache=1),
}  # fmt: skip


Begin = Callable[[list[One], How], Both]


@pytest.mark.parametrize("how", HOWS.values(), ids=HOWS)
@pytest.mark.parametrize("runs", SEQUENCES.values(), ids=SEQUENCES)
def test_bits_of_one_after_the_other(both: Begin, runs: list[One], how: How) -> None:
    found = both(runs, how)
    assert not found.differ()
    assert any("row after row" in way for way in found.ways), found.ways
    last = found.program.struct.parts[found.program.struct.n_parts - 1]
    rows = found.program.struct.rows // max(last.behind + last.above, 1)
    assert min(rows, found.program.struct.rows // found.program.struct.share) >= how.threads, (
        "each has its share"
    )


@pytest.mark.parametrize("seed", range(24))
def test_random_sequences(both: Begin, seed: int) -> None:
    random = np.random.default_rng(seed)

    def box() -> Box:
        sides = []
        for low, high in ((4, 16), (4, 10), (4, 27)):
            a, b = sorted(random.integers(low, high + 1, 2).tolist())
            sides += [low, high] if random.random() < 0.5 else [a, b]
        return tuple(sides)  # type: ignore[return-value]

    runs = [
        One(KERNELS[random.integers(len(KERNELS))], box()) for _ in range(random.integers(2, 6))
    ]
    how = How(
        first=bool(random.integers(2)), threads=int(random.integers(1, 5)),
        cache=int(2 ** random.integers(0, 16)),
    )  # fmt: skip
    assert not both(runs, how).differ(), (runs, how)


@pytest.mark.parametrize(
    "boxes",
    [
        [(4, 16, 4, 10, 4, 15), (4, 16, 4, 10, 16, 27)],
        [ALL, (4, 4, 4, 10, 4, 27)],
        [(4, 9, 4, 10, 4, 27), ALL],
    ],
    ids=["halves", "a side again", "a part before"],
)
def test_bytes_of_a_report(both: Begin, boxes: list[Box]) -> None:
    """nm_r is read and written, nm_q and nm_b are read, each point once."""
    found = both([One("nmAdd", box) for box in boxes], How())
    assert not found.differ()
    assert found.program.moved == 13 * 7 * 24 * 8 * (5 + 5 + 5 + 1)


def test_a_set_without_points_among_them(both: Begin) -> None:
    found = both([One("nmFlux"), One("nmAdd", (4, 3, 4, 10, 4, 27)), One("nmAdd")], How())
    assert not found.differ()
    assert found.tv.without_points()["together1", "nmAdd"] == 3


def test_threads_that_would_have_no_rows(both: Begin) -> None:
    """The last plane is needed by the first one: a thread would have all rows."""
    planes = [One("nmScale", (4, 16, 4, 10, 27, 27)), One("nmSmooth"), One("nmScale")]
    for threads, way in ((1, "row after row"), (4, "of 4 threads would have rows of their own")):
        found = both(
            [*planes, One("nmFlux"), *planes, One("nmFlux"), *planes], How(threads=threads)
        )
        assert not found.differ()
        assert any(way in one for one in found.ways), found.ways


def test_memory_that_lies_otherwise(both: Begin) -> None:
    """Points of one set are those of another one in rows of another length: one runs after the
    other."""
    found = both([One("nmAdd"), One("nmAdd")], How())
    for set, arrays in (("alone1", found.alone), ("together1", found.together)):
        for name in ("nm_r", "nm_q", "nm_b"):
            intent = "inout" if name == "nm_r" else "in"
            flat = arrays[name].reshape((-1, COLUMNS[name]), order="F")
            found.tv.bind_array(set, name, intent, flat, 500, 2000)
    assert not found.differ()
    sets = "nmAdd on 'together0', nmAdd on 'together1'"
    told = f"{sets}: one after the other: nm_r and nm_r share memory in different ways"
    assert told in found.ways


def test_changes_between_calls(both: Begin) -> None:
    """A new array, a run of one of the sets alone, a pending one."""
    found = both(CHAIN, How())
    assert not found.differ()
    for way, arrays in (("alone", found.alone), ("together", found.together)):
        arrays["nm_q"] = np.asfortranarray(arrays["nm_q"] + 1.0)
        for number in range(4):
            intent = "in" if number in (1, 3) else "inout"
            box = CHAIN[number].box
            found.tv.bind_array(f"{way}{number}", "nm_q", intent, arrays["nm_q"], *box)
    assert not found.differ()
    found.tv.run_begin("together2", "nmScale")
    with pytest.raises(StateError, match="nmScale is pending on set 'together2'"):
        found.tv.run_several(found.sets[1], found.kernels)
    found.tv.wait("together2")
    found.tv.run("alone2", "nmScale")
    assert not found.differ()


def test_an_array_that_is_bound_no_more_is_given_back(both: Begin) -> None:
    found = both([One("nmAdd"), One("nmAdd", (4, 4, 4, 10, 4, 27))], How())
    assert not found.differ()
    old = found.together.pop("nm_b")
    gone = weakref.ref(old)
    found.tv.bind_array("together0", "nm_b", "in", old + 1.0, *ALL)
    found.tv.bind_array("together1", "nm_b", "in", old + 1.0, 4, 4, 4, 10, 4, 27)
    del old
    found.tv.run("together0", "nmAdd")
    gc.collect()
    assert gone() is None


def test_a_change_by_another_thread(both: Begin) -> None:
    """While several sets run: the next call finds what has changed, this one ends as it began."""
    found = both([One("nmAdd"), One("nmAdd", (4, 4, 4, 10, 4, 27))], How())
    stop, changes = Event(), found.tv.impl.prepared

    def change() -> None:
        while not stop.wait(0.001):
            changes.changed(Change.WATCH)

    other = Thread(target=change)
    other.start()
    try:
        for _ in range(500):
            found.tv.run_several(found.sets[1], found.kernels)
    finally:
        stop.set()
        other.join()


def test_what_is_refused(both: Begin) -> None:
    """Before anything runs."""
    found = both(CHAIN, How())
    before = {name: array.copy() for name, array in found.together.items()}
    several, sets = found.tv.run_several, found.sets[1]
    with pytest.raises(ArgumentError, match=r"composites: got 3 names, wanted 4, one of each set"):
        several(sets, found.kernels[1:])
    with pytest.raises(ArgumentError, match=r"sets: got no name, wanted the names of the sets"):
        several([], [])
    with pytest.raises(ArgumentError, match="set: got 'nowhere'"):
        several([*sets, "nowhere"], [*found.kernels, "nmAdd"])
    with pytest.raises(ArgumentError, match="nmNobody"):
        several(sets, [*found.kernels[:3], "nmNobody"])
    assert all((array == before[name]).all() for name, array in found.together.items())


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("severalagain")
    return build(folder, [Path(__file__).with_name("severalagain.f90")], flags=("-O1",))


@pytest.fixture
def packs(update: Path, built: Path) -> dict[str, str]:
    """Environment of a program that runs the kernels of an example."""
    return {"BRIDGE_PACKS": str(update), "BRIDGE_CACHE": str(built)}


@pytest.mark.fortran
@pytest.mark.parametrize("resident", ["", "1"], ids=["", "resident"])
@pytest.mark.parametrize("kind", ["cpu", "stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
def test_they_do_not_enter_python_again(
    host: Host, packs: dict[str, str], kind: str, resident: str
) -> None:
    """Where each run would not; values, status and timers are those of single runs."""
    found = run_counted(host, kind, TEST_RESIDENT=resident, **packs)
    assert found.status == 0, found.out + found.err
    for what in ("both", "refused", "anew"):
        assert found.words(what)[0] == "T", found.out
    assert found.words("status") == ["-4", "-3", "-3", "0"]
    before, after = (int(n) for n in re.findall(r"entered (\d+)", found.out)[:2])
    assert after - before - 1 == (300 if kind != "cpu" and not resident else 0)


@pytest.mark.fortran
def test_those_that_are_looked_at_are_not_left_out(host: Host, packs: dict[str, str]) -> None:
    """With species the 1st, 2nd, 4th ... run of each set, which Python has to see."""
    found = run_counted(host, "cpu", BRIDGE_SPECIES="O2 CH4", **packs)
    assert found.status == 0 and found.words("both")[0] == "T", found.out + found.err
    before, after = (int(n) for n in re.findall(r"entered (\d+)", found.out)[:2])
    assert 6 <= after - before <= 24


@pytest.mark.fortran
def test_reports_count_them(host: Host, packs: dict[str, str]) -> None:
    """Calls of all together, behind the first one."""
    found = host.run(environment={"BRIDGE_BACKEND": "cpu", **packs})
    rows = re.findall(r"^bridge: run advanceInPlace (\+ advanceInPlace)?\s+(\d+)", found.out, re.M)
    assert [row for row in rows if row[0]] == [
        ("+ advanceInPlace", "1"),
        ("+ advanceInPlace", "301"),
    ]


@pytest.mark.fortran
def test_one_that_fails_says_what_is_incomplete(host: Host, packs: dict[str, str]) -> None:
    found = run_counted(host, "cpu", TEST_FAILS_AT="20", **packs)
    assert found.status != 0
    told = "runs of advanceInPlace on set 'low', advanceInPlace on set 'high': failed, incomplete"
    assert told in found.err and "do not run again: conserved may be partly" in found.err
