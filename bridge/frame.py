"""Frame: the single global object a host program talks to; owns the TVProperties.

Second stop of every call, after the entry: life cycle, settings, communicator, device, report.
"""

from __future__ import annotations

from bridge import log, mpi
from bridge.backends import open_backend
from bridge.catalogue import Catalogue
from bridge.errors import ArgumentError, StateError
from bridge.hostarrays import whole
from bridge.settings import Settings, Value
from bridge.species import SpeciesData
from bridge.timers import Timers, table
from bridge.tvproperties import TVProperties


class Frame:
    """Life cycle of the bridge in one process.

    set -> initialize -> tvproperties ... -> finalize, and again. Python programs may make their
    own; a Fortran program drives the module's one, `frame`.
    """

    def __init__(self) -> None:
        self.settings = Settings()
        self.rank = 0
        self.size = 1
        self.iTurb = 0
        self._tvproperties: TVProperties | None = None
        self._communicator: mpi.Communicator | None = None
        self._timers = Timers()
        self._description: dict[str, str] = {}

    # ---- settings -----------------------------------------------------------------------

    def set(self, key: str, value: Value) -> None:
        """Choose a setting or physics option, as text or a number, before `initialize`; see
        `settings.KEYS`."""
        if self._tvproperties is not None:
            raise StateError(f"frame_set('{key}') came after initialize: settings come before it")
        self.settings.set(key, value)

    # ---- life cycle ---------------------------------------------------------------------

    @property
    def initialized(self) -> bool:
        return self._tvproperties is not None

    @property
    def tvproperties(self) -> TVProperties:
        """What properties are asked of; StateError before initialize and after finalize."""
        if self._tvproperties is None:
            raise StateError("the Frame is not initialised: call frame_initialize first")
        return self._tvproperties

    def initialize(
        self,
        device_id: int,
        nGridPoints: int,
        ns: int,
        nq: int,
        iTurb: int = 0,
        comm: int | None = None,
    ) -> None:
        """Make the views and the backend.

        device_id: GPU of this rank; nGridPoints: most points of a launch; ns: species; nq:
        components of Q; iTurb: kept and reported; comm: Fortran handle of a communicator (then
        collective), None in a serial program or where the world will do.
        """
        if self._tvproperties is not None:
            raise StateError("the Frame is initialised already: call frame_finalize first")
        for name, value, least in (
            ("device_id", device_id, 0),
            ("nGridPoints", nGridPoints, 1),
            ("ns", ns, 1),
            ("nq", nq, 0),
        ):
            if whole(name, value) < least:
                raise ArgumentError(name, value, f"at least {least}")
        log.start()
        options = self.settings.options()
        species = self._species()
        if species is not None and len(species.names) != ns:
            raise ArgumentError(
                "ns", ns, f"{len(species.names)}, the number of names in setting 'species'"
            )
        catalogue = Catalogue.installed().with_constants(self.settings.constants())
        communicator = None if comm is None else mpi.Communicator(comm)
        backend = None
        try:
            self.rank = mpi.host_rank() if communicator is None else communicator.rank
            self.size = mpi.host_size() if communicator is None else communicator.size
            backend = open_backend(
                self.settings.backend(),
                device_id=device_id,
                device_policy=self.settings.get("device") or "given",
                threads=self.settings.threads(self.size),
                communicator=communicator,
            )
            backend.check(catalogue.pack_kernels)
            self._timers = Timers()
            self._tvproperties = TVProperties(
                backend,
                catalogue,
                nGridPoints,
                ns,
                nq,
                self.settings.qlayout(),
                species,
                options,
                self._timers,
                self.settings.way(),
            )
        except BaseException:
            if backend is not None:
                backend.close()
            if communicator is not None:
                communicator.free()
            raise
        self._communicator = communicator
        self.iTurb = iTurb
        self._description = {
            **backend.describe(),
            "ranks": str(self.size),
            "species": " ".join(species.names) if species else f"{ns}, from the host",
            "nGridPoints": str(nGridPoints),
            "nq": str(nq),
            "iTurb": str(iTurb),
        }
        if self.rank == 0:
            log.say(", ".join(f"{key} {value}" for key, value in self._description.items()))

    def _species(self) -> SpeciesData | None:
        names = self.settings.get("species")
        file = self.settings.get("species_file")
        if names is None:
            return None if file is None else SpeciesData.load(None, file)
        return SpeciesData.load(names.replace(",", " ").split(), file)

    def finalize(self) -> None:
        """Free what the Frame owns; `initialize` works again afterwards."""
        tvproperties = self.tvproperties
        self._tvproperties = None
        try:
            tvproperties.close()
        finally:
            if self._communicator is not None:
                self._communicator.free()
                self._communicator = None
            log.flush()

    # ---- report -------------------------------------------------------------------------

    def report(self) -> None:
        """Print devices, settings and timers on rank 0; collective with a communicator."""
        views = self.tvproperties.impl.views
        mine = self._timers.snapshot()
        ranks = [mine] if self._communicator is None else self._communicator.gather(mine)
        if ranks is None or (self._communicator is None and self.rank != 0):
            return
        facts = {**self._description, **self.settings.shown()}
        facts["views"] = f"{len(views.names())} in {views.allocations} allocations"
        lines = [f"{key:<12} {value}" for key, value in facts.items()]
        log.block("\n".join([*lines, "", table(ranks)]))


#: The one Frame that the entry points drive.
frame = Frame()
