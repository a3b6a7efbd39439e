"""One rank of `test_exchanges`: its blocks of a periodic field, whose fringes are exchanged, case
after case.

Arguments: JSON, a list of cases with backend ("cpu", "cuda" or "standin"), resident, layout, first
(component), many (blocks of one set), checked, late (timeout), exchange (the setting; nccl,
mpi-device: by stand-ins on the stand-in of a device); a folder for what stand-ins compile. Four
blocks of unlike sizes, two by two; those of a rank follow one another. Prints, on rank 0, a line
for each case: what every rank found, and what was refused.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import time
from pathlib import Path
from typing import Any

faulthandler.dump_traceback_later(500, exit=True)  # a rank that waits for one that has left

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from mpi4py import MPI  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1]))
from standin import StandIn  # noqa: E402
from standin_nccl import OneEach, StandInNccl  # noqa: E402

import bridge.frame  # noqa: E402
from bridge import Frame, mpi  # noqa: E402
from bridge.backends.cuda import CudaBackend, cache  # noqa: E402
from bridge.errors import BridgeError  # noqa: E402

GIVEN = {"backend": "cpu", "resident": False, "layout": "host", "first": False, "many": False,
         "late": 0.0, "checked": False, "exchange": "auto"}  # fmt: skip
FOLDER = Path(sys.argv[2])
world = MPI.COMM_WORLD
WIDTHS = (5, 3), (4, 6)  # cells of the columns and rows of blocks
DEPTH, SIZE = 2, (8, 10, 3)
random = np.random.default_rng(2)
Y = random.dirichlet(np.ones(2), SIZE)  # the fields, whose cells tell where they are
T = 300.0 + random.random(SIZE)
STATUS = random.integers(0, 99, SIZE).astype(np.int32)
FIELDS: dict[str, np.ndarray] = {"T": T, "Y": Y, "status": STATUS}
owner = [number * world.size // 4 for number in range(4)]
mine = [number for number in range(4) if owner[number] == world.rank]


def cells_of(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a block with its fringes in x and y: their numbers in the field, which is periodic."""
    axes = []
    for widths, at, n in zip(WIDTHS, divmod(number, 2), SIZE, strict=False):
        first = sum(widths[:at])
        axes.append(np.arange(first - DEPTH, first + widths[at] + DEPTH) % n)
    return axes[0], axes[1], np.arange(SIZE[2])


def array_of(field: np.ndarray, number: int) -> np.ndarray:
    """The interior of a block, nothing in its fringe."""
    found = np.asfortranarray(field[np.ix_(*cells_of(number))])
    empty = np.asfortranarray(np.full_like(found, -1))
    inner = np.s_[DEPTH:-DEPTH, DEPTH:-DEPTH]
    empty[inner] = found[inner]
    return empty


def bounds(number: int) -> dict[str, int]:
    """Of the interior of a block."""
    nx, ny = (widths[at] for widths, at in zip(WIDTHS, divmod(number, 2), strict=True))
    return dict(SptX=DEPTH + 1, EptX=DEPTH + nx, SptY=DEPTH + 1, EptY=DEPTH + ny)


def faces(axis: int) -> list[list[Any]]:
    """Lines of an exchange along an axis: the layers beside each side, across all of the other
    one. The face between two blocks is known by the block before it."""
    lines = []
    for at, number in enumerate(mine, start=1):
        place = divmod(number, 2)
        n = [widths[one] for widths, one in zip(WIDTHS, place, strict=True)]
        other = [*place]
        other[axis] = 1 - place[axis]
        neighbour = 2 * other[0] + other[1]
        for side in (0, 1):
            boxes = []
            for inside in (True, False):
                box = [[1 - DEPTH, n[0] + DEPTH], [1 - DEPTH, n[1] + DEPTH], [1, SIZE[2]]]
                begin = (
                    (1, n[axis] - DEPTH + 1)[side] if inside else (1 - DEPTH, n[axis] + 1)[side]
                )
                box[axis] = [begin, begin + DEPTH - 1]
                boxes.append(sum(box, []))
            tag = number if side else neighbour
            lines.append([owner[neighbour], tag, at, boxes[0], at, boxes[1]])
    return lines


def changed(**by: Any) -> list[list[Any]]:
    """Lines of which the last one of the last rank differs in some columns."""
    columns = ("peer", "tag", "send", "sent", "receive", "received")
    lines = faces(0)
    if world.rank == world.size - 1:
        for column, value in by.items():
            lines[-1][columns.index(column)] = value
    return lines


class Case:
    """A Frame with the blocks of this rank."""

    def __init__(self, patch: pytest.MonkeyPatch, asked: dict[str, Any]) -> None:
        self.asked = asked
        self.nccl: Any = None
        backend = asked["backend"]
        if backend == "standin":
            driver, backend = self._standin(patch), "cuda"
            patch.setattr(cache, "compiled", driver.compile)
            patch.setattr(
                bridge.frame, "open_backend", lambda *_, **named: CudaBackend(api=driver)
            )
        self.frame = Frame(
            species="O2 CH4", backend=backend, threads="1", exchange=asked["exchange"],
            check_residency=asked["checked"], exchange_timeout=asked["late"],
        )  # fmt: skip
        self.frame.initialize(0, 100, 2, 7, comm=world.py2f())
        self.tv = self.frame.tvproperties
        self.arrays = {(name, number): array_of(field, number)
                       for name, field in FIELDS.items() for number in mine}  # fmt: skip
        if asked["first"]:
            self.arrays |= {("Y", number): np.asfortranarray(np.moveaxis(array, 3, 0))
                            for (name, number), array in self.arrays.items()
                            if name == "Y"}  # fmt: skip
        self.sets = ["cells"] if asked["many"] else [f"block{number}" for number in mine]
        for name in FIELDS:
            if asked["many"]:
                self._bind_together(name)
            else:
                self._bind(name)

    def _standin(self, patch: pytest.MonkeyPatch) -> StandIn:
        driver = StandIn(FOLDER)
        if self.asked["exchange"] == "nccl":
            for name in ("cupy", "cupy.cuda"):  # to be what they are now, afterwards
                patch.delitem(sys.modules, name, raising=False)
            OneEach(driver, world.rank)
            self.nccl = StandInNccl(FOLDER, world)
            self.groups = self.nccl.library.standin_groups()
        if self.asked["exchange"] == "mpi-device":
            patch.setattr(mpi, "says_cuda", lambda _library: True)  # its memory is the host's
        return driver

    def _bind(self, name: str) -> None:
        """Each block in a set of its own."""
        first = self.asked["first"] and name == "Y"
        layout = self.asked["layout"] if name == "Y" else "host"
        for number in mine:
            self.tv.bind_array(f"block{number}", name, "inout", self.arrays[name, number],
                               **bounds(number), component_first=first)  # fmt: skip
            if self.asked["resident"]:
                self.tv.enter_data(f"block{number}", name, "copyin", layout)

    def _bind_together(self, name: str) -> None:
        """All blocks in one array, one behind the other."""
        flat = np.concatenate([self.arrays[name, number].ravel("F") for number in mine])
        rows, offsets, at = [], [], 0
        for number in mine:
            array = self.arrays[name, number]
            piece = flat[at : at + array.size]
            self.arrays[name, number] = piece.reshape(array.shape, order="F")
            columns = array.shape[3] if array.ndim > 3 else 1
            ends = [*bounds(number).values(), 1, SIZE[2], 1, columns, columns]
            rows.append([*array.shape[:3], *ends])
            offsets.append(at)
            at += array.size
        self.tv.bind_blocks("cells", name, "inout", flat, rows, offsets)
        if self.asked["resident"]:
            self.tv.enter_data("cells", name, "copyin")

    def plan(self, name: str, lines: list[list[Any]], names: str = "T Y status") -> None:
        columns = [list(column) for column in zip(*lines, strict=True)] or [[]] * 6
        self.tv.exchanges.plan(name, " ".join(self.sets), names, *columns)

    def exchange(self) -> tuple[dict[str, int], int]:
        """Wrong cells of each array, and the allocations after the first time."""
        tv = self.tv
        for axis, name in enumerate("xy"):
            self.plan(name, faces(axis))
        first_calls = 0
        for repeat in range(3):
            for name in "xy":
                if repeat == 1:
                    tv.exchanges.begin(name)
                    tv.exchanges.wait(name)
                else:
                    tv.exchanges.run(name)
            if not repeat:
                first_calls = tv.impl.backend.allocations()
        grown = tv.impl.backend.allocations() - first_calls
        if self.asked["resident"]:
            newer = tv.impl.residency.newer()
            assert len(newer) == len(FIELDS) * len(self.sets), "the host has old fringes"
            for name in FIELDS:
                for set in self.sets:
                    tv.update_host(set, name)
        self._as_asked()
        wrong = {}
        for (name, number), array in self.arrays.items():
            found = np.moveaxis(array, 0, 3) if self.asked["first"] and name == "Y" else array
            wanted = FIELDS[name][np.ix_(*cells_of(number))]
            wrong[f"{name} {number}"] = int((found != wanted).sum())
        return wrong, grown

    def _as_asked(self) -> None:
        """By what messages went."""
        lines = self.tv.exchange_lines()
        assert len(lines) == 2 and "exchange 'x': 0.0" in lines[0], lines
        transport = "MPI"
        if self.asked["backend"] != "cpu" and self.asked["resident"]:
            ways = {"nccl": "NCCL", "mpi-device": "MPI from memory of the GPU"}
            transport = ways.get(self.asked["exchange"], "page-locked memory and MPI")
            if world.size == 1:
                transport = "page-locked memory and MPI"
        assert f"ranks by {transport}" in lines[0], lines
        if self.nccl is not None and world.size > 1:  # a group for each exchange with other ranks
            outward = sum(any(one[0] != world.rank for one in faces(axis)) for axis in (0, 1))
            assert self.nccl.open == [world.rank], self.nccl.open
            groups = self.nccl.library.standin_groups() - self.groups
            assert groups == 3 * outward, groups

    def refused(self) -> dict[str, str]:
        """What is said of mistakes of the last rank, and of what comes too early or too late."""
        told: dict[str, str] = {}

        def refuse(what: str, call: Any, *arguments: Any) -> None:
            try:
                call(*arguments)
            except BridgeError as error:
                told[what] = f"{type(error).__name__}: {error}"

        tv, plan, box, last = self.tv, self.plan, faces(0)[-1][3], world.rank == world.size - 1
        refuse("peer", plan, "wrong", changed(peer=world.size))
        refuse("tag", plan, "wrong", changed(tag=77))
        refuse("block", plan, "wrong", changed(send=9))
        refuse("box", plan, "wrong", changed(sent=[1, 99, *box[2:]]))
        refuse("size", plan, "wrong", changed(sent=[box[0], box[1] - 1, *box[2:]]))
        same_number = [1 - DEPTH, 3, 1, 4, 1, 3]  # of points
        refuse("shape", plan, "wrong", changed(sent=same_number))
        refuse("name", plan, f"wrong{last}", faces(0))
        refuse("array", plan, "wrong", faces(0), "noSuch" if last else "T")
        refuse("set", tv.exchanges.plan, "wrong", "none", "T", *[[]] * 6)
        refuse("unknown", tv.exchanges.run, "nothing")
        refuse("wait", tv.exchanges.wait, "x")
        tv.exchanges.begin("x")
        refuse("begun", tv.exchanges.begin, "x")
        refuse("bind", tv.unbind, self.sets[0], "T")
        tv.exchanges.wait("x")
        return told

    def late(self, seconds: float) -> None:
        """The last rank comes long after the time that others wait without a word."""
        if world.rank == world.size - 1:
            time.sleep(3.5 * seconds)
        self.tv.exchanges.run("x")

    def end(self) -> None:
        world.Barrier()
        if self.asked["resident"]:
            for set, name in ((set, name) for set in self.sets for name in FIELDS):
                self.tv.exit_data(set, name, "delete")
        self.frame.finalize()
        assert self.nccl is None or not self.nccl.open, "a communicator stays"


for given in json.loads(sys.argv[1]):
    with pytest.MonkeyPatch.context() as patch:
        case = Case(patch, GIVEN | given)
        wrong, grown = case.exchange()
        refused = case.refused()
        if case.asked["late"]:
            case.late(case.asked["late"])
        everybody = world.gather((wrong, refused, grown))
        if everybody is not None:
            print(json.dumps({"wrong": [one[0] for one in everybody],
                              "refused": [one[1] for one in everybody],
                              "grown": [one[2] for one in everybody]}), flush=True)  # fmt: skip
        case.end()
