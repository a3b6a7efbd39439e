"""The original of a procedure that stands inside another one.

Nothing outside can call it. So in a copy of the file a subroutine of the check stands behind the
unit around it: with the declarations that the procedure may see, statements that set these
variables, call it and read them, and the procedures inside that are in the kernel, as they stand
in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bridge_port.check.reached import INTRINSIC
from bridge_port.kernel import Kernel
from bridge_port.output.fortran import Specification
from bridge_port.program.program import Program
from bridge_port.program.symbols import PARAMETER, Symbol
from bridge_port.refusal import Refused
from bridge_port.source.lines import is_fixed
from bridge_port.source.physical import text_of
from bridge_port.syntax.units import Unit, Use


class Inside:
    """host: the unit around; variables: of it that are arguments of the kernel, by dummy; units:
    names of those whose data and types are seen there."""

    def __init__(self, program: Program, unit: Unit, kernel: Kernel) -> None:
        assert unit.parent is not None
        self.program, self.kernel, self.host = program, kernel, unit.parent
        self.scope = program.scope(self.host)
        self.variables = {dummy: name for name, dummy in unit.captured.items()}
        outer = self.host.parent
        self.units = {self.host.name} | ({outer.name} if outer is not None else set())
        if is_fixed(Path(unit.place.file)):
            raise Refused(unit.place, f"internal procedure {unit.name}",
                          "the check calls such procedures in free form alone")  # fmt: skip
        if self.host.equivalences:
            raise Refused(self.host.equivalences[0][1], f"equivalence in {self.host.name}",
                          "the check cannot set variables that share memory")  # fmt: skip
        for name in self.variables.values():
            symbol = self._symbol(name)
            if symbol.optional:
                raise Refused(symbol.place, f"optional argument {name} of {self.host.name}",
                              "the check cannot leave it out")  # fmt: skip

    def _symbol(self, name: str) -> Symbol:
        return self.scope.symbol(name, self.host.place)

    def has(self, block: str) -> bool:
        """Whether the unit declares a COMMON block."""
        return any(member.block == block for member in self.host.commons)

    def specification(self) -> Specification:
        """Of the unit, but for its variables that are set: those are declared with values."""
        host = self.host
        shared = {member.name for member in host.commons}
        declared = [
            one for one in host.declarations
            if one.name in shared or self._is_constant(one.name)
        ]  # fmt: skip
        uses = [self._use(one) for one in host.uses if one.module in self.program.modules
                or INTRINSIC.fullmatch(one.module)]  # fmt: skip
        kept = replace(
            host, uses=uses, declarations=declared, interfaces={}, data=[], saved=set(),
            saves_all=False, external=set(), statement_functions={},
        )  # fmt: skip
        return Specification(kept)

    def _use(self, use: Use) -> Use:
        """Without procedures that are not in the kernel: they are not there."""
        module = self.program.modules.get(use.module)
        if module is None or use.names is None:
            return use
        scope, places = self.program.scope(module), self._places()
        kept = {}
        for local, name in use.names.items():
            unit = scope.as_written(name) if scope.find(name) is None else None
            if unit is None or (unit.place.file, unit.place.line) in places:
                kept[local] = name
        return replace(use, names=kept)

    def _places(self) -> set[tuple[str, int]]:
        return {(place.file, place.line) for place in self.kernel.places}

    def _is_constant(self, name: str) -> bool:
        try:
            found = self.scope.find(name)
        except Refused:
            return False
        return found is not None and found.storage == PARAMETER

    def shape(self, name: str, extents: Sequence[int]) -> str:
        """Of an array, with the lower bounds that the unit declares."""
        if not extents:
            return ""
        symbol = self._symbol(name)
        found = []
        for (lower, _), extent in zip(symbol.scope.bounds(symbol), extents, strict=True):
            if lower is None:
                raise Refused(symbol.place, f"array {name} of {self.host.name}",
                              "its lower bound is no constant")  # fmt: skip
            found.append(f"{lower}:{lower + extent - 1}")
        return f"({', '.join(found)})"

    def procedures(self) -> list[str]:
        """Lines of those that are in the kernel."""
        places = self._places()
        lines = text_of(Path(self.host.place.file)).split("\n")
        return [
            text for inner in self.host.units if (inner.place.file, inner.place.line) in places
            for text in lines[inner.place.line - 1 : inner.place.last]
        ]  # fmt: skip

    def placed(self, text: str, extracted: Mapping[str, str] | None = None) -> dict[str, str]:
        """Texts of files, with this one behind the unit; extracted: all files without what the
        kernel has nothing to do with, in which it stands in place of the unit."""
        file, place = self.host.place.file, self.host.place
        found = {file: text_of(Path(file))} if extracted is None else extracted
        lines = found[file].split("\n")
        if extracted is not None:
            lines[place.line - 1] = text
        else:
            lines.insert(place.last, text)
        return {**found, file: "\n".join(lines)}
