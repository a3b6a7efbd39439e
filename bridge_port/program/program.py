"""Files together: their program units by name, and the scope of each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bridge_port.program.captured import lifted, procedure_arguments
from bridge_port.program.closed import closed, specialised, subroutine
from bridge_port.program.firstsubscripts import elsewhere
from bridge_port.program.interfaces import complete
from bridge_port.program.numberedtexts import Numbered, numbered
from bridge_port.program.scopes import ProgramScope
from bridge_port.program.symbols import Derived, Scope, Units
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import OF_VALUES
from bridge_port.source.folders import Folders
from bridge_port.syntax.parser import parse
from bridge_port.syntax.units import Binding, DerivedType, Unit, every, submodule_key


class Program(Units):
    """units: of all files in their order; modules, procedures (external ones) by name, submodules
    by module:name."""

    def __init__(
        self,
        files: Iterable[str | Path],
        folders: Iterable[str | Path] = (),
        defines: Sequence[str] = (),
        width: int = 72,
        fixed: bool | None = None,
    ) -> None:
        self.units: list[Unit] = []
        self.modules: dict[str, Unit] = {}
        self.submodules: dict[str, Unit] = {}
        self.procedures: dict[str, Unit] = {}
        #: Files that have a module or a procedure, which is taken from none of them.
        self.several: dict[str, list[str]] = {}
        #: Submodules with procedures that lack their interface.
        self._incomplete: list[Unit] = []
        self._files: dict[str, list[Unit]] = {}
        self._scopes: dict[int, Scope] = {}
        self._derived: dict[int, Derived] = {}
        self._types: tuple[Derived, ...] = ()
        self._types_of = -1
        self._firsts: tuple[int, dict[str, tuple[str, tuple[int | None, ...]]]] = -1, {}
        # Units are kept, so that no other one gets their place in memory.
        self._closed: dict[int, tuple[Unit, Unit]] = {}
        self._lifted: dict[int, tuple[Unit, Unit]] = {}
        self._specialised: dict[tuple[object, ...], tuple[Unit, dict[str, tuple[str, str]]]] = {}
        self._subroutines: dict[int, Unit] = {}
        self._procedure_arguments: dict[int, tuple[Unit, frozenset[str]]] = {}
        self._numbered: dict[int, tuple[Unit, Numbered]] = {}
        #: What procedures do to their arguments, as a nest that calls them found it.
        self.effects: dict[tuple[int, str], tuple[Unit, Any]] = {}
        #: Whether procedures have loops of their own.
        self.loops: dict[int, tuple[Unit, bool]] = {}
        #: Procedures of interface blocks, by the unit that declares them.
        self.bodies: dict[tuple[int, str], Unit] = {}
        #: What procedure components may point to, by their types, as the user says.
        self.pointed: dict[tuple[int, str], list[tuple[Unit, Binding]]] = {}
        #: Whether something depends on what all units say together.
        self.searched = False
        self.folders = folders if isinstance(folders, Folders) else Folders(folders)
        self.fixed = fixed
        for file in files:
            units = parse(file, fixed=fixed, width=width, folders=self.folders, defines=defines,
                          functions=OF_VALUES)  # fmt: skip
            self.add(units, str(file))

    def add(self, units: Sequence[Unit], file: str) -> None:
        """Units of a file; the first one of a name counts."""
        self._files.setdefault(file, []).extend(units)
        self.units.extend(units)
        for unit in units:
            if unit.kind == "module":
                self.modules.setdefault(unit.name, unit)
            elif unit.kind == "submodule":
                self.submodules.setdefault(submodule_key(unit), unit)
            elif unit.kind in ("subroutine", "function"):
                self.procedures.setdefault(unit.name, unit)
        self._incomplete += [unit for unit in units if unit.kind == "submodule"]
        self._incomplete = [one for one in self._incomplete if not complete(self, one)]

    @property
    def files(self) -> list[str]:
        """That were read."""
        return list(self._files)

    def scope(self, unit: Unit) -> Scope:
        found = self._scopes.get(id(unit))
        if found is None:
            found = self._scopes[id(unit)] = ProgramScope(self, unit)
        return found

    def host(self, unit: Unit) -> Unit | None:
        held = self.submodules if ":" in unit.host else self.modules
        return held.get(unit.host)

    def submodules_of(self, module: str) -> list[Unit]:
        return [self.submodules[key] for key in self._keys() if key.startswith(f"{module}:")]

    def _keys(self) -> Iterable[str]:
        """Of the submodules."""
        return self.submodules

    def closed(self, unit: Unit) -> Unit:
        if id(unit) not in self._closed:
            self._closed[id(unit)] = unit, unit  # of a recursion
            try:
                found = closed(self, unit)
            except Refused:
                found = unit  # it is refused where it is translated
            self._closed[id(unit)] = unit, found
            self._closed[id(found)] = found, found
        return self._closed[id(unit)][1]

    def lifted(self, unit: Unit) -> Unit:
        if id(unit) not in self._lifted:
            self._lifted[id(unit)] = unit, lifted(self, unit)
        return self._lifted[id(unit)][1]

    def reopened(self) -> None:
        """Statements of the units have changed."""
        self._closed.clear()
        self._lifted.clear()
        self._specialised.clear()
        self._subroutines.clear()
        self._numbered.clear()
        self.effects.clear()
        self.loops.clear()

    def numbered(self, unit: Unit) -> Numbered:
        """A procedure whose texts that come back are numbers, if they can be."""
        if id(unit) not in self._numbered:
            self._numbered[id(unit)] = unit, numbered(self, unit)
        return self._numbered[id(unit)][1]

    def specialised(
        self, unit: Unit, given: dict[str, Unit]
    ) -> tuple[Unit, dict[str, tuple[str, str]]]:
        key = id(unit), *((dummy, id(one)) for dummy, one in given.items())
        if key not in self._specialised:
            self._specialised[key] = specialised(self, unit, given)
        return self._specialised[key]

    def procedure_arguments(self, unit: Unit) -> frozenset[str]:
        if id(unit) not in self._procedure_arguments:
            self._procedure_arguments[id(unit)] = unit, procedure_arguments(unit)
        return self._procedure_arguments[id(unit)][1]

    def subroutine(self, unit: Unit) -> Unit:
        if id(unit) not in self._subroutines:
            self._subroutines[id(unit)] = subroutine(unit)
        return self._subroutines[id(unit)]

    def derived(self, definition: DerivedType, scope: Scope) -> Derived:
        found = self._derived.get(id(definition))
        if found is None:
            found = self._derived[id(definition)] = Derived(definition, scope)
        return found

    def derived_types(self) -> tuple[Derived, ...]:
        if self._types_of != len(self.units):
            self._types_of = len(self.units)
            self._types = tuple(
                self.derived(one, self.scope(unit))
                for unit in every(self.units)
                for one in unit.types.values()
            )
        return self._types

    def sources(self) -> Iterator[Unit]:
        """All units, also of files of which nothing has been asked for yet."""
        return every(self.units)

    def begins_elsewhere(self) -> dict[str, tuple[str, tuple[int | None, ...]]]:
        if self._firsts[0] != len(self.units):
            self._firsts = len(self.units), elsewhere([(self, self.units)])
        return self._firsts[1]

    def find(self, name: str, file: str | Path | None = None) -> Unit:
        """A unit by its name, by module::name or a longer end of its path; file: that it stands
        in. Refused where there is none, or more than one."""
        wanted = name.strip().lower().split("::")
        own = wanted[-1]
        units = self.units if file is None else self._of_file(file)
        found = [u for u in every(units) if path(u).split("::")[-len(wanted) :] == wanted]
        place = Place("" if file is None else str(file), 0)
        if len(found) == 1:
            return found[0]
        if found:
            where = ", ".join(f"{path(unit)} ({unit.place})" for unit in found)
            raise Refused(place, f"{name!r}", f"stands for {where}", "name the module or the file")
        names = sorted({unit.name for unit in every(units) if unit.name})
        near = difflib.get_close_matches(own, names, 5, 0.5) or names[:8]
        raise Refused(
            place, f"{name!r}", "there is no such program unit",
            f"near names: {', '.join(near)}" if near else "",
        )  # fmt: skip

    def _of_file(self, file: str | Path) -> list[Unit]:
        if str(file) in self._files:
            return self._files[str(file)]
        wanted = Path(file).resolve()
        for name, units in self._files.items():
            if Path(name).resolve() == wanted:
                return units
        raise Refused(Place(str(file), 0), "file", "is not among the files of the program")


def path(unit: Unit) -> str:
    """module::procedure::internal."""
    names = [unit.name]
    while unit.parent is not None:
        unit = unit.parent
        names.append(unit.name)
    return "::".join(reversed(names))
