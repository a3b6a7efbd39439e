"""From a loop nest to a procedure of one point, with what it reads around the point.

In the order of the data: `region` (which statements), `presence` (of optional arguments),
`arraystatements` (loops in their place), `indices` (index scalars put in), `hulls` (loops with
gaps), `accesses`, `loops` (which loops are over points, which axis is which; `axes`), `leaves`
and `distribution` (an imperfect nest taken apart; `pairs` of its parts), `uses` (arrays and
neighbours; `recurrences`: the order of points), `scalars` (own values, reductions), `procedures`
(`dummies` in their bodies). `views` and `order`: elements at no fixed distance, for which the
outline begins anew. `callednest`: calls in whose procedures the loops stand. Beside them what
they ask: `affine`, `assumedsize`, `cover`, `definition`, `calls`, `setting`.
"""

from bridge_port.outline.nests import directives, outline

__all__ = ["directives", "outline"]
