"""From a loop nest to a procedure of one point, with what it reads around the point.

In the order of the data: `region` (which statements), `indices` (index scalars put in),
`accesses`, `loops` (which loops are over points, which axis is which), `leaves` and `distribution`
(an imperfect nest taken apart), `uses` (arrays and neighbours), `scalars` (own values,
reductions), `procedures`. `views` and `order`: elements at no fixed distance, for which the
outline begins anew. Beside them what they ask: `affine`, `cover`, `definition`, `calls`,
`setting`.
"""

from bridge.port.outline.nests import directives, outline

__all__ = ["directives", "outline"]
