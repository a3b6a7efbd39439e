"""Memory of the caller and memory by quantity, and the copies between them.

`hostarrays` takes an address or a NumPy array and where its interior lies, `qlayout` the columns
of Q; `views` hold one value of every point of a stripe, `viewuse` says which thread may use them,
`marshal` copies between a 4-D array with fringes and a flat box.
"""
