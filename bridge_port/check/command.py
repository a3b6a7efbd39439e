"""`bridge port --check`: the kernels of a pack against their originals."""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from bridge.errors import ArgumentError, BridgeError
from bridge.plan import packbuild, packs, verified
from bridge.progress import waiting
from bridge_port.check import states
from bridge_port.check.machines import chosen
from bridge_port.check.nests import NestCheck
from bridge_port.check.nesttext import Nest
from bridge_port.check.procedures import Asked, ProcedureCheck
from bridge_port.check.results import Result
from bridge_port.check.states import Range, names_of
from bridge_port.options import Named, Table, complete, refuse
from bridge_port.output import pack
from bridge_port.refusal import Refused
from bridge_port.request import Ported, Request, of_words
from bridge_port.syntax.units import every


def check(own: argparse.Namespace) -> int:
    """own: what the command line gives."""
    folder = Path(own.check)
    given = complete(own, Table.read(folder))
    before = verified.read(folder)
    if not before:
        raise ArgumentError("--check", str(folder), f"a pack with a {verified.FILE}")
    names = {one.name for one in before}
    for name in given.kernel:
        if name not in names:
            raise ArgumentError("--kernel", name, f"one of {', '.join(sorted(names))}")
    targets = chosen(given.isa)
    on_cpu = [target for target in targets if target != "cuda"]
    for one in packbuild.build([folder], isas=on_cpu or packs.TARGETS):
        if one.new and not given.json:
            print(f"{one.path.name}: built")
    results = []
    with waiting("reading the originals", alone=False):
        sources = [_read(folder, group, own) for group in groups(before, given.kernel)]
    _refuse_ranges(sources)
    with tempfile.TemporaryDirectory(prefix="bridge-check-") as shared:
        for number, source in enumerate(sources, 1):
            group = source.group
            asked = _asked(source, folder, Path(shared), targets)
            what = f"checking {group[0].name} ({number} of {len(sources)})"
            with waiting(what, alone=False), place_of(given.keep, group[0].name) as place:
                result = _checked(asked, source, place)
            results.append(result)
            if not given.json:
                print(result.text(), flush=True)
            _note(folder, source, result, asked.flags)
    passed = all(one.passed for one in results)
    if given.json:
        listed = [one.json() for one in results]
        print(json.dumps({"status": "same" if passed else "differs", "kernels": listed}, indent=1))
    else:
        number = sum(one.passed for one in results)
        print(f"{number} of {len(results)} verified on {', '.join(targets)}")
    return 0 if passed else 1


def groups(before: Sequence[verified.Ported], names: Sequence[str]) -> list[list[verified.Ported]]:
    """Kernels of one nest together."""
    found: dict[tuple[str, ...], list[verified.Ported]] = {}
    for one in before:
        found.setdefault(one.asked or (one.name,), []).append(one)
    return [group for group in found.values()
            if not names or any(one.name in names for one in group)]  # fmt: skip


@dataclass
class _Source:
    """Kernels of one nest or procedure, and their original as it is now, or why there is none;
    given: options of its check; named: as `Table.named`; original, read: the pieces of source
    that decide them."""

    group: list[verified.Ported]
    given: argparse.Namespace
    ranges: dict[str, Range]
    named: Named
    request: Request | None = None
    ported: Ported | None = None
    original: list[verified.Original] = field(default_factory=list)
    read: list[verified.Original] = field(default_factory=list)
    failure: str = ""


def _asked(source: _Source, folder: Path, shared: Path, targets: tuple[str, ...]) -> Asked:
    given = source.given
    return Asked(folder, shared, given.points, given.fflags or source.group[0].flags,
                 targets, source.ranges, tuple(given.states), given.limit,
                 tuple(given.setup))  # fmt: skip


def _read(folder: Path, group: list[verified.Ported], own: argparse.Namespace) -> _Source:
    source = group[0].asked[0] if group[0].asked else ""
    table = Table.read(folder, source)
    given = complete(own, table)
    with table.named(own):
        if given.points < 1:
            raise ArgumentError("--points", given.points, "at least 1")
        if given.limit <= 0:
            raise ArgumentError("--limit", given.limit, "seconds")
        for file in given.setup:
            if not Path(file).is_file():
                raise ArgumentError("--setup", file, "a file that is there")
        found = _Source(group, given, states.parsed(given.range), partial(table.named, own))
    if not source:
        found.failure = f"{verified.FILE} does not say of what it was made: port it again"
        return found
    try:
        found.request = of_words(group[0].asked, folder)
        ported = found.request.ported()
        if {k.name for k in ported.kernels} != {one.name for one in group}:
            found.failure = "the original gives other kernels now: port it again"
            return found
        made = {file: sha for one in group for file, sha in one.made.items()}
        if not group[0].as_asked and any(pack.digest(k.text) != made.get(k.header)
                                         for k in ported.kernels):  # fmt: skip
            found.failure = f"its options in {verified.FILE} give another kernel: port it again"
            return found
        for k in ported.kernels:
            _same_arguments(folder, k.name, [*(q.name for q in k.inputs),
                            *(v.name for v in k.constants)], [q.name for q in k.outputs],
                            [t.name for t in k.tables])  # fmt: skip
        pieces = ported.pieces()
        found.original = pack.originals(folder, pieces.original)
        found.read = pack.originals(folder, pieces.read)
        found.ported = ported
    except BridgeError as error:
        found.failure = str(error)
    return found


def _refuse_ranges(sources: Sequence[_Source]) -> None:
    """ArgumentError for a name that none of the kernels has."""
    if any(source.ported is None for source in sources):
        return  # nobody knows its names
    known: set[str] = set()
    for source in sources:
        assert source.ported is not None and source.request is not None
        for k in source.ported.kernels:
            for one in (*k.inputs, *k.constants, *k.tables):
                known |= names_of(one).keys()
        if source.ported.nest:
            try:
                nest = Nest.of(source.ported, source.request.values, source.request.species)
            except Refused:
                return
            known |= {*nest.sizes, *nest.variables}
        if source.request.species:
            known.add(source.request.species.lower().rpartition("::")[2])
    for source in sources:
        with source.named():
            wanted = "an input of the kernels, or data of a module they read"
            refuse("--range", source.ranges, known, wanted)


def _checked(asked: Asked, source: _Source, place: Path) -> Result:
    group, ported, request = source.group, source.ported, source.request
    result = Result(", ".join(one.name for one in group), "nest" if len(group) > 1 else "kernel")
    result.failure = source.failure
    if ported is None or request is None:
        return result
    try:
        run = NestCheck if ported.nest else ProcedureCheck
        result = run(asked, request, ported, place).run()
        if not result.passed:
            result.notes += of_the_compiler(ported)
        return result
    except BridgeError as error:
        result.failure = str(error)
    source.ported = None
    return result


def of_the_compiler(ported: Ported) -> list[str]:
    """Where gfortran itself may be wrong: it takes names of associate for memory of their own."""
    places = {(p.file, p.line) for k in ported.kernels for p in k.places}
    units = [u for u in every(ported.program.units)
             if u is ported.unit or (u.place.file, u.place.line) in places]  # fmt: skip
    notes = {}
    for unit in units:
        for place, written, read in unit.overlaps:
            if not ported.nest or ported.first <= place.line <= ported.last:
                notes[place.line] = (
                    f"{Path(place.file).name}:{place.line}: {written} and {read} are names of one "
                    "variable here; where they overlap gfortran may write the first elements "
                    "before it has read the others: copy what is read"
                )
    return list(notes.values())


def _same_arguments(
    folder: Path, name: str, inputs: list[str], outputs: list[str], tables: list[str]
) -> None:
    from bridge.plan.catalogue import Catalogue, shipped_file

    catalogue = Catalogue.load([shipped_file(), folder / packs.CATALOGUE])
    own = catalogue.kernels[name]
    for kind, now, was in (("inputs", inputs, own.inputs), ("outputs", outputs, own.outputs)):
        if [str(x) for x in was] != now:
            raise BridgeError(f"the catalogue gives {name} the {kind} {', '.join(map(str, was))}, "
                              f"its original has {', '.join(now)}: port it again")  # fmt: skip


def _note(folder: Path, source: _Source, result: Result, flags: str) -> None:
    """What was verified, into port.toml; what failed is verified no more."""
    now = {one.name: one for one in verified.read(folder)}
    for one in source.group:
        if source.ported is None:
            now[one.name] = replace(one, verified={})
            continue
        new = verified.Ported.of(folder, one.name, one.header, source.original, flags,
                                 source.read, one.asked)  # fmt: skip
        new = replace(new, made=one.made)
        kept = {t: d for t, d in one.verified.items() if verified.digest(new, t) == d}
        new = replace(new, verified=kept)
        for machine in result.machines:
            if result.passed or (machine.passed and not result.failure):
                new = new.passed(machine.name)
            else:
                new.verified.pop(machine.name, None)
        if result.failure:
            new.verified.clear()
        now[one.name] = new
    verified.write(folder, list(now.values()))


@contextlib.contextmanager
def place_of(keep: str | None, name: str) -> Iterator[Path]:
    if keep:
        place = Path(keep) / name
        place.mkdir(parents=True, exist_ok=True)
        yield place.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="bridge-check-") as folder:
        yield Path(folder)
