"""The stage of examples/stage_pack on blocks of NumPy arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bridge.tvproperties import TVProperties

PACK = Path(__file__).parents[2] / "examples" / "stage_pack"
N = (6, 5, 4)
#: Layers around the interior.
F = 2
STAGES = (0.5, 1.0)
INNER = [1, N[0], 0, N[1] + 1, 0, N[2] + 1]
SHELL: Any = [[0, 0, *INNER[2:]], [N[0] + 1, N[0] + 1, *INNER[2:]]]
SENT = [[1, 1, 1, N[1], 1, N[2]], [N[0], N[0], 1, N[1], 1, N[2]]]
RECEIVED = [[0, 0, 1, N[1], 1, N[2]], [N[0] + 1, N[0] + 1, 1, N[1], 1, N[2]]]
LAYER = 5 * N[1] * N[2]
ENTERED = {"cells": ("flow_Q", "flow_Qstart", "flow_properties", "flow_change")} | {
    f"faces{axis}": (f"flow_flux{axis}",) for axis in "XYZ"
}


def interior(fringe: int) -> dict[str, Any]:
    return {
        f"{which}pt{axis}": fringe + (1 if which == "S" else n)
        for axis, n in zip("XYZ", N, strict=True)
        for which in "SE"
    }


class Block:
    """One block of a line of blocks; number: of it."""

    def __init__(self, tv: TVProperties, number: int) -> None:
        self.tv = tv
        self.number = number
        random, whole = np.random.default_rng(number), tuple(n + 2 * F for n in N)
        self.Q = np.empty((*whole, 5), order="F")
        self.Q[..., 0] = random.uniform(1.0, 1.3, whole)
        self.Q[..., 1:4] = random.uniform(-20.0, 60.0, (*whole, 3))
        self.Q[..., 4] = random.uniform(2.4e5, 2.6e5, whole)
        columns = {"flow_Qstart": 5, "flow_properties": 6, "flow_change": 5}
        self.arrays = {name: np.zeros((*whole, c), order="F") for name, c in columns.items()}
        for name, array in (("flow_Q", self.Q), *self.arrays.items()):
            tv.bind_array(self.set("cells"), name, "inout", array, **interior(F))
        for place, axis in enumerate("XYZ"):
            extent = [n + (place == other) for other, n in enumerate(N)]
            self.arrays[axis] = np.zeros((*extent, 5), order="F")
            tv.bind_array(self.set(f"faces{axis}"), f"flow_flux{axis}", "out", self.arrays[axis])
            for name in ("flow_Q", "flow_properties"):
                tv.bind_from(self.set(f"faces{axis}"), name, self.set("cells"))
            tv.bind_from(self.set("cells"), f"flow_flux{axis}", self.set(f"faces{axis}"))
        for side, name in enumerate(("lowY", "highY", "lowZ", "highZ")):
            spans = interior(F)
            axis = "YYZZ"[side]
            at = spans[f"Spt{axis}"] - 1 if side % 2 == 0 else spans[f"Ept{axis}"] + 1
            spans[f"Spt{axis}"] = spans[f"Ept{axis}"] = at
            for quantity, intent in (("flow_Q", "in"), ("flow_ghost", "out")):
                tv.bind_array(self.set(name), quantity, intent, self.Q, **spans)
        self.sent, self.received = np.zeros(2 * LAYER), np.zeros(2 * LAYER)

    def set(self, name: str) -> str:
        return f"{name}{self.number}"

    def enter(self) -> None:
        for name, arrays in ENTERED.items():
            for array in arrays:
                self.tv.enter_data(self.set(name), array, "copyin")

    def leave(self) -> None:
        for name, arrays in ENTERED.items():
            for array in arrays:
                self.tv.exit_data(self.set(name), array, "copyout")

    def pack(self) -> None:
        self.tv.pack(self.set("cells"), "flow_Q", SENT, self.sent)

    def begin(self) -> None:
        for wall in ("LowY", "HighY", "LowZ", "HighZ"):
            self.tv.run(self.set(wall[0].lower() + wall[1:]), f"wall{wall}")
        self.tv.run_begin(self.set("cells"), "properties", INNER)

    def finish(self) -> None:
        self.tv.wait(self.set("cells"))
        self.tv.unpack(self.set("cells"), "flow_Q", RECEIVED, self.received)
        self.received[...] = np.nan  # it may be changed
        self.tv.run(self.set("cells"), "properties", SHELL)
        for axis in "XYZ":
            self.tv.run(self.set(f"faces{axis}"), f"flux{axis}")
        self.tv.run(self.set("cells"), "divergence")
        self.tv.run(self.set("cells"), "rkUpdate")


def constants(tv: TVProperties) -> None:
    tv.constant("flow_spacing", np.full(3, 1e-3))
    tv.constant("flow_dt", 1e-7)


def step(tv: TVProperties, blocks: list[Block]) -> None:
    """A step of all blocks, which are a ring."""
    for block in blocks:
        tv.run(block.set("cells"), "startStep")
    for stage in STAGES:
        tv.constant("flow_a", stage)
        for block in blocks:
            block.pack()
            block.begin()
        for number, block in enumerate(blocks):
            after = blocks[(number + 1) % len(blocks)]
            after.received[:LAYER] = block.sent[LAYER:]
            block.received[LAYER:] = after.sent[:LAYER]
        for block in blocks:
            block.finish()


def largest_rate(tv: TVProperties, blocks: list[Block]) -> Any:
    return max(tv.reduce(block.set("cells"), "flow_rate", "max") for block in blocks)
