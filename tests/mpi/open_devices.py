"""One rank of `test_agreement`: opens its backend on a stand-in, or cannot, and says how it went,
case after case.

Argument: JSON, a list of cases, each with backend, policy of the device, then for each rank what
its machine has: a number of GPUs, "busy" (one that cannot be opened). Prints, on rank 0, how each
rank ended, for each case.
"""

from __future__ import annotations

import faulthandler
import json
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

world = MPI.COMM_WORLD


class Machine(StandIn):
    def __init__(self, has: str) -> None:
        super().__init__(Path(), 1 if has == "busy" else int(has))
        self.busy = has == "busy"

    def stream(self) -> int:
        if self.busy:
            raise NoError("cudaErrorDevicesUnavailable")
        return super().stream()


def opened(name: str, policy: str, has: str) -> str:
    """How this rank ended."""
    setattr(backend, "Api", lambda: Machine(has))  # noqa: B010
    bridge.backends.cuda.why_unusable = lambda: None if has != "0" else "no NVIDIA driver"
    frame = Frame()
    for key, value in {"species": "O2 CH4", "backend": name, "device": policy}.items():
        frame.set(key, value)
    try:
        frame.initialize(world.rank, 100, 2, 7, comm=world.py2f())
        found: Any = frame.tvproperties.impl.backend
        facts = found.describe()
        sharers = found.device.sharers if found.name == "cuda" else "-"
        end = f"{found.name} {sharers} {facts.get('gpu', '')}"
        frame.finalize()
    except BridgeError as error:
        end = f"status {error.status} {error}"
    return end


cases = json.loads(sys.argv[1])
ends = world.gather([opened(name, policy, has[world.rank]) for name, policy, *has in cases])
if ends is not None:
    print(json.dumps({"ends": list(zip(*ends, strict=True))}), flush=True)
