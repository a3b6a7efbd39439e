"""`bridge-config --self-test`: does the bridge work with this Fortran compiler and this MPI?

Programs that use every kind of entry point once (conformance.f90 and its neighbours), and what
compiles and runs them (tools, session, __main__).
"""
