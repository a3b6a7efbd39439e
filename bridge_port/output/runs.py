"""The runs of a nest: which of its kernels run together, and what stands behind each run.

Kernels that run together are one composite, one run, one pass through memory: those that follow
each other, on the same box, where what one of them writes another one reads and writes at the same
point alone. The executor takes a block of points through all of them; each is compiled by itself,
so that results keep their bits. Each run has a set of its own. Behind it stands what reduces what
the points gave to a variable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from bridge_port.kernel import ANY, SUM, ArrayUse, HostValue, Kernel, Quantity, Reduction
from bridge_port.output.bindings import Array, Bindings
from bridge_port.output.fortran import Statement, call
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


def local_lines(around: Surroundings, reductions: Sequence[Reduction]) -> list[str]:
    """Declarations of the variables of `reduced`."""
    if not reductions:
        return []
    lines = []
    if any(r.operation != ANY for r in reductions):
        lines.append("real(c_double) :: bridge_total")
    sizes = [around.size(r.variable) for r in reductions]
    if any(sizes):
        lines.append(f"real(c_double) :: bridge_totals({max(sizes)})")
    if any(r.operation == ANY for r in reductions):
        lines.append("logical :: bridge_found")
    return lines


def reduced(
    around: Surroundings, set_: str, kernel: Kernel, r: Reduction, into: str = ""
) -> list[Statement]:
    """Statements behind a run; into: another variable in the place of the nest's."""
    quantity = next(q for q in kernel.outputs if q.argument == r.argument)
    size, name = around.size(r.variable), into or r.variable
    lines: list[Statement] = []
    if r.initial is not None:
        # -huge(s) asks for the kind of the variable, which stands for s here.
        initial = with_names(r.initial, {r.variable: Name(name)})
        lines.append(f"{name} = {expression_text(initial)}")
    found = "bridge_found" if r.operation == ANY else "bridge_total"
    if size and r.operation != ANY:
        found = f"bridge_totals(:{size})"
    lines.append(
        call("frame_reduce", f"'{set_}'", f"'{quantity.name}'", f"'{r.operation}'", found)
    )
    if r.operation == ANY:
        way = ".and. .not." if r.negated else ".or."
        return [*lines, f"{name} = {name} {way} bridge_found"]
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
    """One run of a nest: name: of the kernel or the composite."""

    name: str
    set: str
    kernels: list[Kernel]
    bindings: list[Bindings]

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
        found.append(Run(one, set_, some, list(bindings[here])))
    return found


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
