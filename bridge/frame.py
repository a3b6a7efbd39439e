"""Frame: the single global object a host program talks to; owns the TVProperties.

Second stop of every call, after the entry: life cycle, settings, communicator, device, report.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, overload

from bridge import log, mpi
from bridge.backends import open_backend
from bridge.bound import stability
from bridge.bound.stability import Seen
from bridge.errors import ArgumentError, StateError
from bridge.mpi import Ranks
from bridge.observers import Observers
from bridge.physics.species import SpeciesData
from bridge.plan import replacements
from bridge.plan.catalogue import Catalogue
from bridge.request import Request, species_of
from bridge.settings import Settings, Value, unknown_variables
from bridge.tvproperties import TVProperties

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from bridge.backends.base import Backend
    from bridge.doctor.findings import Report
    from bridge.functions.setarrays import SetArrays
    from bridge.timers.ledger import Ledger
    from bridge.verify.probe import Probe


#: No value: None is one that is refused.
_NONE: Any = object()


class Frame:
    """Life cycle of the bridge in one process.

    The order of calls is set, initialize, tvproperties ..., finalize; then it may begin again. A
    Python program makes its own Frame; a Fortran program uses the one of this module, `frame`.

    In Python a `with` statement initialises and finalises it:

        with bridge.Frame(1000, species="O2 CH4", backend="cpu") as frame:
            frame.tvproperties.eosThermalProperties(1000)

    Args:
        nGridPoints: largest number of points of a launch. If it is given, `with` initialises.
        ns: number of species; None: those of the settings `species` and `species_file`.
        nq: number of components of Q; None: 5 + ns.
        device_id: see `initialize`.
        iTurb: see `initialize`.
        comm: see `initialize`.
        **settings: any setting of `set`, by name.
    """

    def __init__(
        self,
        nGridPoints: int | None = None,
        *,
        ns: int | None = None,
        nq: int | None = None,
        device_id: int = 0,
        iTurb: int = 0,
        comm: int | None = None,
        **settings: Value,
    ) -> None:
        self.settings = Settings()
        self._sizes = nGridPoints, ns, nq
        self._others = device_id, iTurb, comm
        self.rank = 0
        self.size = 1
        self.iTurb = 0
        self._tvproperties: TVProperties | None = None
        self._communicator: mpi.Communicator | None = None
        self._observers = Observers()
        self._description: dict[str, str] = {}
        #: Whether callers may do runs again without Python: nothing takes calls down.
        self.native = self.native_views = False

        for key, value in settings.items():
            self.set(key, value)

    def __enter__(self) -> Frame:
        """Initialise, where a number of points was given."""
        points, ns, nq = self._sizes
        if points is not None:
            device_id, iTurb, comm = self._others
            if ns is None:
                species = self._species()
                ns = 0 if species is None else len(species.names)
            self.initialize(device_id, points, ns, 5 + ns if nq is None else nq, iTurb, comm)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Finalise what is initialised. Not after an error with a communicator: other ranks may
        not come to an end that is collective, and the error has to leave this one."""
        if self.initialized and (kind is None or self._communicator is None):
            self.finalize()

    # ---- settings -----------------------------------------------------------------------

    @overload
    def set(self, key: str) -> AbstractContextManager[SetArrays]: ...
    @overload
    def set(self, key: str, value: Value) -> None: ...
    def set(self, key: str, value: Any = _NONE) -> Any:
        """Choose a setting or physics option, as text or a number, before `initialize`; see
        `settings.KEYS`. With a name alone: the arrays of a set of points, in a `with` block; see
        `TVProperties.arrays`."""
        if value is _NONE:
            return self.tvproperties.arrays(key)
        if self._tvproperties is not None:
            raise StateError(f"frame_set('{key}') came after initialize: settings come before it")
        self.settings.set(key, value)

    # ---- life cycle ---------------------------------------------------------------------

    @property
    def initialized(self) -> bool:
        """Whether the Frame is between `initialize` and `finalize`."""
        return self._tvproperties is not None

    @property
    def tvproperties(self) -> TVProperties:
        """The object that computes; StateError before initialize and after finalize."""
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

        Args:
            device_id: GPU of this rank.
            nGridPoints: largest number of points of a launch (the chunk).
            ns: number of species; 0 for kernel packs that need none.
            nq: number of components of Q.
            iTurb: number of the turbulence model; kept and reported, no kernel reads it.
            comm: Fortran handle of a communicator. The call is then collective on it. None in a
                serial program, or for MPI_COMM_WORLD without collective calls.
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
        """The first half of `initialize`: the checks that a rank can do alone, before all ranks
        agree. Nothing is collective and nothing is kept."""
        if self._tvproperties is not None:
            raise StateError("the Frame is initialised already: call frame_finalize first")
        log.start()
        return Request.checked(self.settings, device_id, nGridPoints, ns, nq, iTurb)

    def open(self, request: Request, given: mpi.Given | None, agree: bool = True) -> None:
        """The second half of `initialize`: backend and views. Collective where a communicator
        was given; then all ranks have a Frame afterwards or none, unless `agree` is false: a rank
        that fails leaves at once, because its failure ends the job."""
        begin = perf_counter_ns()
        communicator = None if given is None else given.duplicate()
        observers = tvproperties = None
        error: BaseException | None = None
        machine: dict[str, str] = {}
        try:
            self.rank = mpi.host_rank() if communicator is None else communicator.rank
            self.size = mpi.host_size() if communicator is None else communicator.size
            observers = Observers.asked_for(self.settings, self.rank, self.size)
            tvproperties = self._opened(request, communicator, observers)
            if communicator is not None:
                machine = _machine(tvproperties.impl.backend, request.catalogue)
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
                if tvproperties is not None:
                    tvproperties.close()
            finally:
                if communicator is not None and agree:
                    communicator.free()
            raise
        assert observers is not None and tvproperties is not None
        self._tvproperties = tvproperties
        self._communicator = communicator
        self._observers = observers
        backend = tvproperties.impl.backend
        self.native = backend.native and not observers.see_each
        self.native_views = self.native and hasattr(backend, "copy")
        observers.verify(tvproperties, request.verification, self.rank, self.fingerprint)
        self.iTurb = request.iTurb
        self._description = self._described(request)
        if self.rank == 0:
            for line in [*unknown_variables(), *mixed.splitlines()]:
                log.say(line)
            log.say(", ".join(f"{key} {value}" for key, value in self._description.items()))
        observers.record(tvproperties, self._description, begin)

    def _opened(
        self, request: Request, communicator: mpi.Communicator | None, observers: Observers
    ) -> TVProperties:
        """The views on their backend; where one fails the backend is closed."""
        backend = open_backend(
            request.backend,
            device_id=request.device_id,
            device_policy=request.device_policy,
            threads=self.settings.threads(self.size),
            communicator=communicator,
            recorder=observers.recorder,
        )
        try:
            backend.check(request.catalogue.pack_kernels)
            ranks = Ranks(self.rank, self.size, communicator)
            return TVProperties(request, backend, observers.timers, ranks)
        except BaseException:
            backend.close()
            raise

    def _described(self, request: Request) -> dict[str, str]:
        """What the log and the report say of a run."""
        described = {
            **self.tvproperties.impl.backend.describe(),
            "ranks": str(self.size),
            "species": _species_line(request.species, request.ns),
            "nGridPoints": str(request.nGridPoints),
            "nq": str(request.nq),
            "iTurb": str(request.iTurb),
        }
        replaced = replacements.shown(request.catalogue)
        if replaced:
            described["replaced"] = replaced
        return described

    @property
    def counts(self) -> Ledger | None:
        """Where calls are counted; None where no setting asks for it."""
        return self._observers.counts

    def ledger(self) -> dict[str, dict[str, int]]:
        """What each kind of call has copied, allocated and waited for since initialize, by the
        fields of `timers.ledger.FIELDS`; StateError where no setting asked for timers or a trace.
        """
        return self._observers.ledger()

    def _species(self) -> SpeciesData | None:
        return species_of(self.settings)

    def finalize(self) -> None:
        """Free what the Frame owns; `initialize` works again afterwards."""
        tvproperties = self.tvproperties
        self._tvproperties, self.native, self.native_views = None, False, False
        observers, self._observers = self._observers, Observers()
        communicator, self._communicator = self._communicator, None
        gather = _alone if communicator is None else communicator.gather
        try:
            tvproperties.close()
            observers.say_verified(gather)
        finally:
            self._say_stability(gather(tvproperties.stability()), communicator is None)
            observers.finish(None if communicator is None else communicator.gather)
            if communicator is not None:
                communicator.free()
            log.flush()

    def _say_stability(self, ranks: list[Seen] | None, alone: bool) -> None:
        """Which mixtures would split, of all ranks in sum; alone: of this one."""
        for line in stability.summary(ranks or [], split=True):
            log.say(f"rank {self.rank}: {line}" if alone else line)

    # ---- report -------------------------------------------------------------------------

    def report(self) -> None:
        """Print devices, settings and timers on rank 0; collective with a communicator."""
        from bridge import report  # a start need not find it

        communicator = self._communicator
        mine = report.of_rank(self._observers.timers, self.tvproperties)
        parts = _alone(mine) if communicator is None else communicator.gather(mine)
        if parts is None or (communicator is None and self.rank != 0):
            return
        from bridge.fingerprint import lines

        digest = lines.digest(self._parts())
        facts = {**self._description, **self.settings.shown(), "fingerprint": digest}
        limit = self.settings.compare_limit()
        for block in report.blocks(parts, facts, self.tvproperties, limit):
            log.block(block)

    # ---- what runs, and what it met -------------------------------------------------------

    def fingerprint(self) -> str:
        """What decides the bits of a run, but for the C library and the C++ compiler, as lines of
        text (`fingerprint.lines`)."""
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

    def probe(
        self, set: str, i: int, j: int, k: int, composite: str = "", block: int = 0
    ) -> Probe:
        """Compute everything that the kernels of a composite make at one point, from the present
        inputs. The arrays are not written.

        Args:
            set: a set of bound arrays.
            i: position of the point along x, counted as SptX is.
            j: along y.
            k: along z.
            composite: a composite or kernel; "" for that of the set's latest run.
            block: number of the block, from 1, in a set of many blocks; else 0.
        """
        from bridge.verify.probe import probe

        return probe(self.tvproperties, set, composite, (i, j, k), block)

    def print_probe(
        self, set: str, i: int, j: int, k: int, composite: str = "", block: int = 0
    ) -> None:
        """Print the same."""
        log.block(self.probe(set, i, j, k, composite, block).text())

    def doctor(
        self, file: str = "", which: str = "first", chosen: str | None = None, host: bytes = b""
    ) -> Report:
        """Write what `bridge doctor` prints, for this process; collective with a communicator.

        Args:
            file: JSON if the name ends in .json, else text; "": the log.
            which: "first" for rank 0 alone, or "all": each rank writes FILE.RANK.
            chosen: for a Fortran program: how its Python was found.
            host: for a Fortran program: its floating-point environment.
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
        found = examination.examine(entered, backend, self.settings, places, rank=number)
        if which == "first" and rank > 0:
            return found
        if not file:
            log.block(found.text())
        else:
            alone = which == "first" or number is None
            examination.write(file if alone else f"{file}.{number}", [found])
        return found


def _machine(backend: Backend, catalogue: Catalogue) -> dict[str, str]:
    """What ranks of a communicator share; a run of one rank imports none of it."""
    from bridge.fingerprint import parts

    return parts.of_machine(backend, catalogue)


def _alone(value: Any) -> list[Any]:
    """The values of all ranks where there is no communicator."""
    return [value]


def _species_line(species: SpeciesData | None, ns: int) -> str:
    if species is not None:
        return " ".join(species.names)
    return f"{ns}, from the host" if ns else "none"


#: The one Frame that the entry points drive.
frame = Frame()
