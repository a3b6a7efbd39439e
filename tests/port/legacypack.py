"""The legacy physics of fortran_stub as a pack, in the place of the shipped composites."""

from __future__ import annotations

from pathlib import Path

from hosts import bridge_config, bridge_objects
from mpi.conftest import STUB

from bridge_port import options
from bridge_port.output import pack
from bridge_port.request import Request, of_words

LEGACY, HERE = STUB / "legacy", Path(__file__).parent
#: Modules that read files or declare kinds and tables alone.
WITHOUT = ("speciesmodule.f90", "genkinddefs.f90", "chungtablesmodule.f90")
#: The shipped composite of each legacy procedure, and what the names do not say.
REPLACED: dict[str, tuple[str, dict[str, str]]] = {
    "eosmodule.f90::eosThermalAndViscousProperties": ("eosThermalAndViscousProperties", {}),
    "eosmodule.f90::eosGammaJacobianProperties": ("eosGammaJacobianProperties", {"htotal": "h0"}),
    "preosmodule.f90::prEOSCalcTFromHP": ("prEOSCalcTFromHP", {"htarget": "h_target"}),
}
#: Written where the mock solver has given its species.
_AFTER = "    call must('frame_initialize', ierr)\n"


def request(source: str, **more: object) -> Request:
    return Request(
        str(LEGACY / source), folders=(str(LEGACY),), prefix="legacy_",
        species="speciesModule::ns", **more,  # type: ignore[arg-type]
    )  # fmt: skip


def write(folder: Path) -> None:
    """The pack: what is replaced, and what the composites do not call."""
    asked = [[f"{HERE}/legacy_rest.f90::legacyRest"]]
    for source, (composite, stands) in REPLACED.items():
        said = [f"{name}={other}" for name, other in stands.items()]
        words = ["--stand", *said] if said else []
        asked.append([str(LEGACY / source), f"--replace={composite}", *words])
    for source, *said in (*asked[1:], asked[0]):
        words = [source, f"-I{LEGACY}", "--species=speciesModule::ns", *said, "--prefix=legacy_"]
        ported = of_words(words, folder).ported()
        pack.write(folder, ported.kernels[0].name, ported.kernels, ported.pieces(),
                   options.kept(options.parsed(words, folder), folder),
                   "-O2 -ffp-contract=off", ported.module)  # fmt: skip


def gives(source: str) -> str:
    """Module and subroutine that give the species' data to a kernel."""
    return f"legacy_{source.partition('::')[2].lower()}"


def solver_command(folder: Path, place: Path) -> list[str]:
    """What compiles the mock solver with the data of the legacy modules given to the pack."""
    text = (STUB / "makefile").read_text().replace("\\\n", "")
    names = {
        kind: next(
            line.partition(":=")[2].split()
            for line in text.splitlines()
            if line.startswith(f"{kind}_sources")
        )
        for kind in ("legacy", "solver")
    }
    kernel = gives("::eosThermalAndViscousProperties")
    plain = (STUB / "solver" / "bridgepropertiesmodule.f90").read_text()
    assert plain.count(_AFTER) == 1
    given = plain.replace(_AFTER, f"{_AFTER}    call give_{kernel}\n")
    given = given.replace(
        "  use bridge,", f"  use {kernel}_bridge, only: give_{kernel}\n  use bridge,", 1
    )
    own = place / "bridgepropertiesmodule.f90"
    own.write_text(given)
    solver = [STUB / "solver" / f"{name}.f90" for name in names["solver"]]
    sources = [
        *(STUB / "legacy" / f"{name}.f90" for name in names["legacy"]),
        STUB / "checksummodule.f90",
        folder / f"{kernel}_bridge.f90",
        *(own if path.name == own.name else path for path in solver),
    ]
    return [
        "mpif90", "-O2", "-ffp-contract=off", "-J.", *bridge_objects("mpif90"),
        *(str(path) for path in sources), *bridge_config("--fflags", "--libs", folder=place),
        "-o", "solver",
    ]  # fmt: skip
