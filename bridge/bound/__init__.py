"""Sets of bound arrays, and runs on them.

`boundsets` holds the sets of a Frame and starts runs; `pointsets` is one set: its arrays and what
a composite finds among them; `components` makes points of an array's components; `overlap` refuses
outputs that share memory; `matching` joins set and plan; `comparisons` and `recordings` are beside
a loop of the host; `pendingruns` are the runs that have begun and are not yet waited for.
"""
