"""A rank whose mixtures split and one whose do not: the report and finalize have the sums."""

import numpy as np
from mpi4py import MPI

import bridge

rank = MPI.COMM_WORLD.rank
with bridge.Frame(
    64, species="N2 C12H26", backend="cpu", threads=1, comm=MPI.COMM_WORLD.py2f()
) as frame:
    tv = frame.tvproperties
    tv.bind_array("cells", "T", "in", np.full(10, 900.0 if rank == 0 else 400.0))
    tv.bind_array("cells", "P", "in", np.full(10, 4e6))
    tv.bind_array("cells", "Y", "in", np.full((10, 2), 0.5, order="F"))
    tv.bind_array("cells", "rho", "out", np.zeros(10))
    for _ in range(3):
        tv.run("cells", "eosThermalProperties")
    frame.report()
