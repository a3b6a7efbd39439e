"""Species given twice, and files that are no species tables: refused, with what to do instead."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from unit.blocks import SPECIES

import bridge
from bridge.cli import main
from bridge.convert.mechanism import convert
from bridge.physics.species import SpeciesData
from bridge.physics.speciestable import shipped_records

TWICE = "argument {}: got 'O2' 2 times, wanted each name once"
MECHANISM = """
description: two species
units: {length: cm, quantity: mol}
phases:
- {name: gas, thermo: Peng-Robinson, elements: [O, N], species: [O2, NO]}
species:
"""


@pytest.fixture
def mechanism(tmp_path: Path) -> Path:
    """A Cantera file whose name needs quotes in a shell; its NO is a bare one, as usual."""
    records = shipped_records()
    lines = []
    for name, composition in (("O2", "{O: 2}"), ("NO", "{N: 1, O: 1}")):
        data = records[name]["nasa7"]
        lines.append(
            f"- name: {name}\n  composition: {composition}\n"
            f"  thermo: {{model: NASA7, temperature-ranges: {data['temperatureRanges']}, "
            f"data: [{data['low']}, {data['high']}]}}\n"
        )
    path = tmp_path / "my mech.yaml"
    path.write_text(MECHANISM + "".join(lines))
    return path


def test_twice_in_settings() -> None:
    for value in ("O2 CH4 O2", "O2,CH4,O2"):
        with pytest.raises(bridge.ArgumentError, match=TWICE.format("species")):
            bridge.Frame().set("species", value)


def test_twice_in_the_environment(
    make_frame: Callable[..., bridge.Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_SPECIES", "O2 CH4 O2")
    with pytest.raises(bridge.ArgumentError, match="BRIDGE_SPECIES .*each name once"):
        make_frame()


def test_twice_where_species_are_loaded() -> None:
    with pytest.raises(bridge.ArgumentError, match=TWICE.format("species")):
        SpeciesData.load(["O2", "CH4", "O2"])
    data = SpeciesData.load(SPECIES)
    arrays = {name: getattr(data, name) for name in ("W", "Tc", "Pc", "Vc", "omega", "nasa7")}
    for names in (["O2", "O2", "H2O"], "O2 O2 H2O", np.array(["O2", "O2", "H2O"])):
        with pytest.raises(bridge.ArgumentError, match=TWICE.format("names")):
            SpeciesData.from_mapping(arrays | {"names": names})
    assert SpeciesData.from_mapping(arrays).names == ("1", "2", "3")


def test_twice_in_a_file(tmp_path: Path) -> None:
    import yaml

    record = shipped_records()["O2"]
    path = tmp_path / "table.yaml"
    path.write_text(yaml.safe_dump({"species": [record, shipped_records()["CH4"], record]}))
    with pytest.raises(bridge.ArgumentError, match="species_file: got 'O2' twice in .*table.yaml"):
        bridge.evaluate(str(path), 300.0, 1e5, [1.0, 0.0])


def test_twice_in_a_conversion(mechanism: Path) -> None:
    with pytest.raises(bridge.ArgumentError, match=TWICE.format("species")):
        convert(mechanism, ["O2", "O2"])


def test_a_mechanism_as_species_file_is_told_how_to_convert(
    mechanism: Path, make_frame: Callable[..., bridge.Frame], capsys: pytest.CaptureFixture[str]
) -> None:
    """The command of the message, run as it stands, makes a table of it."""
    with pytest.raises(bridge.ArgumentError) as refused:
        bridge.evaluate(str(mechanism), 300.0, 1e5, [0.5, 0.5])
    with pytest.raises(bridge.ArgumentError, match="bridge species convert"):
        make_frame(species=None, species_file=str(mechanism))
    with pytest.raises(bridge.ArgumentError, match="bridge species convert"):
        make_frame(species=("O2",), species_file=str(mechanism))
    message = str(refused.value)
    assert message.startswith("argument species_file: got ") and "Cantera" in message
    command = shlex.split(message.split("`")[1])
    assert command[:4] == ["bridge", "species", "convert", str(mechanism)]
    table = Path(command[command.index("-o") + 1])
    assert main([*command[1:-1], str(mechanism.parent / table)]) == 0
    capsys.readouterr()
    whole = bridge.evaluate(str(mechanism.parent / table), 300.0, 1e5, [0.5, 0.5])
    assert whole["rho"] == pytest.approx(1.24, rel=0.02)


@pytest.mark.parametrize("text", ["species: [1, 2", "[]", "nothing", "species: 3"])
def test_what_is_no_table_is_still_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.yaml"
    path.write_text(text)
    with pytest.raises(bridge.ArgumentError, match="species_file: .*table.yaml"):
        bridge.evaluate(str(path), 300.0, 1e5, [1.0])
