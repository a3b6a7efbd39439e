"""Random arguments for the entry points: sensible ones, of which one is spoiled now and then.

Beside fuzzcalls. Sensible ones alone would only find what a solver does; random ones alone would
never get past the first check.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import numpy as np

from bridge.plan.columns import counted
from bridge.settings import KEYS

EDGES = [0, 1, -1, 2, 3, 7, 64, 1 << 16, (1 << 31) - 1, -(1 << 31), 1 << 30]
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, math.nan, math.inf, -math.inf, 5e-324, 1e-310, 1e308, -1e308]
TEXTS = [
    *(b"\0", b" \0", b"\xff\xfe\0", b"%s%n%d\0", b"cells \0", b"a" * 4095 + b"\0", b"b" * 4096),
    *(b"../../x\0", b"T\nP\0", b"'\"`$(x)\0", "\u00b2\u00e9\0".encode(), b"*\0", b"{0}\0"),
]
SETS = [b"cells", b"faces", b"plane"]
SPECIES = [b"N2", b"O2 CH4", b"O2 CH4 H2O", b"CH4 O2 N2 H2O CO2"]
WORDS = {
    "intent": [b"in", b"out", b"inout"],
    "operation": b"sum min max minloc maxloc any count nan l1 l2 linf bits".split(),
    "clause": [b"copyin", b"create", b"copyout", b"delete"],
    "layout": [b"host", b"device"],
    "policy": [b"return"],
    "file": [b"states", b"no/folder/states"],
    "key": [key.encode() for key in KEYS if key != "backend"],
    "set": SETS,
    "sets": [*SETS, b"cells faces"],
    "from": SETS,
}
INPUTS = {b"T": (150.0, 900.0), b"P": (1e5, 2e7), b"Y": (0.0, 1.0)}
COUNTS = {"nBoxes", "nValues", "nPoints", "n", "nb", "rank", "nActivePoints", "nBuffer", "len"}


class RandomArguments:
    """Draws from one stream of random numbers: a seed makes the same calls again."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        catalogue = tomllib.loads((files("bridge") / "kernels/catalogue.toml").read_text())
        self.quantities = [name.encode() for name in catalogue["quantity"]]
        self.columns = {
            name.encode(): str(about.get("columns", "1"))
            for name, about in catalogue["quantity"].items()
        }
        self.integers = {
            name.encode() for name, q in catalogue["quantity"].items() if q.get("type") == "int32"
        }
        self.composites = {
            c["name"].encode(): [name.encode() for name in c["outputs"]]
            for c in catalogue["composite"]
        }
        self.kernels = [k["name"].encode() for k in catalogue["kernel"]] + [*self.composites]
        self.begin(1, 8)

    def begin(self, ns: int, points: int) -> None:
        """A Frame with other sets; the interior of each set is the same for most arrays."""
        self.ns, self.most = ns, points
        self.interior = {s: [int(n) for n in self.random.integers(0, 7, 3)] for s in SETS}

    def frame(self) -> tuple[int, bytes, int]:
        species = self.one(SPECIES)
        return len(species.split()), species, int(self.random.integers(1, 60))

    def one(self, of: list[Any]) -> Any:
        return of[int(self.random.integers(len(of)))]

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    # ---- one argument --------------------------------------------------------------------------

    def integer(self, name: str) -> int:
        if name in ("device_id", "iTurb", "in_place", "exclusive"):
            return int(self.one([0, 0, 0, 1, *EDGES]))
        if name == "comm":
            return int(self.one(EDGES))
        if name == "type":
            return int(self.random.integers(-1, 16))
        if name == "ns":
            return int(self.one([self.ns, self.ns, 0, *EDGES]))
        if name == "nq":
            return int(self.one([5 + self.ns, *EDGES]))
        if name == "nGridPoints":
            return int(self.one([8, 64, *EDGES]))
        if name in COUNTS:
            return int(self.random.integers(0, 6) if self.chance(0.8) else self.one(EDGES))
        return int(self.random.integers(-2, 9) if self.chance(0.8) else self.one(EDGES))

    def text(self, name: str) -> bytes:
        if self.chance(0.12):
            return bytes(self.one(TEXTS))
        words = WORDS.get(name)
        if name in ("composite", "kernel", "composites"):
            words = self.kernels
        if name == "value":
            words = [b"0", b"1", b"N2", b"cpu", b"nan", b"EXACT", b"1e400", b"-3", b"P u v w T Y"]
        if words is None:  # a quantity
            words = [*INPUTS] if self.chance(0.4) else self.quantities
        word = bytes(self.one(words))
        if self.chance(0.1):
            word = word.swapcase() if self.chance(0.5) else word[:-1]
        return word + (b"  \0" if self.chance(0.1) else b"\0")

    def small(self, n: int) -> list[int]:
        return [int(self.random.integers(-1, 8)) for _ in range(n)]

    def width(self, name: bytes) -> int:
        return max(counted(self.columns.get(name, "1"), max(self.ns, 1)), 1)

    def bounds(self, set: bytes, name: bytes) -> list[int]:
        """Twelve integers of an array around the interior of its set, with fringes."""
        found: list[int] = []
        axes: list[int] = []
        for n in self.interior.get(set, [2, 3, 1]):
            low, high = (int(k) for k in self.random.integers(0, 3, 2))
            found.append(n + low + high)
            axes += [low + 1, low + n]
        width = self.width(name)
        first = int(self.random.integers(1, 3)) if self.chance(0.3) else 1
        more = int(self.random.integers(0, 2))
        n_data = (first + width - 1 + more) * (-1 if self.chance(0.3) else 1)
        values = [*found, *axes, first, first + width - 1, n_data]
        if self.chance(0.12):
            values[int(self.random.integers(12))] = self.integer("bound")
        return values

    def contents(self, name: str, values: dict[str, Any], size: int) -> np.ndarray:
        """What lies in memory at first: states of a fluid, or numbers of all kinds."""
        if name in ("points", "place", "nOn", "ierr"):
            return self.random.integers(-1, 40, max(size // 4, 1)).astype(np.int32)
        if name == "boxes":
            return self.random.integers(-1, 8, max(size // 4, 1)).astype(np.int32)
        n = size // 8 + 1
        low, high = INPUTS.get((values.get("name") or b"").strip(b"\0 "), (0.0, 2.0))
        found = self.random.uniform(low, high, n)
        if self.chance(0.4):
            wild = self.random.random(n) < self.random.random()
            bits = self.random.integers(0, 1 << 64, n, dtype=np.uint64).view(np.float64)
            found = np.where(wild, bits, found)
            edges = self.random.random(n) < 0.2
            found = np.where(edges, self.random.choice(REALS, n), found)
        if values.get("type") in (2, 12) and self.chance(0.8):
            with np.errstate(all="ignore"):
                return found.astype(np.float32)
        return np.asarray(found)

    # ---- all arguments of a call ---------------------------------------------------------------

    def draw(self, entry: Any, ns: int) -> dict[str, Any]:
        self.ns = ns
        values: dict[str, Any] = {}
        for a in entry.arguments:
            if a.type == "const char*":
                values[a.name] = self.text(a.name)
            elif a.type == "int":
                values[a.name] = self.integer(a.name)
            elif a.type == "double":
                values[a.name] = self.one(REALS) if self.chance(0.3) else 1.0
        if "stripeStart" in values:
            self.stripe(values)
        set_, name = (values.get(key, b"").strip(b"\0 ") for key in ("set", "name"))
        for a in entry.arguments:
            if a.name == "bounds":
                values |= self.many(set_, name, values) if "nb" in values else {}
                values.setdefault("bounds", np.array(self.bounds(set_, name), np.int32))
            if a.name == "shift":
                values["shift"] = np.array(self.small(3), np.int32)
            if a.name == "ijk":
                values["ijk"] = None if values["nb"] < 0 or values["nb"] > 99 else np.zeros(0)
                if values["ijk"] is not None:
                    values["ijk"] = np.array(self.small(3 * values["nb"]), np.int32)
            if a.name == "sizes":
                rank = values["rank"] if 0 <= values["rank"] <= 7 else 0
                values["sizes"] = np.array(self.small(rank), np.int32)
        if self.chance(0.06):
            pointers = [a.name for a in entry.arguments if a.type.endswith("*")]
            if pointers and (spoiled := self.one(pointers)) not in ("bounds", "offsets", "sizes"):
                values[spoiled] = None
        return values

    def many(self, set: bytes, name: bytes, values: dict[str, Any]) -> dict[str, Any]:
        """Blocks one behind the other in one memory; now and then they overlap."""
        nb = values["nb"]
        if not 0 <= nb <= 99:
            return {"bounds": np.zeros(0, np.int32), "offsets": np.zeros(0, np.int64)}
        first = self.bounds(set, name)
        found, offsets, end = [], [], 0
        for _ in range(nb):
            one = self.bounds(set, name)[:9] + first[9:]
            found += one
            offsets.append(0 if self.chance(0.05) else end)
            end += max(math.prod(one[0:3]) * abs(one[11]), 0) % (1 << 20)
        return {
            "bounds": np.array(found, np.int64).astype(np.int32),
            "offsets": np.array(offsets, np.int64),
        }

    def stripe(self, values: dict[str, Any]) -> None:
        if self.chance(0.02):
            values["name"] = b"b" * 64  # of which the contract looks at 64 characters
        bounds = self.bounds(self.one(SETS), values["name"].strip(b"\0 "))
        names = "nx ny nz SptX EptX SptY EptY SptZ EptZ SptData EptData".split()
        values.update(zip(names, bounds[:11], strict=True))
        points = math.prod(max(bounds[i + 1] - bounds[i] + 1, 0) for i in (3, 5, 7))
        if 0 <= points < 1000 and self.chance(0.85):
            start = int(self.random.integers(1, points + 2))
            end = int(self.random.integers(start - 1, points + 1))
            values["stripeStart"], values["stripeEnd"] = start, max(end, start - 1)

    # ---- a solver ------------------------------------------------------------------------------

    def solver(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Binds and a run that mostly succeed, then something with the results."""
        set_ = self.one(SETS)
        composite, outputs = self.one([*self.composites.items()])
        chosen = [name for name in outputs if self.chance(0.4)] or [outputs[0]]
        for name in [*INPUTS, *chosen]:
            kind = 3 if name in self.integers else 1
            intent = b"in" if name in INPUTS else b"out"
            bounds = np.array(self.bounds(set_, name), np.int64).astype(np.int32)
            named = {"set": set_ + b"\0", "name": name + b"\0", "intent": intent + b"\0"}
            yield "frame_bind_typed_", named | {"type": kind, "bounds": bounds, "scale": 1.0}
        way = {"set": set_ + b"\0", "composite": composite + b"\0"}
        if self.chance(0.5):
            yield "frame_run_", way
        else:
            yield "frame_run_begin_", way
            yield "frame_wait_", {"set": way["set"]}
        yield from self.afterwards(set_, composite, chosen[0])
        if self.chance(0.3):
            for name in [*INPUTS, *chosen]:
                yield "frame_unbind_", {"set": set_ + b"\0", "name": name + b"\0"}

    def afterwards(
        self, set: bytes, composite: bytes, name: bytes
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """What a solver does with a result: reduces it, takes and puts points, sorts them; and
        a run of the first point alone."""
        points, named = math.prod(self.interior[set]), {"set": set + b"\0", "name": name + b"\0"}
        one = {"quantity": name + b"\0", "component": 0, "nValues": 1}
        yield "frame_reduce_", one | {"set": named["set"], "operation": b"max\0"}
        few = min(points, int(self.random.integers(1, 5)))
        which = np.array(self.random.permutation(points)[:few] + 1, np.int32)
        values = {"points": which, "nPoints": few, "nValues": few * self.width(name)}
        yield "frame_gather_", named | values
        yield "frame_scatter_", named | values
        yield "frame_sort_by_key_", named | {"nPoints": points}
        box = {"boxes": np.ones(6, np.int32), "nBoxes": 1, "composite": composite + b"\0"}
        yield "frame_run_box_", {"set": named["set"]} | box
