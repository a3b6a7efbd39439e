"""Sets of bound arrays, and runs on them.

`boundsets` holds the sets of a Frame and starts runs; `pointsets` is one set: its arrays and what
a composite finds among them; `setarrays` checks one array; `components` makes points of an
array's components; `outputs` and `overlap` refuse outputs that share memory; `matching` joins set
and plan; `comparisons` and `recordings` are beside a loop of the host; `pendingruns` are the runs
that have begun and are not yet waited for.
"""
