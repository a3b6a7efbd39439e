"""Counts of the profiler beside the rungs, errors in a process of their own, and the texts of all
ladders for a GPU that is not here."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from bridge.backends.cuda import compiler
from bridge.errors import BridgeError, DeviceError
from bridge_gallery import faults, sectors
from bridge_gallery.command import LADDERS, ladder
from bridge_gallery.graphicscard import full_text
from bridge_gallery.rung import source

MEMORY = ladder("memory")


def counts(kernels: list[str]) -> str:
    """What ncu writes of launches of these kernels."""
    loads, stores, local = sectors.METRICS.values()
    head = f'"ID","Process ID","Kernel Name","Context","{local}","{loads}","{stores}"'
    units = '"","","","","byte/sector","byte/sector","byte/sector"'
    rows = [f'"{k}","7","{name}(float *, int)","1","0","1,028.40","n/a"'
            for k, name in enumerate(kernels)]  # fmt: skip
    return "\n".join(["==PROF== Connected to process 7", head, units, *rows])


def test_figures_come_to_their_rungs() -> None:
    """In the order of the launches; 0 and n/a are no figures."""
    wanted = sectors.launches(MEMORY)
    found = sectors.read(counts([one.kernel for one in wanted]), wanted)
    assert [one.launched for one in found] == wanted
    assert found[0].figures == {
        "loads": 1028.4, "stores": None, "local": None, "hits, %": None, "occupancy, %": None
    }  # fmt: skip
    page = sectors.table(found)
    assert "1: the sum in memory" in page and "1028.4" in page
    assert len(sectors.rows(MEMORY, found)) == len(wanted)


def test_steps_are_counted_once() -> None:
    """A step of stable fluids has hundreds of launches of the same few kernels: each of them once,
    at one size, in the order of the step."""
    found = sectors.launches(ladder("fluids"))
    assert len({one.problem for one in found}) == 1
    mine = [one.kernel for one in found if one.rung == "ours: 5 passes of 4 sweeps, a graph"]
    assert mine == ["decide", "sweep_first", "sweep_next", "divergence", "gradient",
                    "advect_velocity", "gradient_and_density"]  # fmt: skip


def test_other_launches_are_told() -> None:
    """Figures of another kernel would stand beside the wrong rung."""
    wanted = sectors.launches(MEMORY)
    names = [one.kernel for one in wanted]
    with pytest.raises(BridgeError, match=f"by_pow for {names[1]}"):
        sectors.read(counts([names[0], "by_pow", *names[2:]]), wanted)
    with pytest.raises(BridgeError, match=f"counted 1 launches, the ladder has {len(names)}"):
        sectors.read(counts(names[:1]), wanted)


def script(folder: Path, text: str) -> None:
    """A program `ncu` of a folder."""
    program = folder / "ncu"
    program.write_text("#!/bin/sh\n" + text)
    program.chmod(0o755)


def test_without_the_profiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says why there are no figures; one that may not count says so itself."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    line = sectors.counted(MEMORY)
    assert isinstance(line, str) and "ncu) is not on this machine" in line
    assert sectors.table(line) == line and sectors.rows(MEMORY, line) == []
    script(tmp_path, "echo '==ERROR== ERR_NVGPUCTRPERM'; exit 1\n")
    assert "ERR_NVGPUCTRPERM" in sectors.counted(MEMORY)


def test_what_the_profiler_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module, the kernels by their names; its table is read."""
    answer = tmp_path / "answer"
    answer.write_text(counts([one.kernel for one in sectors.launches(MEMORY)]))
    given = tmp_path / "given"
    script(tmp_path, f'printf "%s\\n" "$@" > {given}\n'
           f'while [ "$1" != --log-file ]; do shift; done; /bin/cp {answer} "$2"\n')  # fmt: skip
    monkeypatch.setenv("PATH", str(tmp_path))
    assert len(sectors.counted(MEMORY)) == len(sectors.launches(MEMORY))
    words = given.read_text().split("\n")
    assert words[-2] == "memory" and any(word.startswith("regex:^(branch|") for word in words)


@pytest.mark.parametrize("name", LADDERS)
def test_texts_compile_for_a_gpu(name: str) -> None:
    """As the GPU's compiler gets them, under all definitions; passes of stable fluids with one
    sweep, since more of them take seconds."""
    try:
        nvrtc: Any = compiler.find()
    except DeviceError as error:
        pytest.skip(str(error))
    one, short = ladder(name), {"SWEEPS": 1, "WARPS": 16, "EXACT": 1}
    kernels: dict[tuple[tuple[str, object], ...], set[str]] = {}
    for rung in (rung for problem in one.full() for rung in problem.rungs):
        macros = short if "SWEEPS" in rung.definitions else rung.definitions
        launched = {launch.kernel for launch in rung.kernels}
        kernels.setdefault(tuple(macros.items()), set()).update(launched)
    for given, wanted in kernels.items():
        made = nvrtc.compile(full_text(one.text(), dict(given)), "sm_90")
        assert wanted <= {each.kernel for each in made.resources}


def test_rows_of_the_documents() -> None:
    """The page is what the ladders make of it: every row that it names has its rung."""
    script = Path(__file__).parents[2] / "docs" / "gallery_rows.py"
    spec = spec_from_file_location("gallery_rows", script)
    assert spec is not None and spec.loader is not None
    rows = module_from_spec(spec)
    sys.modules["gallery_rows"] = rows
    spec.loader.exec_module(rows)
    assert rows.main(["--check"]) == 0
    with pytest.raises(ValueError, match="'sample 1' with a rung 'nobody'"):
        rows.line(rows.Here("a row", "memory", "sample 1", "nobody"), {})


@pytest.mark.gpu
def test_errors_of_a_gpu(cuda: Any) -> None:
    """A launch that is refused harms nobody; an address that is none ends its process' context,
    and every later call says so. Ours goes on."""
    head, refused, sound, address, after, copy = faults.told()
    assert head.startswith("Errors") and "status -7: sound failed on GPU" in refused
    assert sound.endswith("a sound launch after it: status 0")
    assert "status -7: kernel far_away failed on GPU" in address and "illegal" in address.lower()
    for line in (after, copy):
        assert "status -7: the GPU failed before and the process must end" in line
    cuda.synchronize()


def test_faulty_kernels_compile() -> None:
    """For a GPU; on a CPU nobody runs them."""
    try:
        nvrtc: Any = compiler.find()
    except DeviceError as error:
        pytest.skip(str(error))
    made = nvrtc.compile(full_text(source("faults.cu"), {}), "sm_90")
    assert {each.kernel for each in made.resources} == {"sound", "far_away"}
