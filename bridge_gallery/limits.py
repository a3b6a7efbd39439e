"""What a GPU does at most, measured in the same run as the rungs: moving memory, multiplying."""

from __future__ import annotations

import numpy as np

from bridge_gallery.graphicscard import GraphicsCard
from bridge_gallery.rung import Launch, Problem, Rung, ceil_div, source
from bridge_gallery.timing import Limits

#: Bytes of each array that is moved: far more than any cache holds.
SIZE = 1 << 30


def measure(card: GraphicsCard) -> Limits:
    """All of them, in about a second."""
    n = SIZE // 16
    blocks = card.device.facts.processors * 8
    turns = 4096

    def rung(kernel: str, *arguments: str | np.generic, grid: int = ceil_div(n, 256)) -> Rung:
        launch = Launch(kernel, (grid, 1, 1), (256, 1, 1), arguments)
        return Rung(kernel, (launch,))

    zeros = np.broadcast_to(np.zeros(1), (SIZE // 8,))
    arrays = {"near": zeros, "far": zeros}
    card.load(Problem("limits", lambda: arrays, dict, ()), arrays)
    text = source("limits.cu")

    def seconds(one: Rung) -> float:
        return card.seconds(card.prepare(text, one))

    api, stream = card.device.api, card.device.stream
    near, far = (card.address(name) for name in ("near", "far"))
    copied = card.seconds(lambda: api.copy_async(far, near, SIZE, stream))
    by_kernel = seconds(rung("copy", "near", "far", np.int64(n)))
    read = seconds(rung("read", "near", "far", np.int64(n)))
    write = seconds(rung("write", "far", np.int64(n)))
    operations = 32.0 * turns * blocks * 256
    peaks = [
        operations / seconds(rung(f"peak_{kind}", "far", np.int32(turns), grid=blocks))
        for kind in ("double", "single")
    ]
    card.clear()
    return Limits(2 * SIZE / min(copied, by_kernel), SIZE / read, SIZE / write, *peaks)
