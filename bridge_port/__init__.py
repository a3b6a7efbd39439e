"""`bridge port`: from legacy Fortran to a kernel pack, checked against the original.

In the order of the data: `source` (text to logical lines), `syntax` (lines to program units),
`program` (names to what they stand for), `outline` (a loop nest to a procedure of one point),
`translate` (a procedure of one point to a header), `output` (the pack's files), `check` (the
original against the kernel), `survey`, `command`.
"""
