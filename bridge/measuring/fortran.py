"""The Fortran that benchmarks compare with: built by the system's gfortran, called through cffi.

The same sources at several flags, each a shared library of its own. They come with the package
(or from a checkout's fortran_stub), and are compiled once into a temporary folder.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.states import States
from bridge.physics.species import SpeciesData
from bridge.progress import waiting

_FAST = ("-O3", "-march=native", "-ffast-math")
_COMMON = ("genkinddefs", "statusmodule", "speciesmodule", "chungtablesmodule")
_LEGACY = (
    *(
        f"legacy/{name}.f90"
        for name in (
            *_COMMON[:3],
            "idealgasmodule",
            "preoskernelmodule",
            "preosderivedmodule",
            "preosspeciesmodule",
            "chungtablesmodule",
            "chungdiffusionmodule",
            "chungtransmodule",
            "preosmodule",
        )
    ),
    "bench/legacysets.f90",
    "bench/pointloops.f90",
)
_TUNED = (
    *(f"legacy/{name}.f90" for name in _COMMON),
    *(
        f"tuned/tuned{name}.f90"
        for name in ("tablesmodule", "eosmodule", "transportmodule", "sets")
    ),
    "bench/pointloops.f90",
)

#: Reference -> sources in their order, flags.
BUILDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "fortran-O2": (_LEGACY, ("-O2",)),
    "fortran-fast": (_LEGACY, _FAST),
    "fortran-tuned": (_TUNED, _FAST),
}

# A shared library that optimises as an executable would: its own calls are its own.
_SHARED = ("-fPIC", "-fno-semantic-interposition")

_DECLARATIONS = """
void point_species(const char* file, const char* list, int n, const double* kij, int* ierr);
void point_thermal(int n, const double* T, const double* P, const double* Y, double* thermal,
                   int32_t* status);
void point_full(int n, const double* T, const double* P, const double* Y, double* thermal,
                double* eta, double* lambda, double* Dim, int32_t* status);
void point_block(int nx, int ny, int nz, int f, const double* Q, double* properties);
"""


def sources(folder: str | Path | None) -> Path:
    """The folder with legacy/, tuned/ and bench/: the given one, else the package's own."""
    place = Path(str(resources.files("bridge") / "bench" / "fortran_stub"))
    if folder is not None:
        place = Path(folder)
    if not (place / _TUNED[-1]).is_file():
        raise ArgumentError("fortran-stub", str(place), f"a folder that holds {_TUNED[-1]}")
    return place


class FortranPhysics:
    """One build, set to the species of some states; a library holds one set at a time.

    library: the build, where another process has made it already.
    """

    def __init__(self, name: str, folder: Path, library: Path | None = None) -> None:
        self.name = name
        self._ffi, self._lib = _load(library or build(name, folder))

    def use(self, species: SpeciesData) -> None:
        """Give the library these species, kij included."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "species.dat")
            file.write_text(_species_file(species))
            ierr = self._ffi.new("int*")
            kij = np.asfortranarray(species.kij)
            self._lib.point_species(
                str(file).encode(),
                " ".join(species.names).encode(),
                len(species.names),
                self._pointer(kij),
                ierr,
            )
        if ierr[0]:
            raise BridgeError(f"{self.name} cannot use the species {' '.join(species.names)}")

    def sets(self, states: States) -> PointSets:
        """Memory for the results at these states, laid out as a point loop likes it best."""
        return PointSets(self, states)

    def _pointer(self, array: np.ndarray) -> Any:
        kind = "int32_t*" if array.dtype == np.int32 else "double*"
        return self._ffi.cast(kind, array.ctypes.data)


class PointSets:
    """The two sets of properties at some states: results in `thermal` (n, 9), eta, lambda_ (n,),
    D_im (n, ns) and status (n,)."""

    def __init__(self, physics: FortranPhysics, states: States) -> None:
        n, ns = states.n, states.ns
        self.thermal = np.zeros((n, 9))
        self.eta, self.lambda_, self.D_im = np.zeros(n), np.zeros(n), np.zeros((n, ns))
        self.status = np.zeros(n, dtype=np.int32)
        self._states = states
        self._lib = physics._lib
        pointer = physics._pointer
        inputs = (n, pointer(states.T), pointer(states.P), pointer(states.Y))
        self._thermal = (*inputs, pointer(self.thermal), pointer(self.status))
        transport = (self.thermal, self.eta, self.lambda_, self.D_im, self.status)
        self._full = (*inputs, *(pointer(array) for array in transport))

    def run_thermal(self) -> None:
        self._lib.point_thermal(*self._thermal)

    def run_full(self) -> None:
        self._lib.point_full(*self._full)


@dataclass(frozen=True)
class BlockLoop:
    """The solver's loop over a block with fringes: Q and properties (nx, ny, nz, columns),
    Fortran order."""

    physics: FortranPhysics
    Q: np.ndarray
    properties: np.ndarray
    fringe: int

    def run(self) -> None:
        nx, ny, nz, _ = self.Q.shape
        pointer = self.physics._pointer
        self.physics._lib.point_block(
            nx, ny, nz, self.fringe, pointer(self.Q), pointer(self.properties)
        )


def _species_file(species: SpeciesData) -> str:
    """In the form that speciesRead of the legacy physics reads."""

    def line(values: Any) -> str:
        return " ".join(repr(float(value)) for value in values)

    lines = ["# written for a benchmark", str(len(species.names))]
    scalars = ("W", "Tc", "Pc", "Vc", "omega", "dipole", "kappa")
    for k, name in enumerate(species.names):
        lines.append(f"{name} {line(getattr(species, field)[k] for field in scalars)}")
        lines.append(line(species.nasa7[k]))
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=8)
def _load(library: Path) -> tuple[cffi.FFI, Any]:
    ffi = cffi.FFI()
    ffi.cdef(_DECLARATIONS)
    return ffi, ffi.dlopen(str(library))


def build(name: str, folder: Path) -> Path:
    """Compile one of BUILDS."""
    return compiled(name, folder, *BUILDS[name])


@lru_cache(maxsize=8)
def compiled(name: str, folder: Path, files: tuple[str, ...], flags: tuple[str, ...]) -> Path:
    """A shared library of some sources; it lies in a temporary folder until the process ends."""
    compiler = shutil.which("gfortran")
    if compiler is None:
        raise BridgeError(f"{name}: no gfortran on this machine to build the reference with")
    place = Path(_workspace().name, name)
    place.mkdir()
    objects = []
    with waiting(f"compiling {name} for the comparison", len(files)) as step:
        for step.done, file in enumerate(files, 1):
            target = place / (Path(file).stem + ".o")
            command = [compiler, "-c", *flags, *_SHARED, str(folder / file), "-o", str(target)]
            _command(command, place)
            objects.append(str(target))
    # linked without the flags: -ffast-math would make the whole process flush to zero
    library = place / f"lib{name}.so"
    _command([compiler, "-shared", "-Wl,-Bsymbolic", "-o", str(library), *objects], place)
    return library


def _command(command: list[str], place: Path) -> None:
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    if done.returncode:
        raise BridgeError(f"{' '.join(command)} failed:\n{done.stderr}")


@lru_cache(maxsize=1)
def _workspace() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="bridge-bench-")
