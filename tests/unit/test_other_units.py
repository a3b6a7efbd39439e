"""Constants of species in other units, from wherever they come, and YAML that says two things."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from kernels.measure import present
from unit.mechanisms import N2

import bridge
from bridge import yamlfiles
from bridge.backends.gpu import policytable
from bridge.cli import main
from bridge.convert import mechanism
from bridge.errors import ArgumentError
from bridge.physics import speciestable
from bridge.physics.species import SpeciesData

TABLE = """
units: {molarMass: kg/mol, Pc: Pa}
gasConstant: 8.31446261815324
referencePressure: 101325.0
species:
- name: "O2"
  composition: {"O": 2}
  molarMass: 0.031998
  Tc: 154.6
  Pc: 5043000.0
  omega: 0.022
  Vc: 7.33676e-05
  fullerVolume: 16.3
  nasa7:
    temperatureRanges: [200.0, 1000.0, 6000.0]
    low: [3.5, 0.0, 0.0, 0.0, 0.0, -1000.0, 4.0]
    high: [3.5, 0.0, 0.0, 0.0, 0.0, -1000.0, 4.0]
"""


def table(folder: Path, *changes: tuple[str, str]) -> Path:
    text = TABLE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "table.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.031998", "31.998", r"O2: molarMass 31.998 kg/mol is 1000 times .*, 0.031998: g/mol\?"),
        ("0.031998", "0.0159", r"O2: molarMass 0.0159 kg/mol is 0.4969 times .* 0.031998; give"),
        ("0.031998", "5.3135e-26", "of its composition, 0.031998: kg, of one molecule"),
        ("5043000.0", "50.43", r"Pc 50.43 Pa, .*Zc = .* = 2.88e-06, .*0.6: Pc in bar or atm\?"),
        ("5043000.0", "5.043", r"Pc in MPa\?"),
        ("5043000.0", "5043", r"Pc in kPa\?"),
        ("5043000.0", "731.4", r"Pc in psi\?"),
        ("5043000.0", "5.043e+7", r"Zc = .* = 2.88, wanted 0.1 to 0.6: Pc in dyn/cm2\?"),
        ("7.33676e-05", "73.4", r"Vc 73.4 m3/mol: Zc = .*: Vc in cm3/mol\?"),
        ("7.33676e-05", "0.0734", r"Vc in L/mol\?"),
        ("Tc: 154.6", "Tc: -118.6", r"O2: Tc = -118.6 is not above 0: degrees Celsius"),
        ("Tc: 154.6", "Tc: 20.0", r"Zc = .* = 2.22, wanted .*: Tc in degrees Celsius"),
        ("Tc: 154.6", "Tc: 2500.0", "O2: Tc 2500 K, .*: Tc wanted 1 to 2000 K"),
        ("omega: 0.022", "omega: 2.2", "O2: omega 2.2, wanted -0.5 to 1.5"),
        ("low: [3.5", "low: [29100", r"nasa7 gives cp/R = 2.91e\+04 at 298.15 K, .*J/\(kmol K\)"),
        ("low: [3.5", "low: [0.918", r"cp/R = 0.918 at .* wanted 1.5 to 500: kJ/\(kg K\)\?"),
        ("fullerVolume: 16.3", "fullerVolume: 1.63e-5", r"fullerVolume 1.63e-05 .*: m3/mol\?"),
        ("fullerVolume", "criticalViscosity: 152.9\n  fullerVolume", r"152.9 Pa .*: micropoise\?"),
        ("fullerVolume", "criticalViscosity: 15.29\n  fullerVolume", r"15.29 Pa s.*: uPa s\?"),
        ("fullerVolume", "criticalViscosity: 1.5e-4\n  fullerVolume", r"0.00015 Pa s.*: poise\?"),
        ("omega:", "dipole: 6.2e-30\n  omega:", r"dipole 6.2e-30 debye, wanted 0 .*: C m\?"),
        ("Tc: 154.6", "Tc: 154.6\n  Tc: 300.0", "the key 'Tc' stands twice .*, in lines 9 and 10"),
        ("Tc: 154.6", "Tc: 154.6\n  'Tc': 154.6", "the key 'Tc' stands twice"),
        ("low: [", "low: []\n    low: [", "the key 'low' stands twice"),
        ("5043000.0", "5e6", r"yaml: O2: Pc is the text '5e6': write 5.0e\+6"),
        ("5043000.0", "5.043d6", r"write 5.043e\+6"),
        ("5043000.0", "'5043000'", "write 5043000 without quotes"),
        ("5043000.0", "50.43 bar", "O2: Pc is the text '50.43 bar': write a number, in Pa"),
        ("omega: 0.022", "omega: .5e-1x", "omega is the text '.5e-1x': write a number"),
        ("Pc: Pa", "Pc: bar", "units: Pc: bar in .*, wanted Pc in Pa: a table has no other units"),
        ("101325.0", "100000.0", "referencePressure is 100000.0; nasa7 is read with .* 101325.0"),
        ("8.31446261815324", "8314.46", "gasConstant is 8314.46"),
        ("8.31446261815324", "1e0", r"gasConstant is the text '1e0': write 1.0e\+0;"),
        ("omega:", "unchecked: 1\n  omega:", "unchecked is 1, neither true nor false"),
    ],
)  # fmt: skip
def test_a_table_in_other_units(tmp_path: Path, old: str, new: str, message: str) -> None:
    """Each is refused by species and key, with the unit that is likely."""
    assert bridge.evaluate(table(tmp_path), 300.0, 1e5).rho == pytest.approx(1.284, rel=1e-3)
    with pytest.raises(ArgumentError, match=f"argument species_file: .*{message}"):
        SpeciesData.load(None, table(tmp_path, (old, new)))


def test_a_pseudo_species_has_no_limits(tmp_path: Path) -> None:
    odd = ("0.031998", "31.998"), ("omega:", "unchecked: true\n  omega:")
    data = SpeciesData.load(None, table(tmp_path, *odd))
    got = bridge.evaluate(data, 300.0, 1e5, options={"species": {"omega": 3.0}})
    assert got.rho > 1000
    with pytest.raises(ArgumentError, match="argument override: O2: omega 3, wanted"):
        bridge.evaluate("O2", 300.0, 1e5, options={"species": {"omega": 3.0}})


def mapping(**changes: Any) -> dict[str, Any]:
    data = SpeciesData.load(["O2", "CH4"])
    fields = ("names", "W", "Tc", "Pc", "Vc", "omega", "nasa7")
    return {field: getattr(data, field) for field in fields} | changes


def test_a_mapping_in_other_units() -> None:
    data = SpeciesData.load(["O2", "CH4"])
    for changes, message in (
        ({"W": 1e3 * data.W}, r"species: O2: W 31.998 kg/mol, wanted 0.0005 to 1: g/mol\?; CH4"),
        ({"Pc": 1e-5 * data.Pc, "Vc": 1e6 * present(data.Vc)},
         r"Zc = .* = 2.88, .*: Pc in bar or atm and Vc in cm3/mol\?"),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match=message):
            bridge.evaluate(mapping(**changes), 300.0, 1e5, [0.5, 0.5])
    heavy = mapping(W=np.array([31.998, 0.016]), unchecked=[True, False])
    assert bridge.evaluate(heavy, 300.0, 1e5, [1.0, 0.0]).rho > 1000
    with pytest.raises(ArgumentError, match="unchecked: got .*wanted true or false"):
        SpeciesData.from_mapping(mapping(unchecked=[0.5, 1.0]))
    with pytest.raises(ArgumentError, match="O2: W 31.998"):  # no method of ours made it
        bridge.evaluate(SpeciesData(**mapping(W=1e3 * data.W), kij=data.kij), 300.0, 1e5, [1.0, 0])


def test_an_override_in_other_units() -> None:
    with pytest.raises(ArgumentError, match="override: CH4: W 16.043 .*; CH4: .*Pc in MPa"):
        bridge.evaluate("CH4", 300.0, 1e5, options={"species": {"W": 16.043, "Pc": 4.5992}})
    free = {"species": {"W": 16.043, "unchecked": True}}
    assert bridge.evaluate("CH4", 300.0, 1e5, options=free).rho > 500


def test_a_host_in_other_units(make_frame: Callable[..., bridge.Frame]) -> None:
    """What was there before stays. Its pseudo-species are those of setting override."""
    data = SpeciesData.load(["O2", "CH4", "H2O"])
    constants = (1e3 * data.W, data.Tc, data.Pc, data.omega, data.nasa7)
    for species in (None, data.names):
        tv = make_frame(species=species).tvproperties
        with pytest.raises(ArgumentError, match=r"W 31.998 kg/mol.*: g/mol\?"):
            tv.populate_preos_shared_data(*constants)
        assert tv.species is None or (tv.species.W == data.W).all()
    tv.populate_preos_shared_data(data.W, *constants[1:])
    with pytest.raises(ArgumentError, match=r"Vc 73.* m3/mol: Zc = .*: Vc in cm3/mol\?"):
        tv.populate_chung_shared_data(1e6 * present(data.Vc), data.dipole, data.kappa)
    tv = make_frame(species=None, override="unchecked=1,0,1").tvproperties
    with pytest.raises(ArgumentError, match=r"species: 2: W 16.043 kg/mol"):
        tv.populate_preos_shared_data(*constants)
    make_frame(species=None, override="unchecked=1").tvproperties.populate_preos_shared_data(
        *constants
    )


def test_shipped_species_are_sums_of_their_elements() -> None:
    """What a start relies on, which reads no atomic weights; and all are inside the limits."""
    data = SpeciesData.load(None)
    copies = [dict(record) for record in speciestable.shipped_records().values()]
    atoms = [speciestable.mass_of_atoms(record) for record in copies]
    np.testing.assert_allclose(data.W, atoms, rtol=1e-12)
    data.refuse_other_units()


# ---- mechanisms -----------------------------------------------------------------------------


def test_a_conversion_in_other_units(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pascal unless the file says otherwise, as Cantera takes it."""
    state = "critical-temperature: 126.2, critical-pressure: %s, acentric-factor: 0.04"
    file = tmp_path / "mech.yaml"
    for pressure, status in (("33.9", 1), ("33.9 bar", 0)):
        critical = f"  critical-parameters: {{{state % pressure}}}\n"
        file.write_text(f"species:{N2}{critical}")
        assert main(["species", "convert", str(file)]) == status
    said = capsys.readouterr()
    assert "argument mechanism: N2: Tc 126.2 K, Pc 33.9 Pa" in said.err
    assert "Pc in bar or atm?" in said.err and "Pc: 3390000" in said.out


def test_a_mechanism_with_atomic_weights_of_its_own(tmp_path: Path) -> None:
    """Its table passes, and says why."""
    file, out = tmp_path / "mech.yaml", tmp_path / "table.yaml"
    state = "{critical-temperature: 126.2, critical-pressure: 3.39e6, acentric-factor: 0.04}"
    head = "elements:\n- {symbol: N, atomic-weight: 15.0}\n"
    file.write_text(f"{head}species:{N2}  critical-parameters: {state}\n")
    out.write_text(mechanism.convert(file).text())
    assert "unchecked: true" in out.read_text()
    assert SpeciesData.load(None, out).W[0] == pytest.approx(0.030)


# ---- YAML -----------------------------------------------------------------------------------


def test_keys_that_stand_twice(tmp_path: Path) -> None:
    file = tmp_path / "twice.yaml"
    file.write_text("format: 1\nrows: []\nrows: []\n")
    with pytest.raises(ArgumentError, match="the key 'rows' stands twice .* lines 2 and 3"):
        policytable.read(file)
    file.write_text("species:\n- {name: N2, name: N2}\n")
    with pytest.raises(ArgumentError, match="mechanism: .*the key 'name' stands twice"):
        mechanism.convert(file)
    file.write_text("- {pair: [A, B], kij: 1, kij: 2}\n")
    with pytest.raises(ArgumentError, match="kij: .*the key 'kij' stands twice"):
        mechanism.read_pairs(file)
    for text in ("yes: 1\ntrue: 2", "a: [{b: 1, 'b': 2}]", "? {a: 1, a: 2}\n: 3"):
        with pytest.raises(yaml.YAMLError, match="stands twice"):
            yamlfiles.load(text)


def test_a_merge_replaces_keys_by_right() -> None:
    text = "b:\n  k: &A {<<: &B {x: 1}, x: 2}\nc: {<<: *A, x: 5}\nd: *A"
    assert yamlfiles.load(text) == yaml.safe_load(text)
    assert yamlfiles.load("no: NO", texts_alone=True) == {"no": "NO"}
