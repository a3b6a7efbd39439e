"""A pack of Fortran that comes with the package: `bridge bench port` without a pack of the user's.

The legacy physics, and procedures and nests in the style of old codes (bench/port of the Fortran).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bridge.errors import ArgumentError
from bridge.measuring.fortran import sources
from bridge_port.output import pack
from bridge_port.request import of_words

#: Procedures of the legacy physics.
LEGACY = ("eosmodule.f90::eosThermalAndViscousProperties",
          "eosmodule.f90::eosGammaJacobianProperties", "preosmodule.f90::prEOSCalcTFromHP",
          "preosmodule.f90::prEOSThermalProperties", "preoskernelmodule.f90::prEOSSolveCubic",
          "chungtransmodule.f90::chungCalcTransProp")  # fmt: skip
#: Files of bench/port: all procedures of one, all nests between directives of the others.
PROCEDURES, NESTS = "points.f90", ("nests.f90", "oldnests.f")
#: Where random values of arguments mean something.
RANGES = (
    "T=300,2500", "P=1e5,2e7", "T0=300,2000", "hTarget=2e5,2e6", "Y=0.1,0.5", "X=0.1,0.5",
    "velocity=-50,50", "Vref=10,50", "Ared=0.05,0.5", "Bred=0.01,0.09", "W=0.01,0.03",
    "salt=30,40", "tc=0,30", "depth=0,5000", "tk=230,300", "tair=230,300", "qv=0.001,0.02",
    "ql=0,0.001", "tg=600,2500", "conc=0.1,2", "gam=1.3,1.6", "ul=0.5,2", "ur=0.5,2",
    "dt=0.1,1", "dz=1,3", "kdiff=0.1,2", "uPar=0.5,30", "nu=1e-6,1e-4", "h=1,2500",
    "wind=0.5,20", "theta=280,300", "thetas=280,300", "z=5,20", "z0=0.001,0.1",
    "nuTilde=1e-5,1e-3", "dist=0.01,1", "vort=1,1000", "matrix=-2,2",
)  # fmt: skip
_SETUP = """subroutine bridge_setup
  use speciesModule, only: speciesRead, speciesSetKij
  implicit none
  character(len=256) :: message

  call speciesRead('{file}', 'CH4 O2 H2O', message)
  if (len_trim(message) > 0) error stop 'species.dat'
  call speciesSetKij('O2', 'CH4', 0.0289d0, message)
end subroutine bridge_setup
"""


def write(
    folder: Path, stub: str | None, kernels: Sequence[str] = ()
) -> list[tuple[Path, list[str]]]:
    """Packs in `folder`, each with the sources that fill data of its modules. stub: as
    --fortran-stub; kernels: of the packs, none: all."""
    where = sources(stub).resolve()
    found = requests(where)
    if unknown := set(kernels) - {name for name, _ in found}:
        names = ", ".join(sorted(name for name, _ in found))
        raise ArgumentError("--kernel", sorted(unknown)[0], f"one of {names}")
    setup = folder / "setup.f90"
    setup.write_text(_SETUP.format(file=where / "data" / "species.dat"))
    packs: dict[Path, list[str]] = {}
    for name, asked in found:
        if kernels and name not in kernels:
            continue
        request = of_words(asked, folder)
        place = folder / ("legacy" if request.species else "old")
        place.mkdir(exist_ok=True)
        packs[place] = [str(setup)] if request.species else []
        ported = request.ported()
        base = ported.module.base or ported.kernels[0].name
        pack.write(place, base, ported.kernels, ported.pieces(), asked, "", ported.module)
    return list(packs.items())


def requests(where: Path) -> list[tuple[str, list[str]]]:
    """Names of kernels with the words that ask for them, absolute paths; no two of them share a
    quantity but those of the legacy physics."""
    legacy = ["-I" + str(where / "legacy"), "--species=speciesModule::ns", "--prefix=legacy_"]
    found = [
        (f"legacy_{source.partition('::')[2].lower()}", [str(where / "legacy" / source), *legacy])
        for source in LEGACY
    ]
    folder = where / "bench" / "port"
    points = folder / PROCEDURES
    for name in re.findall(r"(?m)^  subroutine (\w+)", points.read_text()):
        own = [f"--prefix={name.lower()}_", "--name=point"]
        found.append((f"{name.lower()}_point", [f"{points}::{name}", *own]))
    for file in NESTS:
        text = (folder / file).read_text()
        for name in re.findall(r"(?m)^[ c]*\W?bridge begin (\w+)", text.replace("!$", "$")):
            own = [f"--prefix={name.lower()}_", "--name=nest"]
            found.append((f"{name.lower()}_nest", [f"{folder / file}@{name}", *own]))
    return found
