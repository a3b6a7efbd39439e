"""Light gases far above their critical temperatures on accuracy.md: the option `alpha`."""

from __future__ import annotations

from typing import Any

import numpy as np
from purefluids import HELIUM, Species
from writing import prose, table

import bridge

#: Species, their name in CoolProp, temperatures in K, what is overridden.
GASES: dict[str, tuple[Species, str, tuple[int, ...], dict[str, float]]] = {
    "H2": ("H2", "Hydrogen", (50, 80, 100, 150, 200, 300, 500, 1000, 2000, 3000), {}),
    "He": (HELIUM, "Helium", (30, 50, 100, 200, 300, 500, 1000), {"alphaSlope": -0.05}),
}
PRESSURES = (1e6, 5e6, 1e7, 2e7, 3e7)


def reference(fluid: str, T: np.ndarray, P: np.ndarray) -> dict[str, np.ndarray]:
    """Density, cp, and departure of the enthalpy from the ideal gas over cp, K."""
    from CoolProp.CoolProp import PropsSI

    thin = np.full_like(P, 10.0)
    values = {key: PropsSI(key, "T", T, "P", P, fluid) for key in ("D", "CPMASS", "HMASS")}
    departure = values["HMASS"] - PropsSI("HMASS", "T", T, "P", thin, fluid)
    ideal = PropsSI("CP0MASS", "T", T, "P", P, fluid)
    residual = values["CPMASS"] - ideal
    return {"rho": values["D"], "cp": values["CPMASS"], "h": departure, "cp residual": residual}


def worst(name: str, alpha: str) -> np.ndarray:
    """Largest deviations, (temperatures, 3): rho in per cent, h in K, cp in per cent."""
    species, fluid, temperatures, override = GASES[name]
    T, P = (one.ravel() for one in np.meshgrid(temperatures, PRESSURES, indexing="ij"))
    real = reference(fluid, T.astype(float), P)
    options: dict[str, Any] = {"alpha": alpha}
    if override:
        options["species"] = override
    names = ("rho", "h", "cp", "h_ideal", "cp_ideal", "W")
    got = bridge.evaluate(
        species, T, P, 1.0, names, options=options, backend="cpu", stability="off"
    )
    off = [
        100.0 * (got["rho"] / real["rho"] - 1.0),
        (got["h"] - got["h_ideal"] / got["W"] - real["h"]) / real["cp"],
        100.0 * (got["cp"] - got["cp_ideal"] / got["W"] - real["cp residual"]) / real["cp"],
    ]
    found: np.ndarray = np.abs(off).reshape(3, len(temperatures), -1).max(axis=2).T
    return found


def hydrogen() -> str:
    rows = []
    for name, (_, _, temperatures, _) in GASES.items():
        plain, fitted = worst(name, "ACENTRIC"), worst(name, "FITTED")
        for T, one, other in zip(temperatures, plain, fitted, strict=True):
            cells = [f"{a:.1f} → {b:.1f}" for a, b in zip(one, other, strict=True)]
            rows.append([name, str(T), *cells])
    return "\n\n".join(
        [
            prose(
                """The largest deviation from CoolProp at 1 to 30 MPa, without → with the option
                `alpha = FITTED`; of the heat capacity and the enthalpy the part that is not that
                of an ideal gas. The alphaSlope of H2 is 0.29, of He -0.05."""
            ),
            table(["gas", "T, K", "rho, %", "h, K", "cp, %"], rows),
        ]
    )
