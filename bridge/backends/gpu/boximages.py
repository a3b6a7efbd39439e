"""Device images of host arrays that a launch on a box reads and writes.

Between `boxprogram` and `arrays`. An input comes in with the layers around its box that kernels
read; of an output the box alone goes out. The images stay as long as the program; what they hold
is good for one run.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import replace

from bridge.backends.base import Binding, Box
from bridge.backends.gpu.arrays import Arrays
from bridge.backends.gpu.chunks import Chunk
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import Pool
from bridge.backends.gpu.placement import Access
from bridge.backends.gpu.transfers import Transfer
from bridge.errors import ArgumentError
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan


class BoxImages:
    """Images of these arrays of the host.

    reach: how far kernels read around the box, by input; bindings: of the images, as a launch
    meets them; on_host: whether the CPU has a part in the copies.
    """

    def __init__(
        self, device: Device, plan: Plan, arrays: Mapping[str, Binding],
        reach: Mapping[str, Fringe],
    ) -> None:  # fmt: skip
        self._api = device.api
        # of what is read at any cell all of the array comes in
        self._reach = {
            name: binding.cells(reach[name]) if reach[name].cells else reach[name]
            for name, binding in arrays.items()
            if name in reach
        }
        refuse_neighbours_of_outputs(plan, arrays, reach)
        far = {name: b.grown(self._reach.get(name, Fringe())) for name, b in arrays.items()}
        self._arrays = Arrays(device, plan, far, box_chunks=True)
        self._moves = {
            name: (transfer, Chunk((0, 0, 0), far[name].box.extent, 0))
            for name, transfer in self._arrays.transfers.items()
        }
        pool = Pool(device.allocator, device.synchronize)
        self._free = weakref.finalize(self, pool.close)
        for name, (transfer, chunk) in self._moves.items():
            transfer.prepare(pool, name, 1, chunk.points, chunk.points)
        self._arrays.prepare_records(pool, 1, max(c.points for _, c in self._moves.values()))
        self.on_host = self._arrays.on_host
        self.bindings = {
            name: self._image(plan, name, binding, *self._moves[name])
            for name, binding in arrays.items()
        }

    def _image(
        self, plan: Plan, name: str, binding: Binding, transfer: Transfer, chunk: Chunk
    ) -> Binding:
        """How a launch meets the image of an array."""
        around = self._reach.get(name, Fringe())
        x, y, _ = chunk.extent
        stride = (1, x, x * y)
        first = sum(low * step for low, step in zip(around.lower, stride, strict=True))
        slot = plan.slots[plan.inputs.get(name, plan.outputs.get(name, -1))]
        how = self._arrays.access.get(name, Access(slot.dtype))
        return replace(
            binding,
            address=transfer.place(chunk, 0)[0],
            box=Box(binding.box.extent, stride, chunk.points, first),
            scale=binding.scale if how.scaled else 1.0,
            dtype=how.dtype,
            fringe=around,
            layers=Fringe(),
            section=False,
            owner=self,
        )

    @property
    def transfers(self) -> list[Transfer]:
        """Of the arrays."""
        return [transfer for transfer, _ in self._moves.values()]

    @property
    def reachable(self) -> bool:
        """Whether copies reach the arrays as before: one may have been bound or unbound."""
        return self._arrays.reachable

    def bring(self, stream: int) -> list[int]:
        """Inputs to the device, in order on the stream; nothing else has to be waited for."""
        self._arrays.forget_records()
        for transfer, chunk in self._moves.values():
            if transfer.reads and transfer.moved:
                transfer.bring(self._api, chunk, 0, stream)
        return []

    def take(self, stream: int) -> None:
        """Outputs back, in order on the stream."""
        for transfer, chunk in self._moves.values():
            if transfer.writes and transfer.moved:
                transfer.take(self._api, chunk, 0, stream)

    def settle(self) -> None:
        """Once this has happened: what is left for the CPU."""
        for transfer, chunk in self._moves.values():
            if transfer.writes:
                transfer.settle(chunk, 0)


def refuse_neighbours_of_outputs(
    plan: Plan, arrays: Mapping[str, Binding], reach: Mapping[str, Fringe]
) -> None:
    """ArgumentError where an array of the host is read at neighbours and written."""
    for name in reach:
        if name in arrays and plan.outputs.get(name, plan.inputs[name]) != plan.inputs[name]:
            got = f"an array of the host that {plan.name} writes and reads at neighbours"
            raise ArgumentError(name, got, "an array in device memory")
