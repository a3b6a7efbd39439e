"""Where a Fortran call becomes a method call: one body of a few lines per entry of bridge.h.

Runs inside the host program only: libbridge.so makes the module `_bridge_entry` and imports this
one when it boots. What a body raises, `calls` hands back as a status and a text.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

from _bridge_entry import ffi, lib

import bridge.entry.listbodies
import bridge.entry.setbodies  # noqa: F401  (have bodies of their own)
from bridge.entry import IMPORTS_BEGAN, viewbodies
from bridge.entry.calls import entry, text
from bridge.errors import ArgumentError
from bridge.frame import frame
from bridge.mpi import Given
from bridge.request import Request
from bridge.timers import before_frame

before_frame += [
    ("boot", lib.startup_began(), IMPORTS_BEGAN),
    ("import", IMPORTS_BEGAN, perf_counter_ns()),
]

#: Bytes of a fenv_t of x86-64.
FENV_SIZE = 32

# ---- Life cycle and settings -------------------------------------------------------------------


@entry
def frame_initialize(device: int, points: int, ns: int, nq: int, turbulence: int) -> None:
    frame.initialize(device, points, ns, nq, turbulence)
    viewbodies.share()


# What this rank found well, until the ranks have agreed.
checked: list[tuple[Request, Given]] = []


@entry
def frame_initialize_comm_check(
    device: int, points: int, ns: int, nq: int, turbulence: int, communicator: int
) -> None:
    checked.clear()
    checked.append((frame.check(device, points, ns, nq, turbulence), Given(communicator)))


@entry
def frame_initialize_comm(*_: int) -> None:
    frame.open(*checked.pop(), agree=bool(lib.failure_returns()))
    viewbodies.share()


@entry
def frame_finalize() -> None:
    lib.constants_drop()
    lib.runs_pause(0)
    frame.finalize()
    lib.host_forget_communicator()


@entry
def frame_set(key: Any, value: Any) -> None:
    frame.set(text(key), text(value))


@entry
def frame_report() -> None:
    frame.report()


# ---- Species constants --------------------------------------------------------------------------


@entry
def frame_castles_populatepreosshareddata(
    W: int, Tc: int, Pc: int, omega: int, nasa7: int, kij: int
) -> None:
    frame.tvproperties.populate_preos_shared_data(W, Tc, Pc, omega, nasa7, kij or None)


@entry
def frame_castles_populatechungshareddata(Vc: int, dipole: int, kappa: int) -> None:
    frame.tvproperties.populate_chung_shared_data(Vc, dipole, kappa)


# ---- What runs, and what it met ----------------------------------------------------------------


@entry
def frame_doctor(file: Any, ranks: Any) -> None:
    chosen = ffi.string(lib.startup_chosen()).decode("utf-8", "replace")
    host = bytes(ffi.buffer(ffi.cast("char*", lib.host_environment()), FENV_SIZE))
    frame.doctor(text(file), text(ranks), chosen if lib.startup_is_ours() else "", host)


@entry
def frame_fingerprint(buffer: Any, length: int) -> None:
    told = frame.fingerprint().encode()
    if length < len(told):
        raise ArgumentError("len", length, f"room for {len(told)} characters")
    ffi.memmove(buffer, told.ljust(length), length)


@entry
def frame_status_counts(point_set: Any, n: int, counts: Any) -> None:
    if not 1 <= n <= 32:
        raise ArgumentError("n", n, "1 to 32, the bits of a word")
    found = frame.tvproperties.status_bits(text(point_set))
    counts[0:n] = found[:n].tolist()


@entry
def frame_status_points(point_set: Any, bits: int, most: int) -> None:
    frame.status_points(text(point_set), bits or None, most)


@entry
def frame_probe(point_set: Any, composite: Any, i: int, j: int, k: int, block: int) -> None:
    frame.print_probe(text(point_set), i, j, k, text(composite), block)


@entry
def frame_status_policy(policy: Any) -> None:
    frame.tvproperties.status_policy(text(policy))


@entry
def bridge_noop(n: int) -> None:
    pass
