"""TVProperties: what a caller may ask for; names, shapes and bounds are checked here.

Owned by the Frame, owns a TVImpl. Every entry point that moves data or launches kernels ends
in one method of this class; Python callers use the same methods on NumPy arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge.backends.base import Backend
from bridge.bound.boundarrays import BoundArrays
from bridge.bound.boundsets import BoundSets
from bridge.bound.compared import Key, Total
from bridge.bound.datamovement import DataMovement
from bridge.bound.matching import Matched
from bridge.bound.pointsets import PointSet
from bridge.bound.stability import Seen
from bridge.bound.statuscounts import Totals
from bridge.composites import Composites
from bridge.errors import ArgumentError, StateError
from bridge.memory.constants import ConstantView
from bridge.memory.hostarrays import host_array, integer, numpy_bounds
from bridge.memory.marshal import Bounds, StripeTransfer
from bridge.memory.qlayout import check_width
from bridge.memory.viewuse import me
from bridge.mpi import Ranks
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.declarations import Composite
from bridge.plan.plan import Plan
from bridge.plan.plans import Plans
from bridge.prepared import Change, PreparedLaunch
from bridge.primitives.primitives import Primitives
from bridge.request import Request
from bridge.timers import Timers
from bridge.tvimpl import TVImpl

if TYPE_CHECKING:
    from bridge.bound.exchanges import Exchanges
    from bridge.bound.reducedconstants import ReducedConstants
    from bridge.bound.sequences import Sequences
    from bridge.functions.calls import Functions
    from bridge.functions.setarrays import SetArrays


class TVProperties(Composites, BoundArrays, DataMovement):
    """Thermal and viscous properties of up to nGridPoints points at a time.

    request: what the Frame is asked for; backend: a started one; timers: of the host's calls;
    ranks: of the Frame.

    primitives: gather, scatter, scan, split and sort on views and bound arrays;
    primitives_from_1: the same, points numbered from 1 as Fortran has them.
    """

    def __init__(
        self,
        request: Request,
        backend: Backend,
        timers: Timers | None = None,
        ranks: Ranks | None = None,
    ) -> None:
        ns, species = request.ns, request.species
        self.ns = ns
        self.n_grid_points = request.nGridPoints
        self.options = request.options
        self._catalogue = request.catalogue
        self._layout = request.layout
        self.impl = TVImpl(request, backend, timers or Timers())
        self._launches = self.impl.prepared.of(PreparedLaunch)
        self._plans = Plans(request.catalogue, ns)
        self._bound = BoundSets(request, self.impl, self._plans, ranks or Ranks())
        self.primitives = Primitives(self.impl, self._bound)
        self.primitives_from_1 = Primitives(self.impl, self._bound, first=1)
        self._ranks = ranks or Ranks()
        self._request = request
        if species is not None:
            self.use_species(species)
        elif ns == 0:  # options choose between formulas of species: the defaults will do
            self.impl.backend.set_shared(SharedData(SpeciesData.none()))

    @cached_property
    def exchanges(self) -> Exchanges:
        """Exchanges of boxes between blocks and ranks."""
        from bridge.bound.exchanges import Exchanges  # here: most starts have none

        asked, patience = self._request.exchange, self._request.exchange_timeout
        return Exchanges(self.impl, self._bound, self._ranks, asked, patience)

    @cached_property
    def sequences(self) -> Sequences:
        """Calls that come again in the same order, recorded and done in one."""
        from bridge.bound.sequences import Sequences  # here: most starts have none

        return Sequences(self, self._bound)

    @cached_property
    def reduced_constants(self) -> ReducedConstants:
        """Constants that are reductions over sets and ranks."""
        from bridge.bound.reducedconstants import ReducedConstants  # as above

        return ReducedConstants(self.impl, self._bound, self._ranks)

    def exchange_lines(self) -> list[str]:
        """What a report says of exchanges and sequences."""
        each = (self._bound.exchanges, self._bound.sequences)
        return [line for one in each if one is not None for line in one.lines()]

    # ---- species constants --------------------------------------------------------------

    @property
    def species(self) -> SpeciesData | None:
        """Constants of the species; None before the host gives them."""
        return self._plans.species

    def use_species(self, species: SpeciesData) -> None:
        """Install the constants of `ns` species for every launch from now on."""
        self._bound.refuse_while_pending("new species constants")
        if len(species.names) != self.ns:
            raise ArgumentError(
                "ns", self.ns, f"{len(species.names)}, the number of species that are set"
            )
        self.impl.use.alone("new species constants", self._install, species)

    def _install(self, species: SpeciesData) -> None:
        shared = SharedData(species, self.options)
        self.impl.backend.set_shared(shared)
        self._plans.species = shared.species
        self.impl.prepared.changed(Change.SPECIES)

    def populate_preos_shared_data(
        self,
        W: Any,
        Tc: Any,
        Pc: Any,
        omega: Any,
        nasa7: Any,
        kij: Any = None,
    ) -> None:
        """Peng-Robinson constants of the host.

        W kg/mol, Tc K, Pc Pa, omega: (ns,); nasa7: (ns, 17) = Tlow, Tmid, Thigh, low a1..a7,
        high a1..a7 (Fortran's nasa7(17, ns)); kij: (ns, ns) or None. Transport constants stay
        as they were; where there were none, launches that need them fail by name.
        """
        ns = self._number_of_species("populatepreosshareddata")
        self.use_species(
            SpeciesData.from_host(
                self._plans.species,
                W=host_array("W", W, (ns,)),
                Tc=host_array("Tc", Tc, (ns,)),
                Pc=host_array("Pc", Pc, (ns,)),
                omega=host_array("omega", omega, (ns,)),
                nasa7=host_array("nasa7", nasa7, (ns, 17)),
                kij=None if kij is None else host_array("kij", kij, (ns, ns)),
            )
        )

    def populate_chung_shared_data(self, Vc: Any, dipole: Any, kappa: Any) -> None:
        """Chung constants of the host: Vc m3/mol, dipole debye, kappa -, each (ns,)."""
        ns = self._number_of_species("populatechungshareddata")
        if self._plans.species is None:
            raise StateError(
                "populatechungshareddata came before any species: call "
                "populatepreosshareddata or set 'species' first"
            )
        self.use_species(
            self._plans.species.with_transport(
                Vc=host_array("Vc", Vc, (ns,)),
                dipole=host_array("dipole", dipole, (ns,)),
                kappa=host_array("kappa", kappa, (ns,)),
            )
        )

    def _number_of_species(self, call: str) -> int:
        if not self.ns:
            raise StateError(f"{call} came in a Frame without species: initialised with ns = 0")
        return self.ns

    # ---- constants and tables of kernel packs ---------------------------------------------

    def constant(self, name: str, value: Any) -> None:
        """Give a constant of a kernel pack a new value, for all later runs and launches.

        value: a number or a bool, or an array with a value for each column of the constant. It has
        the type of the constant; a real constant also takes integers. If a set binds an array by
        this name, runs of that set use the array.
        """
        values = self.impl.constants.checked(name, value)
        call = f"frame_constant of '{name}'"
        self._bound.refuse_while_used(call, name)
        self.impl.use.alone(call, self.impl.constants.give, name, values, me.number)

    def constants(self, names: str, values: Sequence[float]) -> None:
        """New values of several constants with one column each. If one value is refused, none is
        changed. names: separated by blanks; values: one for each name, whole numbers for integers,
        0 or 1 for logicals. A module of `bridge port` calls this before each run."""
        listed, given = self.impl.constants.checked_numbers(names, values)
        for name in listed:
            self._bound.refuse_while_used("frame_constants", name)
        self.impl.use.alone(
            "frame_constants", self.impl.constants.give_all, listed, given, me.number
        )

    def allreduce_constant(self, sets: str, quantity: str, operation: str, constant: str) -> None:
        """Make a reduction over all points of some sets and of all ranks the value of a constant,
        for all later runs and launches; collective where the Frame has a communicator.

        sets: names, separated by blanks, each once; ranks may name different ones. quantity,
        operation: as of `allreduce`, over all components; an operation with one number and no
        place. constant: of one real number, in the unit of the quantity. The bits are those of
        `allreduce` over the same points. If the quantity is on a GPU and there is one rank, the
        host does not wait: kernels leave the value where later runs read it. NaN and infinities
        are set as they are. Where it fails on one rank, it fails on all.
        """
        self.reduced_constants.reduce(sets, quantity, operation, constant, me.number)

    def constant_value(self, constant: str) -> float:
        """The latest value of a constant of one number, from `constant` or from
        `allreduce_constant`. It waits for that reduction alone, not for later work. StateError
        where nobody gave a value."""
        return self.reduced_constants.value(constant)

    def plain_constants(self, names: Sequence[str]) -> list[ConstantView]:
        """Constants that callers which are no Python may give by writing their values."""
        found = [self.impl.constants.get(name) for name in names]
        return [one for one in found if one is not None]

    def table(self, name: str, array: Any) -> None:
        """New contents of a table of a kernel pack, for every run and launch from now on; array:
        real numbers, of the rank or the size that the catalogue says. It is copied."""
        values = self.impl.tables.checked(name, array)
        call = f"frame_table of '{name}'"
        self._bound.refuse_while_used(call, name)
        self.impl.use.alone(call, self.impl.tables.fill, name, values)

    # ---- stripes ------------------------------------------------------------------------

    def stripe(
        self,
        direction: str,
        name: str,
        address: int,
        nx: int,
        ny: int,
        nz: int,
        SptX: int,
        EptX: int,
        SptY: int,
        EptY: int,
        SptZ: int,
        EptZ: int,
        SptData: int,
        EptData: int,
        n_data: int = 0,
    ) -> StripeTransfer:
        """A checked transfer between the array at `address` and view `name`.

        direction: "in" (array to view) or "out"; bounds as in `bridge.h`. Call its
        `run(stripeStart, stripeEnd)` for every stripe, in the thread that asked for it.
        """
        if name == "Q":
            check_width(self._layout, self.ns, self.impl.nq)
        bounds = Bounds(
            (nx, ny, nz), (SptX, SptY, SptZ), (EptX, EptY, EptZ), SptData, EptData, n_data
        )
        timer = self.impl.timers["populate" if direction == "in" else "extract"]
        inward, use = direction == "in", self.impl.use
        view = self.impl.view(name)
        return StripeTransfer(self.impl.backend, view, address, bounds, inward, timer, use)

    def populate_input_stripe(
        self, name: str, data: np.ndarray, *bounds: int, **named: int
    ) -> None:
        """Interior points stripeStart..stripeEnd of `data` into view `name`.

        data: float64, Fortran order, (nx, ny, nz, nData), or (nx, ny, nz) for one component.
        bounds: SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData, stripeStart, stripeEnd,
        by position (nx, ny, nz may come before them, as in Fortran) or by name; what is not
        given is the whole array and the whole interior.
        """
        self._numpy_stripe("in", name, data, bounds, named)

    def extract_output_stripe(
        self, name: str, data: np.ndarray, *bounds: int, **named: int
    ) -> None:
        """View `name` into interior points stripeStart..stripeEnd of `data`, in place.

        Arguments as in `populate_input_stripe`.
        """
        self._numpy_stripe("out", name, data, bounds, named)

    #: The talk's name for `extract_output_stripe`.
    populate_output_stripe = extract_output_stripe

    def _numpy_stripe(
        self,
        direction: str,
        name: str,
        data: np.ndarray,
        bounds: tuple[int, ...],
        named: dict[str, int],
    ) -> None:
        address, full, positions = numpy_bounds(data, bounds, named, direction)
        start, end = positions
        self.stripe(direction, name, address, *full).run(start, end)

    # ---- launches -----------------------------------------------------------------------

    def composite(self, name: str, n: int) -> None:
        """All kernels of the composite on the first n points; either case of the name."""
        self._once(name, n, self._composite)

    def _once(self, name: str, n: int, first: Callable[[str, int], None]) -> None:
        """What `name` was the last time, if that is valid, on views that no other call uses; else
        `first`."""
        use = self.impl.use
        try:
            use.take()
        except IndexError:
            raise use.refused(name) from None
        try:
            use.call = name
            prepared = self._launches.get(name)
            if prepared is not None and type(n) is int:
                thread = me.number
                if prepared.valid(n, thread):
                    return prepared.launch(n, thread)
            first(name, n)
        finally:
            use.give(None)

    def _composite(self, name: str, n: int) -> None:
        composite = self._catalogue.composite(name)
        self._check_points(composite.name, n)
        self._plans.need_species(composite)
        plan = self._view_plan(composite)
        if n:
            self._keep(name, self.impl.launch_composite(plan, n))

    def launch(self, kernel: str, n: int) -> None:
        """One named kernel on the first n points of the current views, or a composite by name.

        Kernels' names are case-sensitive; the user's own are launched like the shipped ones.
        """
        self._once(kernel, n, self._launch)

    def _launch(self, kernel: str, n: int) -> None:
        if kernel in self._catalogue.composites:
            return self._composite(kernel, n)
        which = self._catalogue.kernel(kernel)
        self._check_points(kernel, n)
        self._plans.need_species(which)
        prepared = self.impl.launch_kernel(kernel, n)
        if n:
            self._keep(kernel, prepared)

    def _keep(self, name: str, launch: PreparedLaunch) -> None:
        """For the next time, in the place of another one."""
        replaced = self._launches.get(name)
        if replaced is not None:
            replaced.forget()
        self._launches[name] = launch

    def prepared_launch(self, name: str) -> PreparedLaunch | None:
        """A composite or kernel that was launched last by this name, if nobody looks at it."""
        return self._launches.get(name) if self.impl.watch is None else None

    if not TYPE_CHECKING:  # else a type checker takes every name for a composite

        def __getattr__(self, name: str) -> Any:
            """Composites of kernel packs, like those of the package: tv.heatProperties(n)."""
            if name.startswith("_") or name in (
                "impl",
                "ns",
                "options",
                "primitives",
                "primitives_from_1",
            ):
                raise AttributeError(name)
            try:
                composite = self._catalogue.composite(name)
            except ArgumentError as error:
                raise AttributeError(str(error)) from None
            return lambda n: self.composite(composite.name, n)

    def __dir__(self) -> list[str]:
        """The composites of kernel packs too."""
        return sorted({*super().__dir__(), *self._catalogue.composites})

    def _check_points(self, launch: str, n: int) -> None:
        if not 0 <= integer("nActivePoints", n) <= self.n_grid_points:
            raise ArgumentError(
                "nActivePoints", f"{n} for {launch}", f"0 to nGridPoints = {self.n_grid_points}"
            )

    def _view_plan(self, composite: Composite) -> Plan:
        """The composite's plan on views, from the inputs that were written last."""
        inputs = self.impl.latest(composite.inputs)
        return self._plans.of(composite, composite.outputs, inputs)

    # ---- Python of the user ---------------------------------------------------------------

    @cached_property
    def _functions(self) -> Functions:
        from bridge.functions.calls import Functions  # here: most runs have none

        species = partial(getattr, self._plans, "species")
        return Functions(self._request, self.impl, self._bound, self._ranks, species)

    def python(
        self, set: str, function: str | Callable[[SetArrays], Any],
        values: Sequence[float] | np.ndarray = (), text: str = "",
    ) -> None:  # fmt: skip
        """Call a function of the user with the arrays of a set: function(arrays).

        function: 'module:function' of a module in a folder of the setting python_path, or a
        function; values, text: what it finds as arrays.values, a read-only array, and arrays.text.
        BridgeError where the module does not import or the function raises: its file and line
        come first. StateError while a run of the set is pending.
        """
        self._functions.call(set, function, values, text)

    def arrays(self, set: str) -> AbstractContextManager[SetArrays]:
        """The arrays of a set in a `with` block, as a function of `python` gets them."""
        return self._functions.arrays(set)

    def matched(self, set: str, composite: str, call: str) -> tuple[PointSet, Matched]:
        """See `BoundSets.matched`."""
        return self._bound.matched(set, composite, call)

    # ---- the report ---------------------------------------------------------------------

    def compared(self) -> dict[Key, Total]:
        """All comparisons so far."""
        return self._bound.comparisons.totals

    def met(self) -> Totals:
        """Status words of all runs so far that were counted."""
        return self._bound.status.met()

    def stability(self) -> Seen:
        """Mixtures of runs so far that would split, where they were tested."""
        return self._bound.stability.seen()

    def without_points(self) -> Counter[tuple[str, str]]:
        """Runs so far that had no points, by set and composite."""
        return self._bound.runs.without_points

    # ---- end ----------------------------------------------------------------------------

    def close(self) -> None:
        """Wait for pending runs, forget every bound array, give the backend's memory back."""
        try:
            self._bound.close()
        finally:
            self.impl.close()
