"""Per-run data of the kernels: species constants, tables and flags in the form points read.

The last Python stop of the species on the way to a backend, which copies `fields()` into
`struct Shared` of kernels/shared.h. Equations: docs/physics.md, sections 2 to 12.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from bridge.errors import ArgumentError, InconsistentError
from bridge.physics.options import Options
from bridge.physics.species import SpeciesData

#: Range of the search of T at given enthalpy, and the limits of sections 3, 7 and 9.
_SCALARS = {
    "P0": 101325.0,
    "TloH": 20.0,
    "ThiH": 6000.0,
    "Tleast": 1e-10,
    "Tmost": 1e60,
    "Pleast": 1e-100,
    "Pmost": 1e15,
    "rhoLeast": 1e-60,
    "smallSum": 1e-8,
    "clipTolerance": 1e-6,
    "renormTolerance": 1e-6,
    "traceMassFraction": 1e-12,
    "nearCritical": 1e4,
    "newtonTolerance": 1e-11,
    "bracketTolerance": 1e-12,
    "bracketEnd": 1e-9,
    "newtonLimit": 80,
    "tpdTolerance": 1e-9,
    "stabilityTolerance": 1e-14,
    "flashTolerance": 1e-11,
    "feedDistance": 1e-8,
    "lnTraceOfPure": float(np.log(1e-3)),
    "lnAbsent": -1e9,
    "stabilityLimit": 100,
    "flashLimit": 300,
    "diffusionFloor": 1e-20,
}

#: Keys of tables, by the option `cubic`.
_CUBICS = {"PENG_ROBINSON": "pengRobinson", "SOAVE_REDLICH_KWONG": "soaveRedlichKwong"}
#: T_EXTRAP: the share of the heat capacity by which a constant one may be off.
EXTRAPOLATED = 0.03


@lru_cache(maxsize=1)
def shipped_tables() -> dict[str, Any]:
    """The correlation tables of data/tables.yaml."""
    from bridge.compiled.tables import CONTENT

    tables: dict[str, Any] = CONTENT
    return tables


class SharedData:
    """What `struct Shared` holds.

    species: constants; without Vc, dipole and kappa the transport tables hold NaN. options:
    of the physics, None for the defaults. tables: of the form of data/tables.yaml, None for it.
    Raises ArgumentError where an option needs constants that a species lacks.
    """

    def __init__(
        self,
        species: SpeciesData,
        options: Options | None = None,
        tables: dict[str, Any] | None = None,
    ) -> None:
        self.options = options or Options()
        self.species = species.overridden(self.options.override)
        self.species.refuse_other_units(before=species)
        self.tables = tables or shipped_tables()
        if self.options.denseDiffusion != "TAKAHASHI" and self.options.takaMode != "GLOBAL":
            cause = "'PAIRWISE' is Takahashi's factor of each pair, and denseDiffusion another one"
            raise InconsistentError("takaMode", cause, "leave one of them out")
        self._refuse_constants_of_another_cubic()
        fields: dict[str, Any] = {
            "ns": len(species.names),
            "pairs": len(species.names) * (len(species.names) + 1) // 2,
            **self._flags(),
            **_SCALARS,
            "R": float(self.tables["physical"]["R"]),
            **self._constants(),
            **self._attraction(),
            **self._chung(),
            **self._kinetic(),
            **self._friction(),
            **self._diffusion(),
        }
        # copies of their own: the caller's arrays may change or go
        self._fields = {
            name: np.array(value, dtype=np.float64).ravel()
            if isinstance(value, np.ndarray)
            else value
            for name, value in fields.items()
        }

    def _refuse_constants_of_another_cubic(self) -> None:
        options = self.options
        if options.cubic == "PENG_ROBINSON":
            return
        given = {name for name, _ in options.override}
        for option, off, constant in (
            ("volumeShift", "NONE", "cShift"),
            ("alpha", "ACENTRIC", "alphaSlope"),
        ):
            if getattr(options, option) != off and constant not in given:
                cause = f"{constant} of the species is for Peng-Robinson, not {options.cubic}"
                remedy = f"leave one of them out, or give your own by override = {constant}=..."
                raise InconsistentError(option, cause, remedy)

    def fields(self) -> dict[str, Any]:
        """Members of `struct Shared` by name: int, float, or float64 array (flat order)."""
        return self._fields

    # ---- section 2 ----------------------------------------------------------------------

    def _flags(self) -> dict[str, int]:
        names = (
            "cubic",
            "prCross",
            "thermoExtrap",
            "rootPolicy",
            "chungDense",
            "dilute",
            "viscosity",
            "takaMode",
            "diffModel",
            "massFraction",
            "volumeShift",
        )
        flags = {name: self.options.code(name) for name in names}
        return flags | {"anyKij": int(bool(np.any(self.species.kij)))}

    def _constants(self) -> dict[str, Any]:
        s = self.species
        R = float(self.tables["physical"]["R"])
        Vc = self._transport("Vc")
        return {
            "W": s.W,
            "invW": 1.0 / s.W,
            "Tc": s.Tc,
            "Pc": s.Pc,
            "Vc": Vc,
            "Zc": s.Pc * Vc / (R * s.Tc),
            "omega": s.omega,
            "nasa": np.ascontiguousarray(s.nasa7),
            "fitLow": float(s.nasa7[:, 0].max(initial=-np.inf)),
            "fitHigh": float(s.nasa7[:, 2].min(initial=np.inf)),
            "nasaEnthalpy": _enthalpy_polynomials(s.nasa7),
            "rangeEnds": self._range_ends(),
            "fitEnds": _fit_ends(s.nasa7, s.W),
            "lnTlow": np.log(s.nasa7[:, 0]),
            "lnThigh": np.log(s.nasa7[:, 2]),
        }

    def _range_ends(self) -> np.ndarray:
        ends = self.species.nasa7[:, :3]
        found = np.unique(ends if self.options.thermoExtrap == "CONST_CP" else ends[:, 1])
        return np.append(found, np.full(ends.size + 1 - found.size, np.inf))

    def _transport(self, name: str) -> np.ndarray:
        values = getattr(self.species, name)
        return np.full(len(self.species.names), np.nan) if values is None else values

    def _cubic(self) -> dict[str, Any]:
        """Constants of the option `cubic`; those of its volume are in kernels/eos/cubic.h."""
        found: dict[str, Any] = self.tables[_CUBICS[self.options.cubic]]
        return found

    # ---- section 5 ----------------------------------------------------------------------

    def _attraction(self) -> dict[str, np.ndarray]:
        s, cubic = self.species, self._cubic()
        R = float(self.tables["physical"]["R"])
        m = np.polyval(np.array(cubic["mLow"], dtype=float)[::-1], s.omega)
        if "mHigh" in cubic:
            high = np.polyval(np.array(cubic["mHigh"], dtype=float)[::-1], s.omega)
            m = np.where(s.omega <= cubic["omegaSwitch"], m, high)
        if self.options.alpha == "FITTED" and s.alphaSlope is not None:
            m = np.where(s.alphaSlope == 0.0, m, s.alphaSlope)
        q = np.sqrt(cubic["omegaA"] * (R * s.Tc) ** 2 / s.Pc)
        return {
            "prB": cubic["omegaB"] * R * s.Tc / s.Pc,
            "prQ": q,
            "prM": m,
            "invSqrtTc": 1.0 / np.sqrt(s.Tc),
            "prU0": q * (1.0 + m),
            "prU1": q * m / np.sqrt(s.Tc),
            "oneMinusKij": np.ascontiguousarray(1.0 - s.kij),
            "cShift": np.zeros_like(s.Tc) if s.cShift is None else s.cShift,
        }

    # ---- section 11 ---------------------------------------------------------------------

    def _molecules(self) -> tuple[np.ndarray, np.ndarray]:
        """sigma_i (angstrom) and eps_i (K)."""
        chung = self.tables["chung"]
        sigma = chung["sigmaFactor"] * np.cbrt(1e6 * self._transport("Vc"))
        return sigma, self.species.Tc / chung["epsFactor"]

    def _chung(self) -> dict[str, Any]:
        chung, choice = self.tables["chung"], self.options.chungTables
        sigma, eps = self._molecules()
        M = 1000.0 * self.species.W
        s15 = sigma * np.sqrt(sigma)
        pair = np.sqrt(np.outer(eps, eps)) * np.outer(sigma, sigma)
        pair *= np.sqrt(2.0 * np.outer(M, M) / np.add.outer(M, M))
        pair = np.triu(pair) + np.triu(pair, 1)  # each off-diagonal pair once, with both halves
        # a table that has no viscosity part of its own goes with the default one
        viscosity = chung["viscosity"].get(choice, chung["viscosity"]["chung1988"])
        conductivity = chung["conductivity"][choice]
        psi = chung["psi"]
        eta, lam = self.options.dilutePrefactor
        return {
            "chungS": s15,
            "chungSE": s15 * np.sqrt(eps),
            "chungSW": s15 * self.species.omega,
            "chungDipole": self._transport("dipole") ** 2 / s15,
            "chungKappa": np.sqrt(self._transport("kappa")),
            "chungPair": pair,
            "chungE": _table(viscosity, (10, 4)),
            "chungB": _table(conductivity["rows"], (7, 4)),
            "chungFc": _table(chung["fc"], (4,)),
            "chungPsi": _table(
                [psi["alpha0"], *psi["beta"], *psi["z"], *psi["num"], *psi["den"]], (12,)
            ),
            "chungSigmaFactor": float(chung["sigmaFactor"]),
            "chungEpsFactor": float(chung["epsFactor"]),
            "chungDipoleFactor4": float(chung["dipoleFactor"]) ** 4,
            "chungDilute": 1e-7 * eta,  # micropoise to Pa s
            "chungDiluteRatio": lam / eta,
            "chungDense0": 1e-7 * chung["dense"],
            "chungLambdaDilute": float(chung["lambdaDilute"]),
            "chungQ0": float(conductivity["q0"]),
            "tStarMin": float(chung["tStarMin"]),
            "yMax": float(chung["yMax"]),
            "omegaViscLow": float(chung["omegaViscRange"][0]),
            "omegaViscHigh": float(chung["omegaViscRange"][1]),
            "omegaCondLow": float(chung["omegaCondRange"][0]),
            "omegaCondHigh": float(chung["omegaCondRange"][1]),
        }

    def _kinetic(self) -> dict[str, Any]:
        """What kernels of KINETIC read; the others need no module for it."""
        if self.options.dilute == "KINETIC":
            from bridge.physics import kinetic

            return kinetic.fields(self.species, self.tables)
        none = dict.fromkeys(("kineticSpecies", "kineticFits", "kineticRatio"), np.zeros(1))
        return {**none, "kineticPlace": np.zeros(2), "kineticFloor": 0.0, "kineticInner": 0.0}

    def _friction(self) -> dict[str, Any]:
        """What the kernel of FRICTION reads; the others need no module for it."""
        if self.options.viscosity == "FRICTION":
            from bridge.physics import friction

            return friction.fields(self.species, self.tables, _CUBICS[self.options.cubic])
        return {"frictionSpecies": np.zeros(1), "frictionMost": 0.0}

    # ---- section 12 ---------------------------------------------------------------------

    def _diffusion(self) -> dict[str, Any]:
        neufeld, physical = self.tables["neufeld"], self.tables["physical"]
        i, j = np.triu_indices(len(self.species.names))
        polar = np.zeros(1)
        if self.options.dilute == "KINETIC":
            from bridge.physics import kinetic

            eps_ij, sigma_ij, square = (of[i, j] for of in kinetic.pairs(self.species))
            polar = float(neufeld["polar11"]) * square * eps_ij
        else:
            sigma, eps = self._molecules()
            eps_ij, sigma_ij = np.sqrt(eps[i] * eps[j]), 0.5 * (sigma[i] + sigma[j])
        omega22 = _table([neufeld["omega22"][key] for key in "ABCDEF"], (6,))
        omega11 = _table([neufeld["omega11"][key] for key in "ABCDEFGH"], (8,))
        W, tStarMin = self.species.W, float(self.tables["chung"]["tStarMin"])
        # (3/16) sqrt(2 kB^3 NA/pi) 1e20, with sigma in angstrom
        scale = 0.1875e20 * np.sqrt(2.0 * physical["kB"] ** 3 * physical["NA"] / np.pi)
        factor = scale * np.sqrt(1.0 / W[i] + 1.0 / W[j]) / sigma_ij**2
        if self.options.diffModel == "FULLER":
            factor = self._fuller()[i, j]
        return {
            "omega22": omega22 * np.array([1.0, 1.0, *([1.0, np.log2(np.e)] * 2)]),
            "omega22G": float(self.options.omega22G),
            "omega22Sine": _table([neufeld["omega22sine"][key] for key in "SWP"], (3,)),
            "omega11": omega11 * np.array([1.0, 1.0, *([1.0, np.log2(np.e)] * 3)]),
            "omega11Floor": float(tStarMin ** -omega11[1]),
            "invDiffusionPair": 1.0 / factor,
            "invEpsPair": 1.0 / eps_ij,
            "epsPowPair": eps_ij ** omega11[1],
            "polarPair": polar,
            **self._fitted_omega11(omega11, eps_ij, polar / eps_ij, factor, tStarMin),
            **self._takahashi(),
            "takahashiTrMin": float(self.tables["takahashi"]["trMin"]),
            "takahashiGainMax": float(self.tables["takahashi"]["gainMax"]),
            **self._riazi_whitson(),
            "prZc": float(self._cubic()["zc"]),
        }

    def _riazi_whitson(self) -> dict[str, Any]:
        table = self.tables["riaziWhitson"]
        return {
            "riaziWhitson": _table([table["a"] - 1.0, *table["b"], *table["c"]], (5,)),
            "riaziWhitsonBlend": float(table["blend"]) ** 2,
            "riaziWhitsonMost": float(table["pressureMax"]),
        }

    def _fitted_omega11(
        self,
        c: np.ndarray,
        eps: np.ndarray,
        polar: np.ndarray,
        factor: np.ndarray,
        tStarMin: float,
    ) -> dict[str, Any]:
        """The pairs' polynomials, each over its factor: a resistance."""
        if self.options.omega11 == "EXACT":
            none = dict.fromkeys(("Low", "High", "Middle", "Inverse"), 0.0)
            fields: dict[str, Any] = {"omega11Fit" + name: value for name, value in none.items()}
            return fields | {"omega11Fitted": 0, "omega11Fit": np.zeros(1)}
        from bridge.physics import omega11fit

        made = omega11fit.fit(c, eps, tStarMin, polar)
        return {
            "omega11Fitted": 1,
            "omega11Fit": made.coefficients / factor[:, None],
            "omega11FitLow": made.low,
            "omega11FitHigh": made.high,
            "omega11FitMiddle": made.middle,
            "omega11FitInverse": made.inverse,
        }

    def _fuller(self) -> np.ndarray:
        """Factor of T^1.75/P, (ns, ns). Source: Fuller, Schettler and Giddings 1966."""
        if self.species.fullerVolume is None:
            cause = "'FULLER' needs fullerVolume of every species, and one has none"
            raise InconsistentError("diffModel", cause, "add it, or take 'CHAPMAN_ENSKOG'")
        M = 1000.0 * self.species.W
        root = np.cbrt(self.species.fullerVolume)
        mean = 2.0 / (1.0 / M[:, None] + 1.0 / M[None, :])
        result: np.ndarray = 1.43e-2 / (np.sqrt(mean) * (root[:, None] + root[None, :]) ** 2)
        return result

    def _takahashi(self) -> dict[str, np.ndarray]:
        """takahashi, (7, 24): columns Pr, 1/(step to the next row), DP, A, B, C, E; row 0 is Pr =
        0, where the factor is 1; the last row is repeated. takahashiSteps, (51, 12): the two rows
        around each tenth of Pr."""
        table = self.tables["takahashi"]
        rows = [[0.0, 1.0, 0.0, 1.0, 0.0, 1.0], *table["default"]]
        if self.options.takahashiRow3 == "cantera32RowPr3":
            other = table["cantera32RowPr3"]
            rows = [other if row[0] == other[0] else row for row in rows]
        columns = np.pad(_table(rows, (18, 6)).T, ((0, 0), (0, 6)), mode="edge")
        columns[[3, 5]] *= np.log2(np.e)  # B and E
        inverse = np.zeros(24)
        inverse[:17] = 1.0 / np.diff(columns[0, :18])
        columns = np.insert(columns, 1, inverse, axis=0)
        tenths = np.rint(10.0 * columns[0, :18]).astype(int)
        if tenths[-1] != 50 or not np.array_equal(columns[0, :18], tenths / 10.0):
            raise ArgumentError("tables", "takahashi with other rows", "tenths of Pr, 5 the last")
        below = np.searchsorted(tenths, np.arange(51), side="right") - 1
        steps = np.vstack([columns[:, below], columns[2:, below + 1]]).T
        return {
            "takahashi": np.ascontiguousarray(columns),
            "takahashiSteps": np.ascontiguousarray(steps),
        }


def _enthalpy_polynomials(nasa7: np.ndarray) -> np.ndarray:
    """(ns, 19): Tlow, Tmid, Thigh, then polynomials of h/R, whose derivative is that of cp/R: a6,
    a1, a2/2 .. a5/5 of the low and of the high range, and the straight lines of constant cp that
    go on from Tlow and from Thigh (values at 0 K, slopes)."""
    powers = np.arange(1.0, 6.0)
    low, high = (
        np.hstack([a[:, 5:6], a[:, :5] / powers]) for a in (nasa7[:, 3:10], nasa7[:, 10:17])
    )
    parts = [nasa7[:, :3], low, high]
    for end in (0, 2):
        T = nasa7[:, end : end + 1]
        fit = np.where(T <= nasa7[:, 1:2], low, high)
        h = np.sum(fit * T ** np.arange(6.0), axis=1, keepdims=True)
        cp = np.sum(fit[:, 1:] * powers * T ** np.arange(5.0), axis=1, keepdims=True)
        parts += [h - cp * T, cp]
    return np.hstack(parts)


def _fit_ends(nasa7: np.ndarray, W: np.ndarray) -> np.ndarray:
    """(2, ns, 3): a, b and c, below and above the fits. a + b T is zero at a fit's end and has
    the slope of cp/(R W) there, of which a constant cp knows nothing; c is what that may come to.
    Above the fit b makes it more than c at twice Thigh at the latest: a fit that ends flat says
    nothing of what is far away."""
    sides = []
    for end, sign in ((0, -1.0), (2, 1.0)):
        T = nasa7[:, end]
        fit = np.where((T <= nasa7[:, 1])[:, None], nasa7[:, 3:8], nasa7[:, 10:15])
        powers = T[:, None] ** np.arange(5.0)
        allowed = EXTRAPOLATED * np.sum(fit * powers, axis=1) / W
        slope = np.abs(np.sum(fit[:, 1:] * np.arange(1.0, 5.0) * powers[:, :4], axis=1)) / W
        if sign > 0.0:
            slope = np.maximum(slope, allowed / T)
        sides.append(np.stack([-sign * slope * T, sign * slope, allowed], axis=1))
    return np.stack(sides)


def _table(rows: Any, shape: tuple[int, ...]) -> np.ndarray:
    array = np.array(rows, dtype=float)
    if array.shape != shape:
        raise ArgumentError("tables", f"a table of shape {array.shape}", f"{shape}")
    return array
