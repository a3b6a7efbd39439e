"""The section of the interpreter: which Python this process runs, from where, and why that one."""

from __future__ import annotations

import os
import platform
import re
import sys
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

from bridge import foreign
from bridge.doctor import process
from bridge.doctor.findings import Section
from bridge.errors import spoken

#: Packages that functions of the user work with, by what is imported.
FRAMEWORKS = {"cupy": "CuPy", "torch": "PyTorch", "jax": "JAX", "onnxruntime": "ONNX Runtime"}
#: Packages whose versions decide what a run does; those that a run may do without.
PACKAGES = ("fortran-bridge", "numpy", "cffi", "PyYAML", "tabulate")
MODULES = {"numpy": "numpy", "_cffi_backend": "cffi", "yaml": "PyYAML", "tabulate": "tabulate"}
OPTIONAL = ("mpi4py", "cupy-cuda13x", "cupy-cuda12x", "cuda-bindings")


def section(files: list[Path], chosen: str | None) -> Section:
    """files: that are mapped; chosen: what libbridge.so says of the candidates that it looked at,
    a line each; None in a program that is Python itself."""
    found = Section("Python")
    libraries = process.runtimes(files)["libpython"]
    found.facts = {
        "version": f"{platform.python_version()} ({platform.python_implementation()})",
        "libpython": "\n".join(map(str, libraries)) or f"none: part of {sys.executable}",
        "interpreter": sys.executable or "none",
        "prefix": sys.prefix,
        "base prefix": sys.base_prefix,
        "package": str(Path(__file__).parents[1]),
        "chosen": _chosen(chosen),
    }
    for name in PACKAGES + OPTIONAL:
        version = _version(name)
        if version is not None:
            found.facts[name] = version
        elif name in PACKAGES:
            found.problem(f"{name} is not installed", f"{_pip()} install {name}", stops=True)
    if len(libraries) > 1:
        listed = ", ".join(map(str, libraries))
        found.problem(
            f"{len(libraries)} Python libraries are loaded: {listed}",
            "link one of them alone: bridge-config --libs of the environment that is used",
        )
    home = os.environ.get("PYTHONHOME")
    if home:
        found.problem(
            f"PYTHONHOME={home} is set: Python takes its library from there and not from its own "
            "prefix",
            "unset PYTHONHOME",
        )
    path = os.environ.get("PYTHONPATH")
    if path:
        found.facts["PYTHONPATH"] = path
    found.facts["frameworks"] = ", ".join(_frameworks()) or "none"
    return found


def _frameworks() -> list[str]:
    """Those that are there, with the CUDA that PyTorch was built for; none of them is imported."""
    known = []
    for module, name in FRAMEWORKS.items():
        spec = find_spec(module)
        if spec is None:
            continue
        version = _version(module) or ""
        if not version and module == "cupy":
            each = (_version(f"cupy-cuda{n}x") for n in (13, 12))
            version = next((one for one in each if one), "")
        if module == "torch" and spec.origin:
            built = Path(spec.origin).parent / "version.py"
            told = re.search(r"^cuda.*?= *'([\d.]+)'", _text(built), re.M)
            version += f" (CUDA {told[1]})" if told else " (no CUDA)"
        known.append(f"{name} {version.strip()}".strip())
    return known


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""


def imported() -> dict[str, str]:
    """Packages that cannot be imported: what is wrong, and the line that mends it."""
    unmet = {}
    for module, name in MODULES.items():
        try:
            import_module(module)
        except (Exception, SystemExit) as error:
            what = foreign.told_of_start(error)
            if what is None and _version(name) is None:  # told as not installed
                continue
            what = what or f"{name} cannot be imported: {spoken(error).strip().splitlines()[0]}"
            again = f"{_pip()} install --force-reinstall {name}"
            unmet[what] = foreign.remedy(what) or again
    return unmet


def _chosen(chosen: str | None) -> str:
    if chosen is None:
        return "by the command: this program is Python itself"
    return chosen.strip() or "by the program, which had started Python before the bridge"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _pip() -> str:
    return f"{sys.executable} -m pip"
