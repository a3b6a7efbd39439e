"""Kernels of a pack in place of shipped composites; what of a pack is verified."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from packsbuilt import ISA, built_once
from port import ported
from sharing import Once

import bridge
from bridge.plan import packs, verified
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.tvproperties import TVProperties

POINTS = 50


@pytest.fixture(scope="module")
def replaced_built(once: Once) -> Path:
    catalogue = ported.QUANTITIES + ported.REPLACE + ported.NAMES
    files = {"catalogue.toml": catalogue, "point_rp.h": ported.HEADER}
    return built_once(once, "ported", files)[0]


@pytest.fixture
def found(replaced_built: Path, one_isa: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRIDGE_PACKS", str(replaced_built))
    monkeypatch.setenv("BRIDGE_CACHE", str(replaced_built.parent / "cache"))
    return replaced_built


@pytest.fixture
def tv(found: Path, backend: str) -> Iterator[TVProperties]:
    frame = bridge.Frame()
    frame.set("species", "O2 CH4 H2O")
    frame.initialize(0, 64, 3, 8)
    yield frame.tvproperties
    frame.finalize()


def states() -> dict[str, np.ndarray]:
    numbers = np.random.default_rng(5)
    fractions = numbers.dirichlet(np.ones(3), POINTS)
    return {
        "T": numbers.uniform(300.0, 900.0, POINTS),
        "P": numbers.uniform(1e5, 1e6, POINTS),
        "Y": np.asfortranarray(fractions.reshape(POINTS, 1, 1, 3)),
    }


def wanted(given: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    total = given["Y"][:, 0, 0] @ [1.0, 2.0, 3.0]
    return given["P"] / (300.0 * total * given["T"]), 1000.0 * given["T"] * total


def column(values: np.ndarray | float, dtype: str = "float64") -> np.ndarray:
    array = np.empty((POINTS, 1, 1), dtype, order="F")
    array[:, 0, 0] = values
    return array


# ---- runs and launches --------------------------------------------------------------------------


def test_runs_and_launches_of_the_shipped_names(tv: TVProperties) -> None:
    given = states()
    rho, h = wanted(given)
    out = {name: column(-1.0) for name in ("rho", "h", "status")}
    for name in ("T", "P"):
        tv.bind_array("cells", name, "in", column(given[name]))
    tv.bind_array("cells", "Y", "in", given["Y"])
    tv.bind_array("cells", "rho", "out", out["rho"])
    tv.run("cells", "eosRhohFromTPprop")
    np.testing.assert_allclose(out["rho"][:, 0, 0], rho, rtol=1e-14)
    assert (out["h"] == -1.0).all()
    for name in ("h", "status"):
        tv.bind_array("cells", name, "out", out[name])
    tv.run("cells", "prEOSRhohFromTPprop")
    np.testing.assert_allclose(out["h"][:, 0, 0], 2.0 * h, rtol=1e-14)
    assert (out["status"] == 4096).all()
    tv.run("cells", "eosrhohfromtpprop")  # as an entry writes it
    np.testing.assert_allclose(out["h"][:, 0, 0], h, rtol=1e-14)

    for name in ("T", "P"):
        tv.populate_input_stripe(name, column(given[name]))
    tv.populate_input_stripe("Y", given["Y"])
    for launch in (tv.composite, tv.launch):
        launch("eosRhohFromTPprop", POINTS)
        array = column(0.0)
        tv.extract_output_stripe("h", array)
        np.testing.assert_allclose(array[:, 0, 0], h, rtol=1e-14)
    timers = tv.impl.timers.snapshot()
    assert timers["run eosRhohFromTPprop"][0] == 2
    tv.compare_begin("cells", "eosRhohFromTPprop")
    out["rho"][:, 0, 0], out["h"][:, 0, 0] = wanted(given)
    assert tv.compare("cells", "eosRhohFromTPprop") <= 1e-14


def test_a_last_mass_fraction_that_is_left_out(tv: TVProperties) -> None:
    given = states()
    rho, _ = wanted(given)
    out = column(-1.0)
    for name in ("T", "P"):
        tv.bind_array("cells", name, "in", column(given[name]))
    tv.bind_array("cells", "Y_leading", "in", np.asfortranarray(given["Y"][..., :2]))
    tv.bind_array("cells", "rho", "out", out)
    tv.run("cells", "eosRhohFromTPprop")
    np.testing.assert_allclose(out[:, 0, 0], rho, rtol=1e-13)


def test_others_stay(tv: TVProperties) -> None:
    """What is not replaced gives what it always gave."""
    given = states()
    out = column(-1.0)
    for name in ("T", "P"):
        tv.bind_array("cells", name, "in", column(given[name]))
    tv.bind_array("cells", "Y", "in", given["Y"])
    tv.bind_array("cells", "rho", "out", out)
    tv.run("cells", "eosThermalProperties")
    arguments = (given["T"], given["P"], given["Y"][:, 0, 0])
    plain = bridge.evaluate("O2 CH4 H2O".split(), *arguments, outputs=("rho",))["rho"]
    np.testing.assert_allclose(out[:, 0, 0], plain, rtol=1e-13)


# ---- what is shown ------------------------------------------------------------------------------


def told(*words: str, folder: Path) -> str:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("BRIDGE_")}
    kept |= {"BRIDGE_PACKS": str(folder), "BRIDGE_CACHE": str(folder.parent / "cache")}
    command = [sys.executable, "-m", "bridge", *words]
    done = subprocess.run(command, env=kept, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_replacements_are_shown(
    found: Path, backend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "prEOSRhohFromTPprop by rpSteps of ported, eosRhohFromTPprop by rpPoint of ported"
    if backend == "cpu":
        assert f"replaced: {line}" in told("kernels", "--composites", folder=found)
        assert line in told("info", folder=found)
    frame = bridge.Frame()
    frame.set("species", "O2 CH4 H2O")
    frame.initialize(0, 64, 3, 8)
    assert f"replaced {line}" in capsys.readouterr().out
    frame.report()
    assert f"replaced     {line}" in capsys.readouterr().out
    frame.finalize()


# ---- refusals -----------------------------------------------------------------------------------


def load(folder: Path, text: str) -> Catalogue:
    (folder / "point_rp.h").write_text(ported.HEADER)
    (folder / "catalogue.toml").write_text(text)
    return Catalogue.load([shipped_file(), folder / "catalogue.toml"])


@pytest.mark.parametrize(
    ("replace", "names", "message"),
    [
        ('eosRhoh = "rpPoint"', "", r"'eosRhoh' in \[replace\] of .*toml, wanted a composite of"),
        ('rpSteps = "rpPoint"', "", "wanted a composite of another file"),
        ('eosRhohFromTPprop = "rpNone"', "", "'rpNone'.*of the same file .rpPoint, rpTwice."),
        ('eosRhohFromTPprop = "prEOSDensity"', "", "wanted a kernel or a composite of the same"),
        ('eosRhohFromTPprop = "rpPlanned"', "", "the composite rpPlanned has no steps"),
        (
            'eosRhohFromTPprop = "rpPoint"',
            None,
            "rpPoint does not give rho, h, status, outputs of",
        ),
        ('eosRhohFromTPprop = "rpTwice"', "", "rpTwice does not give rho, status, outputs of"),
        ('eosThermalProperties = "rpPoint"', "", "does not give W, Z, cp, cv"),
        ('eosRhohFromTPprop = "rpPoint"', 'rp_R = "T"', "unit 'J/.kg K.' of rp_R and 'K' of T"),
        ('eosRhohFromTPprop = "rpPoint"', 'rp_x = "T"', "rp_x = 'T'.*wanted a quantity"),
        ('eosRhohFromTPprop = "rpPoint"', 'rp_P = "T"', "unit 'Pa' of rp_P and 'K' of T"),
        ('eosRhohFromTPprop = "rpPoint"', 'rp_T = "Tcm"', "^$"),
        ("eosRhohFromTPprop = 3", "", "eosRhohFromTPprop = 3"),
    ],
)
def test_refused(tmp_path: Path, replace: str, names: str | None, message: str) -> None:
    text = ported.QUANTITIES + f"[replace]\n{replace}\n"
    if names is not None:
        kept = [line for line in ported.NAMES.splitlines() if line[:4] != (names[:4] or "none")]
        text += "\n".join([*kept, names])
    if message == "^$":  # another name of the same unit: what the host binds under that name
        assert load(tmp_path, text).composite("eosRhohFromTPprop").inputs == ("Tcm", "P", "Y")
        return
    with pytest.raises(bridge.ArgumentError, match=message):
        load(tmp_path, text)


def test_columns_and_types(tmp_path: Path) -> None:
    text = ported.QUANTITIES + ported.REPLACE + ported.NAMES
    with pytest.raises(bridge.ArgumentError, match="columns 'ns-1' of rp_Y and 'ns' of Y"):
        load(tmp_path, text.replace('columns = "ns"', 'columns = "ns-1"'))
    with pytest.raises(bridge.ArgumentError, match="dtype 'float64' of rp_status and 'int32'"):
        load(tmp_path, text.replace('type = "int32"', ""))
    with pytest.raises(bridge.ArgumentError, match="T twice among inputs of rpPoint"):
        load(tmp_path, text.replace('rp_P = "P"', 'rp_P = "T"').replace('"Pa"', '"K"'))
    three = load(tmp_path, text.replace('columns = "ns"', "columns = 3"))
    composite = three.composite("eosRhohFromTPprop")
    assert three.composite_plan(composite, 3).kernels() == ["rpPoint"]
    with pytest.raises(bridge.ArgumentError, match="3 columns of rp_Y in place of 2 of Y"):
        three.composite_plan(composite, 2)


def test_two_packs_for_one_composite(tmp_path: Path) -> None:
    text = ported.QUANTITIES + ported.REPLACE + ported.NAMES
    files = [shipped_file()]
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "point_rp.h").write_text(ported.HEADER)
        files.append(tmp_path / name / "catalogue.toml")
        files[-1].write_text(re.sub(r"\brp", name, text))
    with pytest.raises(bridge.ArgumentError, match="first.* both replace eosRhohFromTPprop"):
        Catalogue.load(files)


@pytest.mark.usefixtures("one_isa")
def test_outputs_that_no_host_needs(
    replaced_built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ported.QUANTITIES + '[replace]\neosCalcRhoh0FromTP = "rpPoint"\n' + ported.NAMES
    with pytest.raises(bridge.ArgumentError, match="does not give h0, rhoh0, outputs"):
        load(tmp_path, text)
    text += '[replace.without]\neosCalcRhoh0FromTP = ["h0", "rhoh0"{}]\n'
    with pytest.raises(bridge.ArgumentError, match="eta in .replace.without.*outputs of eosCalc"):
        load(tmp_path, text.format(', "eta"'))
    with pytest.raises(bridge.ArgumentError, match="'eosNo' in .replace.without"):
        load(tmp_path, text.format("") + "eosNo = []\n")
    assert load(tmp_path, text.format("")).composite("eosCalcRhoh0FromTP").outputs == (
        *("rho", "h", "status"),
    )
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BRIDGE_PACKS", str(tmp_path))
    shutil.copytree(replaced_built.parent / "cache", tmp_path / "cache")
    # the library of the same kernels
    built = packs.Pack.read(replaced_built, "test").library(ISA)
    mine = packs.Pack.read(tmp_path, "test").library(ISA)
    shutil.copy(replaced_built.parent / "cache" / "packs" / built.name, mine)
    frame = bridge.Frame()
    frame.set("species", "O2 CH4 H2O")
    frame.set("backend", "cpu")
    frame.initialize(0, 64, 3, 8)
    tv = frame.tvproperties
    for name, values in states().items():
        tv.bind_array("cells", name, "in", values if name == "Y" else column(values))
    tv.bind_array("cells", "rho", "out", column(0.0))
    tv.run("cells", "eosCalcRhoh0FromTP")
    tv.bind_array("cells", "h0", "out", column(0.0))
    with pytest.raises(bridge.ArgumentError, match="'h0' bound 'out'.*an output that rpPoint of"):
        tv.run("cells", "eosCalcRhoh0FromTP")
    frame.finalize()


# ---- what is verified ---------------------------------------------------------------------------


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A pack that was ported from lines 2 to 4 of a file, and checked on v2 and v3."""
    folder = tmp_path / "eos"
    folder.mkdir()
    load(folder, ported.QUANTITIES)
    (tmp_path / "eos.f90").write_text("module eos\nsubroutine point\nx = 1\nend\nend module\n")
    original = verified.Original.of(folder, "../eos.f90", 2, 4)
    one = verified.Ported.of(folder, "rpPoint", "point_rp.h", [original], "-O2 -mfma")
    two = verified.Ported.of(folder, "rpTwice", "point_rp.h", [original], "")
    verified.write(folder, [one.passed("v2").passed("v3"), two])
    return folder


def test_what_is_verified(pack: Path, tmp_path: Path) -> None:
    known = [packs.Pack.read(pack, "test")]

    def states_of(target: str) -> list[str]:
        return list(verified.states(target, known).values())

    assert states_of("v3") == ["verified v3", "unverified: not checked on v3"]
    assert states_of("cuda")[0] == "unverified: not checked on cuda (v2 v3 was)"
    assert states_of("") == ["verified v2 v3", "unverified: not checked"]
    assert verified.read(pack)[0].flags == "-O2 -mfma"

    source = tmp_path / "eos.f90"
    source.write_text("! moved\n\n" + source.read_text())
    assert states_of("v3")[0] == "verified v3"
    source.write_text(source.read_text().replace("x = 1", "x = 2"))
    assert states_of("v3")[0] == "unverified: eos.f90 has changed"
    source.unlink()
    assert states_of("v3")[0] == "verified v3"
    assert states_of("")[0] == "verified v2 v3 (source not here: eos.f90)"

    catalogue = pack / "catalogue.toml"
    text = catalogue.read_text()
    catalogue.write_text(text + '[quantity.rp_more]\nunit = "1"\nabout = "of another kernel"\n')
    assert states_of("v3")[0] == "verified v3"
    catalogue.write_text(
        text.replace('[quantity.rp_P]\nunit = "Pa"', '[quantity.rp_P]\nunit = "1"')
    )
    assert states_of("v3")[0] == "unverified: catalogue changed"
    catalogue.write_text(text)

    file = pack / verified.FILE
    told_ = file.read_text()
    file.write_text(told_.replace("-O2 -mfma", "-O3"))
    assert states_of("v3")[0] == "unverified: flags changed since the check"
    file.write_text(told_)
    header = pack / "point_rp.h"
    header.write_text(ported.HEADER.replace("1000.0", "1001.0"))
    assert states_of("v3")[0] == states_of("")[0] == "unverified: header changed"
    file.write_text("[[kernel]]\nname = 3\n")
    assert {*states_of("v3")} == {"unverified: port.toml cannot be read"}
    with pytest.raises(bridge.ArgumentError, match="port: got .*port.toml"):
        verified.read(pack)


def test_port_toml_is_no_source(pack: Path) -> None:
    before = packs.Pack.read(pack, "test").digest
    (pack / verified.FILE).unlink()
    assert packs.Pack.read(pack, "test").digest == before


def test_it_is_shown(
    found: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert "ported kernel" not in told("kernels", folder=found)
    place = tmp_path / "copy"
    shutil.copytree(found.parent, place)
    folder = place / "ported"
    sizes = place / "sizes.h"
    sizes.write_text("integer, parameter :: n = 3\n")
    pieces = [verified.Original.of(folder, "../sizes.h")]
    one = verified.Ported.of(folder, "rpPoint", "point_rp.h", [], "", pieces)
    verified.write(folder, [one.passed("v2").passed("v3").passed("v4")])
    said = told("kernels", folder=folder)
    assert "ported kernel" in said and "rpPoint" in said and "verified v2 v3 v4" in said
    build = ("packs", "build", "--isa", "here")
    assert "verified" not in told(*build, folder=folder)
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    frame = bridge.Frame()
    frame.set("species", "O2 CH4 H2O")
    frame.set("backend", "cpu")
    frame.initialize(0, 64, 3, 8)
    frame.report()
    assert "rpPoint: verified v" in capsys.readouterr().out
    sizes.write_text("integer, parameter :: n = 4\n")
    frame.report()
    stale = "rpPoint: unverified: sizes.h has changed\n"
    assert stale in capsys.readouterr().out
    frame.finalize()
    assert stale in told(*build, folder=folder)
