"""Options of the physics, species data, and the per-run data made from both."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernels.measure import TOLERANCES, assert_parts, gas, present, worst

import bridge
from bridge.errors import ArgumentError
from bridge.kernels.sharedstruct import SharedStruct, members
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

TOL = TOLERANCES["property"]
NAMES = ["O2", "CH4", "H2O"]


def run(
    T: Any, P: Any, Y: Any, outputs: tuple[Any, ...], species: Any = NAMES, **options: Any
) -> dict[str, np.ndarray]:
    return bridge.evaluate(species, T, np.atleast_1d(P), Y, outputs, options=options)


# ---- options ----------------------------------------------------------------------------


def test_parse() -> None:
    assert Options.parse(None) == Options() == Options.parse({})
    given = {"prCross": "abs", "rootPolicy": 2, "takaMode": "1", "dilutePrefactor": "40.7, 40.8",
             "omega22G": "-6.435e-4", "chungTables": "POLING2001"}  # fmt: skip
    options = Options.parse(given)
    assert options.prCross == "ABS" and options.rootPolicy == "SMALLEST"
    assert options.takaMode == "PAIRWISE" and options.chungTables == "poling2001"
    assert options.dilutePrefactor == (40.7, 40.8) and options.omega22G == -6.435e-4
    assert options.code("rootPolicy") == 2
    for name in ("cantera32RowPr3", "cantera32rowpr3", "cantera32", 1):
        parsed = Options.parse({"takahashiRow3": name, "chungTables": "cantera32"})
        assert parsed.takahashiRow3 == "cantera32RowPr3" and parsed.chungTables == "cantera32"
    assert Options.parse(options) is options


@pytest.mark.parametrize(
    ("name", "value"),
    [("prCross", "BOTH"), ("rootPolicy", 3), ("chungTables", "1999"), ("omega22G", "much"),
     ("omega22G", np.nan), ("dilutePrefactor", "1 2 3"), ("dilutePrefactor", (0.0, 1.0)),
     ("dilutePrefactor", "a b")],
)  # fmt: skip
def test_refused_values_name_the_option(name: str, value: Any) -> None:
    with pytest.raises(ArgumentError, match=name):
        Options.parse({name: value})


def test_unknown_option_suggests() -> None:
    with pytest.raises(ArgumentError, match="did you mean thermoExtrap"):
        Options.parse({"thermoExtra": "CONST_CP"})


def test_signed_is_smooth_where_abs_has_a_kink() -> None:
    """N2 and O2 change sign at different temperatures; the enthalpy of ABS jumps there."""
    Y, P = [0.5, 0.5], 3e7
    T0 = 126.192 * (1 + 1 / 0.43241) ** 2
    T = np.linspace(T0 - 20.0, T0 + 20.0, 4001)
    h = {
        mode: run(T, P, Y, ("h",), species="N2 O2", prCross=mode)["h"]
        for mode in ("SIGNED", "ABS")
    }
    steps = {mode: np.abs(np.diff(h[mode], 2)) for mode in h}
    assert steps["SIGNED"].max() < 1.0 < steps["ABS"].max()


def test_one_sign_makes_abs_and_signed_equal() -> None:
    T, P, Y = gas(50, 3, T=(200.0, 1300.0))
    first, second = (run(T, P, Y, ("rho", "h", "cp"), prCross=mode) for mode in ("SIGNED", "ABS"))
    for name in first:
        assert_parts(first[name], second[name], name)


def test_pairwise_is_global_for_two_species() -> None:
    T, P, Y = gas(100, 2)
    first, second = (
        run(T, P, Y, ("D_im",), species="O2 CH4", takaMode=mode)["D_im"]
        for mode in ("GLOBAL", "PAIRWISE")
    )
    assert worst(second, first) < TOL["invariance"]
    three = gas(20, 3)
    assert not np.allclose(
        run(*three, outputs=("D_im",))["D_im"],
        run(*three, outputs=("D_im",), takaMode="PAIRWISE")["D_im"],
    )


def test_fuller() -> None:
    """N2/O2 by hand: M 28.014 and 31.998 g/mol, volumes 18.5 and 16.3 cm3/mol."""
    species = replace(SpeciesData.load(["N2", "O2"]), fullerVolume=np.array([18.5, 16.3]))
    got = run(
        [300.0, 900.0], [1e5, 4e6], [0.5, 0.5], ("D0_ij",), species=species, diffModel="FULLER"
    )["D0_ij"][:, 1]
    W = 1e3 * species.W
    mean = 2 / (1 / W[0] + 1 / W[1])
    unit = 1.43e-7 / (mean**0.5 * (18.5 ** (1 / 3) + 16.3 ** (1 / 3)) ** 2)
    assert got[0] == pytest.approx(unit * 300.0**1.75, rel=1e-13)
    assert got[1] == pytest.approx(unit * 900.0**1.75 / 40.0, rel=1e-13)
    with pytest.raises(ArgumentError, match="diffModel"):
        SharedData(replace(species, fullerVolume=None), Options(diffModel="FULLER"))


def test_dilute_prefactors_belong_to_viscosity_and_conductivity() -> None:
    state = (300.0, 1.0, [0.4, 0.3, 0.3])
    base = run(*state, ("eta", "lambda"))
    got = run(*state, ("eta", "lambda"), dilutePrefactor=(2 * 40.785, 3 * 40.785))
    assert got["eta"][0] == pytest.approx(2 * base["eta"][0], rel=1e-6)
    assert got["lambda"][0] == pytest.approx(3 * base["lambda"][0], rel=1e-6)


# ---- species ----------------------------------------------------------------------------


def test_ways_to_name_species(tmp_path: Path) -> None:
    whole = SpeciesData.resolve("O2 CH4 H2O")
    file = tmp_path / "mine.yaml"
    text = (resources.files("bridge") / "data" / "species.yaml").read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    listed = SpeciesData.resolve(["O2", "CH4", "H2O"])
    from_file = SpeciesData.load(["O2", "CH4", "H2O"], file)
    arrays = {
        name: getattr(whole, name)
        for name in ("W", "Tc", "Pc", "Vc", "omega", "nasa7", "dipole", "kappa")
    }
    mapped = SpeciesData.resolve(arrays)
    for other in (listed, from_file, mapped, SpeciesData.resolve("O2,CH4,H2O")):
        for name in arrays:
            assert np.array_equal(getattr(other, name), getattr(whole, name)), name
    assert len(SpeciesData.resolve(str(file)).names) == len(SpeciesData.resolve(file).names) == 54
    assert SpeciesData.resolve("NO").names == ("NO",)


def test_unknown_name_suggests() -> None:
    with pytest.raises(ArgumentError, match="C12H26") as caught:
        SpeciesData.load(["O2", "C12H24"])
    assert caught.value.argument == "species"
    with pytest.raises(ArgumentError, match="such as CH4"):
        SpeciesData.load(["ch4"])


def test_bad_file_names_every_species(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(
        "species:\n- {name: A, molarMass: 0.03}\n- {name: B, Tc: 100.0, nasa7: {low: [1, 2]}}\n",
        encoding="utf-8",
    )
    with pytest.raises(ArgumentError) as caught:
        SpeciesData.load(None, file)
    text = str(caught.value)
    assert "A: Tc is missing" in text and "B: molarMass is missing" in text
    assert "A: nasa7 low" in text and "B: nasa7 high" in text
    file.write_text("species:\n- {name: NO, molarMass: 0.03}\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match="quote names"):
        SpeciesData.load(None, file)
    file.write_text("nothing: here\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match="species table"):
        SpeciesData.load(None, file)
    with pytest.raises(ArgumentError, match="readable file"):
        SpeciesData.load(None, tmp_path / "none.yaml")


@pytest.mark.parametrize("name", ["W", "Tc", "Pc", "Vc"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_impossible_constants_name_the_species(name: str, value: float) -> None:
    data = SpeciesData.load(NAMES)
    arrays = {key: getattr(data, key).copy() for key in ("W", "Tc", "Pc", "Vc", "omega", "nasa7")}
    arrays[name][1] = value
    with pytest.raises(ArgumentError, match=f"CH4: {name}"):
        SpeciesData.from_mapping({"names": NAMES, **arrays})


def test_wrong_mappings() -> None:
    data = SpeciesData.load(NAMES)
    arrays = {key: getattr(data, key) for key in ("W", "Tc", "Pc", "Vc", "omega", "nasa7")}
    with pytest.raises(ArgumentError, match="'nasa7'"):
        SpeciesData.resolve({key: arrays[key] for key in arrays if key != "nasa7"})
    with pytest.raises(ArgumentError, match="Tc: got shape"):
        SpeciesData.resolve({**arrays, "Tc": arrays["Tc"][:2]})
    with pytest.raises(ArgumentError, match="'mass'"):
        SpeciesData.resolve({**arrays, "mass": arrays["W"]})
    falling = arrays["nasa7"].copy()
    falling[2, :3] = falling[2, 2::-1]
    with pytest.raises(ArgumentError, match="temperatures"):
        SpeciesData.resolve({**arrays, "nasa7": falling})


@pytest.mark.parametrize(
    "kij", [np.ones((3, 3)), np.triu(np.full((3, 3), 0.1), 1), np.zeros((2, 2)), "text"]
)
def test_wrong_interaction_coefficients(kij: np.ndarray | str) -> None:
    with pytest.raises(ArgumentError, match="kij"):
        SpeciesData.resolve(NAMES, kij=kij)


def test_every_wrong_pair_is_named() -> None:
    kij = np.zeros((3, 3))
    kij[0, 1], kij[1, 2], kij[2, 1], kij[2, 2] = 0.1, np.nan, np.nan, 0.5
    with pytest.raises(ArgumentError) as caught:
        SpeciesData.resolve(NAMES, kij=kij)
    text = str(caught.value)
    assert "0.1 for O2-CH4 and 0.0 back" in text and "nan for CH4-H2O and nan back" in text
    assert "0.5 for H2O with itself" in text and "O2-H2O" not in text


def test_zero_and_full_sums_agree() -> None:
    """The O(ns) path without interaction coefficients against the O(ns^2) one near zero."""
    T, P, Y = gas(50, 3)
    kij = np.zeros((3, 3))
    kij[0, 1] = kij[1, 0] = 1e-300
    names = ("rho", "h", "cp", "mu_i", "h_Yi")
    first = bridge.evaluate(NAMES, T, P, Y, names)
    second = bridge.evaluate(NAMES, T, P, Y, names, kij=kij)
    for name in names:
        assert worst(second[name], first[name], 1e4 if name[0] in "hm" else 0.0) < 1e-12, name


def test_host_constants_come_in_two_parts() -> None:
    data = SpeciesData.load(NAMES)
    arrays = {key: getattr(data, key) for key in ("W", "Tc", "Pc", "omega", "nasa7", "kij")}
    host = SpeciesData.from_host(None, **arrays)
    assert not host.has_transport and host.names == ("1", "2", "3")
    assert np.isnan(SharedData(host).fields()["chungS"]).all()
    full = host.with_transport(Vc=data.Vc, dipole=data.dipole, kappa=data.kappa)
    assert full.has_transport
    again = SpeciesData.from_host(full, **arrays)
    assert again.has_transport and again.names == full.names


# ---- per-run data -----------------------------------------------------------------------


def test_every_member_is_filled() -> None:
    """Names and kinds: the header's members, and what a mixture gives for each."""
    fields = SharedData(SpeciesData.load(NAMES)).fields()
    assert set(fields) == {member.name for member in members()}
    for member in members():
        value = fields[member.name]
        if member.kind == "int64_t":
            assert type(value) is int, member
        elif member.kind == "double":
            assert isinstance(value, float), member
        else:
            assert value.dtype == np.float64 and value.size, member
            assert member.length in (0, value.size), member


def test_a_filled_struct_holds_the_fields() -> None:
    fields = SharedData(SpeciesData.load(NAMES)).fields()
    struct = SharedStruct(fields)
    for member in members():
        value = getattr(struct.pointer, member.name)
        if member.kind in ("pointer", "array"):
            assert [value[k] for k in range(fields[member.name].size)] == list(
                fields[member.name]
            ), member
        else:
            assert value == fields[member.name], member


def test_shared_data_is_a_copy() -> None:
    data = SpeciesData.load(NAMES)
    shared = SharedData(data)
    before = shared.fields()["Tc"].copy()
    data.Tc[:] = 0.0
    assert np.array_equal(shared.fields()["Tc"], before)


def test_derived_constants() -> None:
    """Species constants of section 5 and 11 of the worked example."""
    f = SharedData(SpeciesData.load(NAMES)).fields()
    assert f["prM"] == pytest.approx([0.40874514, 0.39221741, 0.87364313], abs=5e-9)
    assert f["prB"] == pytest.approx([1.98270914e-5, 2.68009649e-5, 1.89703932e-5], abs=5e-14)
    heavy = SharedData(SpeciesData.load(["C12H26"])).fields()
    w = SpeciesData.load(["C12H26"]).omega[0]
    assert w > 0.491
    m = 0.379642 + 1.48503 * w - 0.164423 * w**2 + 0.016666 * w**3
    assert heavy["prM"][0] == pytest.approx(m, rel=1e-14)
    sigma = 0.809 * (1e6 * present(SpeciesData.load(["O2"]).Vc)[0]) ** (1 / 3)
    scale = sigma**2 / f["invDiffusionPair"][0]
    assert scale / (2 / 0.031998) ** 0.5 == pytest.approx(5.955821987975543e-4, rel=1e-6)
