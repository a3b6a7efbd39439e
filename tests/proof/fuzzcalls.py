"""Call every entry point of the installed libbridge.so with random arguments. A child of the fuzz
tests, which reads its journal where the process did not live to the end:

    fuzzcalls.py LIBRARY JOURNAL --seed N --calls M

The same seed makes the same calls. What has to hold after each of them is in `Calls.judge`.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from proof.guarded import Guarded, nowhere
from proof.lengths import LENGTHS, blocks, entries, extents, twelve, written
from proof.randomarguments import RandomArguments

OK, ARGUMENT, STATE, EXCEPTION, MEMORY = 0, -3, -4, -5, -8
#: What a call may say; -5 is for exceptions that nobody expected.
STATUSES = {OK, ARGUMENT, STATE, -6, -7, MEMORY, -9}
#: Calls of a Frame, from initialize to finalize.
EPISODE = 300
#: Bytes of all of a call's memory; a call that needs more is drawn again.
MOST = 1 << 22
LONGEST = 8191  # characters of a message
ADDRESS_SPACE = 8 << 30
CTYPES = {"int": ctypes.c_int, "double": ctypes.c_double}
#: Calls during which the bound outputs of the set they name may change.
RUNS = ("frame_run", "frame_wait", "frame_scatter", "frame_unpack", "frame_compare")


class Broken(AssertionError):
    """A promise of bridge.h that a call did not keep."""


@dataclass
class Bound:
    """What a set has under a name: its memory, and the bytes that a run may write."""

    memory: Guarded
    writable: np.ndarray  # bool of each byte, empty for an input


class Calls:
    """The library, what is bound, and the memory of it."""

    def __init__(self, library: str, journal: Path, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.journal = open(journal, "wb", buffering=0)
        self.library = ctypes.CDLL(library)
        self.entries = entries()
        self.arguments = RandomArguments(self.random)
        self.counts: Counter[str] = Counter()
        self.messages: dict[str, str] = {}
        self.nowhere = nowhere()
        self.forget()
        self.library.frame_error_policy_(b"return", None)

    def forget(self) -> None:
        """Nothing is bound any more: all memory is out of bounds."""
        for memory in getattr(self, "memories", []):
            memory.forbid()
        self.memories: list[Guarded] = []
        self.bound: dict[tuple[str, str], Bound] = {}
        self.pending: set[str] = set()
        self.resident: set[int] = set()
        self.ns = 1

    # ---- one call ------------------------------------------------------------------------------

    def call(self, entry: Any, given: dict[str, Any] | None = None) -> int:
        """Draw arguments until their memory is small enough, call, judge; the status."""
        for _ in range(50):
            values = self.arguments.draw(entry, self.ns) if given is None else given
            lengths = {
                a.name: LENGTHS[a.name](entry.name, values, self.ns)
                for a in entry.arguments
                if a.type.endswith("*") and a.type != "const char*"
            }
            if sum(n or 0 for n in lengths.values()) <= MOST:
                break
            if given is not None:
                return OK  # not called
        else:
            raise RuntimeError(f"no small arguments for {entry.name}")
        memory: dict[str, Guarded] = {}
        passed = [self.pass_(a, values, lengths, memory) for a in entry.arguments]
        self.note(entry, values, memory)
        function = getattr(self.library, entry.name)
        function.restype = ctypes.c_int if entry.result == "int" else None
        for one in self.memories + list(memory.values()):
            one.keep()
        function(*passed)
        status = int(self.library.frame_status_())
        self.judge(entry, values, memory, status)
        return status

    def pass_(self, a: Any, values: dict[str, Any], lengths: Any, memory: Any) -> Any:
        """One argument as C gets it; its guarded memory goes into `memory`."""
        if not a.type.endswith("*"):
            return CTYPES[a.type](values[a.name])
        if values.get(a.name, b"") is None:  # a null pointer was drawn
            return None
        at_end = bool(self.random.random() < 0.7)
        if a.type == "const char*":
            place = Guarded(len(values[a.name]), at_end=True, align=1)
            place.bytes[:] = np.frombuffer(values[a.name], np.uint8)
        elif lengths[a.name] is None:
            return ctypes.c_void_p(self.nowhere)
        elif a.name == "data" and (again := self.again(lengths[a.name])):
            place = again
        else:
            place = Guarded(lengths[a.name], at_end=at_end)
            content = values.get(a.name)
            if content is None:
                content = self.arguments.contents(a.name, values, place.size)
            raw = np.ascontiguousarray(content).tobytes()[: place.size]
            place.bytes[: len(raw)] = np.frombuffer(raw, np.uint8)
        memory[a.name] = place
        return ctypes.c_void_p(place.address)

    def again(self, size: int) -> Guarded | None:
        """Memory that is bound already, once in a while."""
        if self.random.random() > 0.1:
            return None
        fit = [m for m in self.memories if m.alive and m.size >= size]
        return fit[int(self.random.integers(len(fit)))] if fit else None

    def note(self, entry: Any, values: dict[str, Any], memory: Any) -> None:
        """What is called, for whoever finds the process dead."""
        shown = {k: v if isinstance(v, (int, float)) else repr(v)[:200] for k, v in values.items()}
        where = {k: [hex(m.address), m.size] for k, m in memory.items()}
        line = json.dumps({"entry": entry.name, "values": shown, "memory": where}, default=str)
        os.pwrite(self.journal.fileno(), line.encode().ljust(1 << 14), 0)

    # ---- what has to hold ----------------------------------------------------------------------

    def judge(self, entry: Any, values: Any, memory: dict[str, Guarded], status: int) -> None:
        """A known status, a message with a failure, ierr the same; nothing is written that the
        call may not write, and nothing at all by a call that was refused."""
        text = ctypes.create_string_buffer(LONGEST)
        self.library.frame_last_error_(text, len(text))
        message = text.raw.decode("utf-8", "replace").strip()
        answered = entry.name in ("frame_last_error_", "frame_status_")
        if answered and status == OK:
            message = ""
        if entry.name != "frame_status_":
            self.counts[f"{entry.name} {status}"] += 1
            self.messages.setdefault(f"{entry.name} {status}", message[:200])
        if status not in STATUSES:
            raise Broken(f"status {status}: {message}")
        if status != OK and not message:
            raise Broken(f"status {status} without a message")
        # What came and what was wanted, or the cause: "argument species: O2: Vc = 0 ...".
        says = "wanted" in message if ": got " in message else message.count(": ") > 0
        if status == ARGUMENT and not says and len(message) < LONGEST - 100:
            raise Broken(f"says not what was wanted, or what to do: {message}")
        if "ierr" in memory and int(memory["ierr"].bytes.view(np.int32)[0]) != status:
            raise Broken("ierr is not the status of the call")
        refused = status in (ARGUMENT, STATE) and not answered
        may = written(entry)
        if refused:
            may = {"ierr"}
        for name, place in memory.items():
            changed = place.changed()
            outside = changed[(changed < 0) | (changed >= place.size)]
            if len(outside):
                raise Broken(f"{name}: byte {outside[0]} of {place.size} was written")
            if len(changed) and name not in may and place not in self.memories:
                raise Broken(f"{name}: {len(changed)} bytes were written, status {status}")
        if "outputstripe" in entry.name and status == OK:
            self.judge_stripe(values, memory)
        self.judge_bound(entry, values, refused, memory)
        self.remember(entry, values, memory, status)

    def judge_stripe(self, values: Any, memory: dict[str, Guarded]) -> None:
        found = extents(twelve(values))
        if found is None or "data" not in memory or not memory["data"].size:
            return
        inside = np.array(found[1], np.int64).reshape(
            values["EptData"] - values["SptData"] + 1, -1
        )
        stripe = inside[:, values["stripeStart"] - 1 : values["stripeEnd"]].ravel()
        allowed = np.zeros(memory["data"].size // 8, bool)
        allowed[stripe] = True
        self.within("data", memory["data"], np.repeat(allowed, 8))

    def within(self, what: str, place: Guarded, allowed: np.ndarray) -> None:
        changed = place.changed()
        wrong = [n for n in changed if not (0 <= n < len(allowed) and allowed[n])]
        if wrong:
            raise Broken(f"{what}: byte {wrong[0]} of {place.size} is outside the interior")

    def judge_bound(self, entry: Any, values: Any, refused: bool, memory: Any) -> None:
        """Bound arrays change in runs of their own set alone, inside their interiors."""
        named = self.sets(values)
        for place in self.memories:
            if not len(place.changed()):
                continue
            allowed = np.zeros(place.size, bool)
            for (name, _), bound in self.bound.items():
                runs = entry.name.startswith(RUNS) and name in named and not refused
                if runs or name in self.pending:
                    if bound.memory is place and len(bound.writable):
                        allowed[: len(bound.writable)] |= bound.writable
            if "outputstripe" not in entry.name or memory.get("data") is not place:
                self.within(f"{entry.name}, bound memory", place, allowed)

    @staticmethod
    def sets(values: Any) -> set[str]:
        names = (values.get(key) or b"" for key in ("set", "sets"))
        return {word.rstrip("\0") for n in names for word in n.decode("utf-8", "replace").split()}

    # ---- what is bound -------------------------------------------------------------------------

    def remember(self, entry: Any, values: Any, memory: dict[str, Guarded], status: int) -> None:
        kept = None
        if status == OK and entry.name.startswith("frame_bind_") and "intent" in values:
            kept = self.bind(entry, values, memory.get("data"))
        name = next(iter(self.sets(values)), "")
        if status == OK and entry.name.startswith("frame_run_begin_"):
            self.pending.add(name)
        if entry.name == "frame_wait_" and status != ARGUMENT:
            self.pending.discard(name)
        if entry.name == "frame_unbind_" and status == OK:
            key = name, self.text(values["name"])
            gone = self.bound.pop(key, None)
            if gone is not None:
                self.drop(gone.memory)
        if entry.name == "frame_enter_data_" and status == OK:
            key = name, self.text(values["name"])
            if key in self.bound:
                self.resident.add(id(self.bound[key].memory))
        if entry.name == "frame_finalize_" and status == OK:
            self.forget()
        if entry.name == "frame_initialize_" and status == OK:
            self.ns = values["ns"]
            self.arguments.begin(self.ns, values["nGridPoints"])
        for one in memory.values():
            if one is not kept and one not in self.memories and one.alive:
                one.forbid()

    @staticmethod
    def text(value: bytes | None) -> str:
        return (value or b"").split(b"\0")[0].decode("utf-8", "replace").rstrip()

    def bind(self, entry: Any, values: Any, place: Guarded | None) -> Guarded | None:
        key = self.text(values["set"]), self.text(values["name"])
        before = self.bound.pop(key, None)
        if place is not None:
            size = {2: 4, 3: 4}.get(values.get("type", 1) % 10, 8)
            writable = np.zeros(0, bool)
            if values["intent"].strip(b"\0 ").lower() != b"in":
                elements = np.zeros(place.size // size, bool)
                many = blocks(values) if "nb" in values else [[int(n) for n in values["bounds"]]]
                starts = values["offsets"] if "nb" in values else [0]
                for bounds, start in zip(many, starts, strict=True):
                    found = extents(bounds)
                    if found is not None and found[1]:
                        elements[int(start) + np.array(found[1])] = True
                writable = np.repeat(elements, size)
            self.bound[key] = Bound(place, writable)
            if place not in self.memories:
                self.memories.append(place)
        if before is not None and before.memory is not place:
            self.drop(before.memory)
        return place

    def drop(self, place: Guarded) -> None:
        """No access to an array from its unbind on, as after a deallocate."""
        still = any(bound.memory is place for bound in self.bound.values())
        if still or id(place) in self.resident or place not in self.memories:
            return
        self.memories.remove(place)
        place.forbid()

    # ---- many ----------------------------------------------------------------------------------

    def work(self, calls: int) -> None:
        """Each entry as often as another, and sequences that get as far as a run."""
        by_name = {entry.name: entry for entry in self.entries}
        left: list[int] = []
        for n in range(calls):
            if n % EPISODE == 0:
                self.call(by_name["frame_finalize_"], {})
                if not self.start(by_name) and n > 0:
                    break  # a random setting of before has to be mended first
            if self.random.random() < 0.35:
                self.sequence(by_name)
                continue
            if not left:  # each once, in another order every time
                left = [int(k) for k in self.random.permutation(len(self.entries))]
            entry = self.entries[left.pop()]
            if entry.name != "frame_finalize_" or self.random.random() < 0.1:
                self.call(entry)
        self.call(by_name["frame_finalize_"], {})

    def start(self, by_name: dict[str, Any]) -> bool:
        ns, species, points = self.arguments.frame()
        for key, value in ((b"backend\0", b"cpu\0"), (b"species\0", species + b"\0")):
            self.call(by_name["frame_set_"], {"key": key, "value": value})
        values = {"device_id": 0, "nGridPoints": points, "ns": ns, "nq": 5 + ns, "iTurb": 0}
        return self.call(by_name["frame_initialize_"], values) == OK

    def sequence(self, by_name: dict[str, Any]) -> None:
        """What a solver does: bind what a composite reads and gives, run, unbind some."""
        for entry, values in self.arguments.solver():
            self.call(by_name[entry], values)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("journal", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--calls", type=int, required=True)
    options = parser.parse_args()
    if "san" not in os.environ.get("LD_PRELOAD", ""):  # a sanitizer maps terabytes
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    calls = Calls(options.library, options.journal, options.seed)
    try:
        calls.work(options.calls)
    except Broken as broken:
        print(json.dumps({"broken": str(broken)}))
        raise SystemExit(1) from broken
    print(json.dumps({"counts": calls.counts, "messages": calls.messages}))


if __name__ == "__main__":
    main()
