"""What the host chooses before initialize: species, backend, device, threads, physics options.

A leaf of the package beside `options`. `frame_set_` and `Frame.set` store here; an environment
variable BRIDGE_<KEY> wins over both.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import fields
from numbers import Integral, Real
from pathlib import Path
from typing import NamedTuple

from bridge.arguments import distinct
from bridge.errors import ArgumentError, known_start
from bridge.physics.options import Options, number

_PLAIN_KEYS = (
    *("species", "species_file", "backend", "device", "threads", "qlayout", "constants", "launch"),
    *("check_residency", "compare_limit", "mixed_ranks", "timers", "trace", "nvtx"),
    *("status_counts", "status_policy", "status_bits", "status_interval", "stability"),
    *("verify", "verify_limit", "verify_file", "python_path", "python_reload", "python_sync"),
    *("exchange", "exchange_timeout"),
)
_OPTION_KEYS = tuple(field.name for field in fields(Options))
KEYS = _PLAIN_KEYS + _OPTION_KEYS

#: Every other environment variable of this name that something in the package reads; the last is
#: of the examples' makefile.
VARIABLES = tuple(
    f"BRIDGE_{name}"
    for name in (
        *("PYTHON", "CPU_ISA", "PACKS", "PACKS_DEBUG", "CACHE", "POLICY", "GRAPH", "CONFIG"),
        "BUNDLE",
    )
)

#: Whether ranks that would not compute alike are refused; what a run with bad points does.
MIXTURES = ("refuse", "allow")
POLICIES = ("continue", "stop")
#: Which points of some runs are tested for mixtures that would split.
STABILITIES = ("off", "sampled", "all")
#: Bits of the status word, docs/physics.md section 3, from bit 0.
STATUS_BITS = (
    *("BAD_T", "BAD_P", "BAD_Y", "Y_CLIPPED", "Y_RENORM", "T_EXTRAP", "MULTI_ROOT"),
    *("NEAR_CRITICAL", "H_GAP", "H_BELOW", "H_ABOVE", "NO_CONV", "CHUNG_SINGULAR"),
    *("TRANSPORT_CLAMP", "UNSTABLE", "TWO_PHASE", "STABILITY_OPEN", "DIFF_RANGE"),
    "BAD_RHO",
)
#: Bits that kernel packs may give a meaning; those below are the package's.
PACK_BITS = range(19, 31)
#: Bits of a point that has no answer: it is counted and told, unless a setting says others.
BAD_BITS = "BAD_T BAD_P BAD_Y BAD_RHO H_BELOW H_ABOVE NO_CONV"
#: Those that a policy stops at, unless a setting says others: an iteration of the host may pass
#: through an enthalpy that no temperature has.
STOPPING_BITS = "BAD_T BAD_P BAD_Y BAD_RHO NO_CONV"
#: Seconds between two lines of the log that tell of bad points.
STATUS_INTERVAL = 60.0
#: Seconds that an exchange waits for a rank before a line of the log names it.
EXCHANGE_TIMEOUT = 60.0
BACKENDS = ("auto", "cpu", "cuda")
LAUNCHES = ("fused", "stream", "graph")
#: How messages of exchanges between GPUs go (`backends.transports`).
EXCHANGES = ("auto", "nccl", "mpi-device", "staged")
#: Yes and no, as Fortran's module writes a logical and a shell a variable.
SWITCHES = ("true", "1", "false", "0")
#: What a CPU looks for in resident arrays: nothing, missing updates, fringes that are not filled
#: as well.
CHECKS = ("off", "updates", "fringes")
#: Ranges for a profiler: where one has started the program, else as a switch says.
RANGES = ("auto", *SWITCHES)
#: What a function of the user on a GPU is ordered by: its stream, or the whole device.
SYNCS = ("stream", "device")
#: Relative difference of a comparison above which a point counts.
COMPARE_LIMIT = 1e-10
#: Share of points that is verified where nobody says how many; the difference above which one
#: counts; how the names of files of differences begin.
VERIFY_FRACTION = 2e-4
VERIFY_LIMIT = 1e-10
VERIFY_FILE = "bridge-verify"
DEFAULT_QLAYOUT = "P u v w T Y"
#: Characters of a wrong word that its message repeats.
LONGEST_SHOWN = 60
_Q_TOKENS = ("P", "u", "v", "w", "T", "Y", "_")


#: What a setting may be given as; it is kept as text.
Value = str | int | float | bool


class Verification(NamedTuple):
    """fraction: of points, 0.0 of none; limit: of a difference; file: beginning of the names of
    files of differences."""

    fraction: float
    limit: float
    file: str


class Functions(NamedTuple):
    """folders: with modules of the user; reload: those that have changed; sync: one of SYNCS."""

    folders: tuple[str, ...]
    reload: bool
    sync: str


class StatusPolicy(NamedTuple):
    """counting: of every run; action: "continue" or "stop"; bits: that make a point a bad one;
    stopping: those of them that "stop" stops at; interval: seconds between two lines of the
    log."""

    counting: bool
    action: str
    bits: int
    stopping: int
    interval: float

    @property
    def active(self) -> bool:
        return self.counting or self.action == "stop"


class Settings:
    """Keys and their values as text, checked when they are set."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def set(self, key: str, value: Value) -> None:
        """Store `value` under `key` (either case); raises ArgumentError for what is unknown."""
        name = _canonical(key)
        text = _text(name, value)
        _check(name, text)
        self._values[name] = text.strip()

    def get(self, key: str) -> str | None:
        """The environment's value, else the one set, else None."""
        value = os.environ.get(f"BRIDGE_{key.upper()}")
        if value:
            try:
                _check(key, value)
            except ArgumentError as error:
                variable = f"BRIDGE_{key.upper()} of the environment ({error.argument})"
                raise error.about(variable) from error
            return value.strip()
        return self._values.get(key)

    def clear(self) -> None:
        self._values.clear()

    def options(self) -> Options:
        """The physics options."""
        given = {key: self.get(key) for key in _OPTION_KEYS}
        return Options.parse({key: value for key, value in given.items() if value is not None})

    def backend(self) -> str:
        return (self.get("backend") or "auto").lower()

    def launch_mode(self) -> str:
        """How composites are launched on views."""
        return (self.get("launch") or "fused").lower()

    def check_residency(self) -> str:
        """One of CHECKS."""
        value = (self.get("check_residency") or "0").lower()
        if value == "fringes":
            return value
        return "updates" if value in ("true", "1") else "off"

    def compare_limit(self) -> float:
        """Relative difference above which a comparison counts a point."""
        value = self.get("compare_limit")
        return COMPARE_LIMIT if value is None else _limit(value)

    def mixed_ranks(self) -> bool:
        """Whether ranks may differ in what decides their results."""
        return (self.get("mixed_ranks") or "refuse").lower() == "allow"

    def status(self) -> StatusPolicy:
        """What happens to the status words of runs; a host that names bits means those that stop
        a run as well."""
        named, interval = self.get("status_bits"), self.get("status_interval")
        return StatusPolicy(
            (self.get("status_counts") or "0").lower() in ("true", "1"),
            (self.get("status_policy") or "continue").lower(),
            status_bits(named or BAD_BITS),
            status_bits(named or STOPPING_BITS),
            STATUS_INTERVAL if interval is None else _interval(interval, "status_interval"),
        )

    def exchange(self) -> str:
        """One of EXCHANGES."""
        return (self.get("exchange") or "auto").lower()

    def exchange_timeout(self) -> float:
        """Seconds until a rank that an exchange waits for is named; 0: never."""
        value = self.get("exchange_timeout")
        return EXCHANGE_TIMEOUT if value is None else _interval(value, "exchange_timeout")

    def stability(self) -> str:
        """One of STABILITIES."""
        return (self.get("stability") or "sampled").lower()

    def verification(self) -> Verification:
        """What is verified of launches and runs."""
        limit = self.get("verify_limit")
        return Verification(
            _fraction(self.get("verify") or "0"),
            VERIFY_LIMIT if limit is None else _limit(limit, "verify_limit"),
            self.get("verify_file") or VERIFY_FILE,
        )

    def functions(self) -> Functions:
        """Of the user's own functions."""
        return Functions(
            folders(self.get("python_path") or ""),
            (self.get("python_reload") or "0").lower() in ("true", "1"),
            (self.get("python_sync") or "stream").lower(),
        )

    def timers(self) -> str | None:
        """The file of timers, "-" for the table alone."""
        return self.get("timers")

    def trace(self) -> str | None:
        """The file of a trace."""
        return self.get("trace")

    def nvtx(self) -> str:
        """One of RANGES."""
        return (self.get("nvtx") or "auto").lower()

    def qlayout(self) -> tuple[str, ...]:
        return tuple((self.get("qlayout") or DEFAULT_QLAYOUT).split())

    def constants(self) -> dict[str, float]:
        """Constants of kernel packs that are not at their values of the catalogue."""
        return _constants(self.get("constants") or "")

    def threads(self, ranks: int) -> int:
        """Threads per rank: set, else OMP_NUM_THREADS, else 1 under MPI, else all our cores."""
        return resolve_threads(self.get("threads"), ranks)

    def shown(self) -> dict[str, str]:
        """What differs from the defaults, for the report."""
        values = {key: self.get(key) for key in KEYS}
        return {key: value for key, value in values.items() if value is not None}


_named: set[str] = set()


def unread_variables() -> dict[str, str]:
    """A line for each variable BRIDGE_... of the environment that nothing reads, by its name."""
    known = [*VARIABLES, *(f"BRIDGE_{key.upper()}" for key in KEYS)]
    lines = {}
    for name in sorted(os.environ):
        if name.startswith("BRIDGE_") and name not in known:
            import difflib

            close = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0.75)
            hint = f" (did you mean {close[0]}?)" if close else ""
            lines[name] = f"nothing reads the environment variable {name}{hint}"
    return lines


def unknown_variables() -> list[str]:
    """The same lines, once each in a process."""
    new = {name: line for name, line in unread_variables().items() if name not in _named}
    _named.update(new)
    return list(new.values())


def resolve_threads(wanted: str | int | None, ranks: int) -> int:
    """How many threads a rank gets; see `Settings.threads`."""
    if wanted is not None:
        return _positive("threads", str(wanted))
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if first.isdigit() and int(first) > 0:
        return int(first)
    return 1 if ranks > 1 else len(os.sched_getaffinity(0))


def _text(name: str, value: Value) -> str:
    """A value as the host would have written it; NumPy's numbers too."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    raise ArgumentError("value", repr(value), f"text or a number for '{name}'")


def _canonical(key: str) -> str:
    if not isinstance(key, str):
        raise ArgumentError("key", repr(key), f"text, one of {', '.join(KEYS)}")
    lowered = {name.lower(): name for name in KEYS}
    name = lowered.get(key.strip().lower())
    if name is None:
        import difflib

        close = difflib.get_close_matches(key.strip().lower(), lowered, n=1)
        hint = f" (did you mean '{lowered[close[0]]}'?)" if close else ""
        start = known_start(key.strip(), KEYS)
        raise ArgumentError("key", repr(key), f"one of {', '.join(KEYS)}{hint}", start)
    return name


def _check(name: str, value: str) -> None:
    text = value.strip()
    if not text:
        raise ArgumentError("value", repr(value), f"a value for '{name}'")
    known = {
        **{"backend": BACKENDS, "launch": LAUNCHES, "check_residency": (*SWITCHES, "fringes")},
        **{"mixed_ranks": MIXTURES, "status_counts": SWITCHES, "status_policy": POLICIES},
        **{"nvtx": RANGES, "stability": STABILITIES},
        **{"python_reload": SWITCHES, "python_sync": SYNCS, "exchange": EXCHANGES},
    }
    choices = known.get(name)
    if choices and text.lower() not in choices:
        wanted = f"one of {', '.join(choices)} for '{name}'"
        raise ArgumentError("value", repr(value), wanted, known_start(text, choices))
    if name == "python_path":
        folders(text)
    if name == "threads":
        _positive("threads", text)
    if name in ("compare_limit", "verify_limit"):
        _limit(text, name)
    if name == "verify":
        _fraction(text)
    if name == "verify_file" and not Path(text).absolute().parent.is_dir():
        raise ArgumentError(name, repr(text), "the name of a file in a folder that exists")
    if name == "status_bits":
        status_bits(text)
    if name in ("status_interval", "exchange_timeout"):
        _interval(text, name)
    if name == "species":
        distinct("species", text.replace(",", " ").split())
    if name == "qlayout":
        _check_qlayout(text)
    if name == "constants":
        _constants(text)
    if name in _OPTION_KEYS:
        Options.parse({name: text})


def folders(text: str) -> tuple[str, ...]:
    """The folders of a setting `python_path`; ArgumentError for one that is none."""
    found = []
    for part in text.split(os.pathsep):
        if not part.strip():
            continue  # to Python it would mean the working directory
        folder = Path(part.strip()).expanduser().absolute()
        if not folder.is_dir():
            raise ArgumentError("python_path", repr(part), "a folder that exists")
        found.append(str(folder))
    return tuple(found)


def _positive(name: str, text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ArgumentError(name, repr(text), "a whole number from 1")
    return int(text)


def _fraction(text: str) -> float:
    """On and off, all, or a part of the points."""
    known = {"false": 0.0, "0": 0.0, "true": VERIFY_FRACTION, "1": VERIFY_FRACTION, "all": 1.0}
    if text.lower() in known:
        return known[text.lower()]
    try:
        value = number(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < 1.0:
        wanted = f"1 ({VERIFY_FRACTION:g} of the points), 0, all, or a fraction such as 0.01"
        raise ArgumentError("verify", repr(text), wanted)
    return value


def _limit(text: str, name: str = "compare_limit") -> float:
    try:
        value = number(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value < math.inf:
        raise ArgumentError(name, repr(text), "a relative difference such as 1e-10")
    return value


def status_bits(text: str) -> int:
    """Names of bits, or numbers of them from 0, with blanks or commas between them."""
    bits = 0
    for word in text.replace(",", " ").split():
        if word.upper() in STATUS_BITS:
            bits |= 1 << STATUS_BITS.index(word.upper())
        elif word.isdigit() and int(word) < 32:
            bits |= 1 << int(word)
        else:
            wanted = f"numbers from 0 to 31, or names out of {' '.join(STATUS_BITS)}"
            raise ArgumentError("status_bits", repr(word), wanted)
    return bits


def _interval(text: str, name: str) -> float:
    try:
        value = number(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value < math.inf:
        raise ArgumentError(name, repr(text), "a number of seconds from 0")
    return value


def _constants(text: str) -> dict[str, float]:
    """'a=1.5 b=  2.0E+00': blanks or commas between them, blanks around = as Fortran pads."""
    values: dict[str, float] = {}
    for item in re.sub(r"\s*=\s*", "=", text.strip()).replace(",", " ").split():
        name, _, value = item.partition("=")
        shown = repr(item if len(item) <= LONGEST_SHOWN else item[:LONGEST_SHOWN] + "...")
        try:
            values[name] = number(value)
        except ValueError:
            name = ""
        if not name:
            raise ArgumentError("constants", shown, "name=number, with blanks between them")
        if not math.isfinite(values[name]):
            raise ArgumentError("constants", shown, "a finite number")
    return values


def _check_qlayout(text: str) -> None:
    tokens = text.split()
    unknown = [token for token in tokens if token not in _Q_TOKENS]
    if unknown:
        raise ArgumentError("qlayout", repr(text), f"columns out of {' '.join(_Q_TOKENS)}")
    for token in ("P", "T", "Y"):
        if tokens.count(token) != 1:
            raise ArgumentError("qlayout", repr(text), f"'{token}' exactly once")
    velocity = [token for token in tokens if token in "uvw"]
    if velocity and velocity != ["u", "v", "w"]:
        raise ArgumentError("qlayout", repr(text), "u, v, w each once, in this order, or none")
    if velocity:
        at = tokens.index("u")
        if tokens[at : at + 3] != ["u", "v", "w"]:
            raise ArgumentError("qlayout", repr(text), "u, v, w side by side")
