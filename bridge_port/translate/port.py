"""What the procedures of one kernel have in common: functions, data of the host, tables, types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bridge_port.kernel import HostValue
from bridge_port.program.commonblocks import other_form
from bridge_port.program.keeping import World
from bridge_port.program.symbols import COMMON, MODULE, Derived, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.units import Unit
from bridge_port.translate import calls, deferred, intrinsics, procedure, reductions
from bridge_port.translate.assigned import Variable
from bridge_port.translate.body import HOST, LOCAL, Array, Body, Dim, Fixed, Function, Way
from bridge_port.translate.elements import RANK, merged
from bridge_port.translate.flattened import flattened
from bridge_port.translate.intents import Intents
from bridge_port.translate.names import Names, Prefix
from bridge_port.translate.outside import IN, INOUT, OUT, Outside
from bridge_port.translate.parts import Structure
from bridge_port.translate.pointers import without_pointers
from bridge_port.translate.reach import Reach
from bridge_port.translate.references import References
from bridge_port.translate.silent import names_in_shapes, silent
from bridge_port.translate.values import Value


@dataclass(frozen=True)
class Species:
    """The variable that holds their number; module: "" of any."""

    name: str
    module: str = ""


@dataclass
class Held:
    """Data of the host, or of the point, as a member of Host. value: None of data of the point;
    role: of these as an argument of the kernel, "" of none; symbol: the variable."""

    member: str
    type: str
    dims: tuple[Dim, ...]
    value: HostValue | None
    start: Any = None
    role: str = ""
    symbol: Symbol | None = None


REFERENCES = References(
    function=calls.function,
    array_function=calls.array_function,
    check_statement_function=calls.check_statement_function,
    intrinsic=intrinsics.intrinsic,
    intrinsic_array=reductions.array,
    intrinsic_rank=intrinsics.rank,
    whole=intrinsics.whole,
)


class Port:
    """Of one kernel. scalars: names of the nest's scope that the entry's procedure reads; fixed:
    integers of modules and COMMON that have one value; texts: characters of modules that do;
    initial: variables that keep their initial values; outside: variables of modules and COMMON
    that each point has for itself, found: those that were found so; nest: whether the entry is
    a part of one."""

    def __init__(
        self,
        program: Any,
        entry: Unit,
        prefix: str,
        private: Iterable[str],
        species: str,
        scalars: Iterable[str] = (),
        fixed: Mapping[str, int] | None = None,
        texts: Mapping[str, str] | None = None,
        initial: Iterable[str] = (),
        outside: Mapping[str, str] | None = None,
        found: dict[Variable, str] | None = None,
        nest: bool = False,
    ) -> None:
        self.references = REFERENCES
        self.reach = Reach(program, entry)
        self.program = program
        self.entry = entry
        self.prefix = Prefix(prefix)
        self.private = frozenset(name.lower() for name in private)
        module, _, name = species.lower().rpartition("::")
        self.species = Species(name, module) if name else None
        self.scalars = frozenset(scalars)
        self.fixed = {name.lower(): value for name, value in (fixed or {}).items()}
        self.fixed_read: set[str] = set()
        self.world = World(program, initial, {**self.fixed, **(texts or {})})
        self.outside = Outside(
            program,
            entry,
            self.reach.procedures,
            outside or {},
            not nest,
            {} if found is None else found,
        )
        self.world.of_points = self.is_of_points
        self.intents = Intents(program)
        self.global_names = Names()
        self.functions: list[Function] = []
        self.structures: dict[tuple[object, ...], Structure] = {}
        self.building: list[Derived] = []
        # Of types that are assigned as a whole: where.
        self.assigned: list[tuple[Derived, Place, str]] = []
        # What the objects of a procedure are of the kernel's own arguments, where they are.
        self.origins: dict[tuple[int, str], str] = {}
        self.tables: dict[str, tuple[str, list[float]]] = {}
        self.bounds_of: dict[str, str] = {}
        #: Extents of allocatable arrays of modules, by their names, and whose array each is.
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.shapes_read: dict[str, str] = {}
        self.held: dict[tuple[object, ...], Held] = {}
        self.members = Names()
        self.notes: list[str] = []
        self.uses_single = False
        #: Arguments of the entry that are numbers of texts, or why there are none.
        self.numbered: frozenset[str] = frozenset()
        self.unnumbered = ""
        self._instances: dict[tuple[int, Way], Function] = {}
        self._stack: list[Unit] = []
        self._firsts: dict[int, frozenset[tuple[Place, str]]] = {}
        self._bodies: dict[tuple[int, frozenset[str]], list[s.Statement]] = {}
        self._silent: dict[int, frozenset[str]] = {}
        self.places: dict[Place, None] = {}
        self.stops: list[s.Stop] = []

    @property
    def taken(self) -> set[str]:
        return self.global_names.taken

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    @staticmethod
    def note_of(place: Place) -> str:
        return f"{Path(place.file).name}:{place.line}" if place.file else ""

    # ---- Procedures

    def function(self, unit: Unit, way: Way, place: Place) -> Function:
        """The procedure called this way, written once."""
        key = (id(unit), way)
        if key in self._instances:
            return self._instances[key]
        if unit in self._stack:
            raise Refused(place, f"{unit.name} calls itself", "recursion is not translated")
        self.places.setdefault(unit.place)
        self._stack.append(unit)
        body = Body(self, unit, way, self.program.scope(unit), self.global_names.unique(
            unit.name, keep=True))  # fmt: skip
        found = procedure.translated(body)
        self._stack.pop()
        if way.masked and not body.uses_mask:  # then it is the function without a mask
            self.taken.discard(body.name)
            found = self.function(unit, replace(way, masked=False), place)
            self._instances[key] = found
            return found
        self._instances[key] = found
        self.functions.append(found)
        return found

    # ---- Names

    def symbol(self, scope: Any, name: str, place: Place) -> Symbol:
        found: Symbol = scope.symbol(name, place)
        return found

    def overloaded(self, unit: Unit, name: str) -> bool:
        """Whether an interface that the unit sees may give the name another meaning."""
        if name in unit.language:
            return False
        seen: set[int] = set()
        units = [unit]
        while units:
            one = units.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            if any(known.replace(" ", "") == name for known in one.interfaces):
                return True
            modules = self.program.modules
            units += [modules[use.module] for use in one.uses if use.module in modules]
            units += [one.parent] if one.parent is not None else []
        return False

    def is_species(self, symbol: Symbol) -> bool:
        if self.species is None or symbol.name != self.species.name:
            return False
        return self.species.module in ("", symbol.owner) and symbol.type == "integer"

    def body_of(self, unit: Unit, absent: frozenset[str]) -> list[s.Statement]:
        """Its statements, with components of elements as elements of components, and without
        pointers to objects that are known."""
        key = id(unit), absent
        if key not in self._bodies:
            scope = self.program.scope(unit)
            body = without_pointers(unit.body, scope, absent)
            self._bodies[key] = flattened(body, scope)
        return self._bodies[key]

    def stop(self, statement: s.Stop) -> int:
        """The bit of the status for one place; those behind the 31st share the last one."""
        places = [one.place for one in self.stops]
        if statement.place not in places:
            self.stops.append(statement)
            places.append(statement.place)
        return int(1 << min(places.index(statement.place), 30))

    def endless(self) -> str:
        """The member of Host that holds which points no loop ends."""
        key = ("endless",)
        if key not in self.held:
            self.held[key] = Held(self.members.unique("endless", keep=True), "logical", (), None)
        return f"host.{self.held[key].member}"

    def status(self) -> str:
        """The member of Host that holds the status of each point."""
        key = ("status",)
        if key not in self.held:
            self.held[key] = Held(self.members.unique("status", keep=True), "integer", (), None)
        return f"host.{self.held[key].member}"

    def silent(self, unit: Unit) -> frozenset[str]:
        """Dummies that the kernel does without."""
        if id(unit) not in self._silent:
            self._silent[id(unit)] = silent(self.program, unit)
        return self._silent[id(unit)]

    def names_in_shapes(self, unit: Unit) -> frozenset[str]:
        return names_in_shapes(unit)

    def is_first(self, unit: Unit, place: Place, name: str) -> bool:
        """Whether an assignment is the first that the unit says of a variable, and not in a
        block: nothing is lost by declaring the variable there."""
        if id(unit) not in self._firsts:
            seen: set[str] = set(self.names_in_shapes(unit))
            firsts = set()
            for statement in unit.body:
                mentioned = {
                    part.id
                    for inner in s.walk([statement])
                    for e in inner.expressions()
                    for part in e.walk()
                    if isinstance(part, Name)
                } | {inner.variable for inner in s.walk([statement]) if isinstance(inner, s.Do)}
                if isinstance(statement, s.Assignment) and isinstance(statement.target, Name):
                    target = statement.target.id
                    inside = {p.id for p in statement.value.walk() if isinstance(p, Name)}
                    if target not in seen and target not in inside:
                        firsts.add((statement.place, target))
                seen |= mentioned
            self._firsts[id(unit)] = frozenset(firsts)
        return (place, name) in self._firsts[id(unit)]

    # ---- Constants

    def constant_of(self, b: Body, symbol: Symbol) -> Any:
        found = symbol.scope.initial(symbol)
        if found is None or isinstance(found, (list, str)):
            b.refuse(f"constant {symbol.name}", "its value is not known")
        return found

    def table_of(self, b: Body, symbol: Symbol) -> list[Any]:
        found = symbol.scope.initial(symbol)
        if not isinstance(found, list) or any(v is None or isinstance(v, str) for v in found):
            b.refuse(f"constant array {symbol.name}", "its values are not all known")
        return found

    def table_name(self, symbol: Symbol, values: list[float]) -> str:
        """Of the constant array in the header that holds them."""
        for name, (variable, known) in self.tables.items():
            if variable == symbol.name and known == values:
                return name
        name = self.global_names.unique(symbol.name, keep=True)
        self.tables[name] = (symbol.name, values)
        return name

    # ---- Data of the host

    @staticmethod
    def key(symbol: Symbol) -> tuple[object, ...]:
        if symbol.storage == COMMON:
            return COMMON, symbol.owner, symbol.place_in_block, symbol.name
        return symbol.storage, symbol.owner, id(symbol.scope), symbol.name

    def is_of_points(self, symbol: Symbol) -> bool:
        """Whether each point has it for itself."""
        return symbol.name in self.private or bool(self.outside.role(symbol))

    def hold(self, b: Body, symbol: Symbol, dims: tuple[Dim, ...], private: bool) -> Held:
        key = self.key(symbol)
        if key not in self.held:
            if symbol.type not in ("real", "integer", "logical"):
                b.refuse(f"{symbol.type} {symbol.name}", "it is no number or logical")
            if symbol.type == "integer" and symbol.kind == 8:
                b.refuse(f"integer(8) {symbol.name}", "integers of kernels have 32 bits")
            if symbol.storage == COMMON and "%" not in symbol.name:
                other = other_form(self.program, symbol, self.outside.units)
                if other is not None:
                    b.refuse(
                        f"{symbol.name} of common /{symbol.owner}/",
                        f"the block has another form in {other.name}",
                        "declare it in both as one include file does",
                    )
            start = symbol.scope.initial(symbol)
            stem = symbol.name.replace("%", "_")  # a component of a variable
            value = None
            if not private:
                shape = tuple(0 if d.extent is None else int(d.extent.number or 0) for d in dims)
                known = start if isinstance(start, (int, float, bool)) else None
                name = self.prefix.of(stem)
                for before in self.held.values():
                    if before.value is not None and before.value.name == name:
                        why = f"that of {before.value.owner} has the same name in the pack"
                        b.refuse(f"{symbol.name} of {symbol.owner}", why, "another name")
                value = HostValue(
                    name, symbol.name, symbol.owner, symbol.storage,
                    symbol.type, symbol.kind, shape, known, unit=symbol.scope.unit,
                )  # fmt: skip
            member = self.members.unique(stem, keep=True)
            role = self.outside.role(symbol) if private else ""
            role = role if role in (IN, OUT, INOUT) else ""
            self.held[key] = Held(member, symbol.type, dims, value, start, role, symbol)
        b.precision(symbol.type, symbol.kind)
        return self.held[key]

    def host_scalar(self, b: Body, symbol: Symbol) -> Value:
        held = self.hold(b, symbol, (), self.is_of_points(symbol))
        return Value(f"host.{held.member}", symbol.type, True, kind=symbol.kind)

    def host_table(self, b: Body, symbol: Symbol, dims: tuple[Dim, ...]) -> Array:
        if len(dims) > RANK and not _is_fixed(symbol, dims):
            b.refuse(
                f"array {symbol.name} of {len(dims)} dimensions",
                f"tables have at most {RANK}, where their extents are no constants of the source",
                "declare it with constant extents",
            )
        if symbol.attributes & {"allocatable"}:
            self.note(f"table {symbol.name}: its subscripts begin at 1, else a run is refused")
        held = self.hold(b, symbol, merged(dims), False)
        if len(dims) > RANK and held.value is not None:
            extents = tuple(int(d.extent.number or 0) for d in dims if d.extent is not None)
            held.value = replace(held.value, merged=extents)
        if symbol.attributes & {"allocatable"} and held.value is not None:
            bounds_of = self.bounds_of.get(symbol.name, symbol.name)
            held.value = replace(held.value, from_one=True, bounds_of=bounds_of)
        text = f"host.{held.member}"
        return Array(
            text, symbol.type, symbol.kind, dims, HOST, False, origin=symbol.name, outside=symbol
        )

    def shape_of(self, b: Body, symbol: Symbol) -> tuple[Fixed, ...] | None:
        """Of an allocatable array of a module, where the user says it."""
        extents = self.shapes.get(symbol.name)
        if extents is None or symbol.storage != MODULE or "allocatable" not in symbol.attributes:
            return None
        owner = self.shapes_read.setdefault(symbol.name, symbol.owner)
        if owner != symbol.owner:
            both = f"modules {owner} and {symbol.owner} have an array of this name"
            b.refuse(f"shape {symbol.name}", both, "give one of them another name")
        deferred.check_rank(b.place, symbol.name, extents, symbol)
        return tuple((False, extent) for extent in extents)

    def host_array(self, b: Body, symbol: Symbol, dims: tuple[Dim, ...]) -> Array:
        held = self.hold(b, symbol, dims, True)
        text = f"host.{held.member}"
        return Array(text, symbol.type, symbol.kind, dims, LOCAL, True, kept=True, outside=symbol)


def _is_fixed(symbol: Symbol, dims: tuple[Dim, ...]) -> bool:
    """Whether the source says all extents of an array that is no component."""
    if symbol.attributes & {"allocatable", "pointer"} or "%" in symbol.name:
        return False
    return all(dim.extent is not None and isinstance(dim.extent.number, int) for dim in dims)
