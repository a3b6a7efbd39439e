"""Overrides of species constants: in evaluate, by text, in a Frame, for a host's constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.measure import present
from unit.blocks import SPECIES, random_states

import bridge
from bridge.errors import ArgumentError
from bridge.physics.options import OVERRIDABLE, Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

TEXT = "dipole=0.0 kappa=0,0,0.1"
MAPPING = {"dipole": 0.0, "kappa": [0, 0, 0.1]}


def test_text_and_mapping_are_the_same() -> None:
    wanted = (("dipole", (0.0,)), ("kappa", (0.0, 0.0, 0.1)))
    assert Options.parse({"species": MAPPING}).override == wanted
    for text in (
        TEXT,
        "dipole = 0 kappa = 0, 0, 0.1",
        " dipole=0  kappa=0 0 0.1 ",
        "dipole=0e5 kappa=0,0,1e-1",
    ):
        for option in ("override", "species"):
            assert Options.parse({option: text}).override == wanted, text
    arrays = {"dipole": np.float64(0.0), "kappa": np.array([0.0, 0.0, 0.1])}
    assert Options.parse({"override": arrays}).override == wanted
    assert Options.parse({"override": {"dipole": np.array(0.0)}}).override == wanted[:1]
    assert hash(Options.parse({"species": MAPPING})) == hash(Options.parse({"override": TEXT}))
    assert Options.parse(None).override == ()


def test_names_are_in_either_case() -> None:
    """As settings are, whose text ends here too."""
    given: dict[str, Any]
    for given in ({"CHUNGDENSE": "published"}, {" chungdense": 0}, {"chungDense": "PUBLISHED"}):
        assert Options.parse(given).chungDense == "PUBLISHED"
    for given in ({"Species": {"DIPOLE": 0.0, "TC": 150.0}}, {"override": "dipole=0 tc=150"}):
        assert Options.parse(given).override == (("dipole", (0.0,)), ("Tc", (150.0,)))
    with pytest.raises(ArgumentError, match="options: got chungDense twice, in other cases"):
        Options.parse({"chungDense": 0, "chungdense": 1})
    with pytest.raises(ArgumentError, match="override: got dipole twice"):
        Options.parse({"override": {"dipole": 0, "Dipole": 1}})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("dipole", "dipole=0.0 kappa"),
        ("0.0", "dipole=0.0 kappa"),
        ("dipole=", "dipole: got nothing"),
        ("dipole=much", "dipole: got 'much'"),
        ("dipole=nan", "dipole: got 'nan'"),
        ("dipoles=1", "did you mean dipole"),
        ("dipole=1 dipole=2", "dipole twice"),
        ({"dipole": None}, "dipole: got None"),
        ({"dipole": []}, "dipole: got nothing"),
        ({"kij": 0.1}, "'kij'.*names among W, Tc"),
        (3.0, "a mapping"),
    ],
)
def test_refused(value: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Options.parse({"override": value})


@pytest.mark.parametrize("name", OVERRIDABLE)
def test_every_constant(name: str) -> None:
    """One value for all, or one each; what is not named stays."""
    data = SpeciesData.load(SPECIES)
    values = [1.0, 0.0, 1.0] if name == "unchecked" else [1.5, 2.5, 3.5]
    for given, expected in ((values[0], [values[0]] * 3), (values, values)):
        free = {} if name == "unchecked" else {"unchecked": True}
        got = SharedData(data, Options.parse({"species": {name: given} | free})).species
        for other in OVERRIDABLE:
            want = expected if other == name else getattr(data, other)
            if other in free:
                want = [True] * 3
            np.testing.assert_array_equal(getattr(got, other), want)


def test_evaluate_uses_them() -> None:
    T, P, Y = random_states(20, 3)
    species = SpeciesData.load(SPECIES)
    from dataclasses import replace

    changed = replace(species, dipole=np.zeros(3), kappa=np.array([0, 0, 0.1]))
    names = ("eta", "lambda", "rho")
    options = {"chungDense": "PUBLISHED"}
    got = bridge.evaluate(SPECIES, T, P, Y, names, options=options | {"species": MAPPING})
    expected = bridge.evaluate(changed, T, P, Y, names, options=options)
    plain = bridge.evaluate(SPECIES, T, P, Y, names, options=options)
    for name in names:
        np.testing.assert_array_equal(got[name], expected[name])
    assert (got["eta"] != plain["eta"]).all()
    np.testing.assert_array_equal(got["rho"], plain["rho"])


def test_wrong_for_these_species() -> None:
    arguments = (SPECIES, 300.0, 1e7, [0.2, 0.3, 0.5])
    with pytest.raises(ArgumentError, match="override: got 2 values of kappa, wanted one, or 3"):
        bridge.evaluate(*arguments, options={"species": {"kappa": [0, 0.1]}})
    with pytest.raises(ArgumentError, match="CH4: Tc = -1.0"):
        bridge.evaluate(*arguments, options={"species": {"Tc": [154, -1, 647]}})
    with pytest.raises(
        ArgumentError,
        match="O2: dipole = -1.0 is not 0 or more; CH4: dipole = -1.0 .*; H2O: dipole",
    ):
        bridge.evaluate(*arguments, options={"species": "dipole=-1"})


def viscosity(frame: bridge.Frame) -> float:
    """eta of one state through the views of a Frame."""
    tv = frame.tvproperties
    Q = np.zeros((1, 1, 1, 8), order="F")
    Q[0, 0, 0, 0], Q[0, 0, 0, 4], Q[0, 0, 0, 5:] = 1e7, 400.0, [0.2, 0.3, 0.5]
    eta = np.zeros((1, 1, 1), order="F")
    tv.populate_input_stripe("Q", Q)
    tv.composite("eosThermalAndViscousProperties", 1)
    tv.extract_output_stripe("eta", eta)
    return float(eta[0, 0, 0])


def expected(override: dict[str, Any] | None) -> Any:
    options = {"species": override} if override else None
    state = (SPECIES, [400.0], 1e7, [0.2, 0.3, 0.5], ("eta",))
    eta = bridge.evaluate(*state, options=options, backend="cpu")["eta"][0]
    return pytest.approx(eta, rel=1e-13)  # the composite's kernels are others, for more outputs


def test_setting_of_a_frame(
    make_frame: Callable[..., bridge.Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = make_frame(override=TEXT)
    assert viscosity(frame) == expected(MAPPING)
    assert viscosity(frame) != expected(None)
    assert frame.settings.shown()["override"] == TEXT
    with pytest.raises(ArgumentError, match="did you mean dipole"):
        bridge.Frame().set("override", "dipoles=0")
    monkeypatch.setenv("BRIDGE_OVERRIDE", "dipole=1.0")
    assert viscosity(make_frame()) == expected({"dipole": 1.0})


def test_constants_of_the_host_are_overridden_too(make_frame: Callable[..., bridge.Frame]) -> None:
    data = SpeciesData.load(SPECIES)
    frame = make_frame(species=None, override=TEXT)
    tv = frame.tvproperties
    tv.populate_preos_shared_data(data.W, data.Tc, data.Pc, data.omega, data.nasa7)
    tv.populate_chung_shared_data(data.Vc, data.dipole, data.kappa)
    assert viscosity(frame) == expected(MAPPING)
    # handed over again: the same again
    tv.populate_preos_shared_data(data.W, data.Tc, data.Pc, data.omega, data.nasa7)
    assert viscosity(frame) == expected(MAPPING)


def test_transport_constants_by_override_alone(make_frame: Callable[..., bridge.Frame]) -> None:
    """A host that only knows the equation of state gets transport from the override."""
    data = SpeciesData.load(SPECIES)
    volumes = ",".join(repr(float(v)) for v in present(data.Vc))
    frame = make_frame(species=None, override=f"Vc={volumes} dipole=0 kappa=0")
    frame.tvproperties.populate_preos_shared_data(data.W, data.Tc, data.Pc, data.omega, data.nasa7)
    assert viscosity(frame) == expected({"dipole": 0.0, "kappa": 0.0})
