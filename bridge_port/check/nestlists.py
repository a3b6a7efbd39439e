"""Lists of points in a nest under test: numbers that differ, so that its module runs."""

from __future__ import annotations

from bridge_port.request import Ported
from bridge_port.syntax.expressions import Apply, Name


def lists_of(ported: Ported) -> dict[str, int]:
    """Arrays that name a point for each round of a loop, and the dimension that it subscripts."""
    found: dict[str, int] = {}
    views = [v for k in ported.kernels for v in k.procedure.views.values() if v.asked]
    for view in views:
        for e in (e for sub in view.subscripts if sub is not None for e in sub.walk()):
            if isinstance(e, Apply) and isinstance(e.base, Name):
                for n, argument in enumerate(e.arguments, 1):
                    if any(
                        isinstance(o, Name) and o.id in view.variables for o in argument.walk()
                    ):
                        found.setdefault(e.base.id, n)
    return found


def steps(text: str, dimension: int) -> str:
    """Elements from one place of a list to the next one, its places, and all elements."""
    inner = [f"size({text}, {n})" for n in range(1, dimension)]
    return f"{'*'.join(inner) or '1'}, size({text}, {dimension}), size({text})"
