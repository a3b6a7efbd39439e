"""The set on views in device memory, where nothing crosses the link: `bridge bench offload`.

Its time is held against the limit of the device's memory and of its double-precision arithmetic.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.cuda import CudaBackend
from bridge.backends.gpu.policy import POLICIES, Policy
from bridge.bench.hostset import set_plan, shared
from bridge.bench.limits import Clock, Limits
from bridge.measuring.report import Report, Row
from bridge.measuring.states import random_states
from bridge.plan.catalogue import Catalogue

#: ns per point that resident kernels are to need at most (fitted diffusion), by species.
GOALS = {1: 0.09, 4: 0.13, 16: 0.6, 53: 7.0}


def variants(ns: int) -> list[Policy | None]:
    """The policy that is chosen, then every other one worth a look."""
    found: list[Policy | None] = [None]
    for policy in POLICIES.values():
        if policy.unroll and ns > 16:
            continue
        if policy.name == "registers" and ns > 8:
            continue
        for threads in (64, 128, 256):
            if policy.tile_all and threads * ns * 8 * 6 > 220 * 1024:
                continue
            found.append(replace(policy, threads=threads))
    return found


def resident(
    clock: Clock,
    report: Report,
    ns: int,
    block: int,
    limits: Limits,
    policies: bool,
    operations: float | None,
) -> float:
    """Rows of the resident set; ns per point with the fitted integral.

    block: points along an edge; policies: every launch policy as well; operations: per point, of
    the fitted set.
    """
    backend, found = clock.backend, {}
    for omega11 in ("fitted", "exact"):
        views = ResidentSet(backend, ns, block**3 if ns <= 16 else block**3 // 8, omega11)
        for policy in variants(ns) if policies else [None]:
            backend.device.policy = policy
            try:
                seconds = clock.seconds(views.program(), inner=3)
            except Exception as error:  # a policy that this number of species is too much for
                if policy is None:
                    raise
                print(
                    f"policy {policy.name} of {policy.threads} threads: {error}", file=sys.stderr
                )
                continue
            finally:
                backend.device.policy = None
            value = seconds / views.points * 1e9
            params: dict[str, Any] = {"ns": ns, "points": views.points, "omega11": omega11}
            if policy is not None:
                params |= {"policy": policy.name, "threads": policy.threads}
            goal = GOALS.get(ns) if omega11 == "fitted" else None
            against = (None, None) if goal is None else (f"goal {goal} ns", goal / value)
            report.rows.append(Row("resident set", params, value, "ns/point", *against))
            if policy is None:
                found[omega11] = value
                share = 100.0 * views.moved / seconds / limits.memory
                which = {"ns": ns, "omega11": omega11}
                report.rows.append(Row("... of the memory roofline", which, share, "%"))
                if omega11 == "fitted" and operations is not None:
                    share = 100.0 * operations / (value * 1e-9) / limits.arithmetic
                    which |= {"operations": round(operations)}
                    report.rows.append(Row("... of the FP64 roofline", which, share, "%"))
    return found["fitted"]


class ResidentSet:
    """Views of the set in device memory; moved: bytes that a run reads and writes."""

    def __init__(self, backend: CudaBackend, ns: int, points: int, omega11: str) -> None:
        self.points = points
        self._backend, self._plan = backend, set_plan(ns)
        states, catalogue = random_states(ns, self.points, kij=False), Catalogue.shipped()
        backend.set_shared(shared(states, omega11))
        inputs = {"T": states.T, "P": states.P, "Y": states.Y}
        self._bindings, self.moved = {}, 0
        for name in (*self._plan.inputs, *self._plan.outputs):
            columns, dtype = catalogue.columns(name, ns), catalogue.quantity(name).dtype
            view = backend.allocate(columns, self.points, dtype)
            if name in inputs:
                values = np.ascontiguousarray(inputs[name].reshape(self.points, -1).T)
                backend.device.api.copy(view.address, values.ctypes.data, values.nbytes)
            box = Box.flat(self.points, self.points)
            self._bindings[name] = Binding(view.address, box, columns, dtype=dtype, owner=view)
            self.moved += view.nbytes

    def program(self) -> Callable[[], object]:
        """One launch on all points, with the policy that the backend has now."""
        program = self._backend.program(self._plan, self._bindings)
        return partial(program.run, 0, self.points)
