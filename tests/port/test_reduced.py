"""Nests whose results are numbers: a run reduces what it makes, and binds no array for it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hosts import TIME_LIMIT, bridge_config, bridge_objects, compiler
from packsbuilt import build_here

import bridge
from bridge import cli
from bridge.backends.host import library

HERE = Path(__file__).parent
#: Nests of each pack.
NESTS = {"pack": ("summary", "chain", "beside"), "single": ("singly",)}
MODULES = [f"{pack}_{nest}" for pack, nests in NESTS.items() for nest in nests]
EXTENT = (67, 31)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packs, and `cache`, which holds them for this machine."""
    folder = tmp_path_factory.mktemp("reduced")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_CACHE", str(folder / "cache"))
        for pack, nests in NESTS.items():
            words = ["-o", str(folder / pack), *["--precision=original"][: pack == "single"]]
            for nest in nests:
                assert cli.main(["port", f"{HERE / 'reduced.f90'}@{nest}", *words]) == 0
        patch.setenv("BRIDGE_PACKS", f"{folder / 'pack'}:{folder / 'single'}")
        ends = (library.available()[0], library.available()[-1])  # one is the reference
        build_here(isas=ends)
    return folder


def module(place: Path, name: str) -> Path:
    return place / name.partition("_")[0] / f"{name}_bridge.f90"


@pytest.mark.fortran
@pytest.mark.parametrize("verify", ["0", "all"])
def test_the_host(place: Path, tmp_path: Path, verify: str) -> None:
    """Runs, comparisons and recordings beside the original; the bits are those of arrays."""
    modules = [str(module(place, one)) for one in MODULES]
    command = [
        compiler("gfortran"), "-g", "-O0", "-fcheck=all", *bridge_objects("gfortran"),
        str(HERE / "reduced.f90"), *modules, str(HERE / "reduced_host.f90"),
        *bridge_config("--fflags", "--libs", folder=tmp_path), "-o", "host",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    around = os.environ | {
        "BRIDGE_PACKS": f"{place / 'pack'}:{place / 'single'}",
        "BRIDGE_CACHE": str(place / "cache"), "BRIDGE_BACKEND": "cpu", "BRIDGE_VERIFY": verify,
    }  # fmt: skip
    done = subprocess.run(
        [tmp_path / "host"], cwd=tmp_path, env=around, capture_output=True, text=True,
        timeout=TIME_LIMIT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "differs" not in done.stdout and done.stdout.endswith("end\n"), done.stdout
    with np.load(tmp_path / "states.0.npz") as file:
        assert {"pack_vol_sum", "pack_few_min"} <= {*file["outputs"].tolist()}


@pytest.mark.parametrize("name", MODULES)
def test_what_bind_makes(place: Path, name: str) -> None:
    """No memory for what points give, but beside an array that the loops leave."""
    text = module(place, name).read_text()
    [bind] = re.findall(rf"subroutine bind_{name}\(.*?end subroutine", text, re.S)
    [run] = re.findall(rf"subroutine run_{name}\(.*?end subroutine", text, re.S)
    stored = name == "pack_beside"
    assert bool(re.search(r"\ballocate \(s_sum_of1", bind)) == stored
    assert not re.search(r"\ballocate \(\w+_(sum|max|min|any)_of\d", bind) or stored
    assert ("call frame_run(" in run) == stored
    assert run.count("call frame_reduce") == 1


def given(frame: Any, nest: str, arrays: dict[str, np.ndarray], intent: str) -> None:
    tv = frame.tvproperties
    for name, array in arrays.items():
        bounds = {"SptX": 1, "EptX": EXTENT[0], "SptY": 1, "EptY": EXTENT[1]}
        tv.bind_array(nest, name, intent, array, **bounds, SptZ=1, EptZ=1)


ASKED = [("vol_sum", "sum"), ("mass_sum", "sum"), ("ke_sum", "sum"), ("most_max", "max"),
         ("few_min", "minloc"), ("found_any", "any")]  # fmt: skip


def test_a_run_keeps_no_array(place: Path, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The results of arrays that a run fills, bit by bit, without one."""
    monkeypatch.setenv("BRIDGE_PACKS", str(place / "pack"))
    monkeypatch.setenv("BRIDGE_CACHE", str(place / "cache"))
    random = np.random.default_rng(4)
    i, j = EXTENT
    inputs = {f"pack_{name}": np.asfortranarray(1 + random.random((i, j, 1))) for name in "vd"}
    inputs["pack_u"] = np.asfortranarray(random.normal(size=(i + 1, j + 1, 1)))
    inputs["pack_k"] = np.asfortranarray(random.integers(-900, 900, (i, j, 1), dtype="int32"))
    frame = bridge.Frame()
    frame.initialize(0, 1024, 0, 0)
    tv = frame.tvproperties
    given(frame, "made", inputs, "in")
    asked = [(f"pack_summary:pack_{name}", operation) for name, operation in ASKED]
    found = [tv.reduce_several("made", asked) for _ in range(2)]
    made = tv._bound._sets["made"]
    assert {*made.arrays} == {*inputs}
    assert (made.memory is None) == (backend != "cuda")

    kinds = {"few_min": "int32", "found_any": "int32"}
    outputs = {
        f"pack_{name}": np.zeros((i, j, 1), kinds.get(name, "float64"), order="F")
        for name, _ in ASKED
    }
    given(frame, "bound", inputs, "in")
    given(frame, "bound", outputs, "out")
    tv.run("bound", "pack_summary")
    wanted = tv.reduce_several("bound", [(f"pack_{name}", o) for name, o in ASKED])
    assert found[0] == found[1] == wanted
    for array in outputs.values():  # nobody reads them where the maker is said
        array[...] = 0
    assert tv.reduce_several("bound", asked) == wanted
    assert tv.reduce("bound", "pack_vol_sum", "sum") == 0.0
    assert tv.allreduce("bound", "pack_summary:pack_few_min", "minloc")[0] == wanted[4][0]
    frame.finalize()


def test_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_PACKS", str(place / "pack"))
    monkeypatch.setenv("BRIDGE_CACHE", str(place / "cache"))
    frame = bridge.Frame()
    frame.initialize(0, 1024, 0, 0)
    tv = frame.tvproperties
    v = np.ones((*EXTENT, 1), order="F")
    given(frame, "cells", {"pack_v": v}, "in")
    for names, message in (
        (["pack_nothing:pack_s_sum"], "pack_nothing"),
        (["pack_chain:pack_vol_sum"], "quantity: got 'pack_chain:pack_vol_sum', wanted what"),
        (["pack_chain:noSuch"], "noSuch"),
        (["pack_summary:pack_vol_sum"], "pack_summary on set 'cells' needs 'pack_u'"),
        (["pack_chain:pack_parts_sum", "pack_beside:pack_s_sum"], "quantities: got .*one maker"),
    ):
        with pytest.raises(bridge.BridgeError, match=message):
            tv.reduce_several("cells", [(name, "sum") for name in names])
    frame.finalize()
