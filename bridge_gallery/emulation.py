"""Rungs on a CPU, for correctness: the text that the GPU gets, compiled as C++, its threads one
after the other (`kernels/emulation.h`).

Slow, and honest: a barrier that not all threads of a block reach is an error here, as it is
undefined on a GPU.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bridge import caches
from bridge.errors import BridgeError
from bridge.plan.packbuild import compiler
from bridge_gallery.overtaking import scheduled
from bridge_gallery.rung import KERNELS, PROCESSORS, Arrays, Call, Launch, Problem, Rung, words

_LAUNCH = """
extern "C" int launch_{name}(void** p, const unsigned* sizes, unsigned shared, int together) {{
    return emulation::launch(&{name}, p, sizes, shared, together != 0);
}}
"""

#: Processors of this device.
FEW = 2


class Emulation:
    """Implements `running.Machine` on the CPU; its times mean nothing."""

    name = "cpu"

    def __init__(self) -> None:
        self._arrays: dict[str, np.ndarray] = {}
        self._kernels: dict[tuple[tuple[str, object], ...], set[str]] = {}

    def describe(self) -> dict[str, Any]:
        return {"backend": "cpu, thread by thread"}

    def load(self, problem: Problem, arrays: Arrays) -> None:
        """Take a problem's arrays."""
        self._arrays = {name: np.array(values) for name, values in arrays.items()}
        self.expect([problem])

    def expect(self, problems: Sequence[Problem]) -> None:
        """These are coming: kernels of the same definitions are compiled together."""
        for rung in (rung for problem in problems for rung in problem.rungs):
            kernels = self._kernels.setdefault(tuple(rung.definitions.items()), set())
            kernels.update(launch.kernel for launch in rung.kernels)

    def restore(self, arrays: Arrays) -> None:
        """The arrays as they were before a rung ran."""
        for name, values in arrays.items():
            self._arrays[name][...] = values

    def fetch(self, name: str) -> np.ndarray:
        return self._arrays[name]

    def prepare(self, text: str, rung: Rung) -> Callable[[], None]:
        """What runs the rung once."""
        if rung.library is not None:
            return lambda: None
        names = self._kernels[tuple(rung.definitions.items())]
        library = _library(text, rung.definitions, sorted(names))
        for symbol, contents in rung.constants.items():
            target = ctypes.addressof(ctypes.c_char.in_dll(library, symbol))
            if isinstance(contents, str):
                data = self._arrays[contents].tobytes()
            else:
                data = b"".join(words(contents, self._address, self._address))
            ctypes.memmove(target, data, len(data))
        calls = [self._call(library, one) for one in _latest_first(rung)]

        def run() -> None:
            for call in calls:
                call()

        return run

    def _address(self, name: str) -> int:
        return int(self._arrays[name].ctypes.data)

    def _call(self, library: ctypes.CDLL, launch: Launch | Call) -> Callable[[], None]:
        if isinstance(launch, Call):
            work = launch.work
            return lambda: work(self._arrays)
        kept = [
            ctypes.create_string_buffer(one, len(one))
            for one in words(launch.arguments, self._address, self._address)
        ]
        given = (ctypes.c_void_p * len(kept))(*map(ctypes.addressof, kept))
        grid = [FEW if one == PROCESSORS else one for one in launch.grid]
        sizes = (ctypes.c_uint * 6)(*grid, *launch.block)
        function = getattr(library, f"launch_{launch.kernel}")

        def call(keep: object = kept) -> None:  # the addresses in `given` are theirs
            if function(given, sizes, launch.shared, int(launch.together)):
                raise BridgeError(f"{launch.kernel}: not all threads of a block reach its barrier")

        return call


def _latest_first(rung: Rung) -> list[Launch | Call]:
    """The launches in an order that the rung allows: those of streams as far as their events let
    them, the last stream first, so that a missing event shows."""
    done: list[Launch | Call] = []
    for part in rung.parts():
        if rung.streams == 1 or isinstance(part, Call):
            done += [part] if isinstance(part, Call) else part
            continue
        nodes = scheduled(part, rung.streams)
        left = list(range(len(part)))
        while left:
            firsts = {nodes[k].stream: k for k in reversed(left)}
            ready = [k for k in firsts.values() if not set(nodes[k].after) & set(left)]
            chosen = max(ready, key=lambda k: nodes[k].stream)
            left.remove(chosen)
            done.append(part[chosen])
    return done


def _library(text: str, definitions: Mapping[str, object], names: list[str]) -> ctypes.CDLL:
    """The text as a library of the host, kept in the cache."""
    before = "".join(f"#define {name} {value}\n" for name, value in definitions.items())
    launches = "".join(_LAUNCH.format(name=name) for name in names)
    header = (KERNELS / "emulation.h").read_text(encoding="utf-8")
    whole = f'#include "emulation.h"\n{before}{text}\n{launches}'
    command = [*compiler(), "-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off"]
    digest = hashlib.sha256("\0".join([header, whole, *command]).encode()).hexdigest()[:32]
    folder = caches.folder("gallery")
    target = folder / f"{digest}.so"
    if not _usable(target):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder) as place:
            source, library = Path(place, "rungs.cpp"), Path(place, "rungs.so")
            source.write_text(whole, encoding="utf-8")
            line = [*command, f"-I{KERNELS}", str(source), "-o", str(library)]
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            if done.returncode:
                raise BridgeError(f"{command[0]} refused kernels of the gallery:\n{done.stderr}")
            library.write_bytes(caches.seal(library.read_bytes()))
            os.replace(library, target)
    return ctypes.CDLL(str(target))


def _usable(library: Path) -> bool:
    """Whether it is there, whole and safe to load."""
    try:
        caches.read(library)
    except (OSError, caches.DamagedError):
        return False
    return True
