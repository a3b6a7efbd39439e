"""What a Frame is asked for: checked by each rank alone, before it agrees with the others."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.errors import ArgumentError
from bridge.memory.hostarrays import integer
from bridge.physics.options import Options
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.settings import Functions, Settings, StatusPolicy, Verification


def species_of(settings: Settings) -> SpeciesData | None:
    """Of the settings `species` and `species_file`; None where the host names none."""
    return SpeciesData.named(settings.get("species"), settings.get("species_file"))


@dataclass(frozen=True)
class Request:
    """What a Frame is asked for: by `initialize`, and by settings, catalogue and species.

    nGridPoints: points of a launch or chunk at most; ns, nq: species, components of Q;
    species: their constants, None until the host hands them over; layout: the columns of Q;
    launch_mode: how composites are launched on views (`settings.LAUNCHES`); check_residency:
    what a CPU looks for in resident arrays (`settings.CHECKS`); compare_limit: of a difference
    that a comparison counts; status: what happens to the status words of runs; stability:
    which points are tested for mixtures that would split (`settings.STABILITIES`); functions:
    of the user; exchange: how messages between GPUs go (`settings.EXCHANGES`); exchange_timeout:
    seconds until a rank that an exchange waits for is named.
    """

    nGridPoints: int
    ns: int
    nq: int
    species: SpeciesData | None
    options: Options
    catalogue: Catalogue
    layout: tuple[str, ...]
    launch_mode: str
    check_residency: str
    compare_limit: float
    status: StatusPolicy
    stability: str
    device_id: int
    iTurb: int
    backend: str
    device_policy: str
    mixed_ranks: bool
    verification: Verification
    functions: Functions
    exchange: str
    exchange_timeout: float

    @classmethod
    def of(
        cls, settings: Settings, nGridPoints: int, ns: int, nq: int, species: SpeciesData | None,
        catalogue: Catalogue, options: Options | None = None, device_id: int = 0, iTurb: int = 0,
    ) -> Request:  # fmt: skip
        """With what the settings say, which are checked; options: those of the settings if
        None."""
        settings.threads(1)  # whether it is a number: how many ranks there are is not known yet
        return cls(
            nGridPoints, ns, nq, species, options or settings.options(), catalogue,
            settings.qlayout(), settings.launch_mode(), settings.check_residency(),
            settings.compare_limit(), settings.status(), settings.stability(), device_id, iTurb,
            settings.backend(), settings.get("device") or "given", settings.mixed_ranks(),
            settings.verification(), settings.functions(), settings.exchange(),
            settings.exchange_timeout(),
        )  # fmt: skip

    @classmethod
    def checked(
        cls, settings: Settings, device_id: int, nGridPoints: int, ns: int, nq: int, iTurb: int
    ) -> Request:
        """The same with the catalogue that is installed and the species of the settings;
        ArgumentError where one of them, or a setting, cannot be."""
        for name, value, least in (
            ("device_id", device_id, 0),
            ("nGridPoints", nGridPoints, 1),
            ("ns", ns, 0),
            ("nq", nq, 0),
        ):
            if integer(name, value) < least:
                raise ArgumentError(name, value, f"at least {least}")
        options = settings.options()
        species = species_of(settings)
        if species is not None and len(species.names) != ns:
            raise ArgumentError(
                "ns", ns, f"{len(species.names)}, the number of names in setting 'species'"
            )
        catalogue = Catalogue.installed().with_options(options)
        catalogue = catalogue.with_constants(settings.constants())
        return cls.of(settings, nGridPoints, ns, nq, species, catalogue, options, device_id, iTurb)
