"""`bridge.evaluate` and `bridge.Mixture`: properties of NumPy arrays of states, without a Frame.

The same catalogue, plans and backend programs as the Fortran way. `function` has `evaluate` and
keeps mixtures; `mixture` has `Mixture`; `arguments` makes arrays of what a caller gives, `request`
the plan of what is asked for, `programs` runs it, on arrays of its own or of the caller. `result`
has what comes back, `datasets` makes tables of it for pandas and xarray. `machines` keeps
backends, `memory` that of large results.
"""
