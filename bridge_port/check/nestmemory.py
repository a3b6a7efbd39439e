"""Variables of a nest under test: their memory, and what fills and writes them.

Memory is for arrays, and for types that hold them: the statements in front of the nest would
allocate them. Lower bounds are not 1, so that who takes them for 1 is found out. Integers and
logicals of other kinds than 4 are filled and written by way of those of kind 4. Lists of points
get numbers that differ, so that the module runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bridge_port.analysis.affine import Affine, affine
from bridge_port.kernel import ElementArray, Kernel
from bridge_port.output.fortran import Procedure, Statement, call
from bridge_port.program.resolved import designated
from bridge_port.program.symbols import MODULE, Symbol
from bridge_port.request import Ported
from bridge_port.syntax.expressions import Apply, Component, Expression, Name, Number
from bridge_port.syntax.text import expression_text

DEFERRED = frozenset({"pointer", "allocatable"})
#: Of dimensions of arrays; those of a type have one more than any index that is tried.
BOUNDS = ("-1:13", "-2:12", "-1:11", "1:5", "1:3", "1:2", "1:2")
#: Of the same dimensions: an array of assumed shape is as large as one that is allocated.
EXTENTS = (15, 15, 13, 5, 3, 2, 2)


def number(symbol: Symbol) -> list[str]:
    """Memory of a size that is a pointer or allocatable, which bounds need on entry."""
    for word, asked in (("allocatable", "allocated"), ("pointer", "associated")):
        if word in symbol.attributes:
            known = word == "allocatable" or symbol.storage == MODULE  # else it has no status yet
            there = f"if (.not. {asked}({symbol.name})) " if known else ""
            return [f"{there}allocate ({symbol.name})"]
    return []


def touched_parts(kernels: Iterable[Kernel]) -> dict[str, dict[int, tuple[int, int]]]:
    """Of arrays whose declaration does not say how many components they have, those of a nest."""
    return {
        name: known for k in kernels for name, known in k.procedure.touched.items()
        if name not in k.procedure.views
    }  # fmt: skip


def extents(symbol: Symbol, touched: Mapping[int, tuple[int, int]]) -> list[int]:
    """Of an array of assumed shape; one element behind those of the last dimension that a nest
    touches."""
    found = list(EXTENTS[: len(symbol.dimensions or ())])
    for n, (_, last) in touched.items():
        low = (symbol.dimensions or ())[n].lower
        first = 1 if low is None else affine(low).constant
        found[n] = last + 1 - (1 if first is None else first) + (n == len(found) - 1)
    return found


class Memory:
    """Of the variables of a nest; paths: what stands for those that are components; elements:
    arrays of types of those that are components of all elements."""

    def __init__(
        self, ported: Ported, paths: Mapping[str, Expression], elements: Mapping[str, ElementArray]
    ) -> None:
        self.paths = paths
        self.scope = ported.program.scope(ported.unit)
        self.made: dict[str, None] = {}
        procedure = ported.kernels[0].procedure
        self.touched = touched_parts(ported.kernels)
        self.firsts = {(b.array, b.dimension): b.first for b in procedure.beginnings}
        self.tables = {t.variable for k in ported.kernels for t in k.tables if t.from_one}
        self.arrays = {elements[name].array for name in self.tables if name in elements}

    def statements(self, variables: Iterable[str]) -> list[str]:
        """Before the nest: each thing once, what holds it first."""
        for name in variables:
            self._way(self.paths.get(name, Name(name)))
        return list(self.made)

    def _bounds(self, path: Expression, rank: int) -> Sequence[str]:
        """An array that is taken to begin where another one does has the same bounds."""
        names = [name for name, one in self.paths.items() if one == path]
        name = path.id if isinstance(path, Name) else next(iter(names), "")
        found = list(BOUNDS[:rank])
        for n, (begin, end) in self.touched.get(name, {}).items():
            found[n] = f"{begin}:{end + (n == rank - 1)}"  # one behind them is not bound
        for n in range(rank):
            match self.firsts.get((name, n + 1)):
                case Apply(_, (Name(_), Number(digits))):
                    found[n] = BOUNDS[int(digits) - 1]
                case Expression() as first:
                    low = affine(first)
                    high = low + Affine(EXTENTS[n] - 1)
                    found[n] = f"{expression_text(first)}:{expression_text(high.expression)}"
        return found

    def _way(self, path: Expression) -> None:
        if isinstance(path, Component):
            base = path.base.whole
            self._way(base)
        symbol = designated(path, self.scope)
        if symbol is None or not symbol.attributes & DEFERRED:
            return
        text = expression_text(path)
        bounds = self._bounds(path, len(symbol.dimensions or ()))
        if symbol.name in self.tables or path in self.arrays:
            bounds = tuple("1:" + one.partition(":")[2] for one in bounds)
        shape = ", ".join(bounds)
        allocate = f"allocate ({text}({shape}))" if shape else f"allocate ({text})"
        # A pointer may have no status yet: it gets memory in each run.
        if "allocatable" in symbol.attributes:
            allocate = f"if (.not. allocated({text})) {allocate}"
        self.made[allocate] = None


#: By type and kind the letter of the type and the kind.
OTHER_KINDS = {
    (type_, kind): f"{type_[0]}{kind}" for type_ in ("integer", "logical") for kind in (1, 2, 8)
}


def entries(prefix: str) -> str:
    """Fortran: subroutines whose names begin with the prefix; with sizes for zz_."""
    found: list[Procedure] = []
    for (type_, kind), name in OTHER_KINDS.items():
        differs = ".neqv." if type_ == "logical" else "/="
        head = ["implicit none", "integer, intent(in) :: id, n", f"{type_}({kind}) :: x(n)",
                f"{type_} :: of_four(n)"]  # fmt: skip
        called = {f"{prefix}{name}": f"{prefix}{name[0]}4"}
        if prefix == "zz_" and type_ == "integer":
            called[f"zz_set_{name}"] = "zz_set"
        for own, other in called.items():
            body: list[Statement] = ["of_four = x", call(other, "id", "n", "of_four"),
                    f"if (any(x {differs} of_four)) x = of_four"]  # fmt: skip
            found.append(Procedure(own, ("id", "n", "x"), head, body))
    return "".join(map(str, found))


def setting(kind: int) -> str:
    """The name of what gives a size."""
    return "zz_set" if kind == 4 else f"zz_set_i{kind}"


def lists_of(ported: Ported) -> dict[str, int]:
    """Arrays that name a point for each round of a loop, and the dimension that it subscripts."""
    found: dict[str, int] = {}
    views = [v for k in ported.kernels for v in k.procedure.views.values() if v.asked]
    for view in views:
        for e in (e for sub in view.subscripts if sub is not None for e in sub.walk()):
            if isinstance(e, Apply) and e.reference:
                for n, argument in enumerate(e.arguments, 1):
                    if any(
                        isinstance(o, Name) and o.id in view.variables for o in argument.walk()
                    ):
                        found.setdefault(e.reference, n)
    return found


def steps(text: str, dimension: int) -> tuple[str, str, str]:
    """Elements from one place of a list to the next one, its places, and all elements."""
    inner = [f"size({text}, {n})" for n in range(1, dimension)]
    return "*".join(inner) or "1", f"size({text}, {dimension})", f"size({text})"
