"""Two phases on accuracy.md: the answer of one phase beside the equilibrium."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from writing import prose, span, table

import bridge
from bridge.physics.species import SpeciesData


@dataclass
class Isobar:
    """Vapour and liquid of a binary in equilibrium at a pressure, by teqp with the constants of
    the model. T (n,); x, y: mole fractions (n, 2); v, h of the liquid and the vapour, (n, 2)."""

    species: list[str]
    P: float
    T: np.ndarray
    x: np.ndarray
    y: np.ndarray
    v: np.ndarray
    h: np.ndarray


def isobar(species: list[str], P: float, T: np.ndarray) -> Isobar:
    """Temperatures at which there is no second phase are left out."""
    import teqp

    data = SpeciesData.load(species)
    judge = teqp.make_model(
        {
            "kind": "PR",
            "model": {
                "Tcrit / K": data.Tc.tolist(),
                "pcrit / Pa": data.Pc.tolist(),
                "acentric": data.omega.tolist(),
            },
        }
    )
    # the start is ours, from the estimate of Wilson; teqp solves
    K = data.Pc / P * np.exp(5.373 * (1.0 + data.omega) * (1.0 - data.Tc / T[:, None]))
    phases: dict[str, Any] = {}
    for _ in range(50):
        with np.errstate(invalid="ignore"):  # without a second phase K goes to 1
            light = np.clip((1.0 - K[:, 1]) / (K[:, 0] - K[:, 1]), 1e-9, 1.0 - 1e-9)
        X = np.stack([light, 1.0 - light], axis=1)
        for root, fractions in (("SMALLEST", X), ("LARGEST", K * X)):
            phases[root] = bridge.evaluate(
                species,
                T,
                P,
                X=fractions,
                outputs="lnphi_i v X",
                options={"rootPolicy": root},
                backend="cpu",
            )
        K = np.exp(phases["SMALLEST"]["lnphi_i"] - phases["LARGEST"]["lnphi_i"])
    ideal = bridge.evaluate(species, T, P, 1.0 / len(species) * np.ones(2), "h0_i", backend="cpu")
    rows = []
    for k, t in enumerate(T):
        start = [phases[root]["X"][k] / phases[root]["v"][k] for root in ("SMALLEST", "LARGEST")]
        found = judge.mix_VLE_Tp(t, P, *start)
        both = [np.array(found.rhovecL), np.array(found.rhovecV)]
        x, y = (concentrations / concentrations.sum() for concentrations in both)
        if not (np.minimum(x, y) > 0.0).all() or np.abs(x - y).max() < 1e-3:
            continue
        v = [1.0 / concentrations.sum() for concentrations in both]
        h = [
            z @ ideal["h0_i"][k]
            + judge.get_R(z)
            * t
            * (judge.get_Ar10(t, 1.0 / volume, z) + judge.get_Ar01(t, 1.0 / volume, z))
            for z, volume in zip((x, y), v, strict=True)
        ]
        rows.append([t, x, y, v, h])
    columns = (np.array(column) for column in zip(*rows, strict=True))
    return Isobar(species, P, *columns)


def equilibrium(phases: Isobar, Y: np.ndarray) -> dict[str, np.ndarray]:
    """T of the isobar, h J/kg, rho and the mole fraction "vapour" of a composition in equilibrium;
    where that is not between 0 and 1, h and rho are those of one phase."""
    one = bridge.evaluate(phases.species, phases.T, phases.P, Y, "X W h rho", backend="cpu")
    X, W = one["X"][:, 0], one["W"]
    vapour = (X - phases.x[:, 0]) / (phases.y[:, 0] - phases.x[:, 0])
    two = (vapour > 0.0) & (vapour < 1.0)
    share = np.stack([1.0 - vapour, vapour], axis=1)
    return {
        "T": phases.T,
        "h": np.where(two, (share * phases.h).sum(axis=1) / W, one["h"]),
        "rho": np.where(two, W / (share * phases.v).sum(axis=1), one["rho"]),
        "vapour": vapour,
    }


#: Adiabatic mixing at P: (species, K) of the two streams, mass fractions of the second, and those
#: that the table has.
STREAMS = (
    (6e6, ("N2", 900.0), ("C12H26", 363.0), (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
     (0.3, 0.4, 0.6, 0.8)),
    (1e7, ("O2", 150.0), ("H2O", 900.0), (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4),
     (0.1, 0.2, 0.3, 0.4)),
)  # fmt: skip


def _beside(one: dict[str, Any], other: dict[str, float]) -> list[str]:
    """Cells of rho and vapour: the one-phase answer beside the equilibrium."""
    vapour = f"{other['vapour']:.2f}" if 0.0 < other["vapour"] < 1.0 else "one phase"
    return [
        f"{one['rho']:.1f} / {other['rho']:.1f} = {one['rho'] / other['rho']:.2f}",
        vapour,
    ]


def twophase() -> str:
    fuel = ["N2", "C12H26"]
    parts = []
    half = equilibrium(isobar(fuel, 6e6, np.arange(350.0, 551.0, 50.0)), np.array([0.5, 0.5]))
    got = bridge.evaluate(fuel, half["T"], 6e6, [0.5, 0.5], "rho", backend="cpu")
    ratio = got["rho"] / half["rho"]
    header = ["rho, kg/m³", "vapour, mole fraction"]
    cold = []
    for P, (first, T1), (second, T2), fractions, shown in STREAMS:
        species = [first, second]
        phases = isobar(species, P, np.arange(280.0, 621.0, 2.0))
        h1, h2 = (
            float(bridge.evaluate(name, T, P, 1.0, "h", backend="cpu")["h"])
            for name, T in ((first, T1), (second, T2))
        )
        rows = []
        for Y2 in fractions:
            Y = np.array([1.0 - Y2, Y2])
            h = float(Y @ [h1, h2])
            got = bridge.evaluate(species, P=P, Y=Y, h=h, outputs="rho", backend="cpu")
            line = equilibrium(phases, Y)
            # where the liquid ends, what teqp still solves has a lower enthalpy than the vapour
            rising = int(np.argmax(np.append(np.diff(line["h"]) <= 0.0, True))) + 1
            line = {name: values[:rising] for name, values in line.items()}
            other = {name: float(np.interp(h, line["h"], line[name])) for name in line}
            if h > line["h"][-1]:
                other |= {"T": float(got["T"]), "rho": float(got["rho"]), "vapour": np.nan}
            one = {"rho": float(got["rho"])}
            cold.append(other["T"] - float(got["T"]))
            if Y2 in shown:
                rows.append(
                    [
                        f"{Y2:.2f}",
                        f"{float(got['T']):.0f} / {other['T']:.0f}",
                        *_beside(one, other),
                    ]
                )
        parts += [
            prose(
                f"""{second} of {T2:.0f} K mixes adiabatically with {first} of {T1:.0f} K at
                {P / 1e6:.0f} MPa: one phase / equilibrium."""
            ),
            table([f"mass fraction of {second}", "T, K", *header], rows),
        ]
    return "\n\n".join(
        [
            prose(
                """Where a mixture would split into a liquid and a vapour, a run gets one phase,
                which is not stable. The tables put it beside the equilibrium, which teqp solves
                with the same Peng-Robinson parameters."""
            ),
            *parts,
            prose(
                f"""At a given temperature the density of the one phase is {span(ratio, 2)} of that
                in equilibrium (N2 and C12H26, half and half by mass, 350 to 550 K at 6 MPa). In
                adiabatic mixing the one phase is also too cold, since no liquid forms that would
                give off its heat: up to {max(cold):.0f} K."""
            ),
        ]
    )
