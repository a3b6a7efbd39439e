"""What a benchmark is made of: random states, the system's Fortran compiled and called, candidates
that take turns, and rows that are printed and written. `bridge.bench` and `bridge_port.speed` use
these.
"""
