"""Species tables from Cantera mechanisms: cantera's own files, and small ones written here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from kernels.measure import present
from unit.mechanisms import AGAIN, N2, R

import bridge
from bridge.cli import main
from bridge.convert.mechanism import Converted, convert, interaction_pairs, read_pairs
from bridge.errors import ArgumentError
from bridge.physics.species import SpeciesData
from bridge.physics.speciestable import shipped_records

CONSTANTS = ("W", "Tc", "Pc", "Vc", "omega", "dipole", "kappa", "nasa7", "fullerVolume",
             "criticalViscosity", "collision")  # fmt: skip


@pytest.fixture(scope="module")
def folder(ct: Any) -> Path:
    """Where cantera keeps its mechanisms."""
    return Path(ct.__file__).parent / "data"


def read_back(converted: Converted, tmp_path: Path) -> SpeciesData:
    file = tmp_path / "table.yaml"
    file.write_text(converted.text(), encoding="utf-8")
    return SpeciesData.load(None, file)


# ---- real mechanisms -------------------------------------------------------------------------


def test_gri30_gives_the_shipped_table(folder: Path, tmp_path: Path) -> None:
    """The 53 shipped species were made from this file: every number comes out the same."""
    converted = convert(folder / "gri30.yaml")
    got = read_back(converted, tmp_path)
    shipped = SpeciesData.load(got.names)
    assert got.names == tuple(shipped_records())[:53]
    assert "NO" in got.names
    for name in CONSTANTS:
        exact = name != "W"  # a sum of atomic weights: to rounding
        values = getattr(got, name), getattr(shipped, name)
        np.testing.assert_allclose(*values, rtol=0.0 if exact else 1e-15, err_msg=name)
    for record in converted.table["species"]:
        known = shipped_records()[record["name"]]
        assert record["status"] == known["status"], record["name"]
        assert record["composition"] == known["composition"]
        assert record.get("lennardJones") == known.get("lennardJones")
        assert record["Zc"] == known["Zc"]


def test_round_trip_through_evaluate(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "gri.yaml"
    file.write_text(convert(folder / "gri30.yaml").text(), encoding="utf-8")
    Y = np.full(53, 1.0 / 53)
    outputs = ("rho", "h", "cp", "c", "eta", "lambda", "D_im")
    got = bridge.evaluate(file, [300.0, 1500.0], 8e6, Y, outputs)
    shipped = bridge.evaluate(tuple(shipped_records())[:53], [300.0, 1500.0], 8e6, Y, outputs)
    for name in outputs:
        np.testing.assert_allclose(got[name], shipped[name], rtol=1e-12, err_msg=name)
    no = bridge.evaluate(file, 300.0, 1e5, np.eye(53)[35], ("W",))["W"]
    assert SpeciesData.load(None, file).names[35] == "NO" and no == pytest.approx(0.030006)


@pytest.mark.parametrize("name", ["gri30.yaml", "nDodecane_Reitz.yaml", "gri30_ion.yaml"])
def test_molar_masses_are_canteras(ct: Any, folder: Path, name: str) -> None:
    gas = ct.Solution(str(folder / name))
    data = convert(folder / name).data
    assert list(data.names) == gas.species_names
    np.testing.assert_allclose(data.W, 1e-3 * gas.molecular_weights, rtol=1e-14)


def test_dodecane_mechanism_end_to_end(ct: Any, folder: Path, tmp_path: Path) -> None:
    """100 species: measured where the shipped table knows them, else from Redlich-Kwong."""
    out = tmp_path / "dodecane.yaml"
    assert main(["species", "convert", str(folder / "nDodecane_Reitz.yaml"), "-o", str(out)]) == 0
    data = SpeciesData.load(None, out)
    assert len(data.names) == 100
    status = {r["name"]: r["status"] for r in yaml.safe_load(out.read_text())["species"]}
    for name, shipped in (("c12h26", "C12H26"), ("o2", "O2"), ("ch3oh", "CH3OH")):
        k = data.names.index(name)
        known = SpeciesData.load([shipped])
        for constant in ("Tc", "Pc", "Vc", "omega", "dipole", "kappa"):
            assert getattr(data, constant)[k] == getattr(known, constant)[0], (name, constant)
        assert status[name] == "measured"
    # a and b have their critical point where cantera sees it
    gas = ct.Solution(str(folder / "nDodecane_Reitz.yaml"), "nDodecane_RK")
    for name in ("c12h25", "oh", "A4"):
        gas.X = {name: 1.0}
        k = data.names.index(name)
        assert data.Tc[k] == pytest.approx(gas.critical_temperature, rel=1e-6)
        assert data.Pc[k] == pytest.approx(gas.critical_pressure, rel=1e-6)
        assert data.omega[k] == 0.0 and status[name] == "estimated"
        assert data.Pc[k] * present(data.Vc)[k] / (R * data.Tc[k]) == pytest.approx(0.291)
    # its polynomials are cantera's
    ideal = ct.Solution(str(folder / "nDodecane_Reitz.yaml"), "nDodecane_IG")
    Y = np.zeros(100)
    Y[[0, 1, 2, data.names.index("c12h25")]] = 0.2, 0.2, 0.5, 0.1
    ideal.TPY = 900.0, 1e6, Y
    got = bridge.evaluate(out, [900.0], 1e6, Y, ("cp_ideal", "h_ideal", "s_ideal", "W"))
    assert got["cp_ideal"][0] == pytest.approx(1e-3 * ideal.cp_mole, rel=1e-9)
    assert got["h_ideal"][0] == pytest.approx(1e-3 * ideal.enthalpy_mole, rel=1e-9)
    assert got["s_ideal"][0] == pytest.approx(1e-3 * ideal.entropy_mole, rel=1e-9)
    # the pure fuel is the shipped one, and everything at once gives numbers
    alone = bridge.evaluate(out, 400.0, 1e7, np.eye(100)[0], ("rho", "eta"))
    fuel = bridge.evaluate("C12H26", 400.0, 1e7, 1.0, ("rho", "eta"))
    np.testing.assert_allclose(alone["rho"], fuel["rho"], rtol=1e-12)
    np.testing.assert_allclose(alone["eta"], fuel["eta"], rtol=1e-12)
    mixed = bridge.evaluate(out, [600.0, 2000.0], 6e6, np.full(100, 0.01), ("rho", "c", "D_im"))
    assert not mixed["status"].any() and all(np.isfinite(value).all() for value in mixed.values())


def test_other_thermodynamics_are_refused_by_name(folder: Path) -> None:
    with pytest.raises(ArgumentError, match="N2, O2, NO.*: thermo model NASA9") as caught:
        convert(folder / "airNASA9.yaml")
    assert "e-: no critical-parameters" in str(caught.value)


def test_a_subset_in_the_order_asked_for(folder: Path) -> None:
    data = convert(folder / "gri30.yaml", ["NO", "CH4", "N2"]).data
    assert data.names == ("NO", "CH4", "N2")
    with pytest.raises(ArgumentError, match="species: got 'CH5'.*such as .*CH4"):
        convert(folder / "gri30.yaml", ["CH5"])
    with pytest.raises(ArgumentError, match="phase: got 'gas'.*gri30"):
        convert(folder / "gri30.yaml", phase="gas")


# ---- reading -------------------------------------------------------------------------------


def test_bare_no_and_numbers_without_a_point(
    mechanism: Callable[..., Any], tmp_path: Path
) -> None:
    """YAML 1.1 reads NO as false, N as it stands and 1e5 as text."""
    species = N2 + "- {name: NO, composition: {N: 1, O: 1}, thermo: *thermo}\n"
    got = read_back(convert(mechanism(species)), tmp_path)
    assert got.names == ("N2", "NO")
    assert got.nasa7[1, 4] == 1e-4 and got.nasa7[1, 8] == -1e3
    assert got.Tc[1] == SpeciesData.load(["NO"]).Tc[0]


def test_phases_choose_species_and_files(mechanism: Callable[..., Any], tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(
        "units: {length: cm}\nspecies:" + N2 + "- {name: O2, composition: {O: 2}, thermo: "
        "*thermo}\nmore:" + AGAIN.replace("N2", "AR").replace("{N: 2}", "{Ar: 1}"),
        encoding="utf-8",
    )
    head = "phases:\n- {name: a, species: [N2]}\n- name: b\n  species:\n  - species: all\n"
    head += "  - other.yaml/species: [O2]\n  - other.yaml/more: all\n"
    file = mechanism(N2 + "- {name: CO, composition: {C: 1, O: 1}, thermo: *thermo}\n", head)
    assert convert(file).data.names == ("N2",)
    assert convert(file, phase="b").data.names == ("N2", "CO", "O2", "AR")
    file.write_text(file.read_text().replace("[O2]", "[O3]"))
    with pytest.raises(ArgumentError, match="O3 of a phase"):
        convert(file, phase="b")


def test_one_range_is_both(mechanism: Callable[..., Any]) -> None:
    one = N2.replace("[200.0, 1000.0, 6000.0]", "[250.0, 3000.0]").replace(
        ", [3.0, 1e-3, 0, 0, 0, -9e2, 6]]", "]"
    )
    record = convert(mechanism(one)).data.nasa7[0]
    assert record[0] == 250.0 and record[2] == 3000.0 and record[0] < record[1] < record[2]
    assert np.array_equal(record[3:10], record[10:])
    with pytest.raises(ArgumentError, match="N2: NASA7 with other than one or two ranges"):
        convert(mechanism(N2.replace("[200.0, 1000.0, 6000.0]", "[200.0, 1000.0]")))
    falling = N2.replace("[200.0, 1000.0, 6000.0]", "[1000.0, 200.0, 6000.0]")
    with pytest.raises(ArgumentError, match="N2: nasa7 temperatures"):
        convert(mechanism(falling))


def test_reference_pressure_moves_the_entropy(ct: Any, mechanism: Callable[..., Any]) -> None:
    """Entropies at 1 bar in the file, at 101325 Pa in the table; the mixture's are the same."""
    bar = N2.replace("model: NASA7", "model: NASA7\n    reference-pressure: 1 bar")
    file = mechanism(
        bar, "phases:\n- {name: gas, thermo: ideal-gas, elements: [N], species: [N2]}"
    )
    gas = ct.Solution(str(file))
    gas.TP = 700.0, 3e5
    data = convert(file).data
    got = bridge.evaluate(data, [700.0], 3e5, 1.0, ("s_ideal",))["s_ideal"][0]
    assert got == pytest.approx(1e-3 * gas.entropy_mole, rel=1e-12)
    assert data.nasa7[0, 9] != 4.0


def test_the_same_name_of_another_substance_is_not_taken(mechanism: Callable[..., Any]) -> None:
    """Only name and composition together make a shipped species."""
    with pytest.raises(ArgumentError, match="N2: no critical-parameters"):
        convert(mechanism(N2.replace("{N: 2}", "{N: 3}")))
    upper = N2.replace("name: N2", "name: n2").replace("{N: 2}", "{n: 2}")
    assert convert(mechanism(upper.replace("{n: 2}", "{N: 2}"))).data.Tc[0] == 126.192


def test_everything_wrong_in_one_error(mechanism: Callable[..., Any]) -> None:
    species = N2 + (
        "- {name: A, composition: {N: 1, Q: 1}, thermo: *thermo}\n"
        "- {name: B, composition: {N: 3}, thermo: {model: Shomate}}\n"
        "- {name: C, composition: {N: 5}}\n"
        "- {name: D, composition: {N: 7}, thermo: *thermo, transport: {well-depth: 0, diameter: "
        "3}}\n"
        "- {name: E, composition: {N: 9}, thermo: *thermo, critical-parameters: "
        "{critical-temperature: 3 bar, critical-pressure: 1e5, acentric-factor: 0}}\n"
        "- {name: F, composition: {N: 9}, thermo: *thermo, critical-parameters: "
        "{critical-temperature: 300}}\n"
        "- {name: G, composition: {N: 9}, thermo: *thermo, critical-parameters: "
        "{critical-temperature: -300, critical-pressure: 1e5, acentric-factor: 0}}\n"
        "- {name: H, composition: {N: 9}, thermo: *thermo, equation-of-state: "
        "{model: Redlich-Kwong, a: [1e5, 2.0], b: 0.02}}\n"
    )
    with pytest.raises(ArgumentError) as caught:
        convert(mechanism(species))
    text = str(caught.value)
    for piece in (
        "A: no atomic weight of Q",
        "B: thermo model Shomate, wanted NASA7",
        "A, B, C, D: no critical-parameters",
        "C: no thermo",
        "E: the unit of '3 bar' does not fit",
        "F: critical-parameters without critical-pressure, acentric-factor",
        "G: Tc = -300.0",
        "H: a = ['1e5', '2.0'] depends on the temperature",
    ):
        assert piece in text, piece
    assert "N2" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("species: [", "a readable YAML file"),
        ("- 1", "a Cantera YAML file"),
        ("nothing: here", "without species"),
        (f"species:{N2}{AGAIN}", "N2 twice"),
    ],
)
def test_files_that_are_no_mechanism(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ArgumentError, match=message):
        convert(file)
    with pytest.raises(ArgumentError, match="readable"):
        convert(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("phases", "message"),
    [
        (
            "[{name: gas, species: []}]",
            "species: \\[\\] in .*, line 1, wanted all, a list of names",
        ),
        ("[{name: gas, species: N2}]", "species: N2 in .*, line 1, wanted all, a list of names"),
        ("\n- name: gas\n  species:\n", "species: nothing in .*, line 3, wanted all, a list"),
        ("\n- name: gas\n  species:\n  - N2\n  - species: all\n", "species: N2 in .*, line 4, w"),
        ("\n- name: gas\n  species:\n  - species: N2\n", "species: N2 in .*, line 4, .*names"),
        ("[{name: gas, species: [[N2]]}]", "species: .'N2'. in .*, line 1, wanted all"),
        ("[{name: gas, species: {species: all}}]", "species: {.* in .*, line 1, wanted all"),
        ("[{name: gas, species: [{more: all}]}]", "without species in 'more'"),
        ("[{name: gas, species: [{units: all}]}]", "units: .* in .*, wanted a list of species"),
        ("{name: gas}", "phases: {'name': 'gas'} in .*, line 1, wanted a list of phases"),
        ("gas", "phases: gas in .*, line 1, wanted a list of phases"),
        ("\n- gas", "phases: gas in .*, line 2, wanted a phase with a name"),
        ("[{species: [N2]}]", "phases: .* in .*, line 1, wanted a phase with a name"),
        ("[{name: a}, {name: a}]", "phase a twice in .*, line 1"),
    ],
)
def test_phases_that_are_misshapen(
    mechanism: Callable[..., Any], phases: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = mechanism(N2, f"phases: {phases}\nunits: {{length: cm}}\n")
    with pytest.raises(ArgumentError, match=message):
        convert(file)
    assert main(["species", "convert", str(file)]) == 1
    assert capsys.readouterr().err.startswith("bridge: argument ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("species: O2", "species: O2 in .*, line 1, wanted a list of species"),
        ("species: [O2]", "species: O2 in .*, line 1, wanted a species with a name"),
        ("species: {N2: 1}", "wanted a list of species"),
        ("species: []", "without species"),
        ("units: cm\nspecies: [{name: a}]", "units: cm in .*, line 1, wanted units such as"),
        ("species:\n- {name: a, units: 1}", "units: 1 in .*, line 2, wanted units such as"),
        ("elements: O\nspecies: [{name: a}]", "elements: O in .*, line 1, wanted a list"),
        ("elements: [{atomic-weight: x}]", "elements: .* line 1, wanted a symbol and a number"),
        ("species: [{name: a}]", "a: no composition"),
        ("species: [{name: a, composition: N}]", "a: a composition of another shape"),
        ("species: [{name: a, thermo: NASA7}]", "a: a thermo of another shape"),
        ("species: [{name: a, composition: {N: 2}, transport: gas}]", "a: transport: gas, wanted"),
        ("species: [{name: a, equation-of-state: ideal}]", "equation-of-state: ideal, wanted"),
        ("species: [{name: a, critical-parameters: 3}]", "critical-parameters: 3, wanted"),
    ],
)
def test_species_that_are_misshapen(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ArgumentError, match=message):
        convert(file)


@pytest.mark.parametrize("text", ["kij: 5", "kij: [5]", "5", "kij: {pairs: 5}", "[]", "kij:"])
def test_interaction_coefficients_that_are_misshapen(tmp_path: Path, text: str) -> None:
    file = tmp_path / "kij.yaml"
    file.write_text(text, encoding="utf-8")
    if text == "[]":
        assert read_pairs(file) == {}
        return
    with pytest.raises(ArgumentError, match="kij: got "):
        read_pairs(file)


def test_own_atomic_weights(mechanism: Callable[..., Any]) -> None:
    head = "elements:\n- {symbol: N, atomic-weight: 15.0}\n"
    assert convert(mechanism(N2, head)).data.W[0] == pytest.approx(0.030, rel=1e-15)


# ---- interaction coefficients --------------------------------------------------------------


def test_interaction_coefficients_of_the_caller(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "kij.yaml"
    file.write_text(
        "- {pair: [N2, CH4], kij: 0.5}\n- {pair: [NO, N2], kij: -0.01}\n"
        "- {pair: [XX, N2], kij: 1}\n",
        encoding="utf-8",
    )
    names = ["N2", "CH4", "NO"]
    words = [str(file), "CH4:N2=0.0289"]
    data = read_back(convert(folder / "gri30.yaml", names, kij=words), tmp_path)
    same = convert(folder / "gri30.yaml", names, kij=interaction_pairs(words, names)).data
    np.testing.assert_array_equal(same.kij, data.kij)
    with pytest.raises(ArgumentError, match="kij: got N2-CH5"):
        convert(folder / "gri30.yaml", names, kij=["N2:CH5=0.1"])
    expected = np.array([[0.0, 0.0289, -0.01], [0.0289, 0.0, 0.0], [-0.01, 0.0, 0.0]])
    np.testing.assert_array_equal(data.kij, expected)
    one = bridge.evaluate(tmp_path / "table.yaml", 200.0, 8e6, [0.4, 0.4, 0.2], ("rho",))
    other = bridge.evaluate(
        ["N2", "CH4", "NO"], 200.0, 8e6, [0.4, 0.4, 0.2], ("rho",), kij=expected
    )
    assert one["rho"] == pytest.approx(other["rho"], rel=1e-14)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["N2:CH4=much"], "kij"),
        (["N2=0.1"], "kij"),
        (["N2:N2=0.1"], "N2-N2"),
        (["none.yaml"], "readable"),
    ],
)
def test_wrong_words_for_interaction_coefficients(words: list[str], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        interaction_pairs(words, ["N2", "CH4"])


def test_pairs_of_a_table_name_its_species(tmp_path: Path) -> None:
    from importlib import resources

    text = (resources.files("bridge") / "data" / "species.yaml").read_text(encoding="utf-8")
    file = tmp_path / "mine.yaml"
    file.write_text(text.replace("  optional:\n", "  pairs:\n"), encoding="utf-8")
    data = SpeciesData.load(["N2", "CH4", "H2"], file)
    assert data.kij[0, 1] == data.kij[1, 0] == 0.0289 and data.kij[0, 2] == 0.0711
    # the shipped ones are optional: zero unless asked for
    assert not SpeciesData.load(["N2", "CH4", "H2"]).kij.any()
    assert interaction_pairs([str(file)], ["CH4", "N2"]) == {("N2", "CH4"): 0.0289}
    file.write_text(text.replace("  optional:\n", "  pairs:\n  - {pair: [Q2, N2], kij: 1.0}\n"))
    with pytest.raises(ArgumentError, match="kij of Q2-N2"):
        SpeciesData.load(["N2"], file)


# ---- the command -------------------------------------------------------------------------------


def test_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mechanism = str(folder / "gri30.yaml")
    words = ["species", "convert", mechanism, "--species", "N2", "CH4", "OH", "--kij"]
    assert main([*words, "N2:CH4=0.03"]) == 0
    out, err = capsys.readouterr()
    table = yaml.safe_load(out)
    assert [record["name"] for record in table["species"]] == ["N2", "CH4", "OH"]
    assert table["kij"]["pairs"] == [{"pair": ["N2", "CH4"], "kij": 0.03}]
    assert "3 species, 1 of them with estimated critical constants" in err
    assert "estimated: OH" in err and "1 interaction coefficients" in err
    assert main(["species", "convert", str(folder / "airNASA9.yaml")]) == 1
    assert "NASA9" in capsys.readouterr().err
    assert main(["species", "convert", mechanism, "-o", str(tmp_path / "no" / "x.yaml")]) == 1
    assert "a place to write" in capsys.readouterr().err


def test_command_of_the_shell(folder: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-P", "-m", "bridge", "species", "convert"]
    done = subprocess.run(
        [*words, str(folder / "h2o2.yaml"), "-o", "h2o2.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "10 species" in done.stderr and done.stdout == ""
    assert len(SpeciesData.load(None, tmp_path / "h2o2.yaml").names) == 10
