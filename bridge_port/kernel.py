"""What the parts of `bridge port` hand each other: a procedure of one point, and its kernel.

`outline` makes the first of a loop nest, a point procedure of the source is one as it stands;
`translate` makes the second, from which `output` writes a pack and `check` a test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from bridge.plan import columns
from bridge.plan.fringe import Fringe
from bridge_port.refusal import Place
from bridge_port.syntax.expressions import Expression
from bridge_port.syntax.units import Dimension, Unit

Offset = tuple[int, int, int]

#: Reductions of a nest, as `frame_reduce` calls them.
SUM, MINIMUM, MAXIMUM, ANY = "sum", "min", "max", "any"


@dataclass(frozen=True)
class Loop:
    """A loop over points. axis: 0 x, 1 y, 2 z; first, last: of its variable, in the nest's
    scope."""

    axis: int
    variable: str
    first: Expression
    last: Expression
    place: Place


@dataclass(frozen=True)
class ArrayUse:
    """An array of a nest; two uses of one array may stand beside each other, of two planes of it.
    name: of the array; axes: of each of its dimensions the axis whose loop subscripts it, None
    for a component; shift: by which its element lies from the point, what every use of it has
    (q(i, j+1) alone: (0, 1, 0)); reads: how far around that it is read; read, written: of the
    point itself. An axis that no dimension has: the same values along it."""

    name: str
    axes: tuple[int | None, ...]
    shift: Offset = (0, 0, 0)
    reads: Fringe = Fringe()
    read: bool = True
    written: bool = False


@dataclass(frozen=True)
class Neighbour:
    """A dummy argument that stands for an array's value at a neighbour. array: the dummy of the
    array's use."""

    array: str
    offset: Offset


@dataclass(frozen=True)
class Reduction:
    """A scalar, or an array without points, that a nest reduces. variable: of the original;
    argument: the dummy of the procedure that holds the point's contribution; operation: SUM, ...;
    place: of the statement; negated: of ANY, the variable becomes false where any point's is true;
    initial: what the nest gives the variable before its loops, None where it keeps its value."""

    variable: str
    argument: str
    operation: str
    place: Place
    negated: bool = False
    initial: Expression | None = None


@dataclass(frozen=True)
class Temporary:
    """A work array of a line or a plane that becomes one of all points, because one procedure
    fills it and another one reads it. type, kind: of its elements; box: first and last point
    along each axis of the nest, in its scope; components: of a point, behind the axes;
    scalar: that it keeps for the next point, whose last value nobody reads."""

    name: str
    type: str
    kind: int
    box: tuple[tuple[Expression, Expression], ...]
    components: tuple[Dimension, ...]
    place: Place
    scalar: str = ""


@dataclass(frozen=True)
class Conforming:
    """A whole allocatable array that keeps its shape where it has that of the right side already.
    array: the one that is assigned; other: the part of the right side that has its shape; extents:
    of that, in the nest's scope."""

    array: str
    other: Expression
    extents: tuple[Expression, ...]
    place: Place


@dataclass(frozen=True)
class Beginning:
    """An array that is taken to begin where another one does, because they stand beside each other
    as wholes. dimension: from 1; first: the subscript."""

    array: str
    dimension: int
    first: Expression
    place: Place


@dataclass(frozen=True)
class View:
    """Elements of an array at any place, one for each point, in an array of the box. array: of
    the original; subscripts: of it, in the nest's scope, None for a dimension that the view has as
    well, of components or points; variables: of the loops that subscript the view, which stand in
    front of these; asked: whether each run has to ask that the points have elements of their
    own."""

    array: str
    subscripts: tuple[Expression | None, ...]
    variables: tuple[str, ...]
    asked: bool = False


@dataclass(frozen=True)
class ElementArray:
    """A component of all elements of an array of a derived type, in a nest: behind the dimensions
    of the component it has those of the array. array: that, as the nest names it; rank: its
    dimensions; shape: first and last subscripts of the component, () of a scalar; parts: what
    Fortran calls the component in all elements, one for each of its own elements."""

    array: Expression
    rank: int
    shape: tuple[tuple[int, int], ...]
    parts: tuple[Expression, ...]


@dataclass
class PointProcedure:
    """A procedure of one point.

    unit: a subroutine or function; of a nest, one whose body is that of the innermost point loop
    and whose parent is the unit of the nest; name: of the kernel, without prefix. Of a nest, empty
    otherwise: loops, outermost axis last (x, y, z), one without a variable for a plane of a single
    index; arrays by dummy, which is the array's name but for a second use of it; neighbours: dummy
    -> what it stands for; sweep: "" or "x+" ... "z-"; reductions; scalars: names of the nest's
    scope that the body reads and never writes (constants of the run); private: arrays and scalars
    that a point has for itself though the nest keeps them outside; positions: dummy -> axis, of a
    dummy that holds the value of the loop's variable; temporaries: by dummy, of this procedure or
    an earlier one of the same nest; views: by the name of the array's use; paths: name ->
    component of a derived type that it stands for in the nest, elements: those of all elements of
    an array; notes: what a user should know;
    unseen: arrays of the unit's own whose values nobody reads after the nest; firsts: of
    arrays and their dimensions, from 1, the first subscript in it, whatever bounds they have;
    conforming, beginnings: what the arrays that are bound have to be;
    presence: optional arguments of the unit that are given where it holds, and those that are not;
    touched: of arrays and their dimensions, from 0, the first and the last component, where the
    declaration does not say how many there are; named: names that the outline made -> what they
    stand for in the source.
    """

    name: str
    unit: Unit
    place: Place
    loops: tuple[Loop, ...] = ()
    arrays: dict[str, ArrayUse] = field(default_factory=dict)
    neighbours: dict[str, Neighbour] = field(default_factory=dict)
    sweep: str = ""
    reductions: tuple[Reduction, ...] = ()
    scalars: tuple[str, ...] = ()
    private: frozenset[str] = frozenset()
    positions: dict[str, int] = field(default_factory=dict)
    temporaries: dict[str, Temporary] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unseen: frozenset[str] = frozenset()
    paths: dict[str, Expression] = field(default_factory=dict)
    elements: dict[str, ElementArray] = field(default_factory=dict)
    firsts: dict[tuple[str, int], Expression] = field(default_factory=dict)
    conforming: tuple[Conforming, ...] = ()
    beginnings: tuple[Beginning, ...] = ()
    presence: dict[str, bool] = field(default_factory=dict)
    touched: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    @property
    def absent(self) -> frozenset[str]:
        """Optional arguments that are not given."""
        return frozenset(name for name, given in self.presence.items() if not given)

    @property
    def holds_where(self) -> str:
        """The condition that presence is, "" of none."""
        words = {True: "present({})", False: ".not. present({})"}
        return " .and. ".join(words[given].format(name) for name, given in self.presence.items())


@dataclass(frozen=True)
class Quantity:
    """An argument of a kernel.

    name: in the catalogue; argument: the dummy; type: real, integer or logical, kind: bytes, of
    the original; shape: extents of its components, () of a scalar, a word of `columns` as "ns" and
    "3*ns+6" where the number of species is in it; about: a line;
    lower: the first subscripts of a component whose bounds the user says; texts: of a number that
    stands for a text, those from 1 on;
    stands: the shipped quantity whose values it holds, "" of none; unit: of that; owner, storage:
    of a variable of a module or COMMON, which is no dummy.
    """

    name: str
    argument: str
    type: str
    kind: int
    shape: tuple[int | str, ...] = ()
    reads: Fringe = Fringe()
    about: str = ""
    stands: str = ""
    unit: str = "1"
    owner: str = ""
    storage: str = ""
    lower: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def columns(self) -> str:
        """As the catalogue says it: "1", "5", "ns", "ns*ns", "3*ns+6"; a product that it has no
        word for, as one."""
        number = math.prod(extent for extent in self.shape if isinstance(extent, int))
        words = [extent for extent in self.shape if isinstance(extent, str)]
        only = columns.of_species(words[0]) if len(words) == 1 else None
        if only is not None and number > 0:
            return columns.Linear(number * only.a, number * only.b).word
        words = [f"({word})" if {*word} & {*"+-"} else word for word in words]
        return "*".join(([str(number)] if number != 1 or not words else []) + words)


@dataclass(frozen=True)
class HostValue:
    """A scalar or an array of a module, of COMMON or of the nest's scope that a kernel reads.

    name: in the catalogue, as [constant.NAME] or [table.NAME]; variable: in Fortran; owner: name
    of the module or of the COMMON block, "" of the nest's own scope; storage: of its Symbol;
    shape: () of a scalar; value: what is known of it before the run (an initial value), or None;
    from_one: whether its subscripts are taken to begin at 1, which only a run knows; bounds_of:
    the array that has them, of components of an array of a type that one; merged: all
    extents where the last dimensions are one in the table; unit: that declares it.
    """

    name: str
    variable: str
    owner: str
    storage: str
    type: str
    kind: int
    shape: tuple[int, ...] = ()
    value: float | int | bool | None = None
    from_one: bool = False
    bounds_of: str = ""
    merged: tuple[int, ...] = ()
    unit: Unit | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Standing:
    """composite: the shipped one; without: its outputs that the kernel does not give."""

    composite: str
    without: tuple[str, ...] = ()


@dataclass
class Kernel:
    """A translated procedure.

    name: with prefix; header: name of its file; text: of that; inputs, outputs in the order of the
    kernel's arguments (what is inout is in both, equal); constants, tables in that order behind
    the inputs; uses_single: whether the original has real(4); singles: whether the kernel computes
    in it, else it is promoted;
    notes: lines for the report; initial: variables that a user has to say keep their initial
    values; replaces: in whose place it runs, None of none; status: the
    output that says which points stopped, "" of none; places: of the procedures that are in it;
    outside: what a user has to say of variables of modules and COMMON that it gives values, as
    options by name.
    """

    name: str
    header: str
    text: str
    procedure: PointProcedure
    inputs: list[Quantity] = field(default_factory=list)
    outputs: list[Quantity] = field(default_factory=list)
    constants: list[HostValue] = field(default_factory=list)
    tables: list[HostValue] = field(default_factory=list)
    uses_single: bool = False
    singles: bool = False
    notes: list[str] = field(default_factory=list)
    initial: list[str] = field(default_factory=list)
    replaces: Standing | None = None
    status: str = ""
    places: list[Place] = field(default_factory=list)
    outside: dict[str, str] = field(default_factory=dict)
