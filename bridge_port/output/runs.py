"""Which kernels of a nest run together: one composite, one run, one pass through memory.

Kernels that follow each other, on the same box, where what one of them writes another one reads
and writes at the same point alone. The executor takes a block of points through all of them; each
is compiled by itself, so that results keep their bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.kernel import ArrayUse, Kernel, Quantity

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
