"""The state of one procedure while its C++ is written, for one way of calling it.

A procedure is written again until nothing new is learned: that an integer differs between points,
that points leave a loop one by one. What is learned is never forgotten, so this ends, and the text
that is kept was written with all of it known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from bridge_port.program.saidprocedures import Pointed
from bridge_port.program.symbols import COMMON, MODULE, PARAMETER, Derived, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Expression, Name
from bridge_port.syntax.units import Unit
from bridge_port.translate.flow import Flow, Regions
from bridge_port.translate.names import Names
from bridge_port.translate.text import Lines
from bridge_port.translate.values import (
    FLOATING,
    POINT_TYPES,
    PRIMARY,
    SHARED_TYPES,
    Value,
    integer,
    moved,
)

if TYPE_CHECKING:
    from bridge_port.translate.port import Port


#: An integer that is known when the kernel is built: (whether the number of species is in it, the
#: constant in it).
Fixed = tuple[bool, int]
#: (first subscript, extent) of each dimension.
Bounds = tuple[tuple[int, int], ...]
#: Of an object: names from it to a component -> bounds of a pointer or an allocatable, the value
#: of an integer or a text that has one in every run, or what a procedure component points to.
Given = tuple[tuple[tuple[str, ...], Bounds | int | str | Pointed], ...]


@dataclass(frozen=True)
class Way:
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
    text is found when all other arguments are; types, parts, rooms: as in `Way`; own:
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
    way: Way
    scope: Any
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
        self.texts: dict[str, str] = dict(self.way.texts)
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
        return ("vary", name) in self.facts or name in self.way.vary

    # ---- Names

    def calls(self, function: str) -> None:
        """A variable must not have the name of a function that was written meanwhile."""
        if function not in self.functions_before and function in self.names.taken:
            self.learn("function", function)
        self.names.taken.add(function)

    def symbol(self, name: str) -> Symbol:
        return self.port.symbol(self.scope, name, self.place)

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
        more is refused."""
        if type not in FLOATING:
            return
        if kind not in (4, 8):
            self.refuse(f"{type}({kind})", "kernels compute in double precision", f"use {type}(8)")
        if kind == 4:
            self.port.uses_single = True

    # ---- Sizes that all points share

    def species(self) -> Value:
        """Their number, under the name that it has in the original."""
        assert self.port.species is not None
        self.uses_shared = True
        stem = self.port.species.name
        name = self.names.of(stem)
        self.constants.setdefault(stem, f"const int {name} = BRIDGE_SPECIES(shared);")
        return Value(name, "integer", False, PRIMARY, None, name, 0, 4)

    def fixed(self, v: Value) -> Fixed | None:
        """What is known of an integer when the kernel is built."""
        base, shift = v.linear
        if not base:
            return False, shift
        if self.port.species is not None and base == self.names.of(self.port.species.name):
            return (True, shift) if self.port.species.name in self.constants else None
        return None

    def of_fixed(self, known: Fixed) -> Value:
        return moved(self.species(), known[1]) if known[0] else integer(known[1])

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


def base_name(e: Expression) -> str | None:
    """The variable that a designator is a part of."""
    while not isinstance(e, Name):
        base = getattr(e, "base", None)
        if base is None:
            return None
        e = base
    return e.id


@contextmanager
def aside(b: Body) -> Iterator[Lines]:
    """What is written inside goes to lines of their own."""
    kept, b.out = b.out, Lines(b.out.depth)
    try:
        yield b.out
    finally:
        b.out = kept
