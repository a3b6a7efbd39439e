"""Diffusion in liquids on accuracy.md: traces in solvents beside what Wilke and Chang estimate,
self-diffusion beside correlations of measurements."""

from __future__ import annotations

import numpy as np
from writing import prose, span, table

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
#: Self-diffusion: fluid, T in K, P in Pa, m2/s, and whose correlation this is.
#: Liu, Silva and Macedo 1998, Chem. Eng. Sci. 53, 2403: Lennard-Jones with 167.15 K and 3.58484
#: angstrom, at the density of CoolProp. The formula is checked against the public Matlab code of
#: Multi-TLSM (Muli_LSM.m); the two constants of CH4 are from a secondary source.
#: Costigliola, Heyes, Schroder and Dyre 2019, J. Chem. Phys. 150, 021101:
#: D = 0.146 kB T n^(1/3)/eta, with density and viscosity of CoolProp. The form is confirmed by
#: Khrapak 2019, doi 10.1080/00268976.2019.1643045, the factor is from a secondary source.
#: Schmitt, Hasse and Stephan 2024, doi 10.1016/j.molliq.2023.123811, and Schmitt et al. 2025, doi
#: 10.1038/s41467-025-57780-z: entropy scaling by PC-SAFT.
#: Holz, Heil and Sacco 2000, Phys. Chem. Chem. Phys. 2, 4740: 1.635e-8 (T/215.05 K - 1)^2.063.
SELF_DIFFUSION = (
    ("CH4", 111.0, 2e5, 5.47e-9, "Liu 1998, secondary"),
    ("CH4", 150.0, 2e6, 12.5e-9, "Liu 1998, secondary"),
    ("N2", 77.35, 2e5, 2.51e-9, "Costigliola 2019, secondary"),
    ("N2", 110.0, 2e6, 9.19e-9, "Costigliola 2019, secondary"),
    ("CO2", 223.15, 5e6, 4.43e-9, "Schmitt 2024"),
    ("CO2", 273.15, 1e7, 11.1e-9, "Schmitt 2024"),
    ("CO2", 298.15, 1e7, 18.5e-9, "Schmitt 2024"),
    ("H2O", 278.15, 1e5, 1.30e-9, "Holz 2000"),
    ("H2O", 298.15, 1e5, 2.30e-9, "Holz 2000"),
    ("H2O", 348.15, 1e5, 6.08e-9, "Holz 2000"),
    ("C12H26", 283.15, 1e5, 0.665e-9, "Schmitt 2025"),
    ("C12H26", 298.15, 1e5, 0.889e-9, "Schmitt 2025"),
    ("C12H26", 363.15, 1e5, 2.35e-9, "Schmitt 2025"),
)
#: Names in CoolProp of those that are no solvents.
FLUIDS = {"N2": "Nitrogen", "CO2": "CarbonDioxide"}
#: Options of the second column of ratios.
DENSE = {"denseDiffusion": "RIAZI_WHITSON"}
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


def model(
    trace: str, solvent: str, T: float, P: float, options: dict[str, str] | None = None
) -> tuple[float, bool]:
    """D_im of the trace, m2/s, and whether the point has DIFF_RANGE."""
    got = bridge.evaluate(
        [trace, solvent], T, P, X=[1e-6, 1.0 - 1e-6], outputs="D_im", backend="cpu",
        options=options,
    )  # fmt: skip
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
        dense, bit = model(trace, solvent, T, P, DENSE)
        rows.append(
            [
                *(f"{trace} in {solvent}", f"{T:g}", f"{P / 1e6:g}"),
                two_digits(mine / estimate),
                f"{dense / estimate:.1f}{', DIFF_RANGE' if bit else ''}",
            ]
        )
    thin = [ratio for P, some in ratios.items() if P < 1e6 for ratio in some]
    most = f"{two_digits(min(thin))} to {two_digits(max(thin))}"
    assert not any(model(*gas)[1] for gas in GASES), "the text says that gases do not have it"
    header = ["trace in liquid", "T, K", "P, MPa", "D_im over the estimate", "RIAZI_WHITSON"]
    return "\n\n".join(
        [
            prose(
                """A trace in a liquid: D_im beside the estimate of Wilke and Chang (1955), which
                takes the viscosity of the liquid from CoolProp and is right to some 20 %. The last
                column is with `denseDiffusion = RIAZI_WHITSON`."""
            ),
            table(header, rows),
            prose(
                f"""- **Do not use D_im of a liquid with Takahashi's factor**, the default. It is
                for gases. D_im stays proportional to 1/P, so it is {most} times too large at 1 to
                2 bar.""",
                """- The status word of these points then has DIFF_RANGE
                ([physics](physics/diffusion.md#12-mass-diffusion)) when D_im or D_fick is asked
                for. Gases do not have it, also below their critical temperature.""",
            ),
        ]
    )


def self_diffusion() -> str:
    from CoolProp.CoolProp import PropsSI

    rows: list[list[str]] = []
    ratios: dict[str, float] = {}  # by fluid and temperature
    thick: dict[str, float] = {}  # with the shift of the volume
    own: list[float] = []
    for name, T, P, wanted, source in SELF_DIFFUSION:
        outputs = "D_im rho eta Pr omegam"
        got = bridge.evaluate(name, T, P, outputs=outputs, backend="cpu", options=DENSE)
        default, shifted = (
            float(bridge.evaluate(name, T, P, outputs="D_im", backend="cpu", options=o)["D_im"][0])
            for o in ({}, DENSE | {"volumeShift": "PENELOUX"})
        )
        fluid = FLUIDS.get(name) or SOLVENTS[name][0]
        rho, eta = (float(got[key]) / PropsSI(of, "T", T, "P", P, fluid)
                    for key, of in (("rho", "D"), ("eta", "V")))  # fmt: skip
        ratio = float(got["D_im"][0]) / wanted
        ratios[f"{name} of {T:g} K"] = ratio
        Pr, omega = float(got["Pr"]), float(got["omegam"])
        exponent = -0.27 - 0.38 * omega + (-0.05 + 0.1 * omega) * Pr
        own.append(ratio * rho / eta**exponent)
        rows.append(
            [
                *(name, f"{T:g}", f"{P / 1e6:g}", f"{1e9 * wanted:.3g}", source),
                two_digits(default / wanted),
                *(f"{ratio:.2f}", f"{rho:.2f}", f"{eta:.2f}", f"{own[-1]:.2f}"),
                f"{shifted / wanted:.2f}",
            ]
        )
        thick[f"{name} of {T:g} K"] = shifted / wanted
    far = [name for name, ratio in ratios.items() if not 0.5 < ratio < 2.0]
    assert far == ["H2O of 278.15 K"], far
    near = [ratio for name, ratio in ratios.items() if name not in far]
    slow = [name for name, ratio in thick.items() if not 0.5 < ratio < 2.0]
    assert slow == ["H2O of 348.15 K", "C12H26 of 363.15 K"], slow
    header = [
        *("fluid", "T, K", "P, MPa", "D, 1e-9 m²/s", "by"),
        *("Takahashi", "RIAZI_WHITSON", "rho", "eta", "at true rho and eta", "with PENELOUX"),
    ]
    return "\n\n".join(
        [
            prose(
                """Self-diffusion of liquids, which is the D_im of a single species, over
                correlations of measurements; for N2 over a relation of Stokes and Einstein's form
                with the measured viscosity. *Secondary*: constants of the correlation are from a
                secondary source. `rho` and `eta` are those of the model over those of
                CoolProp. `at true rho and eta` is RIAZI_WHITSON with those of CoolProp in
                their place, and the last column RIAZI_WHITSON with `volumeShift = PENELOUX`."""
            ),
            table(header, rows),
            prose(
                f"""- With RIAZI_WHITSON D is {span(near, 2)} of the reference, and
                {ratios[far[0]]:.1f} times in cold water, whose viscosity is too low by a factor of
                three.""",
                f"""- With true density and viscosity it would be {span(own, 2)}. The errors of
                the model's density and viscosity matter little, because D goes with a small power
                of the viscosity.""",
                f"""- With the [shift of the volume](#the-volume-shift) it is
                {span([*thick.values()], 2)}. {slow[0]} and {slow[1]} leave the factor of two: at
                the true density Chung's viscosity of these is too high.""",
            ),
        ]
    )
