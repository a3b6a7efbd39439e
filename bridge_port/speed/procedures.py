"""One procedure of a point: states that its original can run, then both sides in turns."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from bridge.errors import BridgeError
from bridge_port.check import comparing
from bridge_port.check.procedures import Asked, ProcedureCheck
from bridge_port.kernel import Kernel
from bridge_port.request import Ported, Request
from bridge_port.speed.measured import Measured, run_in_turns

#: A library that optimises as an executable would: its own calls are its own.
#: Points of a chunk of the bridge.
CHUNK = 8192
SHARED = "-fno-semantic-interposition -Wl,-Bsymbolic"


class ProcedureRace:
    """asked: as of a check, its targets are those that are timed."""

    def __init__(
        self, asked: Asked, request: Request, ported: Ported, place: Path, seconds: float
    ) -> None:
        asked = replace(asked, flags=f"{asked.flags} {SHARED}")
        self.asked, self.place, self.seconds = asked, place, seconds
        self.check = ProcedureCheck(asked, request, ported, place)
        self.kernel: Kernel = ported.kernels[0]

    def run(self) -> Measured:
        found = Measured(self.kernel.name, "point")
        prepared = self.check.prepared()
        if prepared is None:
            found.failure = self.check.result.failure
            return found
        if self.check.result.stopped:
            found.failure = "the original stops at some states: give ranges where it does not"
            return found
        inputs, _, tolerances = prepared
        found.points = self.check.result.points
        for target in self.asked.targets:
            place = self.place / f"turns-{target}"
            place.mkdir(parents=True, exist_ok=True)
            job, arrays = self.check.job(inputs)
            job |= {
                "gpu": target == "cuda", "seconds": self.seconds, "setup": bool(self.asked.setup),
                "chunk": CHUNK,
            }  # fmt: skip
            (place / "job.json").write_text(json.dumps(job))
            np.savez(place / "inputs.npz", allow_pickle=False, **arrays)
            hosts = {name: held.array for name, held in self.check.host.items()}
            np.savez(place / "host.npz", allow_pickle=False, **hosts)
            shutil.copy(self.check.originals["base"].library, place / "original.so")
            command = [sys.executable, "-P", "-m", "bridge_port.speed.procedurerun", str(place)]
            run_in_turns(command, place, self.asked, target, self.seconds)
            self._agree(place, tolerances)
            for way, rounds in json.loads((place / "times.json").read_text()).items():
                found.add(way, rounds["original"], rounds[way])
        return found

    def _agree(self, place: Path, t: comparing.Tolerances) -> None:
        with np.load(place / "outputs.npz") as data:
            outputs = {name: data[name] for name in data.files}
        for q in self.kernel.outputs:
            if q.type == "logical":
                outputs[q.name] = (outputs[q.name] != 0).astype(t.expected[q.name].dtype)
                t.expected[q.name] = (t.expected[q.name] != 0).astype(t.expected[q.name].dtype)
        every = np.ones(self.check.result.points, bool)
        for one in comparing.compared(outputs, t, every):
            if one.failing:
                raise BridgeError(
                    f"{one.failing} states differ in {one.name}, by up to {one.difference:.1e}: "
                    "see bridge port --check"
                )
