"""One time step from the main program to a kernel and back, each station checked in its source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from writing import prose

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Station:
    """A procedure of a file, what it names of the next station, and what happens there."""

    file: str
    procedure: str
    names: str
    what: str


FLOW = "fortran_stub/flow"
STATIONS = (
    Station(f"{FLOW}/flow.f90", "flowSolver", "mainTimeExplicit", "The time loop."),
    Station(
        f"{FLOW}/steppingmodule.f90", "mainTimeExplicit", "rhsTimeStates",
        "A step keeps its fields, then makes the stages of the Runge-Kutta scheme.",
    ),
    Station(
        f"{FLOW}/steppingmodule.f90", "rhsTimeStates", "propertiesViscous",
        "The states of a stage: T and P of the cells, the exchange, the fringes, then transport.",
    ),
    Station(
        f"{FLOW}/propertiesmodule.f90", "propertiesThermal", "bridgeThermal",
        "Here `Offload` chooses between the Fortran subroutines and the bridge.",
    ),
    Station(
        f"{FLOW}/bridgepropertiesmodule.f90", "bridgeThermal", "eosThermalFromRhoE",
        "The composite of the same name as the legacy subroutine, on the boxes of a block.",
    ),
    Station(
        f"{FLOW}/boundarymodule.f90", "bcGeomResCalc", "inflow",
        "The fringe at a side of the domain: loops of `sidesmodule.f90`, or their kernels.",
    ),
    Station(
        f"{FLOW}/steppingmodule.f90", "rhsTimeSp34", "bridgeFluxes",
        "The fluxes of a stage: by `rhsGeomResCalc`, or from `fluxes` on by the bridge.",
    ),
    Station(
        f"{FLOW}/bridgeflowmodule.f90", "bridgeFluxes", "flow_ad",
        "For each direction: constants, then the kernels `flow_ad`, `flow_visc` and `flow_add`.",
    ),
    Station(
        f"{FLOW}/bridgeflowmodule.f90", "run", "frame_run",
        "The call, and a look at its status.",
    ),
    Station(
        "bridge/entry/bridge.f90", "run_parts", "c_run_box",
        "`frame_run` with boxes: the module of the bridge checks them and calls C.",
    ),
    Station(
        "bridge/entry/runs.c", "runs_again", "done_again",
        "A run that was made before is repeated here, without Python.",
    ),
    Station(
        "bridge/entry/setbodies.py", "frame_run_box", "runbodies.do",
        "The first time Python looks for the arrays of the set, and makes a plan of the kernel.",
    ),
    Station(
        "bridge/backends/cpu/nests.py", "nest_program", "NestProgram",
        "On a CPU the plan becomes a compiled loop nest on the arrays where they are.",
    ),
    Station(
        f"{FLOW}/make_pack.py", "main", "rhsSysAdFlux",
        "What the nest calls at each point is `flow_adx.h`, which `bridge port` made of "
        "`rhsSysAdFlux`.",
    ),
    Station(
        f"{FLOW}/bridgepropertiesmodule.f90", "must", "frame_last_error",
        "Back in Fortran: a status that is not `bridge_ok` ends the job in words.",
    ),
    Station(
        f"{FLOW}/steppingmodule.f90", "checkStates", "bridgeWrong",
        "As a step ends, one number says whether a cell has no state; then `flowSolver` stops.",
    ),
)  # fmt: skip


def _body(station: Station) -> str:
    """The text of a procedure, from its head to the head of the next one of its file."""
    text = (ROOT / station.file).read_text(encoding="utf-8")
    kind = {
        ".f90": r"^ *(?:[\w() ]+ )?(?:program|subroutine|function) {}\b",
        ".py": r"^def {}\b",
        ".c": r"^[\w* ]+\b{}\(",
    }[Path(station.file).suffix]
    begin = re.search(kind.format(station.procedure), text, re.M)
    if begin is None:
        raise ValueError(f"{station.file} has no procedure {station.procedure}")
    ends = {".f90": rf"^ *end \w+ {station.procedure}\b", ".py": r"^(?=[\w@#])", ".c": r"^}"}
    end = re.compile(ends[Path(station.file).suffix], re.M).search(text, begin.end())
    return text[begin.end() : end.start() if end else len(text)]


def check(station: Station) -> None:
    """ValueError where the procedure is not in its file, or does not name what it should."""
    if station.names not in _body(station):
        raise ValueError(f"{station.file}: {station.procedure} does not name {station.names}")


def walk() -> str:
    """The stations as a list of the page."""
    for station in STATIONS:
        check(station)
    said = """With `Offload = step`. When the page is made it is checked that each procedure is in
        its file and names what comes next."""
    return "\n".join(
        [
            prose(said),
            "",
            *(
                f"{n}. [`{Path(one.file).name}`](../{one.file}): `{one.procedure}`. {one.what}"
                for n, one in enumerate(STATIONS, 1)
            ),
        ]
    )
