"""One rank of `test_exchanges`: its blocks of a periodic field, whose fringes are exchanged.

Arguments: JSON with backend ("cpu", "cuda" or "standin"), resident, layout, first (component),
many (blocks of one set), checked, late (timeout), exchange (the setting; nccl, mpi-device: by
stand-ins on the stand-in of a device); a folder for what stand-ins compile. Four
blocks of unlike sizes, two by two; those of a rank follow one another. Prints, on rank 0, what
every rank found, and what was refused.
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

TESTS = Path(__file__).parents[1]
asked = {"backend": "cpu", "resident": False, "layout": "host", "first": False, "many": False,
         "late": 0.0, "checked": False, "exchange": "auto"} | json.loads(sys.argv[1])  # fmt: skip
if asked["backend"] == "standin":
    sys.path.insert(0, str(TESTS))
    from standin import StandIn

    import bridge.frame
    from bridge.backends.cuda import CudaBackend, cache

    driver: Any = StandIn(Path(sys.argv[2]))
    cache.compiled = driver.compile
    vars(bridge.frame)["open_backend"] = lambda *_, **named: CudaBackend(api=driver)

from mpi4py import MPI  # noqa: E402

from bridge import Frame, mpi  # noqa: E402
from bridge.errors import BridgeError  # noqa: E402

world = MPI.COMM_WORLD
nccl: Any = None
if asked["backend"] == "standin" and asked["exchange"] == "nccl":
    from standin_nccl import OneEach, StandInNccl

    OneEach(driver, world.rank)
    nccl = StandInNccl(Path(sys.argv[2]), world)
if asked["backend"] == "standin" and asked["exchange"] == "mpi-device":
    vars(mpi)["says_cuda"] = lambda _library: True  # its memory is the host's
WIDTHS = (5, 3), (4, 6)  # cells of the columns and rows of blocks
DEPTH, SIZE = 2, (8, 10, 3)
random = np.random.default_rng(2)
Y = random.dirichlet(np.ones(2), SIZE)  # the fields, whose cells tell where they are
T = 300.0 + random.random(SIZE)
STATUS = random.integers(0, 99, SIZE).astype(np.int32)
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


frame = Frame()
backend = "cuda" if asked["backend"] == "standin" else asked["backend"]
settings = {"species": "O2 CH4", "backend": backend, "threads": "1",
            "check_residency": asked["checked"], "exchange": asked["exchange"],
            "exchange_timeout": asked["late"]}  # fmt: skip
for key, value in settings.items():
    frame.set(key, value)
frame.initialize(0, 100, 2, 7, comm=world.py2f())
tv = frame.tvproperties
fields: dict[str, np.ndarray] = {"T": T, "Y": Y, "status": STATUS}
arrays = {(name, number): array_of(field, number)
          for name, field in fields.items() for number in mine}  # fmt: skip
if asked["first"]:
    arrays |= {("Y", n): np.asfortranarray(np.moveaxis(arrays["Y", n], 3, 0)) for n in mine}
sets = ["cells"] if asked["many"] else [f"block{number}" for number in mine]
bounds = {}
for number in mine:
    nx, ny = (widths[at] for widths, at in zip(WIDTHS, divmod(number, 2), strict=True))
    bounds[number] = dict(SptX=DEPTH + 1, EptX=DEPTH + nx, SptY=DEPTH + 1, EptY=DEPTH + ny)
for name in fields:
    if asked["many"]:  # all of them in one array, one behind the other
        flat = np.concatenate([arrays[name, number].ravel("F") for number in mine])
        offsets, at = [], 0
        for number in mine:
            array = arrays[name, number]
            offsets.append(at)
            piece = flat[at : at + array.size]
            arrays[name, number] = piece.reshape(array.shape, order="F")
            at += array.size
        rows = []
        for number in mine:
            shape, of = arrays[name, number].shape, bounds[number]
            columns = shape[3] if len(shape) > 3 else 1
            rows.append([*shape[:3], *of.values(), 1, SIZE[2], 1, columns, columns])
        tv.bind_blocks("cells", name, "inout", flat, rows, offsets)
        continue
    for number in mine:
        first = asked["first"] and name == "Y"
        tv.bind_array(f"block{number}", name, "inout", arrays[name, number], **bounds[number],
                      component_first=first)  # fmt: skip
    if asked["resident"]:
        for number in mine:
            layout = asked["layout"] if name == "Y" else "host"
            tv.enter_data(f"block{number}", name, "copyin", layout)
if asked["many"] and asked["resident"]:
    for name in fields:
        tv.enter_data("cells", name, "copyin")


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


def plan(name: str, lines: list[list[Any]], names: str = "T Y status") -> None:
    columns = [list(column) for column in zip(*lines, strict=True)] or [[]] * 6
    tv.exchanges.plan(name, " ".join(sets), names, *columns)


for axis, name in enumerate("xy"):
    plan(name, faces(axis))
first_calls = tv.impl.backend.allocations()
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
if asked["resident"]:
    assert len(tv.impl.residency.newer()) == len(fields) * len(sets), "the host has old fringes"
    for name in fields:
        for set in sets:
            tv.update_host(set, name)
lines = tv.exchange_lines()
assert len(lines) == 2 and "exchange 'x': 0.0" in lines[0], lines
transport = "MPI"
if asked["backend"] != "cpu" and asked["resident"]:
    ways = {"nccl": "NCCL", "mpi-device": "MPI from memory of the GPU"}
    transport = ways.get(asked["exchange"], "page-locked memory and MPI")
    if world.size == 1:
        transport = "page-locked memory and MPI"
assert f"ranks by {transport}" in lines[0], lines
if nccl is not None and world.size > 1:  # a group for each exchange with other ranks
    outward = sum(any(one[0] != world.rank for one in faces(axis)) for axis in (0, 1))
    assert nccl.open == [world.rank], nccl.open
    assert nccl.library.standin_groups() == 3 * outward, nccl.library.standin_groups()
wrong = {}
for (name, number), array in arrays.items():
    found = np.moveaxis(array, 0, 3) if asked["first"] and name == "Y" else array
    wrong[f"{name} {number}"] = int((found != fields[name][np.ix_(*cells_of(number))]).sum())
refused: dict[str, str] = {}


def refuse(what: str, call: Any, *arguments: Any) -> None:
    try:
        call(*arguments)
    except BridgeError as error:
        refused[what] = f"{type(error).__name__}: {error}"


def changed(**by: Any) -> list[list[Any]]:
    """Lines of which the last one of the last rank differs in some columns."""
    columns = ("peer", "tag", "send", "sent", "receive", "received")
    lines = faces(0)
    if world.rank == world.size - 1:
        for column, value in by.items():
            lines[-1][columns.index(column)] = value
    return lines


box = faces(0)[-1][3]
refuse("peer", plan, "wrong", changed(peer=world.size))
refuse("tag", plan, "wrong", changed(tag=77))
refuse("block", plan, "wrong", changed(send=9))
refuse("box", plan, "wrong", changed(sent=[1, 99, *box[2:]]))
refuse("size", plan, "wrong", changed(sent=[box[0], box[1] - 1, *box[2:]]))
refuse("shape", plan, "wrong", changed(sent=[1 - DEPTH, 3, 1, 4, 1, 3]))  # as many points
refuse("name", plan, f"wrong{world.rank == world.size - 1}", faces(0))
refuse("array", plan, "wrong", faces(0), "T" if world.rank < world.size - 1 else "noSuch")
refuse("set", tv.exchanges.plan, "wrong", "none", "T", *[[]] * 6)
refuse("unknown", tv.exchanges.run, "nothing")
refuse("wait", tv.exchanges.wait, "x")
tv.exchanges.begin("x")
refuse("begun", tv.exchanges.begin, "x")
refuse("bind", tv.unbind, sets[0], "T")
tv.exchanges.wait("x")
if asked["late"]:
    if world.rank == world.size - 1:
        time.sleep(3.5 * asked["late"])
    tv.exchanges.run("x")
everybody = world.gather((wrong, refused, grown))
if everybody is not None:
    print(json.dumps({"wrong": [one[0] for one in everybody],
                      "refused": [one[1] for one in everybody],
                      "grown": [one[2] for one in everybody]}), flush=True)  # fmt: skip
world.Barrier()
if asked["resident"]:
    for set, name in ((set, name) for set in sets for name in fields):
        tv.exit_data(set, name, "delete")
frame.finalize()
if nccl is not None:
    assert not nccl.open, "a communicator stays"
