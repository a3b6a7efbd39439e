"""`bridge bench port`: ported kernels against their originals, one thread of each.

The original is compiled by gfortran -O3 -march=native and the user's flags. A procedure of one
point is called point after point from another source, a nest runs as it stands; the kernels run
through bound arrays. Nothing is timed where the two do not agree.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bridge.backends.host.library import choose
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.report import Report, Row, progress
from bridge.plan import packbuild, verified
from bridge.progress import waiting
from bridge_port.check import states
from bridge_port.check.command import groups, place_of
from bridge_port.check.machines import chosen, targets
from bridge_port.check.procedures import Asked
from bridge_port.options import Table, complete
from bridge_port.refusal import Refused
from bridge_port.request import of_words
from bridge_port.speed import shipped
from bridge_port.speed.measured import GPU, KERNEL, ORIGINAL, RESIDENT, Measured, Said
from bridge_port.speed.nests import NestRace
from bridge_port.speed.options import FLAGS, OWN
from bridge_port.speed.procedures import ProcedureRace

#: Points of procedures, and of nests.
POINTS, BOX = 4096, 64**3
#: Below it a port is slower than its original.
EVEN = 0.9
#: Seconds that a point or the compilation of a program may take.
LIMIT = 60.0


def measure(given: argparse.Namespace) -> Report:
    """A row for each way of each port: ns per point, how many times faster than the original."""
    own, given = given, complete(given, Table(), OWN)
    for file in given.setup:
        if not Path(file).is_file():
            raise ArgumentError("--setup", file, "a file that is there")
    states.parsed(given.range)
    where = _targets(given.isa, given.backend)
    report = Report(f"Ports against their originals, one thread, gfortran {FLAGS} {given.fflags}")
    found: list[Measured] = []
    said = Said(where)
    with _packs(given) as folders:
        for folder, ranges, setup in folders:
            found += _of_pack(own, where, folder, ranges, setup, said)
    for one in found:
        _rows(report, one, where)
    report.summary = text(found)
    return report


def _targets(isa: str | None, backend: str | None) -> tuple[str, ...]:
    """The best instruction set or the one that is asked for, and the GPU where there is one."""
    cpu = choose(isa).isa
    if backend == "cpu":
        return (cpu,)
    if backend == "cuda":
        return chosen(("cuda",))
    return (cpu, *(one for one in targets() if one == "cuda"))


@contextmanager
def _packs(
    given: argparse.Namespace,
) -> Iterator[list[tuple[Path, Sequence[str], Sequence[str]]]]:
    """Folders, and of shipped packs ranges and sources that fill data of modules."""
    if given.packs:
        for one in given.packs:
            if not verified.read(Path(one)):
                raise ArgumentError("PACK", one, f"a pack with a {verified.FILE}")
        yield [(Path(one), (), ()) for one in given.packs]
        return
    with tempfile.TemporaryDirectory(prefix="bridge-bench-port-") as place:
        written = shipped.write(Path(place), given.fortran_stub, given.kernel)
        yield [(one, shipped.RANGES, setup) for one, setup in written]


def _of_pack(
    own: argparse.Namespace, where: tuple[str, ...], folder: Path, ranges: Sequence[str],
    setup: Sequence[str], said: Said,
) -> list[Measured]:  # fmt: skip
    """own: what the command line gives."""
    before, given = verified.read(folder), complete(own, Table(), OWN)
    names = {one.name for one in before}
    known = [name for name in given.kernel if name in names]
    if given.kernel and not known and len(given.packs) == 1:
        raise ArgumentError("--kernel", given.kernel[0], f"one of {', '.join(sorted(names))}")
    for _ in packbuild.build([folder], isas=[one for one in where if one != "cuda"] or ["v3"]):
        pass
    found = []
    with tempfile.TemporaryDirectory(prefix="bridge-bench-port-") as shared:
        every = groups(before, known)
        for number, group in enumerate(every, 1):
            given = complete(own, Table.read(folder, group[0].asked[0]), OWN)
            flags = " ".join(word for word in (group[0].flags, FLAGS, given.fflags) if word)
            values = states.parsed([*ranges, *given.range])
            asked = Asked(folder, Path(shared), 0, flags, where, values, tuple(given.states),
                          LIMIT, (*setup, *given.setup))  # fmt: skip
            what = f"{group[0].name} ({number} of {len(every)}): compiling, comparing, timing"
            with waiting(what, alone=False), place_of(given.keep, group[0].name) as place:
                one = _race(asked, group, place, given, said)
            progress(_line(one))
            found.append(one)
    return found


def _race(
    asked: Asked, group: list[verified.Ported], place: Path, given: argparse.Namespace, said: Said
) -> Measured:
    found = Measured(", ".join(one.name for one in group), "")
    try:
        request = of_words(group[0].asked, asked.folder)
        ported = request.ported()
        if {k.name for k in ported.kernels} != {one.name for one in group}:
            raise BridgeError("the original gives other kernels now: port it again")
        if ported.nest:
            asked.points = given.points or BOX
            found = NestRace(asked, request, ported, place, given.seconds, group).run()
        else:
            asked.points = given.points or POINTS
            found = ProcedureRace(asked, request, ported, place, given.seconds).run()
        said.of(found, request, ported)
    except Refused as refused:
        found.failure = str(refused)
    except BridgeError as error:
        found.failure = str(error)
    return found


# ---- what is said ------------------------------------------------------------------------------


def _rows(report: Report, one: Measured, where: Sequence[str]) -> None:
    for way in (KERNEL, GPU, RESIDENT):
        if way not in one.seconds:
            continue
        params: dict[str, Any] = {"kind": one.kind, "way": way, "points": one.points}
        if way == KERNEL:
            params["isa"] = where[0]
        if one.work is not None:
            params |= {"flops": one.work.flops, "bytes": one.work.read + one.work.written}
        if one.said is not None and way == KERNEL:
            said = one.said
            params["survey"] = [said.range.low, said.range.high]
            params["warned"] = "; ".join(said.slower)
        theirs = one.nanoseconds(f"{ORIGINAL} {way}")
        own = params | {"way": f"{ORIGINAL} ({way})"}
        report.rows.append(Row(one.name, own, theirs, "ns/point"))
        report.rows.append(
            Row(one.name, params, one.nanoseconds(way), "ns/point", ORIGINAL, one.ratio(way))
        )


def _line(one: Measured) -> str:
    if one.failure:
        return f"{one.name}: not timed: {one.failure}"
    words = [
        f"{way} {one.ratio(way):.2f}x" for way in (KERNEL, GPU, RESIDENT) if way in one.seconds
    ]
    return f"{one.name}: {', '.join(words)}"


def text(found: Sequence[Measured]) -> str:
    """The table; what was not timed, or is slower than its original; the median and the worst."""
    from tabulate import tabulate

    timed = [one for one in found if one.seconds]
    lines = []
    for one in timed:
        way = KERNEL if KERNEL in one.seconds else GPU
        line: dict[str, object] = {
            "kernel": one.name if len(one.name) < 40 else f"{one.name[:37]}...",
            "as": one.kind.partition(" ")[0], "points": one.points,
            "original ns": round(one.nanoseconds(f"{ORIGINAL} {way}"), 2),
        }  # fmt: skip
        for own in (KERNEL, GPU, RESIDENT):
            if own in one.seconds:
                line[f"{own} ns"] = round(one.nanoseconds(own), 2)
                line[own if own != KERNEL else "ratio"] = f"{one.ratio(own):.2f}x"
        if one.work is not None:
            line["flop"] = round(one.work.flops)
            line["bytes"] = one.work.read + one.work.written
        if one.said is not None:
            line["survey"] = one.said.text()
        lines.append(line)
    parts = [tabulate(lines, "keys")] if lines else []
    parts += [f"{one.name}: not timed: {one.failure}" for one in found if one.failure]
    compared = [one for one in timed if KERNEL in one.seconds]
    for one in sorted(compared, key=lambda o: o.ratio(KERNEL)):
        if one.ratio(KERNEL) >= EVEN:
            break
        words = "; ".join(one.said.slower) if one.said is not None else ""
        told = f"the survey says: {words}" if words else "the survey does not say so"
        parts.append(f"{one.name}: {one.ratio(KERNEL):.2f}x, slower than its original ({told})")
    if compared:
        ratios = [one.ratio(KERNEL) for one in compared]
        worst = min(compared, key=lambda o: o.ratio(KERNEL))
        parts.append(f"{len(compared)} timed, median {np.median(ratios):.2f}x, worst "
                     f"{worst.ratio(KERNEL):.2f}x ({worst.name})")  # fmt: skip
        inside = [one.said.range.holds(one.ratio(KERNEL)) for one in compared if one.said]
        parts.append(f"{sum(inside)} of {len(inside)} are in the range that the survey says")
    return "\n".join(parts)
