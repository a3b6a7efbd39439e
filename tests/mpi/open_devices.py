"""One rank of `test_agreement`: opens its backend on a stand-in, or cannot, and says how it went.

Arguments: backend, policy of the device, then for each rank what its machine has: a number of
GPUs, "busy" (one that cannot be opened).
"""

from __future__ import annotations

import faulthandler
import sys
from pathlib import Path
from typing import Any

faulthandler.dump_traceback_later(500, exit=True)  # a rank that waits for one that has left
sys.path.insert(0, str(Path(__file__).parents[1]))

from mpi4py import MPI  # noqa: E402
from standin import NoError, StandIn  # noqa: E402

import bridge.backends.cuda  # noqa: E402
from bridge import Frame  # noqa: E402
from bridge.backends.cuda import backend  # noqa: E402
from bridge.errors import BridgeError  # noqa: E402

rank = MPI.COMM_WORLD.rank
name, policy, has = sys.argv[1], sys.argv[2], sys.argv[3 + rank]
devices = 1 if has == "busy" else int(has)


class Machine(StandIn):
    def __init__(self) -> None:
        super().__init__(Path(), devices)

    def stream(self) -> int:
        if has == "busy":
            raise NoError("cudaErrorDevicesUnavailable")
        return super().stream()


setattr(backend, "Api", Machine)  # noqa: B010
bridge.backends.cuda.why_unusable = lambda: None if devices else "no NVIDIA driver"
frame = Frame()
for key, value in {"species": "O2 CH4", "backend": name, "device": policy}.items():
    frame.set(key, value)
try:
    frame.initialize(rank, 100, 2, 7, comm=MPI.COMM_WORLD.py2f())
    opened: Any = frame.tvproperties.impl.backend
    facts = opened.describe()
    sharers = opened.device.sharers if opened.name == "cuda" else "-"
    end = f"{opened.name} {sharers} {facts.get('gpu', '')}"
    frame.finalize()
except BridgeError as error:
    end = f"status {error.status} {error}"
for turn in range(MPI.COMM_WORLD.size):  # whole lines, in order
    MPI.COMM_WORLD.Barrier()
    if turn == rank:
        sys.stderr.write(f"rank {rank}: {end}\n")
        sys.stderr.flush()
