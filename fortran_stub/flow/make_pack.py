"""The loops of fluxmodule.f90 and sidesmodule.f90 as a kernel pack, by `bridge port`:

    python make_pack.py FOLDER NS [AXES]     (then BRIDGE_PACKS=FOLDER bridge packs build)

NS: the number of species of the run. Loops of one direction are ported once for each of AXES, the
directions with more than one cell: xyz unless they are given.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

from bridge.cli import main as bridge

HERE = Path(__file__).resolve().parent


def port(folder: str, routine: str, name: str, **values: int) -> None:
    said = [f"{key}={value}" for key, value in values.items()]
    source = HERE / ("sidesmodule.f90" if routine.startswith("bcGeom") else "fluxmodule.f90")
    words = ["port", f"{source}@{routine}", "-I", str(HERE.parent / "legacy"), "-o", folder]
    words += ["--prefix", "flow_", "--name", f"flow_{name}", "--value", *said]
    # Without them a loop over many components looks like one over points.
    words += ["--axis", "i=x", "j=y", "k=z"]
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        status = bridge(words)
    if status:
        sys.exit(told.getvalue())


def main(folder: str, ns: int, axes: str = "xyz") -> None:
    for d, axis in enumerate("xyz"):
        if axis not in axes:
            continue
        others = {"a": (d + 1) % 3 + 1, "b": (d + 2) % 3 + 1}
        step = {f"d{letter}": int(letter == "ijk"[d]) for letter in "ijk"}
        port(folder, "rhsSysAdFlux", f"ad{axis}", ns=ns, d=d + 1, **step)
        port(folder, "rhsSysViscFlux", f"visc{axis}", ns=ns, d=d + 1, **others, **step)
        port(folder, "rhsSysGradient", f"gradient{axis}", ns=ns, **step)
        port(folder, "stepSys3dCalcGadd", f"add{axis}", ns=ns, **step)
    port(folder, "rhsTimePrimitives", "primitives", ns=ns)
    port(folder, "stepSys3dKeep", "keep", ns=ns)
    port(folder, "stepSys3dUpdate", "update", ns=ns)
    port(folder, "timeStepLeast", "step", ns=ns)
    port(folder, "statesWrong", "wrong", ns=ns)
    port(folder, "bcGeomWall", "wall", ns=ns)
    port(folder, "bcGeomSubin", "subin", ns=ns)
    port(folder, "bcGeomSubout", "subout", ns=ns)
    port(folder, "bcGeomFringe", "fringe", ns=ns)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
