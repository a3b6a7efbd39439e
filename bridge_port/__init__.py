"""`bridge port`: from legacy Fortran to a kernel pack, checked against the original.

In the order of the data: `source` (text to logical lines), `syntax` (lines to program units),
`semantic` (intrinsic procedures, values of constants), `program` (names to what they stand for),
`analysis` (questions on statements), `nest` (a loop nest to procedures of one point), `translate`
(a procedure of one point to a header), `output` (the pack's files), `check` (the original against
the kernel), `survey`, `speed`, `command`.
"""
