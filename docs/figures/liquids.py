"""Diffusion in liquids on accuracy.md: traces in solvents beside what Wilke and Chang estimate."""

from __future__ import annotations

import numpy as np
from writing import prose, table

import bridge
from bridge.physics.species import SpeciesData

#: Trace, solvent, T in K and P in Pa: liquids, then the same solvents as gases.
LIQUIDS = (
    ("O2", "CH4", 100.0, 2e5),
    ("O2", "CH4", 100.0, 1e7),
    ("N2", "O2", 90.0, 2e5),
    ("N2", "O2", 90.0, 1e7),
    ("O2", "H2O", 298.15, 1e5),
    ("CO2", "H2O", 298.15, 1e5),
    ("N2", "C12H26", 300.0, 1e5),
    ("N2", "C12H26", 300.0, 1e7),
)
GASES = (
    ("H2O", "N2", 280.0, 1e5),
    ("C12H26", "N2", 400.0, 1e5),
    ("O2", "H2O", 400.0, 1e5),
    ("N2", "O2", 100.0, 1e5),
)
#: Of the solvents: name in CoolProp, and the association factor of Wilke and Chang.
SOLVENTS = {
    "CH4": ("Methane", 1.0),
    "O2": ("Oxygen", 1.0),
    "H2O": ("Water", 2.6),
    "C12H26": ("n-Dodecane", 1.0),
}
#: Molar volumes at the normal boiling point in cm3/mol, as Wilke and Chang's method takes them.
VOLUMES = {"O2": 25.6, "N2": 31.2, "CO2": 34.0}


def wilke_chang(trace: str, solvent: str, T: float, P: float) -> float:
    """Wilke and Chang 1955 with the viscosity of CoolProp, m2/s."""
    from CoolProp.CoolProp import PropsSI

    fluid, association = SOLVENTS[solvent]
    centipoise = 1e3 * PropsSI("V", "T", T, "P", P, fluid)
    M = 1e3 * SpeciesData.load([solvent]).W[0]
    return float(7.4e-12 * np.sqrt(association * M) * T / (centipoise * VOLUMES[trace] ** 0.6))


def model(trace: str, solvent: str, T: float, P: float) -> tuple[float, bool]:
    """D_im of the trace, m2/s, and whether the point has DIFF_RANGE."""
    got = bridge.evaluate(
        [trace, solvent], T, P, X=[1e-6, 1.0 - 1e-6], outputs="D_im", backend="cpu"
    )
    return float(got["D_im"][0]), "DIFF_RANGE" in str(got.status.words)


def two_digits(value: float) -> str:
    return f"{value:.1f}" if value < 10.0 else str(int(float(f"{value:.1e}")))


def liquids() -> str:
    rows: list[list[str]] = []
    ratios: dict[float, list[float]] = {}  # by pressure
    for trace, solvent, T, P in LIQUIDS:
        mine, bit = model(trace, solvent, T, P)
        assert bit, "the text says that all have DIFF_RANGE"
        estimate = wilke_chang(trace, solvent, T, P)
        ratios.setdefault(P, []).append(mine / estimate)
        rows.append(
            [
                *(f"{trace} in {solvent}", f"{T:g}", f"{P / 1e6:g}"),
                two_digits(mine / estimate),
            ]
        )
    thin = [ratio for P, some in ratios.items() if P < 1e6 for ratio in some]
    most = f"{two_digits(min(thin))} to {two_digits(max(thin))}"
    assert not any(model(*gas)[1] for gas in GASES), "the text says that gases do not have it"
    header = ["trace in liquid", "T, K", "P, MPa", "D_im over the estimate"]
    return "\n\n".join(
        [
            prose(
                """A trace in a liquid: D_im beside the estimate of Wilke and Chang (1955), which
                takes the viscosity of the liquid from CoolProp and is right to some 20 %."""
            ),
            table(header, rows),
            prose(
                f"""- **Do not use D_im of a liquid.** The method is for gases. D_im stays
                proportional to 1/P, so it is {most} times too large at 1 to 2 bar.""",
                """- The status word of these points has DIFF_RANGE
                ([physics](physics/diffusion.md#12-mass-diffusion)) when D_im or D_fick is asked
                for. Gases do not have it, also below their critical temperature.""",
            ),
        ]
    )
