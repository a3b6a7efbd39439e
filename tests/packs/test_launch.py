"""A kernel pack at work: the example's numbers from Python and from Fortran, every way to them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hosts import build
from packsbuilt import build_here

import bridge
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import launch_kernel
from bridge.backends.host import library
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

SPECIES = ("N2", "O2")
N = 37
T = np.linspace(210.0, 2500.0, N)
P = np.linspace(2e4, 3e6, N)
Y = np.stack([np.linspace(0.0, 1.0, N), 1.0 - np.linspace(0.0, 1.0, N)], axis=1)
EXACT: dict[str, Any] = dict(rtol=1e-14, atol=0.0)


def make_frame(**settings: str) -> bridge.Frame:
    frame = bridge.Frame()
    for key, value in {"species": "N2 O2", "backend": "cpu", "threads": "1", **settings}.items():
        frame.set(key, value)
    frame.initialize(0, N + 3, len(SPECIES), 5 + len(SPECIES), 0)
    return frame


def fill(tv: bridge.TVProperties) -> None:
    for name, values in (("T", T), ("P", P), ("Y", Y)):
        tv.populate_input_stripe(name, np.asfortranarray(values.reshape(N, 1, 1, -1)))


def view(tv: bridge.TVProperties, name: str) -> np.ndarray:
    out = np.full((N, 1, 1), np.nan, order="F")
    tv.extract_output_stripe(name, out)
    return out.ravel()


# ---- from Python ------------------------------------------------------------------------


def test_evaluate_gives_what_the_subroutine_gives(example: Path, gas: Callable[..., Any]) -> None:
    result = bridge.evaluate(SPECIES, T, P, Y, ("W", "rho_gas", "mu_gas", "rho"), backend="cpu")
    rho, mu = gas(T, P, result["W"])
    np.testing.assert_allclose(result["rho_gas"], rho, **EXACT)
    np.testing.assert_allclose(result["mu_gas"], mu, **EXACT)
    assert not (result["status"] & 7).any()  # none fatal; some lie below a NASA range
    # a shipped quantity beside them, which is another gas law
    assert 1e-6 < np.max(np.abs(result["rho"] / rho - 1)) < 0.1


@pytest.mark.parametrize("isa", library.ISAS)
def test_every_instruction_set(example: Path, gas: Callable[..., Any], isa: str) -> None:
    if isa not in library.available():
        pytest.skip(f"this CPU does not run {isa}")
    shared = SharedData(SpeciesData.load(SPECIES))
    backend, catalogue = CpuBackend(1, isa), Catalogue.installed()
    inputs = {"T": T, **{name: np.full(N, c.value) for name, c in catalogue.constants.items()}}
    launched = launch_kernel(
        "sutherlandViscosity", inputs, shared, backend=backend, catalogue=catalogue
    )
    np.testing.assert_allclose(launched["mu_gas"], gas(T, P, T)[1], **EXACT)


def test_bad_points_are_poisoned(example: Path) -> None:
    result = bridge.evaluate(SPECIES, [300.0, -5.0], 1e5, [0.8, 0.2], ("mu_gas",))
    assert np.isfinite(result["mu_gas"][0]) and np.isnan(result["mu_gas"][1])
    assert list(result["status"]) == [0, 1]


def test_launch_and_composite_by_name(example: Path, gas: Callable[..., Any]) -> None:
    frame = make_frame()
    tv = frame.tvproperties
    fill(tv)
    tv.composite("sutherlandGas", N)
    rho, mu = gas(T, P, view(tv, "W"))
    for name, wanted in (("rho_gas", rho), ("mu_gas", mu)):
        np.testing.assert_allclose(view(tv, name), wanted, **EXACT)
        tv.impl.view(name).array[...] = 0.0
    tv.composite("sutherlandGas", N)
    np.testing.assert_allclose(view(tv, "rho_gas"), rho, **EXACT)
    tv.launch("sutherlandViscosity", N)
    np.testing.assert_allclose(view(tv, "mu_gas"), mu, **EXACT)
    tv.impl.view("rho_gas").array[...] = 0.0
    tv.launch("sutherlandGas", N)  # launch takes a composite too: the way of frame_launch_
    np.testing.assert_allclose(view(tv, "rho_gas"), rho, **EXACT)
    frame.finalize()


def test_a_composite_without_status_runs_its_own_kernels_alone(example: Path) -> None:
    tv = make_frame().tvproperties
    fill(tv)
    tv.composite("sutherlandGas", N)
    (plan,) = tv._plans._plans.values()
    assert "prEOSSolveCubic" not in plan.kernels()
    assert plan.kernels()[-2:] == ["idealGasDensity", "sutherlandViscosity"]


def test_kernels_of_packs_come_after_the_shipped_ones(example: Path) -> None:
    catalogue = Catalogue.installed()
    kernel = catalogue.kernel("sutherlandViscosity")
    assert kernel.header == example / "sutherlandViscosity.h"
    assert kernel.number > max(k.number for k in Catalogue.shipped().kernels.values())
    assert catalogue.pack_kernels == ["idealGasDensity", "sutherlandViscosity"]
    assert not kernel.needs_transport
    assert "sutherlandViscosity" not in Catalogue.shipped().kernels


SPECIES_PACK = {
    "catalogue.toml": """
[constant.mypack_limit]
unit = "1"
value = 0.5
[quantity.mypack_square]
unit = "1"
columns = "ns"
[quantity.mypack_state]
unit = "1"
columns = "ns + 2"
[quantity.mypack_sums]
unit = "1"
columns = "2*ns-1"
[[kernel]]
name = "mypackSquare"
header = "mypackSquare.h"
inputs = ["Yc", "mypack_limit", "status"]
outputs = ["mypack_square", "status"]
[[kernel]]
name = "mypackSums"
header = "mypackSums.h"
inputs = ["mypack_state"]
outputs = ["mypack_sums"]
""",
    "mypackSums.h": """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class In, class Out>
BRIDGE_FN void mypackSums(const Shared& shared, const In& state, Out& sums) {
    const int ns = species(shared);
    for (int i = 0; i < ns; ++i) sums[i] = state[i] * state[ns] + state[ns + 1];
    for (int i = 1; i < ns; ++i) sums[ns + i - 1] = state[i] + state[i - 1];
}
}
""",
    "mypackSquare.h": """
#pragma once
#include "eos/status.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class In, class Out>
BRIDGE_FN void mypackSquare(const Shared& shared, const In& Y, const Real& limit,
                            const Bits<Real>& status, Out& square, Bits<Real>& status_out) {
    for (int i = 0; i < species(shared); ++i) square[i] = Y[i] * Y[i];
    status_out = status | flag<Real>(Y[0] > limit, 1 << 20);
}
}
""",
}


def test_species_arrays_and_the_status_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mypack"
    folder.mkdir()
    for name, text in SPECIES_PACK.items():
        (folder / name).write_text(text)
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path))
    assert all(done.new for done in build_here())
    wide = np.clip(Y, 0.0, None)
    for limit in (0.5, 0.75):
        result = bridge.evaluate(
            SPECIES, T, P, Y, ("mypack_square",), inputs={"mypack_limit": limit}
        )
        np.testing.assert_array_equal(result["mypack_square"], wide * wide)
        np.testing.assert_array_equal(result["status"] >> 20, Y[:, 0] > limit)
    state = np.random.default_rng(4).uniform(1.0, 2.0, (N, 4))
    result = bridge.evaluate(
        SPECIES, outputs="mypack_sums", inputs={"mypack_state": state}, composite="mypackSums"
    )
    first = state[:, :2] * state[:, 2:3] + state[:, 3:]
    np.testing.assert_allclose(
        result["mypack_sums"], np.column_stack([first, state[:, 0] + state[:, 1]]), **EXACT
    )


# ---- constants --------------------------------------------------------------------------


def sutherland(S: float | np.ndarray, mu0: float = 1.716e-5) -> np.ndarray:
    return mu0 * (T / 273.15) ** 1.5 * (273.15 + S) / (T + S)


def test_constants_of_evaluate(example: Path) -> None:
    field = np.linspace(50.0, 300.0, N)
    for S in (120.0, field):
        result = bridge.evaluate(
            SPECIES,
            T,
            P,
            Y,
            ("mu_gas", "sutherland_S", "sutherland_T0"),
            inputs={"sutherland_S": S},
        )
        # asked for, they come back
        np.testing.assert_array_equal(result["sutherland_S"], np.broadcast_to(S, N))
        np.testing.assert_array_equal(result["sutherland_T0"], 273.15)
        np.testing.assert_allclose(result["mu_gas"], sutherland(S), **EXACT)
    # and they are back at the catalogue's afterwards
    result = bridge.evaluate(SPECIES, T, P, Y, ("mu_gas",))
    np.testing.assert_allclose(result["mu_gas"], sutherland(110.4), **EXACT)


def test_constants_by_setting(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = make_frame(constants="sutherland_S=120, sutherland_mu0=2d-5")
    fill(frame.tvproperties)
    frame.tvproperties.sutherlandGas(N)  # type: ignore[attr-defined]
    np.testing.assert_allclose(
        view(frame.tvproperties, "mu_gas"), sutherland(120.0, 2e-5), **EXACT
    )
    frame.finalize()
    monkeypatch.setenv("BRIDGE_CONSTANTS", "sutherland_S=130")
    frame = make_frame(constants="sutherland_S=120")
    fill(frame.tvproperties)
    frame.tvproperties.launch("sutherlandViscosity", N)
    np.testing.assert_allclose(view(frame.tvproperties, "mu_gas"), sutherland(130.0), **EXACT)
    frame.finalize()


def test_constants_as_arrays_of_the_host(example: Path) -> None:
    field = np.linspace(50.0, 300.0, N)
    frame = make_frame()
    tv = frame.tvproperties
    fill(tv)
    tv.populate_input_stripe("sutherland_S", field.reshape(N, 1, 1))
    tv.composite("sutherlandGas", N)
    np.testing.assert_allclose(view(tv, "mu_gas"), sutherland(field), **EXACT)
    mu, arrays = np.zeros((N, 1, 1), order="F"), {"T": T, "P": P}
    for name, values in arrays.items():
        tv.bind_array("gas", name, "in", values.reshape(N, 1, 1))
    tv.bind_array("gas", "Y", "in", np.asfortranarray(Y.reshape(N, 1, 1, 2)))
    tv.bind_array("gas", "mu_gas", "out", mu)
    tv.run("gas", "sutherlandGas")
    np.testing.assert_allclose(mu.ravel(), sutherland(110.4), **EXACT)
    tv.bind_array("gas", "sutherland_S", "in", field.reshape(N, 1, 1))
    tv.run("gas", "sutherlandGas")
    np.testing.assert_allclose(mu.ravel(), sutherland(field), **EXACT)
    frame.finalize()


def test_wrong_constants_are_refused(example: Path) -> None:
    with pytest.raises(bridge.ArgumentError, match="'sutherland_Q'.*sutherland_mu0"):
        make_frame(constants="sutherland_Q=1")
    with pytest.raises(bridge.ArgumentError, match="name=number"):
        make_frame(constants="sutherland_S")
    with pytest.raises(bridge.ArgumentError, match="sutherland_Q"):
        bridge.evaluate(SPECIES, T, P, Y, ("mu_gas",), inputs={"sutherland_Q": 1.0})
    with pytest.raises(bridge.ArgumentError, match="'P'.*argument of their own"):
        bridge.evaluate(SPECIES, T, P, Y, ("mu_gas",), inputs={"P": P})
    with pytest.raises(bridge.ArgumentError, match=r"sutherland_S.*points of shape \(3,\)"):
        bridge.evaluate(SPECIES, T, P, Y, ("mu_gas",), inputs={"sutherland_S": [1.0, 2.0, 3.0]})


def test_evaluate_takes_any_quantity_as_input() -> None:
    """Without a pack too: the ideal mixture at heat capacities that are not those of the table."""
    cp0 = np.stack([np.full(N, 30.0), np.full(N, 40.0)], axis=1)
    result = bridge.evaluate(SPECIES, T, P, Y, ("cp_ideal", "X"), inputs={"cp0_i": cp0})
    np.testing.assert_allclose(result["cp_ideal"], (result["X"] * cp0).sum(1), rtol=1e-14)


# ---- from Fortran -----------------------------------------------------------------------


@pytest.mark.fortran
@pytest.mark.parametrize("with_compiler", ["gfortran", "flang"])
def test_the_fortran_program_of_the_example(
    example: Path, built: Path, tmp_path: Path, with_compiler: str
) -> None:
    sources = [example / "gas.f90", example / "solver.f90"]
    host = build(tmp_path, sources, with_compiler=with_compiler)
    found = {"BRIDGE_PACKS": str(example), "BRIDGE_CACHE": str(built)}
    outcome = host.run(environment=found)
    assert outcome.status == 0, outcome.err
    for label in ("rho_gas", "mu_gas", "launched"):
        assert float(outcome.words(label)[-1]) <= 1e-14, outcome.out
    # the program compares with the original: another constant must show
    changed = host.run(environment={**found, "BRIDGE_CONSTANTS": "sutherland_S=120"})
    assert changed.status == 0, changed.err
    for label in ("mu_gas", "launched"):
        assert float(changed.words(label)[-1]) > 1e-3, changed.out
    assert float(changed.words("rho_gas")[-1]) <= 1e-14


@pytest.mark.fortran
def test_a_fortran_program_stops_at_initialize_where_a_pack_is_not_built(
    example: Path, tmp_path: Path
) -> None:
    host = build(tmp_path / "host", [example / "gas.f90", example / "solver.f90"])
    found = {"BRIDGE_PACKS": str(example), "BRIDGE_CACHE": str(tmp_path)}
    outcome = host.run(environment=found)
    assert outcome.status != 0
    assert "frame_initialize_ failed" in outcome.err
    assert f"run 'bridge packs build --folder {example}'" in outcome.err


# ---- what a run does not do -------------------------------------------------------------

NO_PROCESS = """
import sys
import bridge

def refuse(event, arguments):
    if event in ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec",
                 "os.system"):
        raise SystemExit(f"a run started a process: {event} {arguments}")

sys.addaudithook(refuse)
result = bridge.evaluate("N2 O2", 300.0, 1e5, [0.8, 0.2], ("mu_gas",), backend="cpu")
frame = bridge.Frame()
frame.set("species", "N2 O2")
frame.initialize(0, 10, 2, 7)
assert "bridge.plan.packbuild" not in sys.modules
print(repr(float(result["mu_gas"])))
"""


def test_a_run_starts_no_process(example: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_PROCESS], env=os.environ, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    wanted = 1.716e-5 * (300 / 273.15) ** 1.5 * (273.15 + 110.4) / (300 + 110.4)
    assert float(done.stdout.splitlines()[-1]) == pytest.approx(wanted, rel=1e-14)
