"""From a loop nest to procedures of one point, with what they read around the point.

`nests.outline` goes this way: `presence` (of optional arguments), `components` (of derived types),
`arraystatements` (loops in their place; `wholearrays`), `subscripts` (index scalars put in),
`boundingbox` (loops with gaps), `pointloops` (which loops are over points, which axis is which),
`leaves` and `fission` (an imperfect nest taken apart; `workarrays`, `scalarexpansion`), `uses`
(arrays and neighbours, the order of points), `scalars` (own values, reductions), `procedures`
(the body of one point). `views`: elements at no fixed distance, for which it begins anew.
`callednest`: calls in whose procedures the loops stand. What all share of one nest: `nest`.
"""

from bridge_port.analysis.region import directives
from bridge_port.nest.nests import outline

__all__ = ["directives", "outline"]
