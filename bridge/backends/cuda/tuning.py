"""Measuring launch policies for a table: what `bridge tune` does, and no run.

For every kind of plan and number of species the candidates of `policy` are compiled, on all cores,
then timed in turns on this GPU; the quickest one becomes a row of the table. The file is written
after every row, so that a command which ends early keeps what it has found.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box, Program
from bridge.backends.cuda import precompile
from bridge.backends.cuda.backend import CudaBackend
from bridge.backends.cuda.compiler import CompileError
from bridge.backends.gpu import architecture, policytable
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.layout import SharedLayout
from bridge.backends.gpu.memory import DeviceArray
from bridge.backends.gpu.policy import Policy, candidates
from bridge.backends.gpu.policytable import Key, Row, Table, kind_of
from bridge.backends.gpu.source import generate
from bridge.errors import ArgumentError, DeviceError, OutOfMemoryError
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Plan

#: Most points of a measurement, so that every multiprocessor has several waves of blocks, and the
#: bytes of their views.
POINTS, BYTES = 1 << 20, 256 << 20
#: Different states among them.
STATES = 4096
#: J/(mol K)
R = 8.314462618
#: Launches of each candidate that are timed, after one that is not. They take turns, and the
#: quickest counts, because others may use the GPU at the same time.
LAUNCHES = 7
#: Numbers of species of the shipped table.
COUNTS = (1, 2, 4, 8, 16, 32, 53)
#: What stands for a kind: a composite and the outputs of it that a solver binds.
_THERMAL = ("rho", "h", "cp", "cv", "rho_p", "rho_T", "h_p", "h_T", "c")
_TRANSPORT = (*_THERMAL, "eta", "lambda")
STANDS = {
    "thermal": ("eosThermalProperties", _THERMAL),
    "transport": ("eosThermalAndViscousProperties", _TRANSPORT),
    "exact": ("eosThermalAndViscousProperties", (*_TRANSPORT, "D_im")),
    "fitted": ("eosThermalAndViscousProperties", (*_TRANSPORT, "D_im")),
}


@dataclass(frozen=True)
class Question:
    """One row to be found: plan and per-run data that stand for a kind of plan."""

    kind: str
    plan: Plan
    shared: SharedData
    layout: SharedLayout

    @property
    def ns(self) -> int:
        return self.layout.ns

    @property
    def what(self) -> str:
        return f"{self.kind}, {self.ns} species"

    def candidates(self, arch: str) -> list[Policy]:
        """The policies that are measured."""
        tensor = self.kind in ("fitted", "pack") and self.layout.on_tensors(arch)
        return candidates(self.plan, self.ns, tensor)


def tune(
    path: Path,
    counts: Sequence[int] = COUNTS,
    *,
    kinds: Sequence[str] = (),
    composite: str | None = None,
    outputs: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    kij: bool = False,
    open_gpu: Callable[[], CudaBackend],
    say: Callable[[str], None] = print,
) -> Table:
    """Measure and write the table `path`; rows that it has of other classes, kinds and counts
    stay. Returns it.

    kinds: of STANDS, all if empty; composite: measured in the place of those, with these outputs,
    all of its own if there are none (of a pack, say); options: of the physics; kij: with
    interaction coefficients; open_gpu: called once the arguments are sound.
    ArgumentError for what is unknown, and where `path` is no table or cannot be written;
    DeviceError where there is no GPU, or a candidate takes it along.
    """
    table = _begun(path)
    asked = list(_questions(counts, kinds, composite, outputs, options, kij))
    backend = open_gpu()
    arch = backend.device.arch
    number = sum(len(one.candidates(arch)) for one in asked)
    say(f"{number} candidates for {len(asked)} rows are compiled for {arch}")
    refused = _compiled(asked, arch)
    for one in asked:
        found = _row(backend, one, refused, kij, say)
        backend.device.modules.clear()  # of some hundred sources
        if found is not None:
            table = policytable.merged(table, [found])
            _write(path, table)
    return table


def _begun(path: Path) -> Table:
    """What the file has already; refuses, before anything is measured, what cannot be written."""
    table = Table(f"table {path}")
    if path.exists():
        table = policytable.read(path, argument="--output")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise ArgumentError("--output", str(path), "a file in a folder that can be written")
    return table


def _write(path: Path, table: Table) -> None:
    """The whole file or, where that fails, the one before."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(table.text(), encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ArgumentError("--output", str(path), f"a place to write ({error})") from None


# ---- what is measured -------------------------------------------------------------------------


def _questions(
    counts: Sequence[int],
    kinds: Sequence[str],
    composite: str | None,
    outputs: Sequence[str],
    options: Mapping[str, Any] | None,
    kij: bool,
) -> Iterator[Question]:
    if any(ns < 1 for ns in counts):
        raise ArgumentError("--ns", min(counts), "numbers of species from 1")
    for kind in kinds:
        if kind not in STANDS:
            raise ArgumentError("--kinds", repr(kind), f"some of {', '.join(STANDS)}")
    if composite and kinds:
        raise ArgumentError("--kinds", " ".join(kinds), "nothing beside --composite")
    if "omega11" in (options or {}) and not composite:
        raise ArgumentError("--option", "omega11", "--kinds exact or fitted, or a --composite")
    if outputs and not composite:
        raise ArgumentError("--outputs", " ".join(outputs), "a --composite that has them")
    for ns in counts:
        if composite:
            yield _question(composite, tuple(outputs), ns, dict(options or {}), kij)
            continue
        for kind in dict.fromkeys(kinds or STANDS):
            name, wanted = STANDS[kind]
            integral = {"omega11": "FITTED" if kind == "fitted" else "EXACT"}
            yield _question(name, wanted, ns, {**(options or {}), **integral}, kij)


def _question(
    name: str, outputs: tuple[str, ...], ns: int, options: dict[str, Any], kij: bool
) -> Question:
    chosen = Options.parse(options)
    catalogue = Catalogue.installed().with_options(chosen)
    composite = catalogue.composite(name)
    unknown = [one for one in outputs if one not in composite.outputs]
    if unknown:
        raise ArgumentError("--outputs", unknown[0], f"outputs of {composite.name}")
    plan = catalogue.composite_plan(composite, ns, outputs=outputs or None)
    if len(candidates(plan, ns)) == 1:
        wanted = "a composite with several policies: searches and single kernels have one each"
        raise ArgumentError("--composite", name, wanted)
    names = list(islice(cycle(SpeciesData.load(None).names), ns))
    matrix = np.full((ns, ns), 0.02) - np.diag(np.full(ns, 0.02)) if kij else None
    shared = SharedData(SpeciesData.resolve(names, kij=matrix), chosen)
    layout = SharedLayout.of(shared.fields())
    return Question(kind_of(plan, layout), plan, shared, layout)


def _compiled(asked: Sequence[Question], arch: str) -> dict[tuple[str, int, Policy], str]:
    """Compile every candidate into the cache; those that the compiler refused, and its words."""
    catalogue = Catalogue.installed()
    keys, tasks = [], []
    for one in asked:
        for policy in one.candidates(arch):
            source = generate([one.plan], catalogue, one.layout, None, policy, arch)
            keys.append((one.kind, one.ns, policy))
            tasks.append((source, arch, None))
    errors = precompile.compile_all(tasks)
    return {key: error for key, error in zip(keys, errors, strict=True) if error is not None}


# ---- measuring --------------------------------------------------------------------------------


def _row(
    backend: CudaBackend, one: Question, refused: Mapping[tuple[str, int, Policy], str],
    kij: bool, say: Callable[[str], None],
) -> tuple[Key, Row] | None:  # fmt: skip
    """The row of a question; None, which is said, where no candidate could be timed."""
    left = []
    for policy in one.candidates(backend.device.arch):
        if (error := refused.get((one.kind, one.ns, policy))) is not None:
            say(f"{one.what}: '{policy}' is left out: {error}")
        else:
            left.append(policy)
    seconds = _measured(backend, one, left, say)
    if not seconds:
        say(f"{one.what}: no row, nothing could be timed")
        return None
    best = min(seconds, key=lambda policy: seconds[policy])
    times = ", ".join(f"{policy} {value * 1e9:.3g}" for policy, value in seconds.items())
    say(f"{one.what}: {best}; ns per point: {times}")
    note = (
        f"{backend.device.facts.name}, {one.plan.name}, of {len(seconds)}{', kij' if kij else ''}"
    )
    key = (architecture.capability(backend.device.arch) // 10, one.kind, one.ns)
    return key, Row(best, seconds[best] * 1e9, note)


def _measured(
    backend: CudaBackend, one: Question, left: Sequence[Policy], say: Callable[[str], None]
) -> dict[Policy, float]:
    """Seconds per point of every candidate that launches; DeviceError where one takes the device
    along: nothing can follow it."""
    device, plan = backend.device, one.plan
    failures: tuple[type[BaseException], ...] = (
        CompileError, DeviceError, OutOfMemoryError, *device.api.errors,
    )  # fmt: skip
    points = _points(plan)
    try:
        bindings = _bindings(device, plan, points)
        backend.set_shared(one.shared)
    except OutOfMemoryError as error:
        say(f"{one.what}: {error}")
        return {}
    programs: dict[Policy, Program] = {}
    kept = device.policy
    for policy in left:
        what = f"{one.what}: '{policy}'"
        device.policy = policy
        try:
            program = backend.program(plan, bindings)
            program.run(0, points)
            backend.synchronize()
            programs[policy] = program
        except failures as error:
            if device.lost(f"{what}: {error}"):
                raise DeviceError(
                    f"{what} failed in its measurement, and the GPU with it: {error}; rows that "
                    "were found before are written"
                ) from error
            say(f"{what} is left out: {error}")
        finally:
            device.policy = kept
    return _timed(device, programs, points)


def _timed(device: Device, programs: Mapping[Policy, Program], points: int) -> dict[Policy, float]:
    """Seconds per point of each, the best of LAUNCHES."""
    api, stream = device.api, device.stream
    events = [api.event(timing=True) for _ in range(2)]
    best = dict.fromkeys(programs, math.inf)
    with device.watched("measuring launch policies", wait=True):
        for _ in range(LAUNCHES):
            for policy, program in programs.items():
                api.record(events[0], stream)
                program.run(0, points)
                api.record(events[1], stream)
                api.event_synchronize(events[1])
                best[policy] = min(best[policy], api.elapsed(*events) * 1e-3 / points)
        for event in events:
            api.event_destroy(event)
    return best


def _points(plan: Plan) -> int:
    """As many as memory is to be taken for."""
    bound = {*plan.inputs.values(), *plan.outputs.values()}
    columns = sum(plan.slots[index].columns for index in bound)
    return min(POINTS, BYTES // (8 * max(columns, 1)))


def _bindings(device: Device, plan: Plan, points: int) -> dict[str, Binding]:
    """Views of a plan, its inputs filled."""
    values = inputs(plan, points)
    bindings = {}
    for table in (plan.outputs, plan.inputs):
        for name, index in table.items():
            slot = plan.slots[index]
            what = f"measuring {plan.name}"
            view = DeviceArray(
                device.allocator, slot.columns, points, slot.dtype, what, device.synchronize
            )
            if name in plan.inputs:
                device.allocator.put(view.address, values[name])
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
    constants = {
        name: np.reshape(constant.value, (-1, 1))
        for name, constant in Catalogue.installed().constants.items()
        if constant.value is not None
    }
    filled = {}
    for name, index in plan.inputs.items():
        slot = plan.slots[index]
        values = np.empty((slot.columns, STATES), slot.dtype)
        if name in ("Y", "X", "Y_leading"):
            species = slot.columns + (name == "Y_leading")
            values[...] = random.dirichlet(np.ones(species), STATES).T[: slot.columns]
        else:
            values[...] = gas.get(name, constants.get(name, 1.0))
        repeats = -(-points // STATES)
        filled[name] = np.ascontiguousarray(np.tile(values, (1, repeats))[:, :points])
    return filled
