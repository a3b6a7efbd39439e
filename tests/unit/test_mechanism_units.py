"""Units in a Cantera mechanism: of the file, of a list, of one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.measure import present
from unit.mechanisms import AGAIN, N2, R

import bridge
from bridge.convert.mechanism import convert
from bridge.physics.species import SpeciesData


@pytest.mark.parametrize(
    ("head", "critical"),
    [
        ("", "{critical-temperature: 150.0, critical-pressure: 4.0e6, acentric-factor: 0.1}"),
        ("", "{critical-temperature: 150 K, critical-pressure: 40 bar, acentric-factor: 0.1}"),
        (
            "units: {pressure: atm, length: cm}",
            f"{{critical-temperature: 150, critical-pressure: {4e6 / 101325!r}, "
            "acentric-factor: 0.1}",
        ),
        (
            "units: {pressure: atm}",
            "{units: {pressure: kPa}, critical-temperature: 150, critical-pressure: 4000, "
            "acentric-factor: 0.1}",
        ),
    ],
)
def test_critical_parameters_in_any_units(
    ct: Any, mechanism: Callable[..., Any], head: str, critical: str
) -> None:
    head += "\nphases:\n- {name: gas, thermo: Peng-Robinson, elements: [N], species: [N2]}"
    species = N2.replace("N2", "X2") + f"  critical-parameters: {critical}\n"
    file = mechanism(species, head.replace("[N2]", "[X2]"))
    data = convert(file).data
    gas = ct.Solution(str(file))
    assert data.Tc[0] == pytest.approx(150.0, rel=1e-14)
    assert data.Pc[0] == pytest.approx(4e6, rel=1e-14)
    assert data.omega[0] == 0.1
    assert data.Tc[0] == pytest.approx(gas.critical_temperature, rel=1e-9)
    assert data.Pc[0] == pytest.approx(gas.critical_pressure, rel=1e-9)
    # no volume anywhere: Pitzer's
    assert data.Pc[0] * present(data.Vc)[0] / (R * data.Tc[0]) == pytest.approx(0.291 - 0.008)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "units: {length: cm, quantity: mol}",
        "units: {length: mm, quantity: mol, pressure: bar}",
        "units: {length: cm, quantity: molec, pressure: dyn/cm^2}",
    ],
)
def test_coefficients_in_any_units(ct: Any, mechanism: Callable[..., Any], head: str) -> None:
    """a, b and binary-a of a Peng-Robinson record are cantera's, whatever the file's units."""
    cm = {"": 1.0, "cm": 100.0, "mm": 1000.0}[
        "cm" if "cm," in head else "mm" if "mm" in head else ""
    ]
    mol = {"": 1e3, "mol,": 1.0, "molec": 1 / 6.02214076e23}[
        "molec" if "molec" in head else "mol," if "mol" in head else ""
    ]
    pressure = 1e-5 if "bar" in head else 10.0 if "dyn" in head else 1.0
    a, b, mixed = 0.14, 2.4e-5, 0.13  # SI
    factor_a, factor_b = pressure * cm**6 * mol**2, cm**3 * mol
    eos = (
        f"  equation-of-state: {{model: Peng-Robinson, a: {a * factor_a!r}, b: {b * factor_b!r}, "
        f"acentric-factor: 0.04, binary-a: {{OTHER: {mixed * factor_a!r}}}}}\n"
    )
    species = N2.replace("N2", "X2") + eos.replace("OTHER", "X4")
    species += AGAIN.replace("N2", "X4").replace("{N: 2}", "{N: 4}")
    species += eos.replace("OTHER", "X2").replace(repr(a * factor_a), repr(2 * a * factor_a))
    head += "\nphases:\n- {name: gas, thermo: Peng-Robinson, elements: [N], species: [X2, X4]}"
    file = mechanism(species, head)
    data = convert(file).data
    gas = ct.Solution(str(file))
    for k, name in enumerate(data.names):
        gas.X = {name: 1.0}
        assert data.Tc[k] == pytest.approx(gas.critical_temperature, rel=1e-9)
        assert data.Pc[k] == pytest.approx(gas.critical_pressure, rel=1e-9)
    assert data.kij[0, 1] == pytest.approx(1.0 - mixed / (a * np.sqrt(2.0)), rel=1e-12)
    assert data.kij[0, 1] == data.kij[1, 0]
    # and the mixture behaves as cantera's
    gas.TPX = 400.0, 2e6, [0.3, 0.7]
    Y = gas.Y
    got = bridge.evaluate(data, [400.0], 2e6, Y, ("rho", "h"))
    assert got["rho"][0] == pytest.approx(gas.density, rel=1e-10)
    assert got["h"][0] == pytest.approx(gas.enthalpy_mass, rel=1e-10)


def test_units_of_a_list_and_a_volume(mechanism: Callable[..., Any]) -> None:
    """Units at the head of the list hold for what follows; a stated volume is kept."""
    species = "\n- units: {length: cm, quantity: mol}" + N2.replace("N2", "X2")
    species += "  critical-parameters: {critical-temperature: 150, critical-pressure: 4e6,"
    species += " acentric-factor: 0.1, critical-molar-volume: 90.0}\n"
    converted = convert(mechanism(species))
    assert present(converted.data.Vc)[0] == pytest.approx(9e-5, rel=1e-14)
    assert converted.table["species"][0]["status"] == "measured"
    # the shipped volume where name and composition are known
    known = species.replace("X2", "N2").replace(", critical-molar-volume: 90.0", "")
    data = convert(mechanism(known)).data
    assert present(data.Vc)[0] == present(SpeciesData.load(["N2"]).Vc)[0] and data.Tc[0] == 150.0


def test_lennard_jones_is_in_kelvin_angstrom_debye_always(mechanism: Callable[..., Any]) -> None:
    species = N2.replace("N2", "X2") + "  transport: {model: gas, geometry: linear, "
    species += "well-depth: 97.5, diameter: 3.6, dipole: 1.1}\n"
    converted = convert(mechanism(species, "units: {length: cm, quantity: mol}"))
    data = converted.data
    assert data.Tc[0] == pytest.approx(1.2593 * 97.5, abs=1e-6)
    assert 1e6 * present(data.Vc)[0] == pytest.approx((3.6 / 0.809) ** 3, rel=1e-8)
    assert data.Pc[0] * present(data.Vc)[0] / (R * data.Tc[0]) == pytest.approx(0.291, rel=1e-6)
    assert data.omega[0] == 0.0 and present(data.dipole)[0] == 1.1
    assert converted.table["species"][0]["status"] == "estimated"
