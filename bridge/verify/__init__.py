"""Verify: sampled points of each launch and run once more by a reference, and what differed.

Above the sets of bound arrays, below TVProperties, which hangs a `Verifier` into its TVImpl where
setting `verify` asks for it. `samples` takes points of a launch out of the arrays, `points` runs a
plan on such points on any backend, `measure` says how far two results are apart, `verifier` does
this for every launch and keeps the totals, `table` prints them; `files` writes what a difference
needs to be seen again and reads it back, `replay` is the command that does so; `probe` shows all
that the kernels of a composite make at one point.
"""
