"""One rank of `test_rank_reductions`: its part of a box of points, reductions over all ranks.

Arguments: how many ranks share the box along y and along z. Prints the results of rank 0 as bits,
and on each rank what was refused.
"""

from __future__ import annotations

import faulthandler
import json
import sys

faulthandler.dump_traceback_later(500, exit=True)  # a rank that waits for one that has left

import numpy as np  # noqa: E402
from mpi4py import MPI  # noqa: E402

from bridge import Frame  # noqa: E402
from bridge.errors import BridgeError  # noqa: E402

SHAPE = 40, 12, 9
ranks = MPI.COMM_WORLD
along = int(sys.argv[1]), int(sys.argv[2])
mine = ranks.rank % along[0], ranks.rank // along[0]
random = np.random.default_rng(4)
T = 300.0 + random.normal(size=SHAPE)
eta = random.normal(size=SHAPE) * 10.0 ** random.integers(-9, 2, SHAPE)  # sums that cancel
P = np.full(SHAPE, 8e6)
Y = random.dirichlet(np.ones(2), SHAPE)
T[7, 6, 5] = T.max() + 1.0
part = [np.array_split(np.arange(n), parts)[k]
        for n, parts, k in zip(SHAPE[1:], along, mine, strict=True)]  # fmt: skip
here = np.ix_(np.arange(SHAPE[0]), *part)

frame = Frame()
for key, value in {"species": "O2 CH4", "backend": "cpu", "threads": "1"}.items():
    frame.set(key, value)
frame.initialize(0, 100, 2, 7, comm=ranks.py2f())
tv = frame.tvproperties
for name, array in {"T": T, "P": P, "Y": Y, "eta": eta}.items():
    tv.bind_array("cells", name, "in", np.asfortranarray(array[here]))
found = {
    f"{name} {operation}": np.ravel(tv.allreduce("cells", name, operation, component)).tolist()
    for name, component in (("eta", None), ("rho", None), ("Y", "each"), ("Y", None))
    for operation in ("sum", "l1", "l2", "linf", "min", "max", "count", "nan")
}
# Points of rank 0 alone: the others have an interior that ends before it begins, and no components
bounds = () if ranks.rank == 0 else (30, -2, 1, 12, 1, 9, 2, 1)
tv.bind_array("one", "Y", "in", np.asfortranarray(Y), *bounds)
for operation in ("sum", "l2", "min", "linf", "any"):
    for component in (None, "each", 2):
        value = np.ravel(tv.allreduce("one", "Y", operation, component)).tolist()
        found[f"one {operation} {component}"] = value
found["one minloc"] = [*tv.allreduce("one", "Y", "minloc")[1:]]
P[0] = 0.0  # of some points of every rank or of few
found["status bits"] = tv.allreduce("cells", "status", "bits")
assert found["status bits"][1] == 0  # bound arrays are copies
tv.bind_array("cells", "P", "in", np.asfortranarray(P[here]))
found["bad pressures"] = tv.allreduce("cells", "status", "bits")
assert found["bad pressures"][1] == P[0].size
value, place, rank = tv.allreduce("cells", "T", "maxloc")
assert value == T.max()
first = [lines[0] for lines in part]
owner = ranks.bcast((place[1] - 1 + first[0], place[2] - 1 + first[1]), root=rank)
found["where"] = [place[0] - 1, *map(int, owner)]
T[here] = np.nan if ranks.rank == ranks.size - 1 else T[here]
tv.bind_array("cells", "T", "in", np.asfortranarray(T[here]))
found["nan"] = tv.allreduce("cells", "T", "nan"), str(tv.allreduce("cells", "T", "sum"))
refused = []
for name, operation in (("T" if ranks.rank else "noSuch", "sum"), ("T", "mean")):
    try:
        tv.allreduce("cells", name, operation)
    except BridgeError as error:
        refused.append(f"{error.status} {str(error)[:80]}")
everybody = ranks.gather((found, refused))
if everybody is not None:
    assert all(one == found for one, _ in everybody)  # the same on all ranks
    bits = {name: [float(v).hex() if isinstance(v, float) else v for v in values]
            for name, values in found.items()}  # fmt: skip
    print(json.dumps({"found": bits, "refused": [each for _, each in everybody]}))
frame.finalize()
