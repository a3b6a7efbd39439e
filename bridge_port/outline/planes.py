"""A leaf that writes an array at several planes is several leaves."""

from __future__ import annotations

from bridge_port.outline.accesses import Access, Accesses
from bridge_port.outline.affine import Affine
from bridge_port.outline.leaves import Leaf
from bridge_port.outline.nest import Nest
from bridge_port.syntax.expressions import Section
from bridge_port.syntax.statements import Cycle, Goto, Return, Statement, walk


def planes(nest: Nest, leaf: Leaf) -> list[Leaf]:
    """Statements of one leaf that write an array at several planes, each plane by itself."""
    if any(s.label or isinstance(s, Goto | Return | Cycle) for s in walk(leaf.body)):
        return [leaf]
    groups: list[list[Statement]] = [[]]
    written: dict[str, tuple[Affine | None, ...]] = {}
    own = Accesses(nest.setting, nest.effects)
    for s in leaf.body:
        here = {
            access.array: _plane_of(nest, access)
            for access in own.of([s], leaf.points)
            if access.writes and nest.is_field(access.array)
        }
        if any(array in written and written[array] != at for array, at in here.items()):
            groups.append([])
            written = {}
        written |= here
        groups[-1].append(s)
    return [leaf] if len(groups) == 1 else [Leaf(leaf.path, g, leaf.points) for g in groups]


def _plane_of(nest: Nest, access: Access) -> tuple[Affine | None, ...]:
    """Of each dimension the single index, None where a loop over points subscripts it."""
    subscripts = access.subscripts or ()
    return tuple(
        None
        if axis is None or isinstance(e, Section) or nest.axes.point(e, access) is not None
        else nest.setting.affine(e)
        for e, axis in zip(subscripts, nest.axes.dimensions[access.array], strict=False)
    )
