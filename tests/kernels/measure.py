"""How kernel results are compared: data, scales and the error measure.

Bare relative differences mean nothing where a quantity crosses zero (enthalpy) or where the
state is ill-conditioned (near a critical point), so an error is taken over the larger of the
reference and a scale of the quantity, and divided by the condition number P kappaT.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bridge.physics.species import SpeciesData

TESTS = Path(__file__).resolve().parents[1]
#: The option `cubic`, and what teqp calls that equation of state.
CUBICS = {"PENG_ROBINSON": "PR", "SOAVE_REDLICH_KWONG": "SRK"}
R = 8.31446261815324
TOLERANCES = tomllib.loads((TESTS / "tolerances.toml").read_text(encoding="utf-8"))

Value = TypeVar("Value")

#: Systems of the reference file, and the options they were made with.
DEFAULT_SYSTEMS = (
    "N2 O2 CH4 CO2 C12H26 H2 H2O near_N2 near_CO2 near_O2 air O2_CH4 N2_C12H26 H2_O2 H2O2N2_9 "
    "gri53 kij_N2_CH4_CO2"
).split()
OPTION_SYSTEMS = ["abs_H2O2N2_9", "abs_N2_C12H26", "poly_N2"]
DIFFUSION_SYSTEMS = ["air", "O2_CH4", "N2_C12H26", "H2O2N2_9", "gri53"]


@cache
def archive() -> dict[str, np.ndarray]:
    with np.load(TESTS / "data" / "reference_cases.npz") as file:
        return {key: file[key] for key in file.files}


@cache
def group(name: str) -> dict[str, np.ndarray]:
    """Arrays of one group of the reference file."""
    return {
        key.split("/", 1)[1]: value
        for key, value in archive().items()
        if key.startswith(f"{name}/")
    }


@dataclass
class System:
    """One system of the reference file: inputs of `bridge.evaluate` and what it should give."""

    species: SpeciesData
    options: dict[str, Any]
    data: dict[str, np.ndarray]

    def __getitem__(self, key: str) -> np.ndarray:
        return self.data[key]

    @property
    def inputs(self) -> tuple[SpeciesData, np.ndarray, np.ndarray, np.ndarray]:
        return self.species, self.data["T"], self.data["P"], self.data["Y"]

    @property
    def well(self) -> np.ndarray:
        well: np.ndarray = self.data["cond"] <= TOLERANCES["reference"]["skip_condition"]
        return well

    def scale(self, name: str) -> np.ndarray | float:
        """Scale of a quantity by its name in the catalogue, of the shape of its values."""
        T, W = self.data["T"], self.data["W"]
        column = T[:, None]
        v = W / self.data["rho"]
        scales: dict[str, Any] = {
            **dict.fromkeys(("h", "u", "g"), R * T / W),
            **dict.fromkeys(("hbar_i", "mu_i"), R * column),
            "s": R / W,
            "h_p": 1.0 / self.data["rho"],
            "vbar_i": v[:, None],
            "lnphi_i": 1.0,
            "h_Yi": R * column / self.species.W,
            "rho_Yi": (self.data["rho"] ** 2 * v)[:, None] / self.species.W,
            **dict(zip(("a", "a_T", "a_TT"), self._attraction(), strict=True)),
        }
        scale: np.ndarray | float = scales.get(name, 0.0)
        return scale

    def _attraction(self) -> list[np.ndarray]:
        T = self.data["T"]
        s = self.species
        largest = np.max(0.45723552892138218 * (R * s.Tc) ** 2 / s.Pc)
        return [largest / T**k for k in range(3)]


@cache
def system(name: str) -> System:
    data = group(name)
    species = SpeciesData.resolve([str(s) for s in data["species"]], kij=data["kij"])
    cross, extrapolation = (str(value) for value in data["mode"])
    return System(species, {"prCross": cross, "thermoExtrap": extrapolation}, data)


def error(
    value: np.ndarray,
    reference: np.ndarray,
    scale: np.ndarray | float = 0.0,
    condition: np.ndarray | float = 1.0,
) -> np.ndarray:
    """Errors in the measure of this module; NaN where a NaN stands on one side only."""
    value, reference = np.asarray(value, float), np.asarray(reference, float)
    if value.shape != reference.shape:
        raise AssertionError(f"shapes {value.shape} and {reference.shape}")
    condition = np.asarray(condition, float)
    condition = condition.reshape(condition.shape + (1,) * (value.ndim - condition.ndim))
    size = np.maximum(np.abs(reference), scale)
    difference = np.where(value == reference, 0.0, np.abs(value - reference))
    with np.errstate(invalid="ignore", divide="ignore"):
        result = np.where(difference == 0.0, 0.0, difference / size)
    measured: np.ndarray = result / np.maximum(1.0, condition)
    return measured


def worst(*arguments: Any, **named: Any) -> float:
    """The largest error; infinity where a value is missing."""
    errors = error(*arguments, **named)
    return float(np.max(np.where(np.isnan(errors), np.inf, errors), initial=0.0))


#: Whether the same formulas give the same bits wherever they stand: on a CPU, whose kernels are
#: compiled one by one. A GPU's compiler sees a launch as a whole: fixture `backend` says False.
SAME_BITS = True


def assert_parts(
    got: np.ndarray, want: np.ndarray, message: str = "", tolerance: str = "parts"
) -> None:
    """Two launches have computed the same: to the bit where that is so, else to this tolerance of
    properties, over the larger of a value and the array's mean size (for what crosses zero)."""
    got, want = np.asarray(got), np.asarray(want)
    if SAME_BITS or want.dtype.kind == "i":
        np.testing.assert_array_equal(got, want, err_msg=message)
        return
    both = np.isnan(got) & np.isnan(want)
    size = np.mean(np.abs(want[np.isfinite(want)])) if np.isfinite(want).any() else 0.0
    found = worst(np.where(both, 0.0, got), np.where(both, 0.0, want), size)
    assert found <= TOLERANCES["property"][tolerance], f"{message} {found:.1e}"


def gas(
    n: int,
    ns: int,
    seed: int = 1,
    T: tuple[float, float] = (200.0, 3000.0),
    P: tuple[float, float] = (1e5, 3e7),
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random states T, P, Y, logarithmic in P, in a fixed order of draws."""
    random = np.random.default_rng(seed)
    temperatures = random.uniform(T[0], T[1], n)
    pressures = np.exp(random.uniform(np.log(P[0]), np.log(P[1]), n))
    return temperatures, pressures, random.dirichlet(np.ones(ns), n)


def present(value: Value | None) -> Value:
    """A constant that a species table may lack, where a test's table has it."""
    assert value is not None
    return value
