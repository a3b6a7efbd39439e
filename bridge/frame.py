"""Frame: the single global object a host program talks to; owns the TVProperties.

Second stop of every call, after the entry: life cycle, settings, communicator, device, report.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter_ns
from typing import TYPE_CHECKING

from bridge import log, mpi
from bridge.backends import open_backend
from bridge.bound import comparisons
from bridge.bound.statuscounts import Policy, summary
from bridge.errors import ArgumentError, StateError
from bridge.memory.hostarrays import integer
from bridge.physics.options import Options
from bridge.physics.species import SpeciesData
from bridge.plan import replacements, verified
from bridge.plan.catalogue import Catalogue
from bridge.settings import Settings, Value, unknown_variables
from bridge.timers import Timers, before_frame, profiled, table
from bridge.tvproperties import TVProperties

if TYPE_CHECKING:
    from bridge.backends.base import Backend
    from bridge.doctor.findings import Report
    from bridge.timers.recorder import Recorder


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
        self._recorder: Recorder | None = None
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

        device_id: GPU of this rank; nGridPoints: most points of a launch; ns: species, 0
        where kernel packs run that know none; nq: components of Q; iTurb: kept and reported; comm:
        Fortran handle of a communicator (then collective), None in a serial program or where the
        world will do.
        """
        given = None if comm is None else mpi.Given(comm)
        try:
            request = self.check(device_id, nGridPoints, ns, nq, iTurb)
        except BaseException as error:
            if given is not None:
                given.agree(error)
            raise
        if given is not None:
            given.agree(None)
        self.open(request, given)

    def check(self, device_id: int, nGridPoints: int, ns: int, nq: int, iTurb: int = 0) -> Request:
        """The first half of `initialize`: what a rank can find wrong alone, before it agrees
        with the others. Nothing is collective and nothing is kept."""
        if self._tvproperties is not None:
            raise StateError("the Frame is initialised already: call frame_finalize first")
        for name, value, least in (
            ("device_id", device_id, 0),
            ("nGridPoints", nGridPoints, 1),
            ("ns", ns, 0),
            ("nq", nq, 0),
        ):
            if integer(name, value) < least:
                raise ArgumentError(name, value, f"at least {least}")
        log.start()
        settings = self.settings
        options = settings.options()
        species = self._species()
        if species is not None and len(species.names) != ns:
            raise ArgumentError(
                "ns", ns, f"{len(species.names)}, the number of names in setting 'species'"
            )
        settings.threads(1)  # whether it is a number: how many ranks there are is not known yet
        return Request(
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
                settings.status_interval(),
            ),
        )  # fmt: skip

    def open(self, request: Request, given: mpi.Given | None, agree: bool = True) -> None:
        """The second half of `initialize`: backend and views. Collective where a communicator
        was given; then all ranks have a Frame afterwards or none, unless `agree` is false: a rank
        that fails leaves at once, because its failure ends the job."""
        begin = perf_counter_ns()
        communicator = None if given is None else given.duplicate()
        backend = tvproperties = recorder = None
        error: BaseException | None = None
        machine: dict[str, str] = {}
        try:
            self.rank = mpi.host_rank() if communicator is None else communicator.rank
            self.size = mpi.host_size() if communicator is None else communicator.size
            recorder = self._new_recorder()
            backend = open_backend(
                request.backend,
                device_id=request.device_id,
                device_policy=request.device_policy,
                threads=self.settings.threads(self.size),
                communicator=communicator,
                recorder=recorder,
            )
            backend.check(request.catalogue.pack_kernels)
            self._timers = Timers() if recorder is None else recorder.host
            tvproperties = TVProperties(
                backend,
                request.catalogue,
                request.nGridPoints,
                request.ns,
                request.nq,
                request.layout,
                request.species,
                request.options,
                self._timers,
                request.launch_mode,
                request.check_residency,
                request.compare_limit,
                self.rank,
                communicator,
                self.size,
                request.status,
            )
            if communicator is not None:
                machine = _machine(backend, request.catalogue)
        except BaseException as raised:
            error = raised
        mixed = ""
        try:
            if communicator is not None and (agree or error is None):
                machines = communicator.agreed(error, machine)
                from bridge.fingerprint import ranks

                mixed = ranks.mixture(machines)
                if not request.mixed_ranks:
                    ranks.refuse(mixed)
            if error is not None:
                raise error
        except BaseException:
            try:
                if backend is not None:
                    (tvproperties or backend).close()
            finally:
                if communicator is not None and agree:
                    communicator.free()
            raise
        assert backend is not None and tvproperties is not None
        self._tvproperties = tvproperties
        self._communicator = communicator
        self.iTurb = request.iTurb
        species = request.species
        self._description = {
            **backend.describe(),
            "ranks": str(self.size),
            "species": _described(species, request.ns),
            "nGridPoints": str(request.nGridPoints),
            "nq": str(request.nq),
            "iTurb": str(request.iTurb),
        }
        replaced = replacements.shown(request.catalogue)
        if replaced:
            self._description["replaced"] = replaced
        if self.rank == 0:
            for line in [*unknown_variables(), *mixed.splitlines()]:
                log.say(line)
            log.say(", ".join(f"{key} {value}" for key, value in self._description.items()))
        if recorder is not None:
            self._record(recorder, tvproperties, begin)

    # ---- what a run is taken down in ------------------------------------------------------

    def _new_recorder(self) -> Recorder | None:
        """None where no setting asks for it; nothing of it is imported then."""
        settings = self.settings
        timers, trace, nvtx = settings.timers(), settings.trace(), settings.nvtx()
        if timers is None and trace is None and nvtx in ("false", "0"):
            return None
        if timers is None and trace is None and nvtx == "auto" and not profiled():
            return None
        from bridge.timers.recorder import Recorder

        return Recorder(timers, trace, nvtx, self.rank, self.size)

    def _record(self, recorder: Recorder, tvproperties: TVProperties, begin: int) -> None:
        """From now on, until finalize or the end of the process."""
        import atexit

        recorder.described = self._description
        recorder.ledger.watch(tvproperties)
        recorder.host["initialize"].past(begin, perf_counter_ns())
        before_frame.clear()
        self._recorder = recorder
        atexit.register(self._leave)
        self._say(recorder)

    def _leave(self) -> None:
        """The end of a process that has not finalised."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.leave()
            self._say(recorder)

    def _finish(self, recorder: Recorder) -> None:
        """Write what was taken down; collective with a communicator."""
        import atexit

        atexit.unregister(self._leave)
        gather = None if self._communicator is None else self._communicator.gather
        told = recorder.finish(gather)
        self._say(recorder)
        if told:
            log.block(told)

    @staticmethod
    def _say(recorder: Recorder) -> None:
        for line in recorder.said:
            log.say(line)
        recorder.said.clear()

    def ledger(self) -> dict[str, dict[str, int]]:
        """What each kind of call has copied, allocated and waited for since initialize, by the
        fields of `timers.ledger.FIELDS`; StateError where no setting asked for timers or a trace.
        """
        if self._recorder is None:
            raise StateError(
                "there is no ledger: set 'timers' or 'trace' before initialize ('-' for timers "
                "that no file is written of)"
            )
        return self._recorder.ledger.entries()

    def _species(self) -> SpeciesData | None:
        return SpeciesData.named(self.settings.get("species"), self.settings.get("species_file"))

    def finalize(self) -> None:
        """Free what the Frame owns; `initialize` works again afterwards."""
        tvproperties = self.tvproperties
        self._tvproperties = None
        recorder, self._recorder = self._recorder, None
        try:
            tvproperties.close()
        finally:
            if recorder is not None:
                self._finish(recorder)
            if self._communicator is not None:
                self._communicator.free()
                self._communicator = None
            log.flush()

    # ---- report -------------------------------------------------------------------------

    def report(self) -> None:
        """Print devices, settings and timers on rank 0; collective with a communicator."""
        views = self.tvproperties.impl.views
        mine = self._timers.snapshot(), self.tvproperties.compared(), self.tvproperties.met()
        told = [mine] if self._communicator is None else self._communicator.gather(mine)
        if told is None or (self._communicator is None and self.rank != 0):
            return
        facts = {**self._description, **self.settings.shown()}
        from bridge.fingerprint import lines

        facts["fingerprint"] = lines.digest(self._parts())
        facts["views"] = f"{len(views.names())} in {views.allocations} allocations"
        limit = self.tvproperties.impl.backend.limit()
        if limit is not None:
            facts[limit.name] = limit.text
        shown = [f"{key:<12} {value}" for key, value in facts.items()]
        backend = self.tvproperties.impl.backend
        ported = verified.states(backend.target)
        if ported:
            shown += ["", *(f"{name}: {state}" for name, state in ported.items())]
        shares = () if limit is None else (limit.name, limit.bandwidth)
        log.block("\n".join([*shown, "", table([timers for timers, *_ in told], *shares)]))
        compared = comparisons.table([totals for _, totals, _ in told])
        if compared:
            limit_ = self.settings.compare_limit()
            log.block(f"\ncompared with the host's own loops, limit {limit_:g}\n{compared}")
        log.block("\n".join(summary([met for *_, met in told])))

    # ---- what runs, and what it met -------------------------------------------------------

    def fingerprint(self) -> str:
        """All that decides the bits of a run, as lines of text (`fingerprint.lines`)."""
        from bridge.fingerprint import lines

        return lines.text(self._parts())

    def _parts(self) -> dict[str, str]:
        from bridge.fingerprint import parts

        impl, tv = self.tvproperties.impl, self.tvproperties
        constants = {name: one.values for name, one in impl.constants.items() if one.filled}
        run = parts.Run(
            impl.backend, impl.catalogue, tv.options, tv.species, self.settings.qlayout(),
            self.settings.launch_mode(), constants, impl.tables.digests(),
        )  # fmt: skip
        return parts.of_run(run)

    def status_points(self, set: str, bits: int | None, most: int) -> None:
        """Print the first points of a set that have one of these bits, with their inputs."""
        for line in self.tvproperties.status_points(set, bits, most):
            log.say(f"rank {self.rank}: set '{set}': {line}")

    def doctor(
        self, file: str = "", which: str = "first", chosen: str | None = None, host: bytes = b""
    ) -> Report:
        """Write what `bridge doctor` prints, of this process; collective with a communicator.

        file: JSON where its name ends in .json, else text; "": the log. which: "first" rank, or
        "all", each into FILE.RANK. chosen, host: of a Fortran program: how its Python was found,
        and its floating-point environment.
        """
        from bridge.doctor import examination

        if which not in ("first", "all"):
            raise ArgumentError("ranks", repr(which), "'first' or 'all'")
        log.start()
        backend = None if self._tvproperties is None else self._tvproperties.impl.backend
        comm = self._communicator
        mine = examination.place(backend)
        places = [mine] if comm is None else comm.allgather(mine)
        entered = None if chosen is None else examination.Entered(chosen, host)
        size = mpi.host_size() if comm is None else comm.size
        rank = mpi.host_rank() if comm is None else comm.rank
        number = rank if size > 1 else None
        report = examination.examine(entered, backend, self.settings, places, rank=number)
        if which == "first" and rank > 0:
            return report
        if not file:
            log.block(report.text())
        else:
            alone = which == "first" or number is None
            examination.write(file if alone else f"{file}.{number}", [report])
        return report


def _machine(backend: Backend, catalogue: Catalogue) -> dict[str, str]:
    """What ranks of a communicator share; a run of one rank imports none of it."""
    from bridge.fingerprint import parts

    return parts.of_machine(backend, catalogue)


def _described(species: SpeciesData | None, ns: int) -> str:
    if species is not None:
        return " ".join(species.names)
    return f"{ns}, from the host" if ns else "none"


#: The one Frame that the entry points drive.
frame = Frame()
