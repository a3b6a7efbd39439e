"""The runs of a nest: which of its kernels run together, and what stands behind each run.

Kernels that run together are one composite, one run, one pass through memory: those that follow
each other, on the same box, where what one of them writes another one reads and writes at the same
point alone. The executor takes a block of points through all of them; each is compiled by itself,
so that results keep their bits. Each run has a set of its own. Behind it stands what reduces what
the points gave to a variable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bridge_port.kernel import ANY, SUM, ArrayUse, HostValue, Kernel, Quantity, Reduction
from bridge_port.output.bindings import Array, Bindings
from bridge_port.output.fortran import Statement, call
from bridge_port.output.hostdata import listed
from bridge_port.output.surroundings import Surroundings
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.rewriting import with_names
from bridge_port.syntax.text import expression_text

#: Quantities that every run has.
_POSITIONS = ("position_i", "position_j", "position_k")


def runs(kernels: Sequence[Kernel]) -> list[list[Kernel]]:
    """In the order of the kernels; one of a single kernel is that kernel's own."""
    found: list[list[Kernel]] = []
    for kernel in kernels:
        if found and all(together(one, kernel) for one in found[-1]):
            found[-1].append(kernel)
        else:
            found.append([kernel])
    return found


def run_names(kernels: Sequence[Kernel], nest: str) -> list[str]:
    """What each of `runs` is called: the kernel, or a composite of the pack."""
    taken = {k.name for k in kernels}
    names = []
    for some in runs(kernels):
        if len(some) == 1:
            names.append(some[0].name)
            continue
        whole = len(some) == len(kernels)
        name = nest if whole else f"{some[0].name}_to_{1 + kernels.index(some[-1])}"
        while name in taken:
            name += "_all"
        taken.add(name)
        names.append(name)
    return names


def together(earlier: Kernel, later: Kernel) -> bool:
    """Whether a point may go through the later kernel before the next point goes through the
    earlier one."""
    one, other = earlier.procedure, later.procedure
    box, theirs = ([(p.axis, p.first, p.last, bool(p.variable)) for p in k.loops]
                   for k in (one, other))  # fmt: skip
    if box != theirs or one.sweep or other.sweep or one.views or other.views:
        return False
    changed = {r.variable for r in one.reductions}
    changed |= {
        use.name for q, use in _uses(earlier) if q.name in {o.name for o in earlier.outputs}
    }
    if changed & {v.variable for v in (*later.constants, *later.tables)}:
        return False
    return _same_names(earlier, later) and all(
        _at_point(name, earlier, later) for name in _arrays(earlier) & _arrays(later)
    )


def _same_names(earlier: Kernel, later: Kernel) -> bool:
    """Whether a quantity of both is one binding: the same array at the same place, and no field
    that the module keeps for one of the kernels."""
    mine = {q.name: q for q in _quantities(earlier)}
    for q in _quantities(later):
        if q.name not in mine or q.name in _POSITIONS:
            continue
        use, other = _use(earlier, mine[q.name]), _use(later, q)
        if use is None or other is None or _lacking(earlier, use):
            return False
        if (use.name, use.axes, use.shift) != (other.name, other.axes, other.shift):
            return False
    return True


def _at_point(array: str, earlier: Kernel, later: Kernel) -> bool:
    """Whether nobody writes it, or both have it at the point alone, under one name."""
    found = [(k, q, use) for k in (earlier, later) for q, use in _uses(k) if use.name == array]
    if not any(q.name in {o.name for o in k.outputs} for k, q, _ in found):
        return True
    return len({q.name for _, q, _ in found}) == 1 and not any(
        q.reads or use.reads or _lacking(k, use) for k, q, use in found
    )


def _quantities(k: Kernel) -> list[Quantity]:
    return list({q.name: q for q in (*k.outputs, *k.inputs)}.values())


def _uses(k: Kernel) -> Iterator[tuple[Quantity, ArrayUse]]:
    for q in (*k.inputs, *k.outputs):
        use = _use(k, q)
        if use is not None:
            yield q, use


def _use(k: Kernel, q: Quantity) -> ArrayUse | None:
    return k.procedure.arrays.get(q.argument)


def _arrays(k: Kernel) -> set[str]:
    return {use.name for _, use in _uses(k)}


def _lacking(k: Kernel, use: ArrayUse) -> bool:
    """Whether it has the same values along an axis: it is spread over a field before the run."""
    return any(loop.variable and loop.axis not in use.axes for loop in k.procedure.loops)


@dataclass(frozen=True)
class Reduced:
    """What the points of a kernel gave, reduced to a variable: `name`, that of the nest or another
    one in its place."""

    kernel: Kernel
    reduction: Reduction
    name: str

    @property
    def quantity(self) -> str:
        outputs = self.kernel.outputs
        return next(q.name for q in outputs if q.argument == self.reduction.argument)


def reduced(kernels: Iterable[Kernel], name: Callable[[str], str] = str) -> list[Reduced]:
    """All that kernels of one run reduce; name: of a variable's place."""
    return [Reduced(k, r, name(r.variable)) for k in kernels for r in k.procedure.reductions]


def local_lines(around: Surroundings, runs: Iterable[Sequence[Reduced]]) -> list[str]:
    """Declarations of the variables of `reduction_lines`; runs: what is reduced behind each."""
    totals, lines = 0, []
    alone: dict[str, None] = {}
    for several in runs:
        sizes = [_size(around, one.reduction) for one in several]
        if len(several) > 1 or any(sizes):
            totals = max(totals, sum(max(size, 1) for size in sizes))
        elif several:
            alone[_alone(several[0].reduction)] = None
    if "bridge_total" in alone:
        lines.append("real(c_double) :: bridge_total")
    if totals:
        lines.append(f"real(c_double) :: bridge_totals({totals})")
    if "bridge_found" in alone:
        lines.append("logical :: bridge_found")
    return lines


def _size(around: Surroundings, r: Reduction) -> int:
    """Of a variable that has a result for each component, else 0."""
    return 0 if r.operation == ANY else around.size(r.variable)


def _alone(r: Reduction) -> str:
    return "bridge_found" if r.operation == ANY else "bridge_total"


def reduction_lines(
    around: Surroundings, set_: str, several: Sequence[Reduced], maker: str = ""
) -> list[Statement]:
    """One call, and each result to its variable. maker: of the quantities, the name of a run;
    "" where they are bound, and reduced as they are."""
    sizes = [_size(around, one.reduction) for one in several]
    if not several:
        return []
    front = f"{maker}:" if maker else ""
    quantities = _words([front + one.quantity for one in several])
    operations = _words([one.reduction.operation for one in several])
    lines: list[Statement] = []
    if len(several) == 1:
        [one], [size] = several, sizes
        found = f"bridge_totals(:{size})" if size else _alone(one.reduction)
        lines.append(call("frame_reduce", f"'{set_}'", quantities, operations, found))
        return lines + _to_variable(around, one, size, found)
    whole = f"bridge_totals(:{sum(max(size, 1) for size in sizes)})"
    words = ["frame_reduce_several", f"'{set_}'", quantities, operations, whole]
    if any(sizes):
        words.append(f"components=[{', '.join('-1' if size else '0' for size in sizes)}]")
    lines.append(call(*words))
    first = 1
    for one, size in zip(several, sizes, strict=True):
        last = first + max(size, 1) - 1
        found = f"bridge_totals({first}:{last})" if size else f"bridge_totals({first})"
        if one.reduction.operation == ANY:
            found = f"({found} /= 0)"
        lines += _to_variable(around, one, size, found)
        first = last + 1
    return lines


def _words(names: Sequence[str]) -> str:
    """A text of names, over several lines where they need them."""
    text = " ".join(names)
    return f"'{text}'" if len(text) < 60 else listed(names)


def _to_variable(around: Surroundings, one: Reduced, size: int, found: str) -> list[Statement]:
    """found: the result."""
    r, name = one.reduction, one.name
    lines: list[Statement] = []
    if r.initial is not None:
        # -huge(s) asks for the kind of the variable, which stands for s here.
        initial = with_names(r.initial, {r.variable: Name(name)})
        lines.append(f"{name} = {expression_text(initial)}")
    if r.operation == ANY:
        way = ".and. .not." if r.negated else ".or."
        return [*lines, f"{name} = {name} {way} {found}"]
    value = f"reshape({found}, shape({name}))" if size else found
    symbol = around.symbol(r.variable)
    if symbol.type == "integer":
        if r.operation != SUM:
            # Where the box has no point at all the extreme is infinite.
            most = f"real(huge({name}), c_double)"
            value = f"max(-1 - {most}, min({most}, {value}))"
        value = f"nint({value})"
    if r.operation == SUM:
        return [*lines, f"{name} = {name} + {value}"]
    if symbol.type == "real":
        value = f"real({value}, {symbol.kind})"
    return [*lines, f"{name} = {r.operation}({name}, {value})"]


@dataclass(frozen=True)
class Run:
    """One run of a nest: name: of the kernel or the composite; others: of the other runs."""

    name: str
    set: str
    kernels: list[Kernel]
    bindings: list[Bindings]
    others: list[Bindings]

    def arrays(self) -> list[tuple[Array, Bindings]]:
        """Each quantity once."""
        found: dict[str, tuple[Array, Bindings]] = {}
        for bindings in self.bindings:
            for one in bindings.arrays:
                found.setdefault(one.quantity.name, (one, bindings))
        return list(found.values())

    def intent(self, array: Array) -> str:
        """What all kernels do with it: out where the first of them fills it."""
        name = array.quantity.name
        every = [a.intent for b in self.bindings for a in b.arrays if a.quantity.name == name]
        if all(one == "in" for one in every):
            return "in"
        return "out" if every[0] == "out" else "inout"

    def stored(self) -> list[tuple[Array, Bindings]]:
        """All but fields between its kernels: what one of them makes and no other run reads."""
        return [(one, bindings) for one, bindings in self.arrays() if not self._stays(one)]

    def _stays(self, one: Array) -> bool:
        own = {a.argument for k in self.kernels for a in k.inputs if a.name == one.quantity.name}
        if not one.own or not own or self.intent(one) != "out":
            return False
        return all(a.own != one.own for b in self.others for a in b.arrays)

    @property
    def only_reduces(self) -> bool:
        """Whether numbers are all that it leaves. What its points give to them is then reduced
        while it is made, and is bound for comparisons alone."""
        stored = [one for one, _ in self.stored()]
        read = [one for one in stored if self.intent(one) == "in"]
        return bool(read) and all(one.contributed for one in stored if one not in read)


def runs_of(
    name: str, kernels: Sequence[Kernel], sets: Sequence[str], bindings: Sequence[Bindings]
) -> list[Run]:
    """name: of the nest; sets, bindings: of the kernels. Kernels that run together have a further
    set of their own: what is compared and recorded is one kernel's."""
    found, first = [], 0
    for some, one in zip(runs(kernels), run_names(kernels, name), strict=True):
        here = slice(first, first + len(some))
        first += len(some)
        set_ = sets[here.start] if len(some) == 1 else f"{one}_together"
        others = [*bindings[: here.start], *bindings[here.stop :]]
        found.append(Run(one, set_, some, list(bindings[here]), others))
    return found


def run_lines(runs: Sequence[Run]) -> list[Statement]:
    """The call for runs that follow each other."""
    if not runs:
        return []
    if len(runs) == 1:
        return [call("frame_run", f"'{runs[0].set}'", f"'{runs[0].name}'")]
    sets, names = _words([run.set for run in runs]), _words([run.name for run in runs])
    return [call("frame_run_several", sets, names)]


def fresh(later: Sequence[Run], known: Collection[HostValue]) -> list[HostValue]:
    """Constants that the first of these runs and later ones read and that nobody has given: those
    that a run between does not reduce."""
    found: dict[HostValue, None] = {}
    reduced_between: set[str] = set()
    for run in later:
        for k in run.kernels:
            for value in k.constants:
                if value not in known and value.variable not in reduced_between:
                    found[value] = None
        reduced_between |= {r.variable for k in run.kernels for r in k.procedure.reductions}
    return list(found)
