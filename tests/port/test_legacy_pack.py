"""The legacy physics, ported, in the place of the shipped physics: original, shipped and ported
agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hosts import TIME_LIMIT, Host, build, counting
from mpi.conftest import STUB
from packsbuilt import ISA, build_here, quickly
from port import legacypack
from sharing import Once

import bridge
from bridge.cli import main
from bridge.plan import verified
from bridge_port.output.catalogue import catalogue
from bridge_port.refusal import Refused
from bridge_port.request import Request

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent
DATA = STUB / "data" / "species.dat"
SPECIES = {1: "O2", 4: "O2 CH4 CO2 H2O", 6: "O2 CH4 CO2 H2O CO N2"}
POINTS = 403
PROCEDURE = re.compile(
    r"^\s*(?:pure )?(?:real\(dp\) |logical |integer )?(?:subroutine|function) (\w+)",
    re.IGNORECASE | re.MULTILINE,
)


@pytest.fixture(scope="module")
def legacy_built(once: Once) -> Path:
    """A folder with the packs and a cache that holds them for the CPU."""

    def make(place: Path) -> None:
        legacypack.write(place)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_PACKS", f"{place}/legacy:{place}/density")
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            patch.setenv("BRIDGE_CPU_ISA", ISA)
            patch.setenv("CXX", quickly())
            build_here()

    return once("legacy_pack", make)


def environment(place: Path) -> dict[str, str]:
    return {"BRIDGE_PACKS": f"{place}/legacy:{place}/density",
            "BRIDGE_CACHE": str(place / "cache"), "BRIDGE_CPU_ISA": ISA}  # fmt: skip


# ---- every file --------------------------------------------------------------------------------


def test_procedures_of_every_file_are_ported() -> None:
    """The first and the last one of what is outside the module that reads files, functions of a
    module's own included; test_translate.py translates and compares all of them."""
    refused, number = [], 0
    for file in sorted(legacypack.LEGACY.glob("*.f90")):
        if file.name in legacypack.WITHOUT:
            continue
        names = PROCEDURE.findall(file.read_text())
        number += len(names)
        for name in {names[0], names[-1]}:
            try:
                legacypack.request(f"{file.name}::{name}").ported()
            except Refused as error:
                refused.append(str(error))
    assert not refused
    assert number > 70


def test_what_reads_files_is_refused() -> None:
    with pytest.raises(Refused, match=r"speciesmodule.f90"):
        legacypack.request("speciesmodule.f90::speciesRead").ported()


# ---- in the place of the shipped composites -----------------------------------------------------


@pytest.fixture(scope="module")
def points(legacy_built: Path, tmp_path_factory: pytest.TempPathFactory) -> Host:
    """legacy_points, with the modules that give the pack its tables."""
    names = [line for line in (STUB / "makefile").read_text().replace("\\\n", "").splitlines()
             if line.startswith("legacy_sources")]  # fmt: skip
    modules = names[0].partition(":=")[2].split()
    sources = [legacypack.LEGACY / f"{name}.f90" for name in modules]
    sources += [legacy_built / "legacy" / f"{legacypack.gives(one)}_bridge.f90"
                for one in legacypack.REPLACED]  # fmt: skip
    return build(
        tmp_path_factory.mktemp("legacy_points"), [*sources, HERE / "legacy_points.f90"],
        flags=("-O2", "-ffp-contract=off", "-Wall", "-Werror"),
    )  # fmt: skip


def states(ns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """T, P, Y of one phase, some points bad, and enthalpies to be met."""
    rng = np.random.default_rng(ns)
    T = rng.uniform(300.0, 2500.0, POINTS)
    P = np.exp(rng.uniform(np.log(1e5), np.log(2e7), POINTS))
    Y = rng.dirichlet(np.ones(ns), POINTS)
    if ns > 1:
        Y[::5, 0] = 0.0
        Y /= Y.sum(axis=1, keepdims=True)
    kij = np.zeros((ns, ns))
    if ns > 1:
        kij[0, 1] = kij[1, 0] = 0.0289
    h = bridge.evaluate(SPECIES[ns].split(), T, P, Y, ("h",), kij=kij)["h"]
    T[7], P[19], Y[23, 0] = -1.0, np.nan, np.inf
    h[31] = np.nan
    return T, P, Y, h


def parts(values: np.ndarray, ns: int) -> list[np.ndarray]:
    widths = (21 + 2 * ns, 4 + 2 * ns, 4)
    cut = np.split(values, np.cumsum([POINTS * w for w in widths])[:-1])
    return [part.reshape(w, POINTS).T for part, w in zip(cut, widths, strict=True)]


def error(mine: np.ndarray, wanted: np.ndarray, scale: np.ndarray) -> Any:
    np.testing.assert_array_equal(np.isnan(mine), np.isnan(wanted))
    size = np.maximum(np.abs(wanted), np.maximum(scale, 1e-300))
    return np.nanmax(np.abs(mine - wanted) / size, axis=0)


@pytest.mark.parametrize("ns", SPECIES)
def test_original_shipped_and_ported_agree(
    points: Host, legacy_built: Path, tmp_path: Path, ns: int
) -> None:
    T, P, Y, h = states(ns)
    with open(tmp_path / "points", "wb") as file:
        np.int32(POINTS).tofile(file)
        for array in (T, P, np.asfortranarray(Y).T, h):
            np.ascontiguousarray(array).tofile(file)
    found = {}
    for which, given in (
        ("ported", environment(legacy_built)),
        ("shipped", {}),
    ):
        arguments = [DATA, SPECIES[ns], tmp_path / "points", tmp_path / which, which]
        outcome = points.run(*(str(one) for one in arguments), environment=given)
        assert outcome.status == 0, outcome.err
        replaced = "eosThermalAndViscousProperties by legacy_eosthermalandviscousproperties"
        assert (replaced in outcome.out) == (which == "ported")
        values = np.fromfile(tmp_path / which)
        mine, original = np.split(values, 2)
        found[which] = parts(mine, ns)
        found["original"] = parts(original, ns)
    for which in ("ported", "shipped"):
        for n, (mine, wanted) in enumerate(zip(found[which], found["original"], strict=True)):
            scale = np.nanmedian(np.abs(wanted), axis=0) * 1e-2
            worst = error(mine, wanted, scale)
            columns = slice(None) if n < 2 else slice(0, 2)  # iterations may differ
            assert worst[columns].max() < 1e-10, (which, n, worst)
            np.testing.assert_array_equal(mine[:, -1], wanted[:, -1], err_msg=f"{which} status")
    bad = np.isnan(found["ported"][0][:, 0])
    assert bad.nonzero()[0].tolist() == [7, 19, 23]


# ---- the flow solver ----------------------------------------------------------------------------


@pytest.mark.mpi
def test_the_solver_verifies(legacy_built: Path, mpirun: list[str], tmp_path: Path) -> None:
    if shutil.which("mpif90") is None:
        pytest.skip("no mpif90")
    command_ = legacypack.solver_command(legacy_built / "density", tmp_path)
    done = subprocess.run(command_, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    known = {k: v for k, v in os.environ.items() if not k.startswith("BRIDGE_")}

    def solved(ranks: int, *options: str, **variables: str) -> str:
        case = ["cases/jet.nml", "Cells=24,20,1", "Width=1.4e-7", "Report=yes",
                "SpeciesData=host", "Offload=properties",
                f"TimerFile={tmp_path}/timers"]  # fmt: skip
        done = subprocess.run(
            [*mpirun, "-n", str(ranks), str(tmp_path / "flow"), *case, *options], cwd=STUB,
            env={**known, "OMP_NUM_THREADS": "1", **environment(legacy_built), **variables},
            capture_output=True, text=True, timeout=TIME_LIMIT,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    said = solved(2, "Properties=verify", "Steps=3", "VerifyTolerance=1e-10")
    assert "verify: passed, 3 steps, every difference within  1.00E-10" in said
    assert "eosThermalFromRhoE by density_eosthermalfromrhoe" in said

    # repeated steps enter Python never
    variables = counting(BRIDGE_STABILITY="off")
    entered = [
        re.findall(r"entered (\d+)", solved(1, "Phases=off", f"Steps={steps}", **variables))
        for steps in (3, 9)
    ]
    assert len(entered[0]) == 1 and entered[0] == entered[1]


# ---- the check ----------------------------------------------------------------------------------


def test_the_check_with_the_species_of_the_host(
    legacy_built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables that only Fortran can fill: --setup."""
    monkeypatch.chdir(STUB)
    for name, value in environment(legacy_built).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", "")
    folder = legacy_built / "legacy"
    words = ["port", "--check", str(folder), "--points", "101", "--isa", ISA, "--kernel",
             "legacy_legacyrest", "--range", "T=300,2500", "P=1e5,2e7", "Y=0,0.6"]  # fmt: skip
    assert main([*words, "--setup", "none.f90"]) == 2
    assert "--setup: got none.f90, wanted a file" in capsys.readouterr().err
    assert main([*words, "--setup", str(HERE / "legacy_setup.f90")]) == 0
    said = capsys.readouterr().out
    assert f"1 of 1 verified on {ISA}" in said
    assert re.search(r"legacy_mui +\d+ compared.* same", said), said
    known = {one.name: one for one in verified.read(folder)}
    assert ISA in known["legacy_legacyrest"].verified


# ---- in whose place -----------------------------------------------------------------------------


def test_what_the_catalogue_says_in_whose_place(legacy_built: Path, tmp_path: Path) -> None:
    """Units of what the arguments stand for; ported again, the others stay."""
    folder = tmp_path / "legacy"
    shutil.copytree(legacy_built / "legacy", folder)
    text = (folder / "catalogue.toml").read_text()
    found = tomllib.loads(text)
    assert found["quantity"]["legacy_p"]["unit"] == "Pa"
    assert found["quantity"]["legacy_htotal"]["unit"] == "J/kg"
    assert found["quantity"]["legacy_pkappa"]["unit"] == "1"
    names = found["replace"].pop("names")
    assert found["replace"] == {
        shipped: legacypack.gives(source) for source, (shipped, _) in legacypack.REPLACED.items()
    }
    assert names["legacy_dim"] == "D_im" and names["legacy_htotal"] == "h0"
    assert "legacy_s" not in names
    legacypack.write(folder)
    assert tomllib.loads((folder / "catalogue.toml").read_text())["replace"]["names"] == names


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"replace": "eosRhoh"}, "--replace: got 'eosRhoh', wanted a shipped composite"),
        ({"stands": {"q": "T"}}, "--stand: got q=T, wanted an argument of eosrhohfromtpprop: t"),
        ({"stands": {"t": "Temp"}}, "--stand: got t=Temp"),
    ],
)
def test_what_cannot_be_in_its_place(more: dict[str, Any], message: str) -> None:
    with pytest.raises(bridge.ArgumentError, match=re.escape(message)):
        legacypack.request("eosmodule.f90::eosRhohFromTPprop", **more).ported()


def test_outputs_that_the_kernel_does_not_give() -> None:
    ported = legacypack.request(
        "eosmodule.f90::eosRhohFromTPprop", replace="eosCalcRhoh0FromTP"
    ).ported()
    assert 'eosCalcRhoh0FromTP = ["h0", "rhoh0"]' in catalogue(ported.kernels, "legacy")


# ---- data of COMMON -----------------------------------------------------------------------------


def test_one_call_gives_modules_and_common(tmp_path: Path) -> None:
    source = tmp_path / "gas.f90"
    source.write_text(
        """
module gas
  real(8) :: factor
  real(4) :: fit(3)
end module
subroutine point(x, y)
  use gas
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) shift, more
  integer first
  common /held/ shift, first, more
  y = factor*x*fit(2) + shift + first
end subroutine
"""
    )
    module = Request(f"{source}::point", prefix="g_").ported().module
    name, text = module.name, module.text
    assert name == "g_point_bridge"
    for wanted in (
        "use gas, only: factor, fit",
        "call frame_constants('g_factor' // ' ' // 'g_shift' // ' ' // 'g_first', [factor, shift,",
        "real(first, c_double)])", "call frame_table('g_fit', real(fit, c_double))",
        "common /held/ shift, first, more",
    ):  # fmt: skip
        assert wanted in text, text
    (tmp_path / f"{name}.f90").write_text(text)
    (tmp_path / "main.f90").write_text(f"use {name}\nif (iargc() > 9) call give_g_point()\nend\n")
    files = [source, tmp_path / f"{name}.f90", tmp_path / "main.f90"]
    assert build(tmp_path, files).run().status == 0
