"""The same headers compile for AMD GPUs, wherever hipcc is: every kernel by itself, the largest
composite and the search for a temperature, for each architecture that this hipcc knows."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bridge.backends.cuda import compiler, precompile
from bridge.backends.gpu import marshal
from bridge.backends.gpu.policy import choose
from bridge.backends.gpu.source import generate
from bridge.plan.catalogue import Catalogue

CATALOGUE = Catalogue.shipped()
ARCHITECTURES = ("gfx90a", "gfx942")
#: Like these GPUs: 64 KiB of shared memory for a block, no tensor cores of CUDA's.
ALIKE = "sm_75"


def _hipcc(arch: str, source: Any, *flags: Any) -> Any:
    """hipcc on a text: machine code of the device alone."""
    path = source.with_suffix(".o")
    line = ["hipcc", "-std=c++17", f"-I{compiler.include_folder()}", f"--offload-arch={arch}",
            "--cuda-device-only", *flags, "-c", str(source), "-o", str(path)]  # fmt: skip
    done = subprocess.run(
        line,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HIP_PLATFORM": "amd"},
    )
    return done, path


@pytest.fixture(scope="module", params=ARCHITECTURES)
def arch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An architecture that the compiler knows. It is asked with an empty source, so that a kernel
    that it refuses is never taken for an architecture that it does not know."""
    if shutil.which("hipcc") is None:
        pytest.skip("no hipcc")
    empty = tmp_path_factory.mktemp("hip") / "empty.hip"
    empty.write_text("")
    done, _ = _hipcc(request.param, empty, "-nogpulib", "-nogpuinc")
    if done.returncode:
        refusal = done.stderr.strip()
        assert request.param in refusal, f"hipcc does not work: {refusal}"
        pytest.skip(f"this hipcc does not know {request.param}: {refusal}")
    return request.param


def _compiles(arch: str, text: Any, folder: Any, kernels: Any) -> None:
    source = folder / "bridge.hip"
    source.write_text("#include <hip/hip_runtime.h>\n" + text)
    done, path = _hipcc(arch, source)
    assert done.returncode == 0, done.stderr
    code = path.read_bytes()
    assert arch.encode() in code
    for kernel in kernels:
        assert kernel.encode() in code, kernel


@pytest.mark.parametrize("ns", [4, 53])
def test_every_kernel_compiles(arch: str, ns: int, tmp_path: Path) -> None:
    where = precompile.layout(ns, {"omega11": "FITTED"}, kij=ns == 53)
    plans = [CATALOGUE.single(kernel, ns) for kernel in CATALOGUE.kernels]
    source = generate(plans, CATALOGUE, where, policy=choose(plans[0], ns), arch=ALIKE)
    names = [f"bridge_{plan.name}" for plan in plans]
    assert len(names) == len(CATALOGUE.kernels)
    _compiles(arch, source.text, tmp_path, names)


@pytest.mark.parametrize("name", ["eosThermalAndViscousProperties", "prEOSCalcTFromHP"])
@pytest.mark.parametrize("ns", [4, 16, 53])
def test_composites_compile(arch: str, name: str, ns: int, tmp_path: Path) -> None:
    where = precompile.layout(ns)
    plan = CATALOGUE.composite_plan(CATALOGUE.composite(name), ns)
    source = generate([plan], CATALOGUE, where, policy=choose(plan, ns), arch=ALIKE)
    _compiles(arch, source.text, tmp_path, [f"bridge_{plan.name}"])


def test_marshalling_compiles(arch: str, tmp_path: Path) -> None:
    _compiles(arch, marshal.SOURCE, tmp_path, ["gather_float64_float64"])
