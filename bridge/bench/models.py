"""What a state and an option cost: `bridge bench kernels`, its third and fourth table.

States that T and P are solved for take turns with eosThermalProperties, options of the physics
with the default ones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bridge.bench.programs import FULL, ViewProgram
from bridge.bench.request import Request
from bridge.measuring.report import Row
from bridge.measuring.states import States
from bridge.measuring.timing import time_in_turns
from bridge.plan.catalogue import Catalogue

#: Options beside the default ones, by what the table calls them.
OPTIONS: dict[str, dict[str, str]] = {
    "default": {},
    "cubic": {"cubic": "SOAVE_REDLICH_KWONG"},
    "volumeShift": {"volumeShift": "PENELOUX"},
    "dilute": {"dilute": "KINETIC"},
    "denseDiffusion": {"denseDiffusion": "RIAZI_WHITSON"},
    "viscosity": {"viscosity": "FRICTION", "override": "criticalViscosity=2e-5"},
}
#: How far the first guess of T is off, for a step in time.
NEAR = 1.02
KNOWN = "T, P"


def of_states(request: Request, states: States) -> list[Row]:
    """Composites that find the state, ns per point; ratio: their time over that of T, P."""
    known = ViewProgram(states, ("rho", "u", "h", "s"), isa=request.isa)
    known.run()
    rho, u, h, s = (known.results[name][0].copy() for name in ("rho", "u", "h", "s"))
    near, far = NEAR * states.T, np.full(states.n, 300.0)
    at_density = {"rho_target": rho, "e_target": u}
    given: dict[str, tuple[str, Mapping[str, np.ndarray]]] = {
        "rho, e": ("eosThermalFromRhoE", at_density | {"T0": near}),
        "rho, e from 300 K": ("eosThermalFromRhoE", at_density | {"T0": far}),
        "rho, P": ("prEOSCalcTFromRhoP", {"rho_target": rho, "P": states.P}),
        "h, P": ("prEOSCalcTFromHP", {"h_target": h, "P": states.P, "T0": near}),
        "s, P": ("prEOSCalcTFromSP", {"s_target": s, "P": states.P, "T0": near}),
    }
    thermal = Catalogue.shipped().composite("eosThermalProperties").outputs
    programs = {KNOWN: ViewProgram(states, thermal[:-1], isa=request.isa)}
    for name, (composite, inputs) in given.items():
        outputs = Catalogue.shipped().composite(composite).outputs
        wanted = tuple(one for one in outputs if one != "status")
        programs[name] = ViewProgram(states, wanted, given=inputs, isa=request.isa)
    return _rows("state", "from", KNOWN, programs, request)


def of_options(request: Request, states: States) -> list[Row]:
    """The set with transport properties; ratio: its time over that with the default options."""
    programs = {
        name: ViewProgram(states, FULL, options=options, isa=request.isa)
        for name, options in OPTIONS.items()
    }
    return _rows("option", "option", "default", programs, request)


def _rows(
    name: str, key: str, reference: str, programs: Mapping[str, ViewProgram], request: Request
) -> list[Row]:
    times = time_in_turns({one: p.run for one, p in programs.items()}, seconds=request.seconds)
    rows = []
    for one, program in programs.items():
        value = 1e9 * times.median(one) / program.points
        params = {"ns": program.ns, key: one, "threads": 1, "backend": "cpu", "isa": program.isa}
        against = (None, None) if one == reference else (reference, times.ratio(reference, one))
        rows.append(Row(name, params, value, "ns/point", *against))
    return rows
