"""What a state, an option and two phases cost: `bridge bench kernels`, its last tables.

States that T and P are solved for, and equilibria of liquid and vapour, take turns with
eosThermalProperties, options of the physics with the default ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bridge.bench.programs import FULL, ViewProgram
from bridge.bench.request import Request
from bridge.measuring.report import Row
from bridge.measuring.states import States
from bridge.measuring.timing import time_in_turns
from bridge.settings import status_bits

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
THERMAL = "thermal"
#: What tells the rows of a table apart.
KEYS = {"state": "from", "option": "option", "phases": "of"}


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
    programs = {KNOWN: ViewProgram(states, "eosThermalProperties", isa=request.isa)}
    for name, (composite, inputs) in given.items():
        programs[name] = ViewProgram(states, composite, given=inputs, isa=request.isa)
    return _rows("state", KNOWN, programs, request)


def of_phases(request: Request, states: States) -> list[Row]:
    """Equilibria at random T, P, 200 to 700 K and 0.1 to 20 MPa, of points that stay one phase and
    of those that split, where there are any: from nothing known, from the phases of a state 2 %
    off in T, and at the density and energy that they have, T off as much. The saturation of each
    species from 0.5 to 0.99 Tc. Ratio: their time over that of eosThermalProperties at these T, P.
    """
    T, P = (states.T - 200.0) / 2800.0, (states.P - 5e6) / 2.5e7
    cool = replace(states, T=200.0 + 500.0 * T, P=1e5 + 1.99e7 * P)
    known = _flash(cool, request)
    near = _flash(replace(cool, T=cool.T * NEAR), request)["lnK_i"]
    split = known["status"][0] & status_bits("TWO_PHASE") != 0
    rho, h = known["rho_eq"][0], known["h_eq"][0]
    which = np.arange(states.n) % states.ns
    pure = replace(cool, T=states.species.Tc[which] * (0.5 + 0.49 * T), Y=np.eye(states.ns)[which])
    programs = {
        THERMAL: ViewProgram(cool, "eosThermalProperties", isa=request.isa),
        "saturation": ViewProgram(pure, "eosSaturation", given={"T": pure.T}, isa=request.isa),
    }
    for name, points in (("one phase", ~split), ("two phases", split)):
        if not points.any():
            continue
        i = np.resize(np.flatnonzero(points), states.n)
        some = replace(cool, T=cool.T[i], P=cool.P[i], Y=cool.Y[i])
        at_state = {"T": some.T, "P": some.P}
        energy = h[i] - some.P / rho[i]
        at_density = {"rho_target": rho[i], "e_target": energy, "T0": NEAR * some.T}
        programs[name] = ViewProgram(some, "eosFlashTP", isa=request.isa)
        for how, composite, given in (
            ("from the last", "eosFlashTPFrom", at_state | {"lnK0_i": near[:, i]}),
            ("at rho, e", "eosFlashRhoE", at_density),
        ):
            named = f"{name}, {how}"
            programs[named] = ViewProgram(some, composite, given=given, isa=request.isa)
    return _rows("phases", THERMAL, programs, request)


def _flash(states: States, request: Request) -> Mapping[str, np.ndarray]:
    """What eosFlashTPFrom finds with no phases known."""
    nothing = {"T": states.T, "P": states.P, "lnK0_i": np.zeros((states.ns, states.n))}
    program = ViewProgram(states, "eosFlashTPFrom", given=nothing, isa=request.isa)
    program.run()
    return program.results


def of_options(request: Request, states: States) -> list[Row]:
    """The set with transport properties; ratio: its time over that with the default options."""
    programs = {
        name: ViewProgram(states, FULL, options=options, isa=request.isa)
        for name, options in OPTIONS.items()
    }
    return _rows("option", "default", programs, request)


def _rows(
    name: str, reference: str, programs: Mapping[str, ViewProgram], request: Request
) -> list[Row]:
    times = time_in_turns({one: p.run for one, p in programs.items()}, seconds=request.seconds)
    rows = []
    for one, program in programs.items():
        value = 1e9 * times.median(one) / program.points
        params = {
            "ns": program.ns,
            KEYS[name]: one,
            "threads": 1,
            "backend": "cpu",
            "isa": program.isa,
        }
        against = (None, None) if one == reference else (reference, times.ratio(reference, one))
        rows.append(Row(name, params, value, "ns/point", *against))
    return rows
