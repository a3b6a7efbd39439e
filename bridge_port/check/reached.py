"""Of modules, what the procedures of a kernel reach by names.

A module of a large code has hundreds of variables and uses other modules for all of its
procedures. A statement of its specification part is reached if it declares a name that a procedure
of the kernel has, or that another such statement has. Words of the text count as names: what
stands there without need stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from bridge_port.output.fortran import Asked
from bridge_port.program.program import Program
from bridge_port.source.folders import Folders
from bridge_port.source.lines import Line, read
from bridge_port.syntax.units import Unit, Use

#: Modules that a compiler has.
INTRINSIC = re.compile(r"iso_c_binding|iso_fortran_env|ieee_\w+|omp_lib")
_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|([a-z]\w*)")
_TYPE = re.compile(r"type(?:\s*,.*::\s*|\s*::\s*|\s+)(\w+)$")
_BLOCK = re.compile(r"(?:abstract\s+)?interface\b")
_PROCEDURE = re.compile(r"\b(?:subroutine|function)\s+(\w+)")
#: What says nothing of a name, or what all of them need.
_GENERAL = re.compile(r"(implicit|private|public|import|contains|use|save$|#)")
_USE = re.compile(r"use\b(?!\s*[=(%])")
#: Of a text that is no file of the program.
_USED = re.compile(r"(?im)^[ \t]*use\b[^:\n!]*?\b(\w+)[ \t]*(,[ \t]*only[ \t]*:.*)?$")
_NAMELIST = re.compile(r"/\s*(\w+)\s*/")


@dataclass
class _Statement:
    """Of a specification part, a type or an interface as a whole. lines: first and last; names:
    that it declares, None where it is kept in any case; words: of its text."""

    lines: tuple[str, int, int]
    names: set[str] | None
    words: set[str]
    reached: bool = False


@dataclass
class _Module:
    statements: list[_Statement]
    asked: set[str] = field(default_factory=set)


class Reached:
    """wanted: the procedures of a kernel; request: how the files are read; beside: what is
    compiled with them, which uses modules as well."""

    def __init__(
        self, program: Program, wanted: Sequence[Unit], request: Any, beside: Iterable[Asked] = ()
    ) -> None:
        self.program, self.wanted, self.request = program, wanted, request
        self._folders = Folders(request.folders)
        self._lines: dict[str, list[Line]] = {}
        self._modules: dict[int, _Module] = {}
        self._staying: set[int] = set()
        self._words = {id(unit): words(self.text(unit)) for unit in wanted}
        for unit in wanted:
            self._from(unit, self._words[id(unit)])
        for one in beside:
            for use in one.used():
                if use.module in program.modules:
                    asked = " ".join(use.names) or str(one)
                    self._ask(program.modules[use.module], set(re.findall(r"\w+", asked.lower())))

    def asks(self, unit: Unit, use: Use) -> set[str]:
        """Names that a procedure of the kernel, or a module, asks of what it uses."""
        known = self._words.get(id(unit))
        if known is None:
            known = self._module(unit).asked
        return _through(use, known)

    def gives(self, module: Unit, known: set[int] | None = None) -> bool:
        """Whether a module has, or passes on, something that is reached."""
        known = set() if known is None else known
        if id(module) in known:
            return False
        known.add(id(module))
        own = self._module(module)
        if id(module) in self._staying or any(one in self.wanted for one in module.units):
            return True
        if not own.asked or any(one.reached for one in own.statements):
            return bool(own.asked)
        used = (self.program.modules.get(use.module) for use in module.uses)
        return any(self.gives(one, known) for one in used if one is not None)

    def files(self) -> set[str]:
        """That have statements of modules, included ones as well."""
        return {one.lines[0] for m in self._modules.values() for one in m.statements}

    def left_out(self, module: Unit) -> Iterator[tuple[str, int, int]]:
        """File, first and last line of statements that nothing reaches."""
        # What one module reaches of an included file another one may have as well.
        kept = {one.lines for m in self._modules.values() for one in m.statements if one.reached}
        for one in self._module(module).statements:
            if not one.reached and one.names is not None and one.lines not in kept:
                yield one.lines

    def text(self, unit: Unit) -> list[Line]:
        """Its statements, those of included files as well, but for the use of modules."""
        own = self._of(unit)
        file, last = unit.place.file, unit.place.last
        ends = (k for k, one in enumerate(own)
                if one.place.file == file and one.place.line >= last)  # fmt: skip
        return [one for one in own[: next(ends, len(own)) + 1] if not _USE.match(one.text)]

    def _of(self, unit: Unit) -> list[Line]:
        """Statements from its first one on."""
        top = unit
        while top.parent is not None:
            top = top.parent
        files = self.program._files.items()
        file = next(f for f, units in files if any(one is top for one in units))
        if file not in self._lines:
            r = self.request
            self._lines[file] = read(file, fixed=r.fixed, width=r.width, folders=self._folders,
                                     defines=r.defines)  # fmt: skip
        lines = self._lines[file]
        place = unit.place
        begins = (k for k, one in enumerate(lines)
                  if (one.place.file, one.place.line) == (place.file, place.line))  # fmt: skip
        return lines[next(begins, len(lines)) :]

    # ---- what is reached ----------------------------------------------------------------------

    def _from(self, unit: Unit, names: set[str]) -> None:
        for use in unit.uses:
            module = self.program.modules.get(use.module)
            if module is None:
                continue
            asked = _through(use, names)
            if use.place.file != unit.place.file:
                # It stays: other units include the same file.
                self._staying.add(id(module))
                asked |= set((use.names or {}).values())
            self._ask(module, asked)
        for around in (unit.parent, self.program.host(unit)):
            if around is None:
                continue
            if around.kind in ("module", "submodule"):
                self._ask(around, names)
            else:
                self._from(around, names | words(self.text(around)))

    def _ask(self, unit: Unit, names: set[str]) -> None:
        module = self._module(unit)
        new = names - module.asked
        if not new:
            return
        module.asked |= new
        again = True
        while again:
            again = False
            for one in module.statements:
                if not one.reached and (one.names is None or one.names & module.asked):
                    one.reached = again = True
                    module.asked |= one.words
        self._from(unit, set(module.asked))

    def _module(self, unit: Unit) -> _Module:
        if id(unit) not in self._modules:
            self._modules[id(unit)] = _Module(list(self._statements(unit)))
        return self._modules[id(unit)]

    def _statements(self, unit: Unit) -> Iterator[_Statement]:
        declared: dict[tuple[str, int], set[str]] = {}
        for d in unit.declarations:
            declared.setdefault((d.place.file, d.place.line), set()).add(d.name)
        lines = self.specification(unit)
        at = 0
        while at < len(lines):
            first = lines[at]
            end = _end(lines, at)
            group = lines[at : end + 1]
            at = end + 1
            if _GENERAL.match(first.text):
                continue
            if first.fixed:  # blanks mean nothing there
                yield _Statement(_span(group), None, words(group))
                continue
            if len(group) > 1 and self._lacks_module(group):
                names: set[str] | None = set()
            elif len(group) > 1:
                names = _of_block(group)
            elif first.text.startswith("namelist"):
                names = set(_NAMELIST.findall(first.text))
            else:
                names = declared.get((first.place.file, first.place.line)) or words(group)
            yield _Statement(_span(group), names, words(group))

    def _lacks_module(self, block: Sequence[Line]) -> bool:
        """Whether procedures of an interface use a module that is not given."""
        uses = (_USED.match(one.text) for one in block if _USE.match(one.text))
        return any(
            found is not None
            and found[1] not in self.program.modules
            and not INTRINSIC.fullmatch(found[1])
            for found in uses
        )

    def specification(self, unit: Unit) -> list[Line]:
        """Statements of a module in front of its procedures."""
        found: list[Line] = []
        for one in self._of(unit)[1:]:
            if one.text == "contains" and not _open_type(found):
                break
            if one.place.file == unit.place.file and one.place.line >= unit.place.last:
                break
            found.append(one)
        return found


def _open_type(lines: Sequence[Line]) -> bool:
    """Whether a type begins in these lines and does not end there."""
    for one in reversed(lines):
        if re.match(r"end\s*type", one.text):
            return False
        if _TYPE.match(one.text):
            return True
    return False


def _end(lines: Sequence[Line], at: int) -> int:
    """Index of the last line of what begins at one."""
    text = lines[at].text
    word = "type" if _TYPE.match(text) else "interface" if _BLOCK.match(text) else ""
    word = word or ("enum" if re.match(r"enum\s*,", text) else "")
    if word:
        for k in range(at + 1, len(lines)):
            if re.match(rf"end\s*{word}\b", lines[k].text):
                return k
    end = at
    while end + 1 < len(lines) and lines[end + 1].place == lines[at].place:  # behind a semicolon
        end += 1
    return end


def _of_block(group: Sequence[Line]) -> set[str] | None:
    """Names that a type, an interface or an enum gives."""
    first = group[0].text
    if found := _TYPE.match(first):
        return {found[1]}
    if found := _BLOCK.match(first):
        name = first[found.end() :].strip()
        if name and not name.isidentifier():
            return None  # of an operator
        inside = (_PROCEDURE.search(one.text) for one in group)
        names = {one[1] for one in inside if one is not None}
        return names | ({name} if name else set())
    return words(group)


def _span(group: Sequence[Line]) -> tuple[str, int, int]:
    first, last = group[0].place, group[-1].place
    return first.file, first.line, max(last.line, last.last)


def words(lines: Sequence[Line]) -> set[str]:
    """Of these texts, but for those of strings."""
    return {m[1] for one in lines for m in _WORD.finditer(one.text.lower()) if m[1]}


def _through(use: Use, names: set[str]) -> set[str]:
    """As the module names them."""
    if use.names is not None:
        return {name for own, name in use.names.items() if own in names or not own.isidentifier()}
    return names | {name for own, name in use.renames.items() if own in names}
