"""Which launch policy is the fastest here: measured once for a kind of GPU, kept on disk.

Asked by a program before its launch is compiled. Rank by rank the answer is the same file: the
first to come measures while it holds the file's lock, the others of the node (of all nodes, where
the cache is shared) wait and read. No rank depends on another one's call, so none can hang.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge import log
from bridge.backends.base import Binding, Box
from bridge.backends.cuda import cache, compiler
from bridge.backends.cuda.compiler import CompileError
from bridge.backends.cuda.memory import DeviceArray
from bridge.backends.cuda.policy import Policy, candidates, named
from bridge.errors import DeviceError, OutOfMemoryError
from bridge.plan import Plan

if TYPE_CHECKING:
    from bridge.backends.cuda.backend import CudaBackend
    from bridge.backends.cuda.modules import DeviceShared
    from bridge.backends.cuda.program import CudaProgram

#: BRIDGE_POLICY for the policy of `choose`: nothing is compiled and measured beside it.
BY_COUNT = "by-count"
#: Most points of a measurement, so that every multiprocessor has several turns of blocks, and the
#: bytes of their views.
POINTS, BYTES = 1 << 20, 256 << 20
#: Different states among them.
STATES = 4096
#: J/(mol K)
R = 8.314462618
#: Launches of each candidate that are timed, after one that is not. They take turns, and the
#: quickest counts, because other ranks may use the GPU at the same time.
LAUNCHES = 7


def chosen(backend: CudaBackend, plan: Plan, shared: DeviceShared) -> Policy:
    """The policy of a plan on this GPU: measured, read, or the first candidate where there is
    nothing to choose or nothing can be measured."""
    layout = shared.layout
    options = candidates(plan, layout.ns, layout.on_tensors(backend.device.arch))
    if len(options) == 1 or by_count() or not backend.measures:
        return options[0]
    path = _path(backend.device.name, plan, layout.declaration(), options)
    policy = backend.policies.get(path.name)
    if policy is None:
        policy = backend.policies[path.name] = _kept_or_measured(
            backend, plan, shared, options, path
        )
    return policy


def _kept_or_measured(
    backend: CudaBackend, plan: Plan, shared: DeviceShared, options: list[Policy], path: Path
) -> Policy:
    known = _read(path)
    if known is None:
        with cache.locked(path.with_suffix(".lock")):
            known = _read(path)
            if known is None:
                seconds, lasting = _measured(backend, plan, shared, options)
                if not seconds:
                    return options[0]
                known = _record(backend, plan, shared, seconds)
                if lasting:
                    cache.write(path, json.dumps(known).encode())
    return named(known["policy"])


def by_count() -> bool:
    """Whether the caller wants nothing measured."""
    return os.environ.get("BRIDGE_POLICY") == BY_COUNT


def summary(device: str) -> str:
    """How policies are chosen, in a few words."""
    if by_count():
        return "by species count"
    known = len(found(device))
    return f"measured, {known} kept in {cache.folder()}" if known else "measured when needed"


def found(device: str) -> list[dict[str, Any]]:
    """What is kept of the measurements on a kind of GPU: plan, ns, outputs, the best policy, and
    the seconds per point of every one that was tried."""
    records = [_read(path) for path in cache.folder().glob("policy-*.json")]
    mine = [record for record in records if record is not None and record["device"] == device]
    return sorted(mine, key=lambda one: (one["plan"], one["ns"], len(one["outputs"])))


def _path(device: str, plan: Plan, declaration: str, options: list[Policy]) -> Path:
    """Where the answer to this question is kept: which candidates there are is part of it."""
    digest = hashlib.sha256(cache.headers_digest())
    for word in (device, declaration, compiler.version(), *map(str, options),
                 *plan.kernels(), *plan.outputs):  # fmt: skip
        digest.update(word.encode() + b"\0")
    return cache.folder() / f"policy-{digest.hexdigest()[:32]}.json"


def _read(path: Path) -> dict[str, Any] | None:
    """What is kept there; None where nothing is, or nothing that this version understands."""
    try:
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        named(known["policy"])
        understood = math.isfinite(known["seconds"][known["policy"]]) and (
            known.keys() >= {"plan", "ns", "outputs", "device"}
        )
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return known if understood else None


def _record(
    backend: CudaBackend, plan: Plan, shared: DeviceShared, seconds: dict[str, float]
) -> dict[str, Any]:
    return {
        "plan": plan.name,
        "ns": shared.layout.ns,
        "outputs": list(plan.outputs),
        "device": backend.device.name,
        "policy": min(seconds, key=lambda name: seconds[name]),
        "seconds": seconds,
    }


def _measured(
    backend: CudaBackend, plan: Plan, shared: DeviceShared, options: list[Policy]
) -> tuple[dict[str, float], bool]:
    """Seconds per point of every candidate that compiles and launches, and whether they will say
    the same tomorrow: memory that was missing may be there then.

    DeviceError where a candidate takes the device along: nothing can follow it.
    """
    from bridge.backends.cuda.program import CudaProgram

    programs: dict[str, CudaProgram] = {}
    lasting = True
    failures: tuple[type[BaseException], ...] = (
        CompileError, DeviceError, OutOfMemoryError, *backend.api.errors,
    )  # fmt: skip
    points = _points(plan)
    try:
        bindings = _bindings(backend, plan, points)
    except OutOfMemoryError as error:
        log.say(f"no launch policy is measured for {plan.name}: {error}")
        return {}, False
    kept = backend.policy
    for policy in options:
        what = f"launch policy '{policy}' of {plan.name}"
        backend.policy = policy
        try:
            program = CudaProgram(backend, plan, bindings, shared)
            program.run(0, points)
            backend.synchronize()
            programs[str(policy)] = program
        except failures as error:
            if backend.lost(f"{what}: {error}"):
                raise DeviceError(
                    f"{what} failed in its measurement, and the GPU with it: {error}; "
                    f"BRIDGE_POLICY={BY_COUNT} measures nothing"
                ) from error
            log.say(f"{what} is left out: {error}")
            lasting = lasting and not isinstance(error, OutOfMemoryError)
        finally:
            backend.policy = kept
    return _raced(backend, programs, points), lasting


def _raced(
    backend: CudaBackend, programs: Mapping[str, CudaProgram], points: int
) -> dict[str, float]:
    """Seconds per point of each, the best of LAUNCHES."""
    api, stream = backend.api, backend.stream
    events = [api.event(timing=True) for _ in range(2)]
    best = dict.fromkeys(programs, math.inf)
    with backend.watched("measuring launch policies", wait=True):
        for _ in range(LAUNCHES):
            for name, program in programs.items():
                api.record(events[0], stream)
                program.run(0, points)
                api.record(events[1], stream)
                api.event_synchronize(events[1])
                best[name] = min(best[name], api.elapsed(*events) * 1e-3 / points)
        for event in events:
            api.event_destroy(event)
    return best


def _points(plan: Plan) -> int:
    """As many as memory is to be taken for."""
    bound = {*plan.inputs.values(), *plan.outputs.values()}
    columns = sum(plan.slots[index].columns for index in bound)
    return min(POINTS, BYTES // (8 * max(columns, 1)))


def _bindings(backend: CudaBackend, plan: Plan, points: int) -> dict[str, Binding]:
    """Views of a plan, its inputs filled."""
    values = inputs(plan, points)
    bindings = {}
    for table in (plan.outputs, plan.inputs):
        for name, index in table.items():
            slot = plan.slots[index]
            view = DeviceArray(
                backend.allocator, slot.columns, points, slot.dtype, f"measuring {plan.name}",
                backend.stream,
            )  # fmt: skip
            if name in plan.inputs:
                backend.allocator.put(view.address, values[name])
            bindings[name] = Binding(
                view.address, Box.flat(points, points), slot.columns, dtype=slot.dtype, owner=view
            )
    return bindings


def inputs(plan: Plan, points: int) -> dict[str, np.ndarray]:
    """Name -> (columns, points) of a plan's inputs: sound points, because a fatal one is NaN from
    kernel to kernel, which may take other branches and another time. T and P over a wide range,
    any composition, and what else a composite reads as it is of gases."""
    random = np.random.default_rng(1)
    T, P = random.uniform(300.0, 2800.0, STATES), random.uniform(1e5, 2e7, STATES)
    gas = {
        "T": T, "P": P, "v": R * T / P, "W": 0.03, "cv_ideal": 3.0 * R, "Tr": T / 300.0,
        "Pr": P / 5e6, "status": 0,
    }  # fmt: skip
    filled = {}
    for name, index in plan.inputs.items():
        slot = plan.slots[index]
        values = np.empty((slot.columns, STATES), slot.dtype)
        if name in ("Y", "X", "Y_leading"):
            species = slot.columns + (name == "Y_leading")
            values[...] = random.dirichlet(np.ones(species), STATES).T[: slot.columns]
        else:
            values[...] = gas.get(name, 1.0)
        turns = -(-points // STATES)
        filled[name] = np.ascontiguousarray(np.tile(values, (1, turns))[:, :points])
    return filled
