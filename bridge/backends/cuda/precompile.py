"""Compiling every kernel and composite without a GPU: `bridge kernels build` and `--resources`.

For login nodes, whose compute nodes should not compile, and for the check that no kernel spills.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, cycle, islice, product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bridge import progress
from bridge.backends.cuda import cache
from bridge.backends.cuda.compiler import CompileError, Resources
from bridge.backends.gpu import marshal, policytable
from bridge.backends.gpu.layout import SharedLayout
from bridge.backends.gpu.placement import Access
from bridge.backends.gpu.policy import Policy, choose
from bridge.backends.gpu.source import Source, generate
from bridge.errors import ArgumentError
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.physics.speciestable import shipped_records
from bridge.plan.catalogue import Catalogue
from bridge.plan.columns import several
from bridge.plan.declarations import Composite
from bridge.plan.plan import Plan

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
SPECIES_COUNTS = (1, 4, 16, 53)


@dataclass(frozen=True)
class Build:
    """One launch, compiled: what the table of `bridge kernels --resources` shows."""

    what: str
    arch: str
    ns: int
    policy: Policy
    resources: Resources
    tile: int
    private: int


def layout(ns: int, options: Mapping[str, Any] | None = None, kij: bool = False) -> SharedLayout:
    """The layout of any ns species: it depends on their number and on options alone."""
    names = list(islice(cycle(SpeciesData.load(None).names), ns))
    matrix = np.full((ns, ns), 0.1) - np.diag(np.full(ns, 0.1)) if kij else None
    species = SpeciesData.from_records(shipped_records(), names, 0.0, {}, "ns")
    species = SpeciesData.resolve(species, kij=matrix)
    return SharedLayout.of(SharedData(species, Options.parse(options)).fields() | {
        "anyKij": int(kij)
    })  # fmt: skip


def plans(catalogue: Catalogue, ns: int, names: Container[str] | None = None) -> Iterator[Plan]:
    """Every kernel by itself and every composite with all its outputs, but for what reads
    neighbours: views have none. names: of these alone."""

    def some(known: Iterable[str]) -> Iterator[str]:
        return (name for name in known if names is None or name in names)

    single = (catalogue.single(kernel, ns) for kernel in some(catalogue.kernels))
    whole = (
        catalogue.composite_plan(catalogue.composites[name], ns)
        for name in some(catalogue.composites)
    )
    yield from (plan for plan in chain(single, whole) if not (plan.around or plan.ordered))


def together(
    catalogue: Catalogue, where: SharedLayout, arch: str, names: Container[str] | None = None
) -> list[tuple[Policy, list[Plan]]]:
    """The plans in few sources: all kernels of one policy and precision in one, but those with
    several values of each species in another; composites one by one; policies by the number of
    species."""
    tensor = where.on_tensors(arch)
    groups: dict[tuple[Policy, bool, bool], list[Plan]] = {}
    alone: list[tuple[Policy, list[Plan]]] = []
    for plan in plans(catalogue, where.ns, names):
        policy = choose(plan, where.ns, tensor)
        if plan.name in catalogue.kernels:
            kept = any(several(catalogue.quantity(slot.name).columns) for slot in plan.slots)
            groups.setdefault((policy, plan.singles, kept), []).append(plan)
        else:
            alone.append((policy, [plan]))
    return [*((policy, group) for (policy, *_), group in groups.items()), *alone]


def resources(
    archs: Sequence[str] = ARCHITECTURES,
    counts: Sequence[int] = SPECIES_COUNTS,
    *,
    options: Mapping[str, Any] | None = None,
    kij: Sequence[bool] = (False,),
    catalogue: Catalogue | None = None,
    names: Container[str] | None = None,
    place: Path | None = None,
) -> list[Build]:
    """Registers, spills and stack of every launch, in the order of archs, counts, catalogue;
    names: of the kernels and composites, all of them if None."""
    catalogue = catalogue or Catalogue.installed()
    groups = []
    for arch, ns, some in product(archs, counts, kij):
        where = layout(ns, options, some)
        for policy, group in together(catalogue, where, arch, names):
            source = generate(group, catalogue, where, policy=policy, arch=arch)
            groups.append((arch, ns, policy, group, source))
    tasks = [(source, arch, place) for arch, _, _, _, source in groups]
    builds = []
    for (arch, ns, policy, group, source), used in zip(groups, _compile(tasks), strict=True):
        by_kernel = {r.kernel: r for r in used}
        for plan in group:
            entry = source.entries[plan.name]
            used_here = by_kernel[entry.name]
            builds.append(Build(plan.name, arch, ns, policy, used_here, entry.tile, entry.private))
    return builds


#: A source, the architecture, the cache.
Task = tuple[Source, str, Path | None]
Result = TypeVar("Result")


def _compile(tasks: Sequence[Task]) -> list[list[Resources]]:
    """Resources of each (text, architecture, cache); how far it is goes to stderr."""
    return _on_all_cores(_compile_one, tasks, "compiling GPU kernels")


def compile_all(tasks: Sequence[Task]) -> list[str | None]:
    """Compile each into its cache; what the compiler said of those that it refused. Where one
    takes its process along, what is left is compiled when it is asked for."""
    try:
        return _on_all_cores(_refusal, tasks)
    except BrokenProcessPool:
        return [None] * len(tasks)


def _on_all_cores(
    work: Callable[[Task], Result], tasks: Sequence[Task], what: str = ""
) -> list[Result]:
    """A compiler keeps one core busy; what: is told while it goes on, "" for nothing."""

    cores = min(len(os.sched_getaffinity(0)), len(tasks))
    if what:
        progress.say(f"{what}: {len(tasks)} sources, {cores} at a time")
    if cores <= 1:
        done = map(work, tasks)
        return list(progress.counted(done, len(tasks), what) if what else done)
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as pool:
        futures = [pool.submit(work, task) for task in tasks]
        ended = as_completed(futures)
        try:
            for one in progress.counted(ended, len(tasks), what) if what else ended:
                one.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        return [one.result() for one in futures]


def _refusal(task: Task) -> str | None:
    try:
        _compile_one(task)
    except CompileError as error:
        return str(error).partition("\n")[0]
    return None


def _compile_one(task: Task) -> list[Resources]:
    source, arch, place = task
    return cache.compiled(source.text, arch, headers=source.headers, place=place).resources


def build(
    archs: Iterable[str],
    counts: Iterable[int],
    *,
    options: Mapping[str, Any] | None = None,
    kij: bool = False,
    outputs: Sequence[str] = (),
    leading: bool = False,
    catalogue: Catalogue | None = None,
    place: Path | None = None,
) -> int:
    """Fill the cache with what will be asked for; returns the number of sources.

    That is every kernel and composite on views, or, with outputs, the composites in runs on bound
    arrays in SI that have these outputs and no others; leading: where Q or Y_leading lacks the
    last mass fraction. Launch policies are those of BRIDGE_POLICY or the shipped table, as in a
    run. ArgumentError where no composite has the outputs, or nothing can be written.
    """
    place = place or cache.folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=place).close()
    except OSError as error:  # a run goes on without keeping; here there is nothing else to do
        raise ArgumentError("BRIDGE_CACHE", str(place), f"a folder to write ({error})") from error
    catalogue, table = catalogue or Catalogue.installed(), policytable.current()
    tasks = [(Source(marshal.SOURCE), arch, place) for arch in archs]
    for ns, arch in product(counts, archs):
        where = layout(ns, options, kij)
        bound = [*_bound(catalogue, ns, outputs, leading)] if outputs else []
        on_views = _on_views(catalogue, ns, leading)
        asked = bound or [(plan, _constants(catalogue, plan)) for plan in on_views]
        for plan, access in asked:
            policy = table.policy(plan, where, arch)
            source = generate([plan], catalogue, where, access, policy, arch)
            tasks.append((source, arch, place))
    _compile(tasks)
    return len(tasks)


def _inputs(composite: Composite, leading: bool) -> list[str]:
    return [("Y_leading" if leading and name == "Y" else name) for name in composite.inputs]


def _on_views(catalogue: Catalogue, ns: int, leading: bool) -> Iterator[Plan]:
    if not leading:
        yield from plans(catalogue, ns)
        return
    for composite in catalogue.composites.values():
        if "Y" in composite.inputs:
            yield catalogue.composite_plan(composite, ns, inputs=_inputs(composite, True))


def _bound(
    catalogue: Catalogue, ns: int, outputs: Sequence[str], leading: bool
) -> Iterator[tuple[Plan, dict[str, Access]]]:
    """Plans as `TVProperties.run` makes them, and how their launches meet what is bound: a status
    word in an array of reals, but for measurements and for arrays that the CPU has to pack."""
    found = [c for c in catalogue.composites.values() if {*outputs} <= {*c.outputs}]
    if not found:
        wanted = "outputs of one composite: 'bridge kernels --composites'"
        raise ArgumentError("--outputs", " ".join(outputs), wanted)
    integers = [name for name in outputs if catalogue.quantity(name).dtype != "float64"]
    for composite in found:
        plan = catalogue.composite_plan(
            composite, ns, outputs=outputs, inputs=_inputs(composite, leading)
        )
        if plan.around or plan.ordered:  # compiled at its first run, for the layouts that it meets
            continue
        constants = _constants(catalogue, plan)
        yield plan, constants
        if integers:
            yield plan, constants | {name: Access("float64") for name in integers}


def _constants(catalogue: Catalogue, plan: Plan) -> dict[str, Access]:
    """How a launch meets the constants that no array is given for."""
    declared = catalogue.constants
    read = (declared[name] for name in plan.inputs if name in declared)
    return {constant.name: Access(constant.dtype, constant=True) for constant in read}


# ---- what the command prints ------------------------------------------------------------------


def build_report(
    archs: Sequence[str],
    counts: Sequence[int],
    options: Mapping[str, Any],
    kij: bool,
    outputs: Sequence[str],
    leading: bool,
) -> str:
    """`bridge kernels build`."""
    if not archs:
        raise ArgumentError("--arch", "nothing", "GPU architectures, such as --arch sm_90")
    if not counts:
        raise ArgumentError("--ns", "nothing", "numbers of species, such as --ns 4 16")
    number = build(archs, counts, options=options, kij=kij, outputs=outputs, leading=leading)
    report = f"{number} sources compiled for {' '.join(archs)} in {cache.folder()}"
    skipped = _at_first_run(Catalogue.installed(), counts[0])
    if skipped:
        report += f"\nskipped, compiled at their first run: {', '.join(skipped)}"
    return report


def _at_first_run(catalogue: Catalogue, ns: int) -> list[str]:
    """Kernels and composites whose launches depend on the arrays that they meet: they read
    neighbours, or have an order of points."""
    single = (catalogue.single(kernel, ns) for kernel in catalogue.kernels)
    whole = (catalogue.composite_plan(one, ns) for one in catalogue.composites.values())
    return [plan.name for plan in chain(single, whole) if plan.around or plan.ordered]


def resources_table(
    archs: Sequence[str], counts: Sequence[int], options: Mapping[str, Any], kij: bool
) -> str:
    """`bridge kernels --resources`: registers per thread, and what else a kernel takes."""
    from tabulate import tabulate

    archs, counts = archs or ARCHITECTURES, counts or SPECIES_COUNTS
    table: dict[str, list[str]] = {}
    for one in resources(archs, counts, options=options, kij=(kij,)):
        used = one.resources
        text = f"{used.registers}"
        if used.stack or used.spill_stores or used.spill_loads:
            text += f" +{used.stack} B stack, {used.spill_stores + used.spill_loads} B spilled"
        table.setdefault(one.what, []).append(text)
    headers = ("registers per thread", *(f"{arch} NS={ns}" for arch in archs for ns in counts))
    return tabulate([[what, *cells] for what, cells in table.items()], headers)
