"""Copies of the sources of an original in which lines are left out or changed; all others stay
where they are.

Where it does not compile as a whole, what the kernel was made of: a file of a large code uses
modules that nobody gave, in procedures that the kernel has nothing to do with. The procedures that
are not in the kernel are blank then, and so are the use of modules that are not given and
declarations that need them, and statements of modules that nothing of the kernel reaches
(`reached`). What the kernel is compared with stands there as it was written.

Where bounds are checked, dummies `x(1)` of old codes that have more elements are `x(*)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge_port.check.reached import INTRINSIC, Reached
from bridge_port.kernel import Kernel
from bridge_port.output.fortran import Asked
from bridge_port.program.program import Program
from bridge_port.program.symbols import Derived, Scope
from bridge_port.refusal import Place, Refused
from bridge_port.semantic import intrinsics
from bridge_port.source.folders import Folders
from bridge_port.source.lines import is_fixed
from bridge_port.source.physical import text_of, whole_directives
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.units import Declaration, Unit, Use, every
from bridge_port.translate.unended import is_open

_INCLUDE = re.compile(r"""[ \t]*#[ \t]*include[ \t]*["<]([^">]+)""")
_PUBLIC = re.compile(r"(?i)[ \t]*public[ \t]*(::.*|[ \t][a-z].*)?$")
_DEFERRED = re.compile(r"(?i)[ \t]*procedure[ \t]*\(\w*\)[ \t]*,[^:!]*\bdeferred\b[^:!]*::[^&;]*$")
_GENERIC = re.compile(r"(generic\b.*=>)([^>]*)$")
_TYPE = re.compile(r"(?i)([ \t]*type)(?=[ \t]*(?:,|::|[ \t]\w))")
_BOUND = re.compile(r"(?i)[ \t]*(?:module[ \t]+)?procedure[ \t]*(?:,[^:(]*)?(?:::)?[ \t]*[a-z]")


def extract(
    program: Program, kernels: Sequence[Kernel], request: Any, nest: Unit | None = None,
    beside: Iterable[Asked] = (),
) -> dict[str, str]:  # fmt: skip
    """File -> text, of all files of the program, and of those with procedures that they include.
    request: how the files are read; nest: the unit that the kernels are a nest of; beside: what
    is compiled with them."""
    kept = {(p.file, p.line) for kernel in kernels for p in kernel.places}
    if nest is not None:
        kept.add((nest.place.file, nest.place.line))
    units = list(every(program.units))
    wanted = [u for u in units if (u.place.file, u.place.line) in kept]
    wanted += [u for u in units if u.parent is not None and u.parent in wanted]
    needed = _needed(program, wanted)
    reached = Reached(program, wanted, request, beside)
    given = [unit for unit in needed if unit.kind == "submodule" or reached.gives(unit)]
    files = dict.fromkeys([*program._files, *(u.place.file for u in units), *reached.files()])
    lines = {file: _without_missing(Path(file), request) for file in files}
    called = _called(reached, wanted)
    blanked = _Blanked(program, lines, wanted, reached)
    for tops in program._files.values():
        for unit in tops:
            if unit.kind in ("module", "submodule") and unit in given:
                blanked.module(unit, wanted, called)
            elif unit not in wanted:
                blanked.blank(unit.place)
            else:
                blanked.uses(unit)
    return {file: "\n".join(text) for file, text in lines.items()}


def _without_missing(file: Path, request: Any) -> list[str]:
    """Lines of a file, without what the preprocessor would include and nobody gave."""
    folders = Folders(request.folders)
    fixed = is_fixed(file) if request.fixed is None else request.fixed

    def missing(line: str) -> bool:
        found = _INCLUDE.match(line)
        places = (file.parent, *folders)
        return found is not None and not (
            any((one / found[1]).is_file() for one in places) or folders.inside(found[1])
        )

    lines = whole_directives(file, text_of(file), fixed)
    return ["" if missing(line) else line for line in lines]


def _needed(program: Program, wanted: list[Unit]) -> list[Unit]:
    """Modules of these procedures, and those that they use."""
    found: list[Unit] = []
    waiting = list(wanted)
    while waiting:
        unit = waiting.pop()
        more = [program.modules[u.module] for u in unit.uses if u.module in program.modules]
        more += [unit.parent] if unit.parent is not None else []
        more += [host] if (host := program.host(unit)) is not None else []
        for one in more:
            if one not in found:
                found.append(one)
                waiting.append(one)
    return found


def _called(reached: Reached, wanted: list[Unit]) -> set[str]:
    """Names of components and of bindings in these procedures."""
    return {
        name
        for unit in wanted
        for one in reached.text(unit)
        for name in re.findall(r"%[ \t]*(\w+)", one.text.lower())
    }


class _Blanked:
    """lines: of all files."""

    def __init__(
        self, program: Program, lines: dict[str, list[str]], wanted: list[Unit], reached: Reached
    ) -> None:
        self.program, self.files, self.wanted, self.reached = program, lines, wanted, reached
        #: A generic name may stand for procedures of other modules.
        self.removed = {u.name for m in program.modules.values() for u in m.units}
        self.removed -= {u.name for u in wanted}
        self.lost: dict[str, set[str]] = {}

    def blank(self, place: Place) -> None:
        lines = self.files.get(place.file)
        if lines is None or not place.line:
            return
        for at in range(place.line - 1, min(max(place.last, place.line), len(lines))):
            if not lines[at].lstrip().startswith("#") or _INCLUDE.match(lines[at]):
                lines[at] = ""

    def module(self, unit: Unit, wanted: list[Unit], called: set[str]) -> None:
        for inner in unit.units:
            if inner in wanted:
                self.uses(inner)
            else:
                self.blank(inner.place)
        for file, first, last in self.reached.left_out(unit):
            self.blank(Place(file, first, last))
        for one in self.reached.specification(unit):
            file, at = one.place.file, one.place.line - 1
            lines = self.files.get(file, [])
            if at >= len(lines):
                continue
            if _PUBLIC.match(lines[at].partition("!")[0]):
                self.blank(Place(file, at + 1, _last(lines, at) + 1))
            elif _BOUND.match(lines[at]):
                lines[at] = _without(lines[at], self.removed)
            elif (found := _GENERIC.match(one.text)) and lines[at]:
                self.blank(one.place)
                lines[at] = _fewer(found, self._lost_bindings(unit))
            elif _DEFERRED.match(lines[at].partition("!")[0]):
                lines[at] = _without(lines[at], set(), called)
        for derived in self.program.derived_types():
            if derived.scope.unit is unit and self._unbound(derived, called):
                lines, at = self.files[derived.place.file], derived.place.line - 1
                lines[at] = _TYPE.sub(r"\1, abstract", lines[at], count=1)
        self.uses(unit)

    def _lost_bindings(self, module: Unit) -> set[str]:
        """Of the types of a module, those whose procedures are not there any more."""
        return {
            binding.name
            for one in module.types.values()
            for binding in one.bindings.values()
            if binding.target in self.removed
        }

    def _unbound(self, derived: Derived, called: set[str]) -> bool:
        """Whether a procedure that is deferred, and called here, is not there any more."""
        if derived.definition.abstract:
            return False
        deferred = {
            binding.name
            for one in derived.line
            for binding in one.definition.bindings.values()
            if not binding.target and not binding.specifics and binding.name in called
        }
        return any(self._lost(derived, name) for name in deferred)

    def _lost(self, derived: Derived, name: str) -> bool:
        for one in derived.line:
            binding = one.definition.bindings.get(name)
            if binding is not None and binding.target:
                if one.scope.procedure(binding.target) in self.wanted:
                    return False
        return True

    def uses(self, unit: Unit) -> None:
        """Without modules that are not given, and what needs them."""
        for use in unit.uses:
            if INTRINSIC.fullmatch(use.module):
                continue
            module = self.program.modules.get(use.module)
            if module is None or not self.reached.gives(module):
                self.blank(use.place)
                continue
            removed = {u.name for u in module.units if u not in self.wanted}
            removed |= {name for name, specifics in module.interfaces.items()
                        if specifics and self.removed >= set(specifics)}  # fmt: skip
            removed |= lost_names(self.program, module, self.lost)
            scope = self.program.scope(module)  # macros may decide on what it has
            known = module.interfaces.keys() | {u.name for u in module.units}
            removed |= {name for name in (use.names or {}).values()
                        if name not in known and not _is_given(scope, name)}  # fmt: skip
            removed |= set((use.names or {}).values()) - self.reached.asks(unit, use)
            self._only(use, removed)
        for one in unit.unread:
            if one.construct == "include":
                self.blank(one.place)
        if unit.kind == "module":
            lost = lost_names(self.program, unit, self.lost)
            for d in unit.declarations:
                if d.name in lost:
                    self.blank(d.place)

    def _only(self, use: Use, removed: set[str]) -> None:
        """A list of names of a module without the procedures that are not there any more."""
        lines = self.files.get(use.place.file)
        if lines is None or not removed & set((use.names or {}).values()):
            return
        kept = [own if own == name else f"{own} => {name}"
                for own, name in (use.names or {}).items() if name not in removed]  # fmt: skip
        at, last = use.place.line - 1, max(use.place.last, use.place.line)
        text = f"      use {use.module}, only: {', '.join(kept)}" if kept else ""
        if ";" not in "".join(lines[at:last]) and (
            len(text) <= 72 or not is_fixed(Path(use.place.file))
        ):
            self.blank(use.place)
            lines[at] = text


def _last(lines: Sequence[str], at: int) -> int:
    """The last line of a statement, of either form."""
    while at + 1 < len(lines) and (
        lines[at].partition("!")[0].rstrip().endswith("&")
        or re.match(r" {5}[^ 0!]", lines[at + 1])
    ):
        at += 1
    return at


def _fewer(generic: re.Match[str], lost: set[str]) -> str:
    """What a generic name of a type stands for, without these; nothing where none is left."""
    kept = [one for part in generic[2].split(",") if (one := part.strip()) not in lost]
    return f"{generic[1]} {', '.join(kept)}" if kept else ""


def _without(line: str, removed: set[str], kept_names: set[str] | None = None) -> str:
    """A line that names procedures, without those that are not there. kept_names: all that are
    left, where they are given."""
    head, mark, names = line.partition("::")
    if not mark:
        found = re.match(r"(?i)([ \t]*(?:module[ \t]+)?procedure)(.*)", line)
        assert found is not None
        head, names = found[1], found[2]
    parts = [part.strip() for part in names.partition("!")[0].split(",")]
    kept = [
        p
        for p in parts
        if p
        and p.rpartition("=>")[2].strip().lower() not in removed
        and (kept_names is None or p.lower() in kept_names)
    ]
    if len(kept) == len([p for p in parts if p]):
        return line
    return f"{head}{mark} {', '.join(kept)}" if kept else ""


def lost_names(program: Program, unit: Unit, known: dict[str, set[str]]) -> set[str]:
    """Names in a unit that modules give which are not there, and its declarations that need
    them. known: of modules."""
    if unit.kind == "module" and unit.name in known:
        return known[unit.name]
    lost: set[str] = set()
    if unit.kind == "module":
        known[unit.name] = lost
    for use in unit.uses:
        module = program.modules.get(use.module)
        if module is None and not INTRINSIC.fullmatch(use.module):
            lost |= set(use.names or ()) | set(use.renames)
        elif module is not None:
            theirs = lost_names(program, module, known)
            lost |= {own for own, name in (use.names or {}).items() if name in theirs}
            lost |= theirs if use.names is None else set()
    if unit.kind != "module":
        return lost
    if _is_open(program, unit, set()):  # whatever nothing else gives
        scope = program.scope(unit)
        named = {name for d in unit.declarations for name in _names(d)}
        lost |= {name for name in named if not _is_given(scope, name)}
    again = bool(lost)
    while again:
        again = False
        for d in unit.declarations:
            if d.name not in lost and lost & set(_names(d)):
                lost |= {o.name for o in unit.declarations if o.place == d.place}
                again = True
    return lost


def _is_open(program: Program, unit: Unit, known: set[str]) -> bool:
    """Whether a module that is not given may give any name."""
    for use in unit.uses:
        if use.names is not None or INTRINSIC.fullmatch(use.module) or use.module in known:
            continue
        known.add(use.module)
        module = program.modules.get(use.module)
        if module is None or _is_open(program, module, known):
            return True
    return False


def _is_given(scope: Scope, name: str) -> bool:
    if not name or name in intrinsics.NAMES:
        return True
    try:
        found = scope.find(name) is not None or scope.derived_if_given(name) is not None
    except Refused:
        return True  # declared, of a kind that is not known
    return found or scope.procedure(name) is not None


def _names(d: Declaration) -> Iterator[str]:
    if d.type is not None:
        yield d.type.name
    for e in d.expressions():
        yield from (p.id for p in e.walk() if isinstance(p, Name))


def without_ends(program: Program, kernel: Kernel, texts: Mapping[str, str]) -> dict[str, str]:
    """texts: of files that are not compiled as they are; the same, and those with such dummies."""
    places = {(place.file, place.line) for place in kernel.places}
    found: dict[str, list[str]] = {}
    for unit in every(program.units):
        if (unit.place.file, unit.place.line) not in places:
            continue
        names = _ones(program, unit)
        for d in unit.declarations:
            file = d.place.file
            if d.name not in names or d.dimensions is None:
                continue
            if file not in found:
                text = texts[file] if file in texts else text_of(Path(file))
                found[file] = text.split("\n")
            pattern = re.compile(rf"(?i)(\b{d.name}\s*\((?:[^()]*,)?\s*)1(\s*\))")
            for at in range(d.place.line - 1, max(d.place.line, d.place.last)):
                found[file][at] = pattern.sub(r"\1*\2", found[file][at])
    return {**texts, **{file: "\n".join(lines) for file, lines in found.items()}}


def _ones(program: Program, unit: Unit) -> set[str]:
    """Dummies with an end that is none."""
    names = set()
    for name in unit.arguments:
        try:
            symbol = program.scope(unit).find(name)
        except Refused:
            continue
        dimensions = symbol.dimensions if symbol is not None and is_open(symbol) else None
        if dimensions and dimensions[-1].upper is not None:
            names.add(name)
    return names
