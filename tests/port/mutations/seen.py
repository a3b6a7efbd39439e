"""What the tests of the port see of a broken rule, in the order of what they cost.

Imported by run.py in a process in which the rule is broken already.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
import sharing
from port import nestpack, outlined, refusednests, test_types
from port.differential import Bench
from port.drivers import Case
from port.test_elements import NESTS as ELEMENT_NESTS
from port.test_nest_pack import ARRAYS, CARRIED, LISTS, NOBODY, TABLES, TOUCHED, VIEWS, WHOLES
from port.test_outline_refusals import lines_of
from port.test_outline_same import FIXED as FIXED_FORM
from port.test_outline_same import FREE
from port.test_paths import NESTS as PATH_NESTS
from port.test_refusals import NAMES as REFUSED
from port.test_refusals import wanted
from port.test_translate import CONSTRUCTS, FIXED, HELPERS, HERE, case, procedures

from bridge_port.kernel import PointProcedure
from bridge_port.nest import directives, outline
from bridge_port.output.module import module_text
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.syntax.units import Unit, every
from bridge_port.translate.translate import translate

DIFFERENTIAL, REFUSAL, TEXT, SURVIVED = "differential", "refusal", "text", "survived"
CANNOT = "cannot be made: "
CHUNKS = (2, 10, 1000)
#: Seconds of computing for one case, whose kernels take less than one.
ENDLESS = 20
TYPES = "types.f90"
#: The file of single rules first.
PROCEDURES = sorted(CONSTRUCTS, key=lambda file: file != "rules.f90") + [TYPES]
#: Nests of derived types, with the tests that check their packs.
PATHS = {
    "paths.f90": (PATH_NESTS, "test_paths.py"),
    "elements.f90": (ELEMENT_NESTS, "test_elements.py"),
}
NESTS = {"nests.f90": FREE, "nests.f": FIXED_FORM}
#: Nests that are packs alone.
PACKS = {
    "views.f90": VIEWS, "lists.f90": [*LISTS, *NOBODY], "arraystatements.f90": ARRAYS,
    "wholes.f90": WHOLES, "touched.f90": TOUCHED, "tables.f90": TABLES, "carried.f90": CARRIED,
}  # fmt: skip
#: Rooms and files whose rules show in nests and in procedures.
OF_BOTH = ("translate/wrapper.py", "translate/hostdata.py")
#: Rooms that no text of a kernel depends on.
BESIDE = ("survey", "check")
#: What is left where nothing else saw it, by room.
FEW = ["test_syntax.py", "test_text.py", "test_lines.py", "test_expressions.py", "test_scopes.py"]
OF_NAMES = [
    *FEW, "test_texts.py", "test_translate.py::test_single_precision_is_told", "test_stopping.py",
    "test_deferred.py", "test_inside.py", "test_equivalences.py", "test_saidprocedures.py",
    "test_seeninside.py", "test_ownfunctions.py", "-k", "not against_the_original",
]  # fmt: skip
OF_NESTS = [
    "test_afterwards.py", "test_ownfunctions.py", "test_outline.py", "test_outline_refusals.py",
    "test_presence.py", "test_paths.py", "test_survey_statements.py", "test_called_nests.py",
    "test_whole_arrays.py", "test_elements.py", "test_touched.py", "-k",
    "not give_what and not bind_stops and not bind_refuses and not kernels_give and not built "
    "and not against_the_original",
]  # fmt: skip
TEXTS = {
    "source": [*FEW, "test_folders.py", "test_included.py", "-k", "not check_compiles"],
    "syntax": [*FEW, "test_locality.py"],
    "semantic": OF_NAMES,
    "program": OF_NAMES,
    "translate": ["test_translate.py::test_single_precision_is_told", "test_texts.py",
                  "test_stopping.py", "test_deferred.py", "test_outside.py", "test_inside.py",
                  "test_assigned.py", "test_allocated.py", "test_pointers.py",
                  "test_saidprocedures.py", "test_deferred_scalars.py",
                  "test_merged_tables.py", "test_long_names.py", "-k",
                  "not against_the_original"],
    "analysis": OF_NESTS,
    "nest": OF_NESTS,
    "output": ["test_nest_pack.py::test_two_points_of_a_list_that_are_one_element",
               "test_lists.py", "test_deferred_scalars.py",
               "test_check.py::test_other_kinds_of_integers_and_logicals",
               "test_seeninside.py", "test_runs.py", "test_catalogue.py", "test_units.py",
               "test_called_nests.py", "test_whole_arrays.py", "test_elements.py",
               "test_touched.py", "test_long_names.py", "test_stale.py", "-k",
               "not give_what and not gives_the_bits and not give_the_same and not built "
               "and not of_a_form and not the_check_fills and not given_before"],
    "survey": ["test_survey.py", "test_survey_gains.py", "test_presence.py",
               "test_survey_statements.py", "test_survey_calls.py", "test_survey_unended.py",
               "test_survey_faults.py", "test_deferred.py", "-k",
               "not originals and not against_the_original"],
    "check": ["test_comparing.py", "test_extract.py", "test_check_nan.py", "test_units.py",
              "test_lists.py", "test_folders.py",
              "test_check.py::test_other_kinds_of_integers_and_logicals",
              "test_check.py::test_a_module_variable_of_one_value",
              "-k", "not give_the_same and not the_check_fills"],
}  # fmt: skip


# ---- What is translated


class Made:
    """Everything that the differential tests translate. texts: by name of the case."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.cases: dict[str, list[Case]] = {file: [] for file in PROCEDURES}

    def procedures(self, file: str) -> None:
        program = Program([HERE / "constructs" / file])
        if file == TYPES:
            for unit in every(program.units):
                if unit.kind in ("subroutine", "function") and unit.name != "setoptions":
                    self.add(file, unit.name, partial(typed, program, unit))
            return
        for unit in procedures(program, HELPERS.get(file, ())):
            self.add(file, unit.name, partial(case, program, unit, FIXED.get(unit.name)))

    def nests(self) -> None:
        for file, cases in NESTS.items():
            program = Program([HERE / file])
            for one in cases:
                self.text(f"{file} {one.unit}", partial(outlined.ported, program, one))
                self.text(f"pack {file} {one.unit}", partial(packed, program, one))
        for file, cases in PACKS.items():
            program = Program([HERE / file])
            for one in cases:
                self.text(f"pack {file} {one.unit}", partial(packed, program, one))
        for file, (names, _) in PATHS.items():
            program = Program([HERE / file])
            for name in names:
                self.text(f"{file} {name}", partial(of_paths, program, name))

    def text(self, name: str, make: Callable[[], str]) -> None:
        try:
            self.texts[name] = make()
        except Exception as problem:
            self.texts[name] = CANNOT + repr(problem)[:200]

    def add(self, file: str, name: str, make: Callable[[], Case]) -> None:
        def text() -> str:
            one = make()
            self.cases[file].append(one)
            kernel = one.kernel
            return f"{kernel.text}{kernel.inputs}{kernel.outputs}{kernel.constants}{kernel.tables}"

        self.text(f"{file} {name}", text)


def typed(program: Program, unit: Unit) -> Case:
    kernel = test_types.kernel(program, unit.name)
    return Case(unit, kernel, program, types=test_types.TYPES.get(unit.name, {}))


def packed(program: Program, one: outlined.Case) -> str:
    its = nestpack.kernels(program, one)
    module = module_text(one.unit, program.find(one.unit), program, its)
    return "\n".join(
        [module, nestpack.catalogue({one.unit: its}), *(kernel.text for kernel in its)]
    )


def of_paths(program: Program, name: str) -> str:
    for unit in every(program.units):
        lines = directives(unit).get(name)
        if lines is not None:
            its = [translate(program, one) for one in outline(program, unit, *lines, name=name)]
            return module_text(name, unit, program, its) + "".join(one.text for one in its)
    raise AssertionError(name)


def refusals() -> Iterator[tuple[str, str]]:
    """(name, "" where a refusal is as its test wants it)."""
    programs: dict[Path, Program] = {}
    for source, name in REFUSED:
        try:
            program = programs.setdefault(source, Program([source]))
            unit = program.find(name)
            translate(program, PointProcedure(name, unit, unit.place))
            yield name, "translated"
        except Refused as refused:
            said = refused.refusal
            line, words = wanted(source, name)
            good = words in f"{said.construct}: {said.why}" and said.place.line == line
            yield name, "" if good else f"{said.place.line} {said.construct}: {said.why}"
        except Exception as problem:
            yield name, repr(problem)


def refused_nests(folder: Path) -> Iterator[tuple[str, str]]:
    for name, (body, words) in sorted(refusednests.BODIES.items()):
        file = folder / f"{os.getpid()}.f90"
        file.write_text(
            refusednests.HEAD + "  s = s\n" + body.lstrip("\n") + "\n" + refusednests.TAIL
        )
        try:
            program = Program([file])
            outline(program, program.find("nest"), *lines_of(program), name="point")
            yield name, "outlined"
        except Refused as refused:
            text = str(refused)
            marked = [n for n, line in enumerate(file.read_text().splitlines(), 1)
                      if "!<<" in line]  # fmt: skip
            good = all(word in text for word in words) and (
                not marked or refused.refusal.place.line == marked[0]
            )
            yield name, "" if good else text
        except Exception as problem:
            yield name, repr(problem)
        finally:
            file.unlink()


def prepared(folder: Path) -> dict[str, str]:
    """Texts of unbroken rules; the originals are compiled into the folder."""
    sharing.base = folder / "shared"
    sharing.base.mkdir()
    made = Made()
    for file in PROCEDURES:
        made.procedures(file)
    made.nests()
    bad = [name for name, text in made.texts.items() if text.startswith(CANNOT)]
    bad += [name for name, said in (*refusals(), *refused_nests(folder)) if said]
    assert not bad, bad
    for file in PROCEDURES:
        bench(folder / file.replace(".", "_"), file, made.cases[file], ())
    return made.texts


def bench(folder: Path, file: str, cases: Sequence[Case], machines: Sequence[str]) -> Bench:
    setup = ("use fluids, only: setoptions", "call setoptions()") if file == TYPES else (
        "", "")  # fmt: skip
    return Bench(folder, [HERE / "constructs" / file], cases, 3, setup, machines=machines)


class Again(Bench):
    """Kernels against an original that is there."""

    optimised = "-O0"

    def __init__(self, original: Path, folder: Path, cases: Sequence[Case], machine: str) -> None:
        self.folder, self.cases, self.ns = folder, list(cases), 3
        folder.mkdir(parents=True, exist_ok=True)
        self.original = ctypes.CDLL(str(original))
        if hasattr(self.original, "zz_setup"):
            self.original.zz_setup()
        self.machines = {machine: self.compiled(machine)}


# ---- What is seen

#: What translates, what compares cases whose texts differ, what is refused.
Stage = tuple[
    Callable[[], None],
    Callable[[Sequence[str]], str],
    Callable[[], Iterator[tuple[str, str]]],
]


def nothing_made() -> None:
    pass


def nothing_seen(changed: Sequence[str]) -> str:
    return ""


def nothing_refused() -> Iterator[tuple[str, str]]:
    yield from ()


def seen(file: str, unbroken: Mapping[str, str], folder: Path) -> tuple[str, str]:
    sharing.base = folder / "shared"
    room = file.partition("/")[0]
    made = Made()
    own = folder / f"of_{os.getpid()}"
    own.mkdir()

    def changed() -> list[str]:
        return [name for name, text in made.texts.items() if unbroken[name] != text]

    stages: list[Stage] = []
    if room not in ("nest", "output", *BESIDE):
        for source in PROCEDURES:
            compared_ = partial(kernels_seen, made, source, folder=folder, own=own)
            stages.append((partial(made.procedures, source), compared_, nothing_refused))
        stages.append((nothing_made, nothing_seen, refusals))
    if room not in ("translate", *BESIDE) or file in OF_BOTH:
        stages.append((made.nests, partial(nests_seen, own=own), partial(refused_nests, folder)))
    for make, compare, refuse in stages:
        try:
            make()
        except Exception as problem:
            return DIFFERENTIAL, f"the sources cannot be read: {problem!r}"
        for name, text in made.texts.items():
            if text.startswith(CANNOT):
                return DIFFERENTIAL, f"{name} {text}"
        found = compare(changed())
        if found:
            return DIFFERENTIAL, found
        for name, said in refuse():
            if said:
                return REFUSAL, f"{name} {said[:100]}"
    for file, (_, test) in PATHS.items():
        if any(name.startswith(file) for name in changed()):
            found = pytest_sees([test, "-k", "kernels_give"])
            if found:
                return DIFFERENTIAL, found
    found = pytest_sees(TEXTS[room])
    if found:
        return DIFFERENTIAL if "original" in found else TEXT, found
    return SURVIVED, f"{len(changed())} texts differ {changed()[:4]}"


def kernels_seen(made: Made, file: str, changed: Sequence[str], folder: Path, own: Path) -> str:
    """The first difference of a kernel of one file from its original."""
    waiting = [one for one in made.cases[file] if f"{file} {one.unit.name}" in changed]
    waiting.sort(key=lambda one: len(one.kernel.text))
    for machine in ("lanes", "scalar"):
        begin = 0
        for size in CHUNKS:
            chunk, begin = waiting[begin : begin + size], begin + size
            found = compared(file, chunk, machine, folder, own / f"{machine}{begin}{file}")
            if found:
                return found
    return ""


def compared(file: str, cases: Sequence[Case], machine: str, folder: Path, place: Path) -> str:
    if not cases:
        return ""
    try:
        again = Again(folder / file.replace(".", "_") / "original.so", place, cases, machine)
    except Exception as problem:
        names = [one.unit.name for one in cases]
        return f"{file} {names}: does not compile {str(problem)[-200:]!r}"
    for one in cases:
        signal.setitimer(signal.ITIMER_PROF, ENDLESS)
        differences = again.differences(one, points=103 if file == TYPES else 203)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if differences:
            return f"{file} {one.unit.name}: {len(differences)} values differ"
    return ""


def nests_seen(changed: Sequence[str], own: Path) -> str:
    for file, cases in NESTS.items():
        these = [one for one in cases if f"{file} {one.unit}" in changed]
        if these:
            place = own / f"nests{file}"
            place.mkdir()
            try:
                found = outlined.compare(place, HERE / file, these)
            except Exception as problem:
                return f"{file} {[one.unit for one in these]}: {str(problem)[:100]!r}"
            for name, differences in found.items():
                if not all(d < 1e-12 for d in differences.values()):
                    return f"{file} {name}: {differences}"
    sources: dict[Path, Sequence[outlined.Case]] = {}
    for file, cases in {**NESTS, **PACKS}.items():
        these = [one for one in cases if f"pack {file} {one.unit}" in changed]
        if these:
            sources[HERE / file] = these[:6]
    if sources:
        place = own / "nestpack"
        place.mkdir()
        try:
            results = nestpack.differences(place, sources)
        except Exception as problem:
            return f"pack: {str(problem)[:200]!r}"
        for name, values in results.items():
            if not max(v for k, v in values.items() if not k.isupper()) < 1e-10:
                return f"pack {name}: {values}"
            if name in [case.unit for case in NOBODY]:
                continue
            if "COMPARED" in values and not values["COMPARED"] < 1e-10 < values["MISSED"]:
                return f"pack {name}: {values}"
    return ""


def pytest_sees(words: Sequence[str]) -> str:
    """The first test that fails."""

    class Failures:
        found = ""

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed and not self.found:
                self.found = report.nodeid

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.failed and not self.found:
                self.found = report.nodeid

    failures = Failures()
    files = [str(HERE / word) if word.startswith("test_") else word for word in words]
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files],
                    plugins=[failures])  # fmt: skip
    return failures.found
