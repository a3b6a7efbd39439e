"""Errors of a GPU, and what the bridge makes of them: `python -m bridge_gallery.faults`.

A launch that is refused harms nobody. A kernel that writes where there is no memory ends the
context of its process: whatever is asked for afterwards fails with the same error, which is called
sticky. So this runs in a process of its own, and the gallery goes on.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np

from bridge.backends.cuda import CudaBackend
from bridge.errors import BridgeError, status_of
from bridge_gallery.graphicscard import GraphicsCard
from bridge_gallery.rung import Extent, Launch, Problem, Rung, source

#: Seconds that the process may take.
LONGEST = 300


def _attempts(card: GraphicsCard) -> list[tuple[str, Callable[[], None]]]:
    """What is tried, one after the other."""
    text, one, device = source("faults.cu"), (1, 1, 1), card.device

    def launched(kernel: str, block: Extent) -> Callable[[], None]:
        rung = Rung(kernel, (Launch(kernel, one, block, ("x",)),))
        work = card.prepare(text, rung)

        def attempt() -> None:
            with device.entered(), device.watched(f"kernel {kernel}", wait=True):
                work()
                device.api.stream_synchronize(device.stream)

        return attempt

    def copied() -> None:
        with device.entered():
            card.fetch("x")

    sound = launched("sound", (64, 1, 1))
    return [
        ("a block of 2048 threads", launched("sound", (2048, 1, 1))),
        ("a sound launch after it", sound),
        ("a kernel that writes where there is no memory", launched("far_away", (64, 1, 1))),
        ("a sound launch after it", sound),
        ("a copy to the host after it", copied),
    ]


def main() -> int:
    """A line for each attempt: its status, and what the bridge says."""
    card = GraphicsCard(CudaBackend())
    arrays = {"x": np.zeros(64, "f4")}
    card.load(Problem("faults", lambda: arrays, dict, ()), arrays)
    for what, attempt in _attempts(card):
        try:
            attempt()
            told = "status 0"
        except BridgeError as error:
            told = f"status {status_of(error)}: {error}"
        except Exception as error:  # of the driver, as it is
            told = f"{type(error).__name__}: {error}"
        print(f"{what}: {told}", flush=True)
    return 0


def told() -> list[str]:
    """The lines of a process of its own."""
    command = [sys.executable, "-P", "-m", "bridge_gallery.faults"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    lines = [line for line in done.stdout.splitlines() if ": " in line]
    if not lines:
        lines = [
            f"the process said nothing and ended with {done.returncode}: {done.stderr[-300:]}"
        ]
    return ["Errors, in a process of its own:", *(f"- {line}" for line in lines)]


if __name__ == "__main__":
    sys.exit(main())
