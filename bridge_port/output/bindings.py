"""How the arrays of a kernel are bound: points first or components first, along three axes.

An array of fewer axes than three gets extents of 1; a pointer of rank 3 or 4 to the same memory
says so. An array that has the same values along an axis of the box is spread over a field of the
module before each run. What a point gives to a reduction, work arrays of lines and indices that
are read as numbers are fields of the module too.

Elements at other places are gathered into a field, or scattered from it. A subscript that is out
of its array's bounds is one of a point whose condition leaves the element alone: it is left out.
Conditions stand in ifs of their own, inner ones last, because Fortran may compute both sides of
.and.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bridge_port.kernel import ArrayUse, Kernel, Loop, Quantity, View
from bridge_port.nest.views import view_text
from bridge_port.output.surroundings import Surroundings, subtracted
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name, Number
from bridge_port.syntax.rewriting import replaced
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Dimension


def names_in(view: View) -> list[str]:
    """What its subscripts read, but for the loops' variables."""
    names = {
        e.id: None
        for sub in view.subscripts
        if sub is not None
        for e in sub.walk()
        if isinstance(e, Name) and e.id not in view.variables
    }
    return list(names)


def arrays_in(view: View, around: Surroundings) -> list[str]:
    return [n for n in names_in(view) if _is_variable(n, around, True)]


def scalars_in(view: View, around: Surroundings) -> list[str]:
    return [n for n in names_in(view) if _is_variable(n, around, False)]


def _is_variable(name: str, around: Surroundings, array: bool) -> bool:
    symbol = around.scope.find(name)
    return symbol is not None and (symbol.dimensions is not None) == array


def head(number: int) -> str:
    """An index of the field; no name of the original."""
    return f"bridge_n{number}"


@dataclass
class Copy:
    """own: the field; heads: variable of a loop -> the index of the field that runs over it; rank:
    dimensions of points of the field; others: what stands in the dimensions that the view leaves
    as they are, ":" or a section for components."""

    own: str
    view: View
    heads: Mapping[str, str]
    rank: int
    around: Surroundings
    others: Sequence[str]

    def gather(self) -> list[str]:
        return self._copied(f"{self._field()} = {self._element()}")

    def scatter(self) -> list[str]:
        return self._copied(f"{self._element()} = {self._field()}")

    def _field(self) -> str:
        words = [head(n) for n in range(1, self.rank + 1)]
        words += [":" for word in self.others if ":" in word]
        return f"{self.own}({', '.join(words)})"

    def _element(self) -> str:
        return f"{self.view.array}_given({', '.join(self._words())})"

    def _words(self) -> list[str]:
        others = iter(self.others)
        return [
            next(others) if sub is None else expression_text(self._put(sub))
            for sub in self.view.subscripts
        ]

    def _put(self, e: Expression) -> Expression:
        def put(one: Expression) -> Expression | None:
            if not isinstance(one, Name):
                return None
            if one.id in self.heads:
                return Name(self.heads[one.id])
            symbol = self.around.scope.find(one.id)
            if symbol is not None and symbol.dimensions is not None:
                return Name(f"{one.id}_given")
            return None

        return replaced(e, put)

    def _copied(self, line: str) -> list[str]:
        heads = [head(n) for n in range(1, self.rank + 1)]
        return self._nested(heads, [], self._conditions(), [line])

    def _nested(
        self, heads: Sequence[str], declared: Sequence[str], conditions: Iterable[str],
        inner: Sequence[str],
    ) -> list[str]:  # fmt: skip
        """Loops over these indices of the field, with a block of their own."""
        ifs = [f"if ({condition}) then" for condition in dict.fromkeys(conditions)]
        opening = [
            f"do {one} = lbound({self.own}, {n}), ubound({self.own}, {n})"
            for n in range(self.rank, 0, -1)
            if (one := head(n)) in heads
        ] + ifs
        closing = ["end if"] * len(ifs) + ["end do"] * (len(opening) - len(ifs))
        deepest = len(opening)
        return where_points(self.own, [
            "block",
            f"  integer :: {', '.join(heads)}",
            *declared,
            *("  " * depth + text for depth, text in enumerate(opening, 1)),
            *("  " * (deepest + 1) + text for text in inner),
            *("  " * (deepest - n) + text for n, text in enumerate(closing)),
            "end block",
        ])  # fmt: skip

    def _conditions(self) -> Iterator[str]:
        given = f"{self.view.array}_given"
        for n, (sub, word) in enumerate(zip(self.view.subscripts, self._words(), strict=True), 1):
            if sub is not None:
                yield from self._defined(self._put(sub))
            if ":" not in word:
                yield _within(word, given, n)

    def check(self, run: str, text: str) -> list[str]:
        """Stops the run where two points have one element; text: of the view."""
        given = f"{self.view.array}_given"
        numbered = list(enumerate(self.view.subscripts, 1))
        kept = [(n, self._put(sub)) for n, sub in numbered if sub is not None]
        bounds = [f"lbound({given}, {n}):ubound({given}, {n})" for n, _ in kept]
        seen = f"bridge_seen({', '.join(expression_text(one) for _, one in kept)})"
        conditions = [
            condition
            for n, one in kept
            for condition in (*self._defined(one), _within(expression_text(one), given, n))
        ]
        return self._nested(
            list(self.heads.values()),
            [f"  logical, allocatable :: bridge_seen({', '.join(':' * len(kept))})",
             f"  allocate (bridge_seen({', '.join(bounds)}), source=.false.)"],
            conditions,
            [f"if ({seen}) error stop '{run}: two points are one element of {text}'",
             f"{seen} = .true."],
        )  # fmt: skip

    def _defined(self, e: Expression) -> Iterator[str]:
        """What has to hold for its value to exist."""
        for part in e.parts():
            if isinstance(part, Name) and isinstance(e, Apply) and part is e.base:
                continue
            yield from self._defined(part)
        if isinstance(e, Apply) and e.reference.endswith("_given"):
            for n, argument in enumerate(e.arguments, 1):
                yield _within(expression_text(argument), e.reference, n)
        elif isinstance(e, Apply) and e.base in (Name("mod"), Name("modulo")):
            if not isinstance(e.arguments[-1], Number):
                yield f"{expression_text(e.arguments[-1])} /= 0"
        elif isinstance(e, Binary) and e.operator == "/" and not isinstance(e.right, Number):
            yield f"{expression_text(e.right)} /= 0"


def where_points(own: str, lines: list[str]) -> list[str]:
    """Nothing is read, nor looked at, for a field without points: the loops have no rounds."""
    return [f"if (size({own}) > 0) then", *lines, "end if"]


def _within(text: str, array: str, dimension: int) -> str:
    low, high = (f"{end}bound({array}, {dimension})" for end in "lu")
    return f"{text} >= {low} .and. {text} <= {high}"


@dataclass(frozen=True)
class Part:
    """Components of an array that a nest touches, where the declaration does not say how many
    there are. dimension: from 1; first, last: subscripts; only: whether there may be no others."""

    dimension: int
    first: int
    last: int
    only: bool

    @property
    def text(self) -> str:
        return f"{self.first}:{self.last}"

    def asked(self, name: str, array: str, points: Iterable[int]) -> str:
        """A line of bind; points: dimensions of points, without which no component is touched."""
        n, numbers = self.dimension, self.text
        if self.only:
            test = f"lbound({array}, {n}) /= {self.first} .or. ubound({array}, {n}) /= {self.last}"
            why = f"the elements of {array} along its dimension {n} are not {numbers}"
        else:
            test = f"lbound({array}, {n}) > {self.first} .or. ubound({array}, {n}) < {self.last}"
            why = f"{array} has not all elements {numbers} along its dimension {n}"
        some = [f"size({array}, {one}) > 0" for one in points]
        test = f"{' .and. '.join(some)} .and. ({test})" if some else test
        return f"if ({test}) error stop 'bind_{name}: {why}'"


#: Of arrays that are bound.
TYPES = {("real", 8): "real(c_double)", ("real", 4): "real(c_float)",
         ("integer", 4): "integer(c_int)", ("logical", 4): "logical(4)"}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """A pointer of the module to an array of the original."""

    pointer: str
    name: str
    type_text: str
    rank: int


@dataclass
class Array:
    """One binding. name: of the original's array, "" of the module's own; own: name of the field
    of the module; sources: what that is filled from; axes: of its dimensions, of what is bound;
    spreading, scattering: lines before and after a run; is_open: whether the array may have
    gaps; parts: of the array of the original; contributed: whether it holds what points give to a
    number that is reduced."""

    quantity: Quantity
    intent: str
    axes: tuple[int | None, ...]
    shift: tuple[int, int, int]
    type_text: str
    name: str = ""
    own: str = ""
    sources: tuple[Source, ...] = ()
    bounds: list[str] = field(default_factory=list)
    spreading: list[str] = field(default_factory=list)
    filling: list[str] = field(default_factory=list)
    scattering: list[str] = field(default_factory=list)
    is_open: bool = False
    parts: tuple[Part, ...] = ()
    contributed: bool = False

    @property
    def rank(self) -> int:
        return len(self.axes)

    @property
    def components(self) -> bool:
        return None in self.axes

    @property
    def component_first(self) -> bool:
        return self.components and self.axes[0] is None

    @property
    def points_of_original(self) -> list[int]:
        """Dimensions of points of the original's array, where that is what is bound."""
        return [] if self.own else [n for n, a in enumerate(self.axes, 1) if a is not None]

    @property
    def is_logical(self) -> bool:
        return self.type_text.startswith("logical")

    @property
    def pointer_type(self) -> str:
        """Of what is bound: logicals are bound as the integers that they are in memory."""
        return TYPES["integer", 4] if self.is_logical else self.type_text

    @property
    def pointer(self) -> str:
        kinds = {"real(c_double)": "reals", "real(c_float)": "singles"}
        kind = kinds.get(self.type_text, "integers")
        return f"bridge_{kind}_of_{'components' if self.components else 'points'}"

    def prepared(self, known: set[str]) -> list[str]:
        """Memory of its own, unless another kernel's binding has made it, and the pointer; known:
        fields with memory, to which this one is added."""
        lines = [f"{one.pointer} => {one.name}" for one in self.sources]
        array = self.own or self.name
        if self.own and self.own not in known:
            known.add(self.own)
            lines.append(f"if (allocated({array})) deallocate ({array})")
            lines.append(f"allocate ({array}({', '.join(self.bounds)}))")
            lines += self.filling or [f"{array} = {'.false.' if self.is_logical else '0'}"]
        sizes = {
            axis: f"size({array}, {n})" for n, axis in enumerate(self.axes, 1) if axis is not None
        }
        points = [f"1:{sizes.get(axis, '1')}" for axis in range(3)]
        parts = {} if self.own else {one.dimension: one for one in self.parts}
        inner = [
            str(parts[n].last - parts[n].first + 1) if n in parts else f"size({array}, {n})"
            for n, axis in enumerate(self.axes, 1)
            if axis is None
        ]
        if inner:
            number = "1:" + "*".join(inner)
            points = [number, *points] if self.component_first else [*points, number]
        if self.is_logical or parts or (self.is_open and not self.own):
            extents = ", ".join(one.removeprefix("1:") for one in points)
            if len(self.axes) in parts:  # where the memory begins that is bound
                firsts = [
                    str(parts[n].first) if n in parts else f"lbound({array}, {n})"
                    for n in range(1, len(self.axes) + 1)
                ]
                first = f"{array}({', '.join(firsts)})"
                return [*lines, f"if (size({array}) > 0) then",
                        f"call c_f_pointer(c_loc({first}), {self.pointer}, [{extents}])", "else",
                        f"call c_f_pointer(c_loc({array}), {self.pointer}, [{extents}])",
                        "end if"]  # fmt: skip
            return [*lines, f"call c_f_pointer(c_loc({array}), {self.pointer}, [{extents}])"]
        lines.append(f"{self.pointer}({', '.join(points)}) => {array}")
        return lines


def bounds_of(kernels: Sequence[Kernel]) -> list[Expression]:
    """First and last of the loops over points, then those of arrays that are made for the nest."""
    procedures = [k.procedure for k in kernels]
    found = [e for p in procedures for loop in p.loops for e in (loop.first, loop.last)]
    arrays = (t for p in procedures for t in p.temporaries.values())
    return found + [e for t in arrays for pair in t.box for e in pair]


class Bindings:
    """Of one kernel, the `number`-th of its nest."""

    def __init__(self, kernel: Kernel, around: Surroundings, number: int) -> None:
        self.kernel, self.around, self.number = kernel, around, number
        self.loops: dict[int, Loop] = {loop.axis: loop for loop in kernel.procedure.loops}
        self.arrays: list[Array] = []
        self.positions = False
        outputs = {q.name for q in kernel.outputs}
        inputs = {q.name for q in kernel.inputs}
        seen: set[str] = set()
        for quantity in (*kernel.inputs, *kernel.outputs):
            if quantity.name in seen:
                continue
            seen.add(quantity.name)
            intent = (
                ("inout" if quantity.name in inputs else "out")
                if quantity.name in outputs
                else "in"
            )
            self._take(quantity, intent)

    def _take(self, quantity: Quantity, intent: str) -> None:
        procedure = self.kernel.procedure
        if quantity.argument in procedure.arrays:
            self._array(quantity, intent)
        elif quantity.argument in procedure.positions:
            self.positions = True
        elif quantity.argument in {r.argument for r in procedure.reductions}:
            self._contribution(quantity)
        else:
            raise Refused(
                procedure.place, f"quantity {quantity.name}", "no array of the nest belongs to it"
            )

    def firsts(self) -> list[Expression]:
        return [self.loops[a].first if a in self.loops else Number("1") for a in range(3)]

    def positions_of(self, one: Array, axis: int) -> tuple[str, str]:
        """First and last, counted in storage from 1."""
        loop = self.loops.get(axis)
        if axis not in one.axes or loop is None:
            return "1", "1"
        array = one.own or one.name
        low = f"lbound({array}, {one.axes.index(axis) + 1})"
        first = subtracted(loop.first, one.shift[axis] + 1)
        last = subtracted(loop.last, one.shift[axis] + 1)
        return f"{first} - {low}", f"{last} - {low}"

    def ends(self) -> dict[str, tuple[Expression, Expression, int]]:
        """Of arrays of assumed size the loop's first and last round, and how much further they are
        touched."""
        found: dict[str, tuple[Expression, Expression, int]] = {}
        for one in self.arrays:
            axis = one.axes[-1]
            if not one.name or one.own or axis is None or not self.around.has_no_end(one.name):
                continue
            first: Expression = Number("1")
            last = first
            if axis in self.loops:
                first, last = self.loops[axis].first, self.loops[axis].last
            further = one.shift[axis] + one.quantity.reads.upper[axis]
            before = found.get(one.name)
            found[one.name] = first, last, max(further, before[2] if before else further)
        return found

    # ---- arrays -------------------------------------------------------------------------------

    def _type(self, kind: tuple[str, int], what: str) -> str:
        if kind not in TYPES:
            raise Refused(self.kernel.procedure.place, f"array {what}",
                          f"arrays of {kind[0]}({kind[1]}) are not bound",
                          "copy it to a real(8) or integer(4) array")  # fmt: skip
        return TYPES[kind]

    def _array(self, quantity: Quantity, intent: str) -> None:
        use = self.kernel.procedure.arrays[quantity.argument]
        temporary = self.kernel.procedure.temporaries.get(quantity.argument)
        type_text = self._type((quantity.type, quantity.kind), use.name)
        if temporary is not None:
            bounds = [
                f"{expression_text(low)}:{expression_text(high)}" for low, high in temporary.box
            ]
            bounds += [_bound(d) for d in temporary.components]
            self.arrays.append(Array(quantity, intent, use.axes, use.shift, type_text,
                                     own=f"{use.name}_all", bounds=bounds))  # fmt: skip
            return
        view = self.kernel.procedure.views.get(use.name)
        if view is not None:
            self._view(quantity, intent, use, view, type_text)
            return
        points = [n for n, axis in enumerate(use.axes) if axis is not None]
        if points != list(range(points[0], points[0] + len(points))):
            raise Refused(self.kernel.procedure.place, f"array {use.name}",
                          "components stand between its dimensions of points",
                          "points or components stand first")  # fmt: skip
        if points[0] and points[-1] + 1 != len(use.axes):
            why = "components stand before and behind its dimensions of points"
            raise Refused(self.kernel.procedure.place, f"array {use.name}", why)
        lacking = [
            axis for axis, loop in self.loops.items() if axis not in use.axes and loop.variable
        ]
        if lacking:
            self._spread(quantity, use.name, use.axes, use.shift, type_text)
            return
        one = Array(quantity, intent, use.axes, use.shift, type_text, use.name)
        one.parts = tuple(
            Part(n + 1, first, last, n + 1 < len(use.axes))
            for n, (first, last) in self._touched(use.name).items()
        )
        one.is_open = self.around.is_open(use.name)
        self.arrays.append(one)

    def _view(
        self, quantity: Quantity, intent: str, use: ArrayUse, view: View, type_text: str
    ) -> None:
        """A field of the box that is filled from elements at other places."""
        order = sorted(self.loops)
        bounds = self._field_bounds(quantity)
        pointer = f"{view.array}_given"
        left = [n for n, sub in enumerate(view.subscripts, 1) if sub is None]
        others: list[str] = []
        parts: list[Part] = []
        for at, axis in enumerate(use.axes[len(view.variables) :], len(view.variables)):
            n = left[at - len(view.variables)]
            if axis is not None:
                others.append(_moved(head(order.index(axis) + 1), use.shift[axis]))
                continue
            if at in self._touched(use.name):
                parts.append(Part(n, *self._touched(use.name)[at], False))
                others.append(parts[-1].text)
                bounds.append(parts[-1].text)
            else:
                others.append(":")
                bounds.append(f"1:size({pointer}, {n})")
        sources = [Source(pointer, view.array, type_text, len(view.subscripts))]
        for index in arrays_in(view, self.around):
            symbol = self.around.symbol(index)
            kind = self._type((symbol.type, symbol.kind), index)
            rank = len(symbol.dimensions or ())
            sources.append(Source(f"{index}_given", index, kind, rank))
        own = f"{quantity.argument}_{self.number}"
        heads = {
            variable: head(order.index(axis) + 1)
            for variable, axis in zip(view.variables, use.axes, strict=False)
            if axis is not None
        }
        copy = Copy(own, view, heads, len(order), self.around, others)
        check = copy.check(self.kernel.procedure.name, view_text(view)) if view.asked else []
        self.arrays.append(
            Array(
                quantity,
                intent,
                (*order, *(axis for axis in use.axes[len(view.variables) :] if axis is None)),
                (0, 0, 0),
                type_text,
                view.array,
                own,
                tuple(sources),
                bounds,
                [*check, *(copy.gather() if intent != "out" else [])],
                scattering=copy.scatter() if intent != "in" else [],
                parts=tuple(parts),
            )
        )

    def _touched(self, name: str) -> dict[int, tuple[int, int]]:
        return self.kernel.procedure.touched.get(name, {})

    def _field_bounds(self, reads: Quantity) -> list[str]:
        """Of a field of the box, with the fringe that is read: around no points there is none."""
        bounds = []
        for axis in sorted(self.loops):
            loop, lower, upper = self.loops[axis], reads.reads.lower[axis], reads.reads.upper[axis]
            low, high = subtracted(loop.first, -lower), subtracted(loop.last, upper)
            if lower or upper:
                first, last = (expression_text(e) for e in (loop.first, loop.last))
                some = f"{last} >= {first}"
                high = f"merge(int({high}, c_int), int({low}, c_int) - 1_c_int, {some})"
            bounds.append(f"{low}:{high}")
        return bounds

    def _spread(
        self, quantity: Quantity, name: str, axes: tuple[int | None, ...],
        shift: tuple[int, int, int], type_text: str,
    ) -> None:  # fmt: skip
        symbol = self.around.symbol(name)
        inner = [d for d, axis in zip(symbol.dimensions or (), axes, strict=True) if axis is None]
        if inner:
            raise Refused(self.kernel.procedure.place, f"array {name}",
                          "it has components, and the same values along an axis",
                          "give it that axis")  # fmt: skip
        own, source = f"{name}_spread{self.number}", f"{name}_given"
        order = sorted(self.loops)
        bounds = self._field_bounds(quantity)
        words, heads = [], []
        for n, axis in enumerate(axes):
            assert axis is not None
            words.append(_moved(f"n{n + 1}", shift[axis]))
            heads.append((axis, f"n{n + 1}"))
        lines = ["block", "  integer :: " + ", ".join(head for _, head in heads)]
        for axis, head in reversed(heads):
            n = order.index(axis) + 1
            lines.append(f"do {head} = lbound({own}, {n}), ubound({own}, {n})")
        chosen = {axis: head for axis, head in heads}
        places = ", ".join(chosen.get(axis, ":") for axis in order)
        lines.append(f"{own}({places}) = {source}({', '.join(words)})")
        lines += ["end do"] * len(heads) + ["end block"]
        lines = where_points(own, lines)
        sources = (Source(source, name, type_text, len(axes)),)
        self.arrays.append(Array(quantity, "in", tuple(order), (0, 0, 0), type_text, name, own,
                                 sources, bounds, lines))  # fmt: skip

    def _contribution(self, quantity: Quantity) -> None:
        bytes_of_a_real = 4 if self.kernel.singles else 8
        kind = ("real", bytes_of_a_real) if quantity.type == "real" else ("integer", 4)
        order = sorted(self.loops)
        bounds = self._field_bounds(quantity)
        axes: tuple[int | None, ...] = tuple(order)
        if quantity.shape:
            bounds.append(f"1:{quantity.columns}")
            axes = (*axes, None)
        own = f"{quantity.argument}_of{self.number}"
        self.arrays.append(Array(quantity, "out", axes, (0, 0, 0), TYPES[kind], own=own,
                                 bounds=bounds, contributed=True))  # fmt: skip


def _moved(index: str, by: int) -> str:
    return f"{index} {'+' if by > 0 else '-'} {abs(by)}" if by else index


def _bound(one: Dimension) -> str:
    low = "" if one.lower is None else expression_text(one.lower) + ":"
    assert one.upper is not None
    return low + expression_text(one.upper)
