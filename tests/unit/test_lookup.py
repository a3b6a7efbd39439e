"""Quantities found by the words that people type; what a user finds on the command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bridge
from bridge.cli import main
from bridge.plan import lookup, origins
from bridge.plan.catalogue import Catalogue
from bridge.plan.selection import STATUS

QUANTITIES = Catalogue.shipped().quantities


@pytest.mark.parametrize(
    ("phrase", "first"),
    [
        ("density", "rho"), ("ρ", "rho"), ("viscosity", "eta"), ("mu", "eta"),
        ("dynamic viscosity", "eta"), ("speed of sound", "c"), ("Sound Speed", "c"),
        ("temperature", "T"), ("pressure", "P"), ("thermal conductivity", "lambda"),
        ("conductivity", "lambda"), ("internal energy", "u"), ("molecular weight", "W"),
        ("ratio of specific heats", "gamma"), ("compressibility factor", "Z"), ("Cp", "cp"),
        ("stagnation enthalpy", "h0"), ("fugacity", "lnphi_i"), ("enthalpy", "h"),
    ],
)  # fmt: skip
def test_words_that_people_type(phrase: str, first: str) -> None:
    assert lookup.named(phrase, QUANTITIES.values())[0].name == first


def test_what_is_mistyped_is_near() -> None:
    for phrase, name in {"viscosty": "eta", "denisty": "rho", "temprature": "T"}.items():
        assert lookup.named(phrase, QUANTITIES.values()) == []
        assert name in [one.name for one in lookup.near(phrase, QUANTITIES.values())]
    assert lookup.near("qqqq", QUANTITIES.values()) == []


@pytest.mark.parametrize("word", ["density", "mu", "viscosty"])
def test_a_refused_output_is_told_its_name(word: str) -> None:
    wanted = r"wanted a quantity of the catalogue, such as (rho|eta)\b"
    with pytest.raises(bridge.ArgumentError, match=wanted):
        bridge.evaluate("N2", 300.0, 1e5, outputs=word, backend="cpu")


def test_origins_are_those_of_plans() -> None:
    """What a quantity needs is what a plan of it reads, and the kernel runs in that plan."""
    catalogue = Catalogue.shipped()
    makers = [
        origins.Maker(
            kernel.name, kernel.inputs, kernel.outputs, bool(kernel.fuses) or not kernel.planned
        )
        for kernel in catalogue.kernels.values()
    ]
    made = origins.origins(makers, catalogue.quantities)
    given = ("T", "P", "Y", "velocity", "Vref")
    checked = 0
    for name, origin in made.items():
        if not origin.kernel or not set(origin.needs) <= set(given) or name == STATUS:
            continue
        if not catalogue.kernel(origin.kernel).planned:  # by its own name alone
            continue
        plan = catalogue.plan([name], origin.needs, 3, status=False)
        assert set(plan.inputs) == set(origin.needs), name
        fusing = {k.name for k in catalogue.kernels.values() if origin.kernel in k.fuses}
        assert {origin.kernel, *fusing} & set(plan.kernels()), name
        for one in origin.needs:
            with pytest.raises(bridge.ArgumentError):
                catalogue.plan([name], set(origin.needs) - {one}, 3, status=False)
        checked += 1
    assert checked > 60


# ---- the command ----------------------------------------------------------------------------


def test_bridge_quantities(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quantities", "speed", "of", "sound"]) == 0
    table = capsys.readouterr().out.splitlines()
    rows = [line for line in table[2:] if line[0] != " "]  # a long meaning goes on below
    assert [row.split()[0] for row in rows] == ["c", "c_eq"]
    assert re.split(r"\s{2,}", table[2]) == [
        *("c", "c", "m/s", "(...)", "speed of sound", "prEOSCalcSoundSpeed", "T P Y")
    ]
    for name, shape in (("x_i", "(..., NS)"), ("Y_leading", "(..., NS-1)")):
        assert main(["quantities", name]) == 0
        assert f"  {shape}  " in capsys.readouterr().out
    assert main(["quantities"]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= 2 + len(QUANTITIES)
    assert main(["quantities", "rho,cp"]) == 0
    out = capsys.readouterr().out
    assert "density" in out and "heat capacity at constant pressure" in out
    assert main(["quantities", "viscosty"]) == 0
    told = capsys.readouterr()
    assert "nothing is called 'viscosty'" in told.err and "viscosity" in told.out
    assert main(["quantities", "qqqq"]) == 1
    assert "nothing is called 'qqqq'" in capsys.readouterr().err


def test_bridge_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"bridge {bridge.__version__}\n"


def test_bridge_species_list_and_show(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["species", "list"]) == 0
    rows = capsys.readouterr().out.splitlines()
    methane = next(row.split() for row in rows if row.startswith("CH4 "))
    assert methane[1:4] == ["0.016043", "190.564", "4.5992e+06"]
    assert main(["species", "show", "O2,CH4", "H2O"]) == 0
    blocks = capsys.readouterr().out.split("\n\n")
    assert [block.split()[0] for block in blocks] == ["O2", "CH4", "H2O"]
    assert re.search(r"Tc +190.564 K", blocks[1]) and "nasa7 high" in blocks[2]
    for line in ("molarMass +0.016043 kg/mol", r"Pc +4599200 Pa", "Vc +9.86.*e-05 m3/mol"):
        assert re.search(line, blocks[1])  # what a table takes
    assert main(["species", "show", "CH5"]) == 1
    assert "'CH5'" in capsys.readouterr().err
    assert main(["species", "list", "--file", str(tmp_path / "none.yaml")]) == 1
    assert "species_file" in capsys.readouterr().err


def helped(*words: str) -> str:
    command = [sys.executable, "-P", "-m", "bridge", *words, "--help"]
    environment = {**os.environ, "COLUMNS": "90"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_subcommand_has_its_own_options() -> None:
    loops, ranks, port = (helped("bench", name) for name in ("loops", "ranks", "port"))
    assert "--isa" in loops and "--ranks" not in loops and "PACK" not in loops
    assert "--ranks" in ranks and "--isa" not in ranks
    assert "PACK" in port and "--kernel" in port and "--sizes" not in port
    build, kernels = helped("kernels", "build"), helped("kernels")
    assert "--leading" in build and "--composites" not in build
    assert "--composites" in kernels and "--leading" not in kernels


def test_lists_take_commas_and_blanks(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["0", "4"], ["0,4"], ["0,", "4"]):
        assert main(["kernels", "build", "--arch", "sm_90", "--ns", *words]) == 1
        assert "argument --ns: got 0" in capsys.readouterr().err
    for words, what in (
        (["4,many"], "argument --ns: got 'many', wanted a whole number"),
        ([","], "expected at least"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(["kernels", "--resources", "--ns", *words])
        assert what in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["packs", "build", "--isa", "v2,v9"])
    assert "--isa: got 'v9', wanted one of v2, v3, v4" in capsys.readouterr().err
    assert main(["kernels", "--ns=0", "build", "--arch", "sm_90"]) == 1  # before the word
    assert "argument --ns: got 0" in capsys.readouterr().err
