"""What Fortran calls; `bridge.h` is the contract, `bodies` has what runs in Python."""

from time import perf_counter_ns

#: When the interpreter was there and imports began.
IMPORTS_BEGAN = perf_counter_ns()
