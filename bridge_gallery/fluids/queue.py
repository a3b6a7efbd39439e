"""How many launches a device takes before the host has to wait."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from bridge_gallery.rung import Launch, Problem, Rung, source

_CYCLES = 400_000_000  # a fifth of a second
_MOST = 20_000
#: A launch that takes so long waits for a place.
_WAITS = 0.01


def probe(card: Any) -> list[str]:
    """Launches behind a kernel that keeps the device busy, until one of them waits."""
    text = source("fluids.cu")
    card.load(Problem("queue", dict, dict, ()), {"most": np.zeros(2, "f4")})
    busy = Rung("busy", (Launch("keep_busy", (1, 1, 1), (1, 1, 1), (np.int64(_CYCLES), "most")),))
    short = Rung("short", (Launch("forget_largest", (1, 1, 1), (32, 1, 1), ("most",)),))
    block, go = card.prepare(text, busy), card.prepare(text, short)
    go()
    card.backend.synchronize()
    block()
    begun, found = perf_counter(), 0
    for number in range(1, _MOST + 1):
        before = perf_counter()
        go()
        after = perf_counter()
        if after - before > _WAITS:
            found = number
            break
        if after - begun > 0.15:
            break
    card.clear()
    if found:
        return [f"Depth of the launch queue: launch {found} behind a busy kernel waits "
                "(about 1024 in the document)"]  # fmt: skip
    return [f"Depth of the launch queue: more than {number} launches (about 1024 in the document)"]
