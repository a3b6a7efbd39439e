"""Functions of the user on two ranks: a sum over both, then one that fails on the second."""

from typing import Any

import numpy as np
from mpi4py import MPI

import bridge


def total(cells: Any) -> None:
    sums = cells.comm.allreduce(float(cells.T.sum()))
    cells.T[...] = sums
    if cells.text == "fail" and cells.rank == 1:
        raise RuntimeError("this rank alone")


with bridge.Frame(64, ns=0, backend="cpu", threads=1, comm=MPI.COMM_WORLD.py2f()) as frame:
    T = np.full(10, 1.0 + MPI.COMM_WORLD.rank)
    frame.tvproperties.bind_array("cells", "T", "inout", T)
    frame.tvproperties.python("cells", total)
    assert (T == 30.0).all()
    frame.tvproperties.python("cells", total)
    assert (T == 600.0).all()
    print("summed", flush=True)
    frame.tvproperties.python("cells", total, text="fail")
    MPI.COMM_WORLD.Barrier()
    print("past the failure", flush=True)
