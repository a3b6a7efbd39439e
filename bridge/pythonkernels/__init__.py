"""Kernels of a pack that are written in Python: `@bridge.kernel` on a function of one point.

`declaration` has the decorator, which reads nothing of the function; `bridge packs write` and
`bridge packs build FILE.py` make C++ of it. From above: `pack` reads a file of Python and writes a
folder, `kernels` makes one kernel, `statements`, `calls`, `loops` and `expressions` go down its
syntax tree, `header` is the text around it, `functions` knows what may be called, `values` what an
expression is.
"""
