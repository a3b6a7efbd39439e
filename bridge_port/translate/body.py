"""The state of a kernel while its C++ is written, and of each of its procedures, for one way of
calling it. What works on it lies in the files above.

A procedure is written again until nothing new is learned: that an integer differs between points,
that points leave a loop one by one. What is learned is never forgotten, so this ends, and the text
that is kept was written with all of it known.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from bridge.plan.columns import Linear
from bridge_port.choices import Choices
from bridge_port.kernel import HostValue
from bridge_port.program.keeping import World
from bridge_port.program.saidprocedures import Pointed
from bridge_port.program.symbols import COMMON, MODULE, PARAMETER, Derived, Scope, Symbol, Units
from bridge_port.refusal import Place, Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Expression, Name
from bridge_port.syntax.units import Unit
from bridge_port.translate.assigned import Variable
from bridge_port.translate.flattened import flattened
from bridge_port.translate.flow import Flow, Regions
from bridge_port.translate.intents import Intents
from bridge_port.translate.names import Names, Prefix
from bridge_port.translate.outside import Outside
from bridge_port.translate.pointers import without_pointers
from bridge_port.translate.reach import Reach, names_in_shapes, silent
from bridge_port.translate.text import Lines
from bridge_port.translate.values import (
    FLOATING,
    POINT_TYPES,
    PRIMARY,
    SHARED_TYPES,
    Total,
    Value,
    integer,
    moved,
    times,
)

#: An integer that is known when the kernel is built.
Fixed = Linear
#: (first subscript, extent) of each dimension.
Bounds = tuple[tuple[int, int], ...]
#: Of an object: names from it to a component -> bounds of a pointer or an allocatable, the value
#: of an integer or a text that has one in every run, or what a procedure component points to.
Given = tuple[tuple[tuple[str, ...], Bounds | int | str | Pointed], ...]


@dataclass(frozen=True)
class CallContext:
    """How a procedure is called. masked: with a mask; vary: scalar dummies of integers and
    logicals that differ between points; absent: optional ones that are not given; known: dummies
    whose value is known; shapes: extents of assumed-shape dummies; rooms: how many elements those
    without an end have, None where an argument of the function says it; types: of dummies of a
    class what is known of their type, and whether it is no extension of that; texts: of character
    dummies; parts: of dummies of derived types the bounds of pointers and allocatables in them."""

    masked: bool = False
    vary: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    known: tuple[tuple[str, Fixed], ...] = ()
    shapes: tuple[tuple[str, tuple[Fixed, ...]], ...] = ()
    rooms: tuple[tuple[str, Fixed | None], ...] = ()
    types: tuple[tuple[str, Derived, bool], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    parts: tuple[tuple[str, Given], ...] = ()


@dataclass(frozen=True)
class Dim:
    """lower: the first subscript; extent None: of an assumed size."""

    lower: Value
    extent: Value | None


#: Storage of an optional dummy that is not given. No point that runs may read it: a statement that
#: does so stands where the original never comes.
ABSENT = "absent"
#: Among the attributes of data of the host: what a pointer points to.
POINTED = "pointed"
#: Where elements lie: LOCAL in registers and on the stack, TABLE in a constant array of the
#: header, HOST in a table of the host.
LOCAL, TABLE, HOST = "local", "table", "host"


@dataclass(frozen=True)
class Array:
    """text: what is indexed, in columns counted from 0; vary: of integers and logicals; fixed:
    not to be written, because of which construct; origin: the variable; kept: whether points that
    have returned keep what they have in it; outside: the variable of a table of the host."""

    text: str
    type: str
    kind: int
    dims: tuple[Dim, ...]
    where: str = LOCAL
    vary: bool = True
    fixed: str = ""
    origin: str = ""
    kept: bool = False
    outside: Symbol | None = field(default=None, compare=False)

    @property
    def spelled(self) -> str:
        """In Fortran, where it is a variable."""
        return self.origin or self.text


@dataclass(frozen=True)
class Hoisted(Expression):
    """A value or an array that was computed before the statement."""

    value: Value | Array


@dataclass(frozen=True)
class Window:
    """A dummy array as a view on what is passed. first: the column that it begins at; step: from
    one element to the next; room: how many there are, None where that is not known; sequence:
    whether one element was passed for it."""

    array: Array
    first: Value
    step: Value
    room: Value | None
    sequence: bool = False


@dataclass
class Function:
    """A procedure in C++. vary: dummies of integers and logicals that come back as one value for
    each point; host, shared, masked: whether it takes them; extents: of a result that is an array;
    objects: of dummies of derived types the components that it names; it does not take those of
    which it names none."""

    name: str
    text: str
    vary: frozenset[str]
    host: bool
    shared: bool
    masked: bool = False
    result: Value | None = None
    extents: tuple[Fixed, ...] | None = None
    objects: dict[str, frozenset[tuple[str, ...]]] = field(default_factory=dict)


@dataclass
class Passed:
    """What a call hands over. texts: by dummy, in their order; objects: what is passed for dummies
    of derived types, whose text is found when the function is; windows: of dummy arrays, whose
    text is found when all other arguments are; types, parts, rooms: as in `CallContext`; own:
    dummy -> our variable that may come back different between points; after: what is to be done
    behind the call."""

    texts: list[tuple[str, str]] = field(default_factory=list)
    objects: dict[str, tuple[Symbol, Expression]] = field(default_factory=dict)
    types: list[tuple[str, Derived, bool]] = field(default_factory=list)
    vary: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    known: dict[str, Fixed] = field(default_factory=dict)
    shapes: dict[str, tuple[Fixed, ...]] = field(default_factory=dict)
    rooms: dict[str, Fixed | None] = field(default_factory=dict)
    windows: dict[str, Window] = field(default_factory=dict)
    letters: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)
    parts: dict[str, Given] = field(default_factory=dict)
    after: list[Callable[[], None]] = field(default_factory=list)


# ---- Derived types

Path = tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A component. inner: of one that is of a derived type; dims: its own, then those of what
    holds it; start: its initial values, one for each element, None of none; held: "pointer" or
    "allocatable" of one that is; number, letters: of an integer, a
    text, whose value is known; begins: initial
    values of what is in it, where they are not those of its type."""

    name: str
    text: str
    type: str
    kind: int
    dims: tuple[Dim, ...]
    start: tuple[Value, ...] | None = None
    inner: Structure | None = None
    held: str = ""
    number: int | None = None
    begins: tuple[tuple[Path, tuple[Value, ...]], ...] = ()
    letters: str | None = None

    @property
    def known(self) -> bool:
        """Whether it has one value, which the user says."""
        return self.number is not None or self.letters is not None

    @property
    def count(self) -> int:
        count = 1
        for dim in self.dims:
            assert dim.extent is not None and isinstance(dim.extent.number, int)
            count *= dim.extent.number
        return count


@dataclass
class Structure:
    """dims: of the array that it is; given: bounds of components that are pointers or allocatable;
    left: components that no kernel has -> why; a procedure may
    have the type as long as it names none of them; used: components that some procedure names."""

    text: str
    derived: Derived
    dims: tuple[Dim, ...]
    given: Given = ()
    parts: dict[str, Part] = field(default_factory=dict)
    left: dict[str, tuple[str, str]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def leaves(self) -> Iterator[tuple[Path, str, Part]]:
        """All that are numbers, at any depth: names, C++ text behind the variable."""
        for part in self.parts.values():
            if part.known:
                continue
            if part.inner is None:
                yield (part.name,), part.text, part
                continue
            own = dict(part.begins)
            for path, text, leaf in part.inner.leaves():
                start = own.get(path, leaf.start)
                yield (part.name, *path), f"{part.text}.{text}", replace(leaf, start=start)

    def held(self, path: Path) -> str:
        """Whether a component, or one on the way to it, is "pointer" or "allocatable", which of
        them comes first."""
        s: Structure | None = self
        for name in path:
            assert s is not None
            if s.parts[name].held:
                return s.parts[name].held
            s = s.parts[name].inner
        return ""


@dataclass(frozen=True)
class Object:
    """What a designator of a derived type stands for. path: components from the variable to it;
    text: in C++; structure: None of the host's; exact: whether its type is known to be no
    extension of `derived`; ranked: of the host's the variable or component of the path that is an
    array, and how many components of the path lead to it."""

    symbol: Symbol
    path: Path
    text: str
    derived: Derived
    exact: bool
    structure: Structure | None
    ranked: tuple[Symbol, int] | None = None

    @property
    def spelled(self) -> str:
        return "%".join((self.symbol.name, *self.path))


# ---- What the procedures of a kernel have in common

At = tuple[Value, ...]
Arguments = Sequence[Expression]


@dataclass(frozen=True)
class References:
    """What expressions, arrays and calls ask of files above them.

    translated: a procedure in C++; value, rank: of an expression; function, array_function: the
    value and the array that a function of the source gives; check_statement_function: refuses one
    whose text cannot stand where it is used; intrinsic, intrinsic_array: the same of an intrinsic
    function; intrinsic_rank: of its result, None where it is that of the arguments; whole: whether
    its array is computed as a whole."""

    translated: Callable[[Body], Function]
    value: Callable[[Body, Expression, At], Value]
    rank: Callable[[Body, Expression], int]
    function: Callable[[Body, Unit, Arguments, At], Value]
    array_function: Callable[[Body, Unit, Arguments], Array]
    check_statement_function: Callable[[Body, str, Arguments], None]
    intrinsic: Callable[[Body, str, Arguments, At], Value]
    intrinsic_array: Callable[[Body, str, Arguments], Array]
    intrinsic_rank: Callable[[Body, str, Arguments], int | None]
    whole: Callable[[str], bool]


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


class Port:
    """Of one kernel. said: what the user says of the entry; scalars: names of the nest's scope
    that the entry's procedure reads; found: variables of modules and COMMON that were found to be
    of each point; nest: whether the entry is a part of one."""

    def __init__(
        self,
        references: References,
        program: Units,
        entry: Unit,
        said: Choices,
        scalars: Iterable[str] = (),
        found: dict[Variable, str] | None = None,
        nest: bool = False,
    ) -> None:
        self.references = references
        self.singles = said.singles
        self.reach = Reach(program, entry)
        self.program = program
        self.entry = entry
        self.nest = nest
        self.prefix = Prefix(said.prefix)
        self.private = frozenset(name.lower() for name in said.private)
        self.said_species = said.species
        #: The variable with their number, "" of none.
        self.species = said.species.lower().rpartition("::")[2]
        self.scalars = frozenset(scalars)
        self.fixed = {name.lower(): value for name, value in said.integers.items()}
        self.fixed_read: set[str] = set()
        self.world = World(program, said.initial, {**self.fixed, **said.letters})
        self.outside = Outside(
            program,
            entry,
            self.reach.procedures,
            {name: role for name, role in said.outside.items() if name not in entry.captured},
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
        self._instances: dict[tuple[int, CallContext], Function] = {}
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
        return f"{os.path.basename(place.file)}:{place.line}" if place.file else ""

    # ---- Procedures

    def function(self, unit: Unit, context: CallContext, place: Place) -> Function:
        """The procedure called this way, written once."""
        key = (id(unit), context)
        if key in self._instances:
            return self._instances[key]
        if unit in self._stack:
            raise Refused(place, f"{unit.name} calls itself", "recursion is not translated")
        self.places.setdefault(unit.place)
        self._stack.append(unit)
        body = Body(self, unit, context, self.program.scope(unit), self.global_names.unique(
            unit.name, keep=True))  # fmt: skip
        found = self.references.translated(body)
        self._stack.pop()
        if context.masked and not body.uses_mask:  # then it is the function without a mask
            self.taken.discard(body.name)
            found = self.function(unit, replace(context, masked=False), place)
            self._instances[key] = found
            return found
        self._instances[key] = found
        self.functions.append(found)
        return found

    # ---- Names

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
        return symbol.counts(self.said_species)

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

    def is_first(self, unit: Unit, place: Place, name: str) -> bool:
        """Whether an assignment is the first that the unit says of a variable, and not in a
        block: nothing is lost by declaring the variable there."""
        if id(unit) not in self._firsts:
            seen: set[str] = set(names_in_shapes(unit))
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

    def table_name(self, symbol: Symbol, values: list[float]) -> str:
        """Of the constant array in the header that holds them."""
        for name, (variable, known) in self.tables.items():
            if variable == symbol.name and known == values:
                return name
        name = self.global_names.unique(symbol.name, keep=True)
        self.tables[name] = (symbol.name, values)
        return name

    def is_of_points(self, symbol: Symbol) -> bool:
        """Whether each point has it for itself."""
        return symbol.name in self.private or bool(self.outside.role(symbol))


# ---- One procedure


@dataclass
class Body:
    """facts: what was learned; ranges: first and last value of loop variables that are known to
    lie in between; stopping, endless: whether the statement has called what may stop, or what
    may have loops without an end; counters: loop
    variables that have another name here, and integers that are one number; most: of an extent
    that differs between points, by its text, the largest that it can be; rooms: arguments with the
    room of a dummy; allocated: bounds of allocatable variables, once a statement gives them;
    certain: those that surely have memory."""

    port: Port
    unit: Unit
    context: CallContext
    scope: Scope
    name: str
    facts: set[tuple[object, ...]] = field(default_factory=set)
    learned: set[tuple[object, ...]] = field(default_factory=set)

    def begin(self) -> None:
        self.out = Lines()
        self.names = Names(self.port.taken)
        self.functions_before = frozenset(self.port.taken)
        for name in self.port.reach.names_of(self.unit):
            self.names.of(name)
        self.regions = Regions()
        self.flow = Flow()
        self.entry = ""
        self.place: Place = self.unit.place
        self.ranges: dict[str, tuple[Value, Value]] = {}
        self.counters: dict[str, Value] = {}
        self.most: dict[str, Value] = {}
        self.rooms: dict[str, str] = {}
        self.allocated: dict[str, tuple[Dim, ...]] = {}
        self.certain: set[str] = set()
        self.locals: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        self.declared_here: set[str] = set()
        self.touched: dict[str, set[tuple[str, ...]]] = {}
        self.texts: dict[str, str] = dict(self.context.texts)
        self.uses_host = False
        self.uses_shared = False
        self.uses_mask = False
        self.stopping = False
        self.endless = False

    # ---- What is learned

    def learn(self, *fact: object) -> None:
        if fact not in self.facts:
            self.learned.add(fact)

    def knows(self, *fact: object) -> bool:
        return fact in self.facts

    def makes_vary(self, name: str) -> None:
        self.learn("vary", name)

    def varies(self, name: str) -> bool:
        return ("vary", name) in self.facts or name in self.context.vary

    # ---- Names

    def calls(self, function: str) -> None:
        """A variable must not have the name of a function that was written meanwhile."""
        if function not in self.functions_before and function in self.names.taken:
            self.learn("function", function)
        self.names.taken.add(function)

    def symbol(self, name: str) -> Symbol:
        return self.scope.symbol(name, self.place)

    def origin(self, symbol: Symbol) -> str:
        """What a dummy is of the kernel's own arguments; "" of what is none of them."""
        if symbol.scope is not self.scope or symbol.name not in self.unit.arguments:
            return ""
        if self.unit is self.port.entry:
            return symbol.name
        return self.port.origins.get((id(self.unit), symbol.name), "")

    def foreign(self, symbol: Symbol) -> bool:
        """Whether it belongs to the nest around the kernel's procedure: data of the run. What
        belongs to any other procedure around this one is refused."""
        owner: Unit = symbol.scope.unit
        if owner is self.unit or symbol.storage in (PARAMETER, MODULE, COMMON):
            return False
        if owner.kind not in ("subroutine", "function", "program"):
            return False
        if self.unit is not self.port.entry or symbol.name not in self.port.scalars:
            size = symbol.type == "integer" and self.unit is self.port.entry
            self.refuse(
                f"{symbol.name} of {owner.name}",
                "a variable of the procedure around this one",
                f"give its value with --value {symbol.name}=N" if size else "make it an argument",
            )
        return True

    def refuse(self, construct: str, why: str = "", change: str = "") -> NoReturn:
        raise Refused(self.place, construct, why, change)

    def precision(self, type: str, kind: int) -> None:
        """Of a number that the procedure has: less than double precision is promoted, and said;
        more is refused. Where kernels compute in single precision, double precision is."""
        if type not in FLOATING:
            return
        if kind == 8 and self.port.singles:
            self.refuse(
                f"{type}(8)",
                "kernels that keep the precision of their original compute in real(4) alone",
                f"use {type}(4), or port it in double precision",
            )
        if kind not in (4, 8):
            self.refuse(f"{type}({kind})", "kernels compute in double precision", f"use {type}(8)")
        if kind == 4:
            self.port.uses_single = True

    # ---- Expressions, for files below those of them

    def value(self, e: Expression, at: At = ()) -> Value:
        return self.port.references.value(self, e, at)

    def rank(self, e: Expression) -> int:
        return self.port.references.rank(self, e)

    # ---- Sizes that all points share

    def species(self) -> Value:
        """Their number, under the name that it has in the original."""
        self.uses_shared = True
        stem = self.port.species
        name = self.names.of(stem)
        self.constants.setdefault(stem, f"const int {name} = BRIDGE_SPECIES(shared);")
        return Value(name, "integer", False, PRIMARY, None, name, 0, 4)

    def fixed(self, v: Value) -> Fixed | None:
        """What is known of an integer when the kernel is built."""
        return self.fixed_total(v.total)

    def fixed_total(self, total: Total) -> Fixed | None:
        species = self.port.species
        if not total.terms:
            return Linear(0, total.constant)
        if species not in self.constants or len(total.terms) > 1:
            return None
        ((text, factor),) = total.terms
        return Linear(factor, total.constant) if text == self.names.of(species) else None

    def of_fixed(self, known: Fixed) -> Value:
        if not known.a:
            return integer(known.b)
        return moved(times(integer(known.a), self.species()), known.b)

    # ---- Masks

    def both(self, mask: str, other: str) -> str:
        """A name for the points of both masks."""
        if not mask or mask == other:
            return other
        if not other:
            return mask
        name = self.names.unique("m")
        self.out.put(f"const Mask<Real> {name} = {mask} & {other};")
        return name

    def constant(self, stem: str, value: Value, type_text: str = "") -> Value:
        """The value under a name of its own."""
        name = self.names.unique(stem)
        text = type_text or self.type_of(value)
        self.out.put(f"const {text} {name} = {value.text};")
        return Value(name, value.type, value.vary, kind=value.kind)

    @staticmethod
    def type_of(value: Value) -> str:
        return (POINT_TYPES if value.vary else SHARED_TYPES)[value.type]


@contextmanager
def aside(b: Body) -> Iterator[Lines]:
    """What is written inside goes to lines of their own."""
    kept, b.out = b.out, Lines(b.out.depth)
    try:
        yield b.out
    finally:
        b.out = kept
