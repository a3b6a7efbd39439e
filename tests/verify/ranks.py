"""One rank of `test_verify_ranks`: a run whose points are verified, its table at the end."""

from __future__ import annotations

import faulthandler

faulthandler.dump_traceback_later(500, exit=True)  # a rank that waits for one that has left

import numpy as np  # noqa: E402
from mpi4py import MPI  # noqa: E402

from bridge import Frame  # noqa: E402

ranks = MPI.COMM_WORLD
n = 30 + 10 * ranks.rank
random = np.random.default_rng(ranks.rank)
arrays = {"T": random.uniform(300.0, 900.0, (n, 1, 1)), "P": np.full((n, 1, 1), 8e6),
          "Y": random.dirichlet(np.ones(2), (n, 1, 1))}  # fmt: skip
frame = Frame()
settings: dict[str, str | int] = {
    "species": "O2 CH4",
    "backend": "cpu",
    "threads": 1,
    "verify": "all",
}
for key, value in settings.items():
    frame.set(key, value)
frame.initialize(0, 100, 2, 7, comm=ranks.py2f())
tv = frame.tvproperties
for name, array in arrays.items():
    tv.bind_array("cells", name, "in", np.asfortranarray(array))
tv.bind_array("cells", "rho", "out", np.zeros((n, 1, 1), order="F"))
tv.run("cells", "eosThermalProperties")
frame.finalize()
