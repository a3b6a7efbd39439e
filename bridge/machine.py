"""What this machine can do at most: measured by `bridge advise`, kept, read by reports.

Figures lie in the bridge's cache, one file for each kind of machine (processor, cores) and
instruction set: the nodes of a cluster share it. Nothing here measures.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from bridge import caches
from bridge.errors import BridgeError

#: Counts the forms of the file: another form is not read.
FORM = 1


@dataclass(frozen=True)
class Gpu:
    """name; to, back: bytes per second of plain copies over its link; memory: of its memory, read
    and written; arithmetic: multiply-adds per second."""

    name: str
    to: float
    back: float
    memory: float
    arithmetic: float


@dataclass(frozen=True)
class Figures:
    """machine: name of the node that was measured; memory, cache: bytes per second of one thread
    and of all `cores`, what a store fetches before it included; vector, scalar: nanoseconds per
    point of one operation on one thread."""

    machine: str
    date: str
    processor: str
    cores: int
    isa: str
    memory: tuple[float, float]
    cache: tuple[float, float]
    vector: dict[str, float]
    scalar: dict[str, float]
    gpu: Gpu | None = None

    def bandwidth(self, threads: int) -> float:
        """Of memory, for some threads: theirs together, but not more than that of all."""
        one, every = self.memory
        return min(one * threads, every)


def processor() -> str:
    """Model name of this machine's processor."""
    with open("/proc/cpuinfo") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return "unknown"


def place(isa: str) -> Path:
    """Where the figures of this kind of machine belong, whether they are there or not."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", f"{processor()} {os.cpu_count()} {isa}").strip("-")
    return caches.folder("machines") / f"{name}.json"


def keep(figures: Figures) -> Path:
    """Write them for later runs; returns where."""
    target = place(figures.isa)
    draft = target.with_name(f".{target.name}.{os.uname().nodename}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        import json

        draft.write_text(json.dumps({"form": FORM, **asdict(figures)}, indent=1))
        draft.replace(target)
    except OSError as error:
        raise BridgeError(f"{target} cannot be written: {error}") from None
    return target


def known(isa: str) -> Figures | None:
    """The figures that were measured on such a machine, None where there are none."""
    try:
        contents = place(isa).read_text()
        import json

        text = json.loads(contents)
        if text.pop("form") != FORM:
            return None
        gpu = text.pop("gpu")
        pairs = {
            name: (float(text[name][0]), float(text[name][1])) for name in ("memory", "cache")
        }
        return Figures(**{**text, **pairs}, gpu=None if gpu is None else Gpu(**gpu))
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None  # never measured, or a file of another kind: no share is told


@lru_cache(maxsize=4)
def cache_size(level: int) -> int:
    """Bytes of a core's data cache of a level; a usual size where the system does not say."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    for cache in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        try:
            kind, of = (cache / "type").read_text().strip(), (cache / "level").read_text().strip()
            text = (cache / "size").read_text().strip()
        except OSError:
            continue
        if kind != "Instruction" and of == str(level):
            return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)
    return {1: 1 << 15, 2: 1 << 20}.get(level, 1 << 25)
