"""Critical constants of one species of a Cantera mechanism, from the best source there is.

Behind `mechanism`. In this order: what the file states, measured values of the shipped table, an
estimate from what the file has, the shipped estimate. Every record says which it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.convert.units import MOLAR_VOLUME, PRESSURE, TEMPERATURE, Kind, UnitScope
from bridge.physics.limits import R
from bridge.physics.speciestable import shipped_records

#: a = PR_A (R Tc)^2/Pc and b = PR_B R Tc/Pc of Peng-Robinson; of Redlich-Kwong, a times Tc^0.5.
PR_A, PR_B = 0.45723552892138218, 0.07779607390388846
RK_A, RK_B = 1.0 / (9.0 * (2.0 ** (1 / 3) - 1.0)), (2.0 ** (1 / 3) - 1.0) / 3.0
PR_UNIT: Kind = {"pressure": 1, "length": 6, "quantity": -2}
RK_UNIT: Kind = {**PR_UNIT, "temperature": 0.5}
#: Critical compressibility of an estimated species, and how it falls with the acentric factor
#: (Pitzer).
ZC, ZC_SLOPE = 0.291, -0.080

Node = Mapping[str, Any]


def critical_constants(node: Node, units: UnitScope, known: Node) -> dict[str, Any]:
    """status, Tc, Pc, Vc, omega, dipole, source, Zc and association of a record of the table.

    node: the species of the mechanism, scalars as text; units: those that hold there; known: the
    shipped record of the same name and composition, or nothing. ValueError says what is missing
    or wrong.
    """
    measured = known if known.get("status") == "measured" else {}
    if given := stated(node, units):
        found = with_volume(given, measured)
    elif measured:
        return of_table(measured)
    elif cubic := cubic_equation(node, "Redlich-Kwong", units, RK_UNIT):
        found = of_redlich_kwong(*cubic[1:])
    elif molecule := lennard_jones(node):
        found = of_lennard_jones(**molecule)
    elif known:
        return of_table(known)
    else:
        raise ValueError(
            "no critical-parameters, no equation-of-state with a and b, no transport with "
            "well-depth and diameter, nothing of the same name and composition in the shipped "
            "table"
        )
    wrong = [f"{key} = {found[key]}" for key in ("Tc", "Pc", "Vc") if not found[key] > 0.0]
    if wrong:
        raise ValueError(f"{', '.join(wrong)} from {found['source']}")
    return {
        **found,
        "dipole": float(transport(node).get("dipole") or measured.get("dipole", 0.0)),
        "Zc": float(f"{found['Pc'] * found['Vc'] / (R * found['Tc']):.6g}"),
        "association": float(measured.get("association", 0.0)),
    }


# ---- what the file states --------------------------------------------------------------------


def stated(node: Node, units: UnitScope) -> dict[str, Any]:
    """Tc, Pc, omega, perhaps Vc, as Cantera's Peng-Robinson would take them; or nothing."""
    cubic = cubic_equation(node, "Peng-Robinson", units, PR_UNIT)
    if cubic and "acentric-factor" in cubic[0]:
        entry, a, b = cubic
        Tc = a * PR_B / (b * PR_A * R)
        omega = float(entry["acentric-factor"])
        return {"Tc": Tc, "Pc": PR_B * R * Tc / b, "omega": omega, "source": "Peng-Robinson a, b"}
    state = node.get("critical-parameters")
    if not state:
        return {}
    if not isinstance(state, Mapping):
        raise ValueError(f"critical-parameters: {state}, wanted critical-temperature and others")
    needed = ("critical-temperature", "critical-pressure", "acentric-factor")
    missing = [key for key in needed if key not in state]
    if missing:
        raise ValueError(f"critical-parameters without {', '.join(missing)}")
    scope = units.within(state.get("units"))
    Tc = scope.number(state["critical-temperature"], TEMPERATURE)
    Pc = scope.number(state["critical-pressure"], PRESSURE)
    found: dict[str, Any] = {"Tc": Tc, "Pc": Pc, "omega": float(state["acentric-factor"])}
    if "critical-molar-volume" in state:
        found["Vc"] = scope.number(state["critical-molar-volume"], MOLAR_VOLUME)
    elif "critical-compressibility" in state:
        found["Vc"] = float(state["critical-compressibility"]) * R * Tc / Pc
    return {**found, "source": "critical-parameters"}


def equations(node: Node, model: str) -> list[Node]:
    """The equation-of-state records of a model."""
    entries = node.get("equation-of-state") or []
    entries = [entries] if isinstance(entries, Mapping) else entries
    if not all(isinstance(entry, Mapping) for entry in entries):
        raise ValueError(f"equation-of-state: {entries}, wanted one or more with a model")
    return [entry for entry in entries if entry.get("model") == model]


def cubic_equation(
    node: Node, model: str, units: UnitScope, unit: Kind
) -> tuple[Node, float, float] | None:
    """The record of a cubic equation of state, its a and its b (SI); None without both."""
    for entry in equations(node, model):
        if {"a", "b"} <= entry.keys():
            scope = units.within(entry.get("units"))
            a = scope.number(_constant(entry["a"]), unit)
            b = scope.number(entry["b"], MOLAR_VOLUME)
            if a > 0.0 and b > 0.0:
                return entry, a, b
    return None


def _constant(a: Any) -> Any:
    """a, or the first of a = [a0, a1] with a1 = 0."""
    if not isinstance(a, list):
        return a
    if len(a) > 1 and float(str(a[1]).split()[0]) != 0.0:
        raise ValueError(f"a = {a} depends on the temperature: no Tc follows")
    return a[0]


def with_volume(given: dict[str, Any], measured: Node) -> dict[str, Any]:
    """Stated constants with a critical volume: the file's, the table's, or Pitzer's."""
    source = f"{given['source']} of the mechanism"
    if "Vc" in given:
        return {"status": "measured", **given, "source": source}
    if measured:
        source += ", Vc of the shipped table"
        return {"status": "measured", **given, "Vc": float(measured["Vc"]), "source": source}
    Vc = (ZC + ZC_SLOPE * given["omega"]) * R * given["Tc"] / given["Pc"]
    source += ", Vc = (0.291 - 0.080 omega) R Tc/Pc"
    return {"status": "estimated", **given, "Vc": Vc, "source": source}


# ---- estimates and the shipped table ---------------------------------------------------------


def of_redlich_kwong(a: float, b: float) -> dict[str, Any]:
    """From a, Pa m6 K^0.5/mol2, and b, m3/mol, whose critical point is (Tc, Pc)."""
    Tc = (a * RK_B / (b * RK_A * R)) ** (2.0 / 3.0)
    Pc = RK_B * R * Tc / b
    source = "Redlich-Kwong a, b of the mechanism, Vc = 0.291 R Tc/Pc, omega = 0"
    return {
        "status": "estimated",
        **{"Tc": Tc, "Pc": Pc, "Vc": ZC * R * Tc / Pc, "omega": 0.0},
        "source": source,
    }


def of_lennard_jones(epsOverK: float, sigmaAngstrom: float) -> dict[str, Any]:
    """Chung's relations read backwards: docs/physics.md, section 2."""
    Tc = 1.2593 * epsOverK
    Vc = (sigmaAngstrom / 0.809) ** 3 * 1e-6
    source = (
        "Lennard-Jones well depth and diameter of the mechanism, Tc = 1.2593 eps/k, "
        "Vc = (sigma/0.809)^3 cm3/mol, Pc = 0.291 R Tc/Vc, omega = 0"
    )
    rounded = {"Tc": round(Tc, 6), "Pc": round(ZC * R * Tc / Vc, 1), "Vc": float(f"{Vc:.9g}")}
    return {"status": "estimated", **rounded, "omega": 0.0, "source": source}


def lennard_jones(node: Node) -> dict[str, float]:
    """Well depth, K, and diameter, angstrom: in these units whatever the file's are."""
    entry = transport(node)
    if not {"well-depth", "diameter"} <= entry.keys():
        return {}
    eps, sigma = float(entry["well-depth"]), float(entry["diameter"])
    return {"epsOverK": eps, "sigmaAngstrom": sigma} if eps > 0.0 and sigma > 0.0 else {}


def collision(node: Node) -> dict[str, Any]:
    """What kinetic theory reads beside them, debye and angstrom3; nothing without a geometry."""
    entry = transport(node)
    if "geometry" not in entry:
        return {}
    keys = {"dipole": "dipole", "polarizability": "polarizability",
            "rotationalRelaxation": "rotational-relaxation"}  # fmt: skip
    numbers = {key: float(entry.get(word, 0.0)) for key, word in keys.items()}
    return {"geometry": str(entry["geometry"]), **numbers}


def transport(node: Node) -> Node:
    """The transport record, empty where there is none."""
    entry: Any = node.get("transport") or {}
    if not isinstance(entry, Mapping):
        raise ValueError(f"transport: {entry}, wanted well-depth, diameter and what else is known")
    return entry


def shipped(name: str, composition: Mapping[str, float]) -> Node:
    """The shipped record of the same name, in either case, and composition; or nothing."""
    for record in shipped_records().values():
        same = record["name"].lower() == name.lower()
        if same and _atoms(record["composition"]) == _atoms(composition):
            return record
    return {}


def _atoms(composition: Mapping[str, float]) -> dict[str, float]:
    return {element.capitalize(): float(n) for element, n in composition.items() if n}


def of_table(record: Node) -> dict[str, Any]:
    """The shipped constants, and where they came from."""
    keys = ("cas", "status", "Tc", "Pc", "Vc", "omega", "dipole", "Zc", "association")
    found = {key: record[key] for key in keys if key in record}
    return {**found, "source": f"shipped table, {record['source']}"}
