"""Names in the options of `bridge port`: each has to be one of the source, so that none that was
misspelt passes without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bridge.errors import InconsistentError
from bridge_port.analysis.region import region
from bridge_port.choices import Choices
from bridge_port.options import refuse
from bridge_port.program.derivedtypes import at_end
from bridge_port.program.keeping import ALL
from bridge_port.program.program import Program
from bridge_port.program.symbols import COMMON, DUMMY, MODULE, PARAMETER, RESULT, SAVED, Symbol
from bridge_port.program.unknownnames import make_implicit
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.statements import Do, Statement, walk
from bridge_port.syntax.units import Unit, every


class OptionNames:
    """Of a procedure, or of the lines of a nest in it (0 of none)."""

    def __init__(self, program: Program, unit: Unit, first: int = 0, last: int = 0) -> None:
        self.program, self.unit = program, unit
        self.nest: Sequence[Statement] | None = None
        if first:
            self.nest = region(unit, first, last).statements

    def check(self, said: Choices) -> None:
        """ArgumentError for the first name that means nothing. Who gives none has nothing read
        for names."""
        values = [name for name in said.integers if not self._component(name)]
        if values:
            refuse("--value", values, self._variables(_is_integer), "an integer of its source")
        texts = [
            name for name in said.letters if self.nest is not None or not self._component(name)
        ]
        if texts:
            refuse("--value", texts, self._variables(_is_text), "a character of its source")
            self._check_of_modules(texts)
        if said.initial:
            known = {*self._variables(_is_kept), ALL}
            refuse("--initial", said.initial, known, "a variable of a module")
        if said.presence:
            refuse(
                "--present or --absent", said.presence, self._optional(), "an optional argument"
            )
        private = [name.partition("%")[0] for name in said.private]
        if private:
            wanted = "a variable that the source gives values"
            refuse("--private", private, self._private(), wanted)
        if said.outside:
            refuse(
                "--as-output, --as-inout or --as-input",
                [name.partition("%")[0] for name in said.outside],
                self._variables(_is_outside) | self.unit.captured.keys(),
                "a variable of a module, of COMMON or of the unit around the procedure",
            )
        shapes = [
            name for name in said.shapes if self.nest is not None or not self._component(name)
        ]
        if shapes:
            arrays = self._variables(_is_array if self.nest is not None else _is_dummy_array)
            if self.nest is None:
                arrays |= self._variables(_is_held_array)
            refuse("--shape", shapes, arrays, "an array among its arguments, or an allocatable "
                   "one of a module")  # fmt: skip
        loops = {s.variable for s in walk(self.nest or ()) if isinstance(s, Do) and s.variable}
        refuse("--axis", said.axes, loops, "a variable of a loop over points")
        if said.species:
            self._species(said.species.lower())

    def _check_of_modules(self, texts: Iterable[str]) -> None:
        """A nest takes texts of modules alone."""
        scope = self.program.scope(self.unit)
        for name in texts if self.nest is not None else ():
            symbol = scope.find(name)
            if symbol is not None and symbol.storage != MODULE:
                raise InconsistentError(
                    "--value",
                    f"{name} is a character of {symbol.scope.unit.name}, and a loop nest takes "
                    "texts of modules alone",
                    f"compare {name} before the loops, and read a logical in its place",
                )

    # ---- what a name may be -------------------------------------------------------------------

    def _variables(self, which: Callable[[Symbol], bool]) -> set[str]:
        """Of the unit and its nest, of the units around it and of those that it may call."""
        found = set()
        for unit in [self.unit] if which is _is_dummy_array else self._units():
            scope = self.program.scope(unit)
            make_implicit(scope)
            for name in {*scope.symbols, *scope.mentioned, *unit.arguments}:
                try:
                    own = name in unit.arguments
                    symbol = scope.symbol(name) if own else scope.find(name)
                except Refused:
                    continue
                if symbol is not None and which(symbol):
                    found.add(name)
        return found

    def _optional(self) -> set[str]:
        """Arguments of the unit, and of the units around it, which it sees."""
        found: set[str] = set()
        unit: Unit | None = self.unit
        while unit is not None:
            found |= {d.name for d in unit.declarations if "optional" in d.attributes}
            unit = unit.parent
        return found

    def _component(self, name: str) -> bool:
        """Whether it is a component of an object among the arguments."""
        first, *names = name.lower().split("%")
        symbol = self.program.scope(self.unit).find(first)
        for one in names:
            if symbol is None or symbol.type != "type":
                return False
            if symbol.scope.derived_if_given(symbol.type_name) is None:
                return True  # refused where it is translated: a file is lacking
            symbol = at_end(symbol, [one])
        return bool(names) and symbol is not None

    def _private(self) -> set[str]:
        kept = self._variables(_is_kept)
        if self.nest is None:
            return kept
        own = {
            part.id
            for s in walk(self.nest)
            for e in s.expressions()
            for part in e.walk()
            if isinstance(part, Name)
        }
        own |= {s.variable for s in walk(self.nest) if isinstance(s, Do) and s.variable}
        return kept | own

    def _units(self) -> list[Unit]:
        return [self.unit, *(u for u in every(self.program.units) if u is not self.unit)]

    def _species(self, name: str) -> None:
        """Said for all procedures of a code: one may do without that module."""
        owner, _, own = name.rpartition("::")
        module = self.program.modules.get(owner)
        if module is not None:
            symbols = self.program.scope(module).symbols
            known = {n for n, s in symbols.items() if _is_integer(s)}
            refuse("--species", [own], known, f"an integer of module {owner}")


def _is_integer(symbol: Symbol) -> bool:
    return symbol.type == "integer" and symbol.storage != PARAMETER


def _is_text(symbol: Symbol) -> bool:
    return symbol.type == "character" and symbol.storage != PARAMETER


def _is_array(symbol: Symbol) -> bool:
    return symbol.dimensions is not None


def _is_dummy_array(symbol: Symbol) -> bool:
    return symbol.dimensions is not None and symbol.storage in (DUMMY, RESULT)


def _is_held_array(symbol: Symbol) -> bool:
    held = symbol.attributes & {"allocatable", "pointer"}
    return symbol.dimensions is not None and symbol.storage == MODULE and bool(held)


def _is_outside(symbol: Symbol) -> bool:
    return symbol.storage in (MODULE, COMMON)


def _is_kept(symbol: Symbol) -> bool:
    return symbol.storage in (SAVED, MODULE, COMMON)
