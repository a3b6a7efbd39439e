"""Words that people type for names: methane, speed of sound, temperature=300."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import bridge
from bridge.cli import main
from bridge.errors import ArgumentError
from bridge.physics import commonnames
from bridge.physics.speciestable import shipped_records


def test_every_species_of_the_table_has_one_name_of_its_own() -> None:
    names = [commonnames.called(formula) for formula in shipped_records()]
    assert all(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("species", "formulas"),
    [("methane", "'CH4' (methane)"), (["Carbon Dioxide"], "'CO2' (carbon dioxide)"),
     ("steam O2", "'H2O' (water)"), ("carbon", "'CO' (carbon monoxide), 'CO2' (carbon dioxide)")],
)  # fmt: skip
def test_a_common_name_leads_to_its_formula(species: str | list[str], formulas: str) -> None:
    with pytest.raises(ArgumentError, match="argument species") as refused:
        bridge.evaluate(species, 300.0, 1e5)
    assert formulas in str(refused.value)


def test_species_are_shown_by_common_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["species", "show", "methane", "carbon", "dioxide,", "O2"]) == 0
    titles = [line for line in capsys.readouterr().out.splitlines() if line and line[0] != " "]
    assert titles == ["CH4  methane", "CO2  carbon dioxide", "O2  oxygen"]
    assert main(["species", "show", "gasoline"]) == 1
    assert "'gasoline'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("outputs", "name"),
    [("speed of sound", "'c'"), ("rho, speed of sound", "'c'"),
     ("heat capacity at constant pressure", "'cp'"), ("density", "rho")],
)  # fmt: skip
def test_a_description_leads_to_the_name_of_a_quantity(outputs: str, name: str) -> None:
    with pytest.raises(ArgumentError, match="argument outputs") as refused:
        bridge.evaluate("O2", 300.0, 1e5, outputs=outputs)
    assert name in refused.value.wanted


@pytest.mark.parametrize("outputs", ["rho cp", "rho,c", " c , rho cp "])
def test_lists_of_names_are_no_description(outputs: str) -> None:
    found = bridge.evaluate("O2", 300.0, 1e5, outputs=outputs)
    assert set(found) == {*outputs.replace(",", " ").split(), "status"}


@pytest.mark.parametrize(
    ("keyword", "wanted"),
    [("temperature", "write T: temperature, K"),
     ("pressure", "write P: pressure, Pa"),
     ("t", "write T: temperature, K"), ("y", "write Y: mass fractions as given"),
     ("enthalpy", "write h: enthalpy, J/kg"),
     ("mole_fractions", "write X: mole fractions"),
     ("density", "write rho: density, kg/m3"), ("compressibility_factor",
      "write outputs='Z' for a result, inputs={'Z': ...} for an input"),
     ("mixture", "the arguments are ")],
)  # fmt: skip
def test_a_keyword_that_is_not_known_leads_to_the_argument(keyword: str, wanted: str) -> None:
    # A type checker refuses such a call; these are calls of one who has none.
    function: Any = bridge.evaluate
    method: Any = bridge.Mixture("O2").evaluate
    for call in (partial(function, "O2"), method):
        with pytest.raises(ArgumentError) as refused:
            call(**{keyword: 300.0})
        assert refused.value.argument == keyword
        assert refused.value.wanted.startswith(wanted)
        assert "others" not in refused.value.wanted
