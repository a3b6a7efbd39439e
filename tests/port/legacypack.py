"""The legacy physics of fortran_stub as packs, in the place of the shipped composites."""

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
#: What the flow solver calls, a pack of its own: its `rho` is another quantity than theirs.
DENSITY = {
    "eosmodule.f90::eosThermalFromRhoE": (
        "eosThermalFromRhoE",
        {"rho": "rho_target", "e": "e_target", "prhoe": "p_rhoe", "prhoi": "p_rhoi"},
    ),
}
#: Written where the solver has given its species.
_AFTER = "    call must('frame_initialize', ierr)\n"


def request(source: str, **more: object) -> Request:
    return Request(
        str(LEGACY / source), folders=(str(LEGACY),), prefix="legacy_",
        species="speciesModule::ns", **more,  # type: ignore[arg-type]
    )  # fmt: skip


def write(folder: Path) -> None:
    """The packs `legacy`, what is replaced and what the composites do not call, and `density`."""
    _write(folder / "legacy", REPLACED, "legacy_")
    _port(folder / "legacy", [f"{HERE}/legacy_rest.f90::legacyRest"], "legacy_")
    _write(folder / "density", DENSITY, "density_")


def _write(folder: Path, replaced: dict[str, tuple[str, dict[str, str]]], prefix: str) -> None:
    for source, (composite, stands) in replaced.items():
        said = [f"{name}={other}" for name, other in stands.items()]
        words = ["--stand", *said] if said else []
        _port(folder, [str(LEGACY / source), f"--replace={composite}", *words], prefix)


def _port(folder: Path, asked: list[str], prefix: str) -> None:
    source, *said = asked
    words = [source, f"-I{LEGACY}", "--species=speciesModule::ns", *said, f"--prefix={prefix}"]
    ported = of_words(words, folder).ported()
    pack.write(folder, ported.kernels[0].name, ported.kernels, ported.pieces(),
               options.kept(options.parsed(words, folder), folder),
               "-O2 -ffp-contract=off", ported.module)  # fmt: skip


def gives(source: str) -> str:
    """Module and subroutine that give the species' data to a kernel."""
    return f"legacy_{source.partition('::')[2].lower()}"


def solver_command(folder: Path, place: Path) -> list[str]:
    """What compiles the flow solver with the data of the legacy modules given to the pack."""
    text = (STUB / "makefile").read_text().replace("\\\n", "")
    names = {
        kind: next(
            line.partition(":=")[2].split()
            for line in text.splitlines()
            if line.startswith(f"{kind}_sources")
        )
        for kind in ("legacy", "flow")
    }
    kernel = "density_eosthermalfromrhoe"
    plain = (STUB / "flow" / "bridgepropertiesmodule.f90").read_text()
    assert plain.count(_AFTER) == 1
    given = plain.replace(_AFTER, f"{_AFTER}    call give_{kernel}\n")
    given = given.replace(
        "  use bridge,", f"  use {kernel}_bridge, only: give_{kernel}\n  use bridge,", 1
    )
    own = place / "bridgepropertiesmodule.f90"
    own.write_text(given)
    solver = [STUB / "flow" / f"{name}.f90" for name in names["flow"]]
    sources = [
        *(STUB / "legacy" / f"{name}.f90" for name in names["legacy"]),
        folder / f"{kernel}_bridge.f90",
        *(own if path.name == own.name else path for path in solver),
    ]
    return [
        "mpif90", "-O2", "-ffp-contract=off", "-J.", *bridge_objects("mpif90"),
        *(str(path) for path in sources), *bridge_config("--fflags", "--libs", folder=place),
        "-o", "flow",
    ]  # fmt: skip
