"""What `initialize` is asked for: checked by each rank alone, before it agrees with the others."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.bound.statuscounts import Policy
from bridge.errors import ArgumentError
from bridge.memory.hostarrays import integer
from bridge.physics.options import Options
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.settings import Settings, Verification


def species_of(settings: Settings) -> SpeciesData | None:
    """Of the settings `species` and `species_file`; None where the host names none."""
    return SpeciesData.named(settings.get("species"), settings.get("species_file"))


@dataclass(frozen=True)
class Request:
    """What `initialize` was asked for, and what it takes from settings, catalogue and species."""

    device_id: int
    nGridPoints: int
    ns: int
    nq: int
    iTurb: int
    options: Options
    species: SpeciesData | None
    catalogue: Catalogue
    backend: str
    device_policy: str
    layout: tuple[str, ...]
    launch_mode: str
    check_residency: bool
    compare_limit: float
    mixed_ranks: bool
    status: Policy
    stability: str
    verification: Verification

    @classmethod
    def checked(
        cls, settings: Settings, device_id: int, nGridPoints: int, ns: int, nq: int, iTurb: int
    ) -> Request:
        """ArgumentError where one of them, or a setting, cannot be."""
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
        settings.threads(1)  # whether it is a number: how many ranks there are is not known yet
        return cls(
            device_id,
            nGridPoints,
            ns,
            nq,
            iTurb,
            options,
            species,
            Catalogue.installed().with_constants(settings.constants()),
            settings.backend(),
            settings.get("device") or "given",
            settings.qlayout(),
            settings.launch_mode(),
            settings.check_residency(),
            settings.compare_limit(),
            settings.mixed_ranks(),
            Policy(
                settings.status_counts(), settings.status_policy(), settings.status_bits(),
                settings.stopping_bits(), settings.status_interval(),
            ),
            settings.stability(),
            settings.verification(),
        )  # fmt: skip
