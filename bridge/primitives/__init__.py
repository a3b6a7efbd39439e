"""Primitives on points: gather, scatter, scan, split, sort by key, transposition. `operands` says
what they work on, `points` checks numbers of points, `primitives` has the methods.

Between TVProperties and the bound sets and views; the arrays are NumPy's or, on a GPU, CuPy's.
"""
