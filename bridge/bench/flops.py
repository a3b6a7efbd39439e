"""Double-precision operations of the resident set per point, counted by the GPU itself.

`ncu` runs this file as a program, one launch for each number of species, and reads the hardware's
counters; what is counted is what the machine did, masked lanes not among it.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from collections.abc import Sequence

#: Counter of the hardware -> operations of one instruction.
COUNTERS = {
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum": 1,
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum": 1,
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum": 2,
}
POINTS = 1 << 16
#: What the launches of the set are called.
LAUNCH = "thermalAndViscous"


def per_point(counts: Sequence[int]) -> dict[int, float]:
    """Species -> operations per point; empty where the counters cannot be read."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return {}
    command = [ncu, "--csv", "--clock-control", "none", "--metrics", ",".join(COUNTERS)]
    command += [sys.executable, "-m", "bridge.bench.flops", *map(str, counts)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180.0)
    except subprocess.TimeoutExpired:
        return {}
    totals = operations(done.stdout)
    if done.returncode or len(totals) != len(counts):
        last = (done.stdout + done.stderr).strip().splitlines()[-3:]
        print("operations were not counted: " + " / ".join(last), file=sys.stderr)
        return {}
    return {ns: total / POINTS for ns, total in zip(counts, totals, strict=True)}


def operations(text: str) -> list[float]:
    """Operations of each launch of the set, from what `ncu --csv` prints."""
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    totals: dict[int, float] = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        if LAUNCH in (row.get("Kernel Name") or "") and row["Metric Name"] in COUNTERS:
            value = float(row["Metric Value"].replace(",", ""))
            number = int(row["ID"])
            totals[number] = totals.get(number, 0.0) + value * COUNTERS[row["Metric Name"]]
    return [totals[number] for number in sorted(totals)]


def main(arguments: Sequence[str]) -> None:
    """One launch for each number of species."""
    from bridge.backends.cuda import CudaBackend
    from bridge.bench.residentset import ResidentSet

    backend = CudaBackend()
    for ns in map(int, arguments):
        ResidentSet(backend, ns, POINTS, "fitted").program()()
        backend.synchronize()
    backend.close()


if __name__ == "__main__":
    main(sys.argv[1:])
