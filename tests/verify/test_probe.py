"""frame_probe and the debugger's build of packs: what happens at one point."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks import cells
from hosts import TIME_LIMIT
from sharing import Once
from unit.blocks import FRINGES, INTERIOR, SHAPE, SPECIES, block
from verify.conftest import FLUX, _files
from verify.test_verify import bound

import bridge
from bridge.backends.host import library
from bridge.errors import ArgumentError, StateError
from bridge.plan import packbuild, packs

Make = Callable[..., bridge.Frame]
ORDER_PACK = Path(__file__).parents[2] / "examples" / "order_pack"
COMPOSITE = "eosThermalAndViscousProperties"


def probed(frame: bridge.Frame, name: str = "", at: tuple[int, int, int] = (4, 3, 2)) -> Any:
    return frame.probe("cells", *at, name)


# ---- intermediates -------------------------------------------------------------------------


def test_every_intermediate_of_the_physics(frame_of: Make) -> None:
    frame = frame_of(ns=3, species=" ".join(SPECIES), verify=0)
    tv = frame.tvproperties
    Q, T, P, Y = block()
    rho = np.zeros(SHAPE, order="F")
    eta = np.zeros(SHAPE, order="F")
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "rho", "out", rho, **FRINGES)
    tv.bind_array("cells", "eta", "out", eta, **FRINGES)
    with pytest.raises(StateError, match="nothing has run on set 'cells'"):
        probed(frame)
    tv.run("cells", COMPOSITE)
    before = Q.copy(), rho.copy(), eta.copy()
    found = probed(frame)
    assert found.inputs["T"][0] == Q[3, 2, 1, 4]
    assert found["rho"][0] == rho[3, 2, 1] and found["eta"][0] == eta[3, 2, 1]
    plan = tv.matched("cells", COMPOSITE, "test")[1].plan
    assert [name for name, _ in found.kernels] == plan.kernels()
    at = 1 + 5 * (1 + 4 * 1)
    names = [name for _, made in found.kernels for name in made
             if name in ("a", "b", "Z", "W", "Tcm", "omegam")]  # fmt: skip
    one = bridge.evaluate(list(SPECIES), T[[at]], P[[at]], Y[[at]], names, backend="cpu")
    for name in names:
        np.testing.assert_array_equal(found[name], one[name].ravel(), err_msg=name)
    assert {"a", "b", "Z"} <= {*names}
    words = [made["status"] for _, made in found.kernels if "status" in made]
    assert len(words) > 1  # each value that kernels gave it
    for kept, now in zip(before, (Q, rho, eta), strict=True):
        np.testing.assert_array_equal(kept, now)


def test_neighbours_and_values_one_after_another(
    frame_of: Make, right: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    frame = frame_of(right, verify=0)
    tv, arrays = bound(frame)
    g = np.zeros(SHAPE, order="F")
    tv.bind_array("cells", "vf_u", "inout", arrays["vf_u"], **FRINGES)
    tv.bind_array("cells", "vf_g", "out", g, **FRINGES)
    tv.unbind("cells", "vf_n")
    before = arrays["vf_u"].copy()
    found = probed(frame, "vfSteps")
    np.testing.assert_array_equal(arrays["vf_u"], before)
    assert (g == 0).all()
    u, p = before[3, 2, 1], arrays["vf_p"][:, 2, 1]
    slope = (p[4] - p[2]) * 0.5 + (4 if 0.5 * u @ u > 1.0 else 0)
    kernels, made = zip(*found.kernels, strict=True)
    assert kernels == ("vfEnergy", "vfGradient", "vfLimited", "vfLimited")
    np.testing.assert_allclose(found["vf_g"], slope, rtol=1e-15)
    first = u[::-1] * 0.5 + [slope, 0, 0]
    np.testing.assert_allclose(made[2]["vf_u"], first, rtol=1e-15)
    np.testing.assert_allclose(made[3]["vf_u"], first[::-1] * 0.5 + [slope, 0, 0], rtol=1e-15)
    frame.print_probe("cells", 4, 3, 2, "vfSteps")
    told = capsys.readouterr().out
    assert "vfSteps at (4, 3, 2) of set 'cells'" in told and f"{slope:.17g}" in told


def test_points_that_are_none(frame_of: Make, right: tuple[Path, Path]) -> None:
    frame = frame_of(right, verify=0)
    bound(frame)
    for at, name in (((2, 3, 2), "i"), ((4, 6, 2), "j"), ((4, 3, 4), "k")):
        with pytest.raises(ArgumentError, match=f"argument {name}: got .*the interior of set"):
            probed(frame, "vfAll", at)
    with pytest.raises(ArgumentError, match="block: got 1, wanted 0"):
        frame.probe("cells", 4, 3, 2, "vfAll", block=1)


# ---- a debugger ----------------------------------------------------------------------------


@pytest.fixture(scope="session")
def debugged(once: Once) -> tuple[Path, Path]:
    """The pack, built for a debugger and for the instruction set of all machines."""

    def make(place: Path) -> None:
        folder = place / "verified"
        folder.mkdir()
        for name, text in _files(FLUX).items():
            (folder / name).write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_PACKS", str(folder))
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            patch.setenv("BRIDGE_PACKS_DEBUG", "1")
            [built] = packbuild.build([folder], isas=["v2"])
            assert built.path.name.startswith("verified-debug-v2-") and not built.warnings
        packs.forget()

    place = once("verify_debugged", make)
    return place / "verified", place / "cache"


def test_a_debuggers_build_gives_the_same_results(
    frame_of: Make, debugged: tuple[Path, Path], right: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Kernels that are called for one point at a time; both builds have files of their own."""
    found: list[dict[str, np.ndarray]] = []
    for built, isa, debug in ((right, library.available()[-1], "0"), (debugged, "v2", "1")):
        monkeypatch.setenv("BRIDGE_PACKS_DEBUG", debug)
        monkeypatch.setenv("BRIDGE_CPU_ISA", isa)
        packs.forget()
        frame = frame_of(built, verify=0)
        tv, arrays = bound(frame)
        tv.run("cells", "vfAll")
        g = arrays["vf_g"] = np.zeros(SHAPE, order="F")
        tv.bind_array("cells", "vf_u", "inout", arrays["vf_u"], **FRINGES)
        tv.bind_array("cells", "vf_g", "out", g, **FRINGES)
        tv.unbind("cells", "vf_n")
        arrays["vf_p"][2:7, 1:5, 0:3][0] = 1.0
        arrays["vf_p"][[1, 7], 1:5, 0:3] = 2.0
        tv.run("cells", "vfSteps")
        found.append(arrays)
    for name, values in found[0].items():
        assert np.isfinite(values[INTERIOR]).all(), name
        np.testing.assert_allclose(found[1][name][INTERIOR], values[INTERIOR], rtol=1e-14,
                                   err_msg=name)  # fmt: skip
    monkeypatch.setenv("BRIDGE_PACKS_DEBUG", "0")
    packs.forget()
    monkeypatch.setenv("BRIDGE_PACKS", str(debugged[0]))
    monkeypatch.setenv("BRIDGE_CACHE", str(debugged[1]))
    [pack] = packs.found()
    assert pack.state("v2") == "not built"


def test_a_debuggers_build_of_orders_and_cells(
    frame_of: Make, once: Once, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels that name the types of neighbours, cells and private numbers have the bits of the
    usual build."""

    def make(place: Path) -> None:
        folder = place / "cells"
        folder.mkdir()
        (folder / "catalogue.toml").write_text(cells.CATALOGUE)
        (folder / "cells.h").write_text(cells.HEADER)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            for debug in "01":
                patch.setenv("BRIDGE_PACKS_DEBUG", debug)
                built = list(packbuild.build([folder, ORDER_PACK], isas=["v2"]))
                assert [one.warnings for one in built] == ["", ""]
        packs.forget()

    place = once("debug_types", make)
    random = np.random.default_rng(8)
    shape = (7, 6, 5)
    start = {name: np.asfortranarray(random.uniform(0.5, 1.0, shape))
             for name in ("lower", "diagonal", "upper", "x", "pressure", "source", "ce_p",
                          "ce_there", "ce_mirror")}  # fmt: skip
    start["diagonal"] += 3.0
    start["ce_n"] = np.full(shape, 7, "int32", order="F")
    monkeypatch.setenv("BRIDGE_PACKS", f"{place / 'cells'}:{ORDER_PACK}")
    monkeypatch.setenv("BRIDGE_CACHE", str(place / "cache"))
    monkeypatch.setenv("BRIDGE_CPU_ISA", "v2")
    found: list[dict[str, np.ndarray]] = []
    for debug in "01":
        monkeypatch.setenv("BRIDGE_PACKS_DEBUG", debug)
        packs.forget()
        library.pack_library.cache_clear()  # of the same instruction set: it would be kept
        tv = frame_of(verify=0).tvproperties
        arrays = {name: one.copy(order="F") for name, one in start.items()}
        for name, data in arrays.items():
            lines = name in ("lower", "diagonal", "upper", "x")
            bounds = dict[str, Any](SptX=2, EptX=6, SptY=2, EptY=5, SptZ=2, EptZ=4)
            if lines:
                bounds = {}
            intent = "inout" if name in ("x", "pressure") else (
                "out" if name == "ce_mirror" else "in")  # fmt: skip
            tv.bind_array("lines" if lines else "inner", name, intent, data, **bounds)
        tv.run("lines", "solveLines")
        tv.run("inner", "smooth")
        tv.run("inner", "ceMirror")
        found.append(arrays)
        mapped = Path("/proc/self/maps").read_text(encoding="utf-8")
        assert (f"{place}/cache/packs/cells-debug-v2" in mapped) == (debug == "1")
    library.pack_library.cache_clear()
    for name, values in found[0].items():
        written = name in ("x", "pressure", "ce_mirror")
        assert np.isfinite(values).all() and written == (values != start[name]).any(), name
        np.testing.assert_array_equal(found[1][name], values, err_msg=name)


SCRIPT = """
import numpy as np, bridge
frame = bridge.Frame()
frame.set("backend", "cpu"); frame.set("threads", 1)
frame.initialize(0, 64, 0, 5)
tv = frame.tvproperties
tv.table("vf_table", np.array([0.5, 0.25]))
shape = (6, 5, 4)
u = np.asfortranarray(np.arange(360.0).reshape(*shape, 3)); p = np.full(shape, 0.25, order="F")
f = np.zeros((*shape, 2), order="F")
for name, intent, array in (("vf_u", "in", u), ("vf_p", "in", p), ("vf_f", "out", f)):
    tv.bind_array("cells", name, intent, array)
frame.probe("cells", 5, 4, 3, "vfAll")
frame.finalize()
"""


def test_gdb_stops_in_a_line_of_a_header(debugged: tuple[Path, Path], tmp_path: Path) -> None:
    gdb = shutil.which("gdb")
    if gdb is None:
        pytest.skip("no gdb")
    (tmp_path / "host.py").write_text(SCRIPT)
    line = next(n for n, text in enumerate(FLUX.splitlines(), 1) if "f[1] =" in text)
    commands = ["set breakpoint pending on", "set debuginfod enabled off", f"break flux.h:{line}",
                "run", "print e", "print u[1]", "backtrace 1", "kill"]  # fmt: skip
    words = [word for one in commands for word in ("-ex", one)]
    environment = os.environ | {
        "BRIDGE_PACKS": str(debugged[0]), "BRIDGE_CACHE": str(debugged[1]),
        "BRIDGE_PACKS_DEBUG": "1", "BRIDGE_CPU_ISA": "v2",
    }  # fmt: skip
    done = subprocess.run(
        [gdb, "-nx", "-batch", *words, "--args", sys.executable, "-P", "host.py"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT,
        check=False,
    )  # fmt: skip
    told = done.stdout + done.stderr
    if "ptrace: Operation not permitted" in told:
        pytest.skip("gdb may not trace processes here")
    u = np.arange(360.0).reshape(6, 5, 4, 3)[4, 3, 2]
    e = 0.25 / 0.4 + 0.5 * (u @ u) + 0.5
    assert f"flux.h:{line}" in told, told
    values = [text.split()[-1].rstrip("}") for text in told.splitlines() if text.startswith("$")]
    assert float(values[0]) == pytest.approx(e, rel=1e-12)
    assert float(values[1]) == u[1]
