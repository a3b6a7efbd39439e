"""Quantities that are reduced as they are made: the bits and points of those that are made whole
and reduced then, for loop nests and the executor, masks, threads and pieces of every size."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from packs.test_nests import RECORDS, ROWS, Arrays, Case, Layout, catalogue

from bridge.backends.base import VALUE, Binding, Box, MadeReduction, Measure, Partial
from bridge.backends.cpu.nests import NestProgram
from bridge.bound.operations import IS_NAN, MAGNITUDE, NONZERO, SQUARE
from bridge.plan.catalogue import Catalogue

__all__ = ["catalogue"]

MEASURED: list[tuple[str, Measure]] = [
    *((base, VALUE) for base in ("sum", "min", "max", "any")),
    *(("sum", one) for one in (MAGNITUDE, SQUARE, NONZERO)),
    *(("max", MAGNITUDE), ("any", IS_NAN)),
]
#: Of 3045 points: three groups, the last one of 997 points, in rows of which groups end within.
EXTENT = (203, 5, 3)
POINTS = 203 * 5 * 3
#: What a kernel or composite makes, by its columns, all of it in one pass.
MADE = {"nmChain": {"nm_many": 33}, "nmPoint": {"nm_a": 1, "nm_wide": 9}}


def bits(found: Iterable[Partial]) -> list[tuple[bytes, int]]:
    return [(np.float64(one.value).tobytes(), one.point) for one in found]


def placed(columns: dict[str, int], address: int, apart: int) -> dict[str, Binding]:
    """The quantities one behind the other, flat."""
    i, j, _ = EXTENT
    found, first = {}, 0
    for name, number in columns.items():
        box = Box(EXTENT, (1, i, i * j), apart, first * apart)
        found[name] = Binding(address, box, number)
        first += number
    return found


class Both:
    """A case made whole, and in pieces of so many groups; way: "nest" or "executor"."""

    def __init__(
        self, catalogue: Catalogue, name: str, way: str, threads: int, groups: int
    ) -> None:
        self.columns = MADE[name]
        self.case = Case(catalogue, "v2", name, threads)
        if name == "nmPoint":
            self.case.plan = catalogue.single(name, 1, outputs=self.columns)
        self.way, self.apart = way, 1024 * groups + 8

    def check(self, arrays: Arrays, mask: Binding | None) -> list[list[tuple[bytes, int]]]:
        backend, plan = self.case.backend, self.case.plan
        inputs = {name: arrays.bindings[name] for name in plan.inputs}
        memory = np.full((sum(self.columns.values()), POINTS), np.nan)
        whole = placed(self.columns, memory.ctypes.data, POINTS)
        pieces = placed(self.columns, 1 << 60, self.apart)
        backend.executor(plan, inputs | whole).run(0, POINTS)
        make = backend.executor if self.way == "executor" else backend.program
        program = make(plan, inputs | pieces)
        assert isinstance(program, NestProgram) == (self.way == "nest")
        program.struct.share = 1  # as many threads as there are groups
        asked, wanted, column = [], [], 0
        for name, number in self.columns.items():
            one = whole[name]
            for base, measure in MEASURED:
                asked.append(MadeReduction(base, measure, column, number))
                wanted.append(bits(backend.reduce(one, base, mask, measure)))
            asked.append(MadeReduction("max", VALUE, column + number - 1, 1))
            last = one.columns_from(number - 1, 1)
            wanted.append(bits(backend.reduce(last, "max", mask, VALUE)))
            column += number
        reducing = backend.reducing(program, pieces, mask, asked)
        for _ in range(2):
            reducing.run(0, POINTS)
            found = [bits(reducing.partials(number)) for number in range(len(asked))]
            assert found == wanted
        return wanted


def arrays_of(both: Both, how: Layout) -> Arrays:
    return Arrays({**both.case.plan.inputs}, EXTENT, how)


def counting(values: np.ndarray) -> tuple[np.ndarray, Binding]:
    """A mask, and its memory."""
    i, j, _ = EXTENT
    words = values.astype("int32")
    return words, Binding(
        words.ctypes.data, Box(EXTENT, (1, i, i * j), POINTS), 1, dtype="int32", owner=words
    )


def masks() -> list[Binding | None]:
    random = np.random.default_rng(2)
    some = random.integers(0, 3, POINTS)
    some[1024:2048] = 0  # a group of which no point counts
    return [None, *(counting(one)[1] for one in (some, np.zeros(POINTS)))]


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("way", ["nest", "executor"])
@pytest.mark.parametrize(("threads", "groups"), [(1, 1), (1, 2), (1, 3), (1, 64), (2, 1), (3, 64)])
def test_the_bits_are_those_of_what_is_made_whole(
    catalogue: Catalogue, name: str, way: str, threads: int, groups: int
) -> None:
    both = Both(catalogue, name, way, threads, groups)
    for how in (ROWS, RECORDS):
        for mask in masks():
            both.check(arrays_of(both, how), mask)


@pytest.mark.parametrize("threads", [1, 2])
def test_zeros_ties_and_nan_have_the_place_of_the_first(
    catalogue: Catalogue, threads: int
) -> None:
    """Values that grow from point to point, fall, are equal, are zeros of both signs, or NaN."""
    both = Both(catalogue, "nmPoint", "nest", threads, 1)
    arrays = arrays_of(both, Layout(fringe=0))
    q = arrays.memory["nm_q"].reshape(POINTS, 5, order="F")
    assert np.shares_memory(q, arrays.memory["nm_q"])
    random = np.random.default_rng(3)
    seen = set()
    for values in (
        np.linspace(1.0, 2.0, POINTS), np.linspace(2.0, 1.0, POINTS), np.full(POINTS, 1.0),
        np.where(random.integers(0, 2, POINTS) == 0, -0.0, 0.0),
    ):  # fmt: skip
        q[...] = values[:, None]
        q[:, 0] = np.abs(q[:, 0])
        for mask in masks():
            seen.add(str(both.check(arrays, mask)))
    q[[1500, 2500, 2501, 2502], 3] = np.nan
    for mask in masks():
        seen.add(str(both.check(arrays, mask)))
    assert len(seen) >= 11, "what is compared depends on values and masks"
