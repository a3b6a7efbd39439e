"""`bridge bench port`: kernels of packs against their originals, on the same states.

In the order of the data: `shipped` (a pack of Fortran that comes with the package), `procedures`
and `procedurerun` (a procedure of one point, and the process in which both sides take turns),
`nests` and `turns.f90` (a nest, and what counts turns inside its program), `measured` (what was
found, and what the survey had said), `options`, `command`.
"""
