"""TVProperties: what a caller may ask for; names, shapes and bounds are checked here.

Owned by the Frame, owns a TVImpl. Every entry point that moves data or launches kernels ends
in one method of this class; Python callers use the same methods on NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bridge.backends.base import Backend
from bridge.bound.boundsets import BoundSets
from bridge.bound.boxes import six_each
from bridge.bound.datamovement import DataMovement
from bridge.bound.positions import first_position, first_positions
from bridge.bound.reductions import EACH, Reduced
from bridge.errors import ArgumentError, StateError
from bridge.memory.blockbounds import BlockBounds
from bridge.memory.hostarrays import (
    block_array,
    host_array,
    integer,
    numpy_binding,
    numpy_bounds,
)
from bridge.memory.marshal import Bounds, HostArray, StripeTransfer
from bridge.memory.qlayout import check_width, q_columns
from bridge.memory.viewuse import me
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.plan.declarations import Composite
from bridge.plan.plan import Plan
from bridge.plan.plans import Plans
from bridge.timers import Timers
from bridge.tvimpl import Prepared, TVImpl


class TVProperties(DataMovement):
    """Thermal and viscous properties of up to nGridPoints points at a time.

    backend: a started backend; n_grid_points: chunk; ns: species; nq: components of Q; layout:
    the columns of Q; species: constants, None until the host hands them over; options: of the
    physics; launch_mode: how composites are launched on views (`settings.LAUNCHES`);
    check_residency: whether a CPU keeps shadow copies of resident arrays.
    """

    def __init__(
        self,
        backend: Backend,
        catalogue: Catalogue,
        n_grid_points: int,
        ns: int,
        nq: int,
        layout: tuple[str, ...],
        species: SpeciesData | None,
        options: Options,
        timers: Timers,
        launch_mode: str = "fused",
        check_residency: bool = False,
    ) -> None:
        self.ns = ns
        self.n_grid_points = n_grid_points
        self.options = options
        self._catalogue = catalogue
        self._layout = layout
        columns = q_columns(layout, ns, nq)
        self.impl = TVImpl(
            backend, catalogue, n_grid_points, ns, nq, columns or {}, timers, launch_mode,
            check_residency,
        )  # fmt: skip
        self._plans = Plans(catalogue, ns)
        self._bound = BoundSets(self.impl, layout, self._plans)
        self._prepared: dict[str, Prepared] = {}
        if species is not None:
            self.use_species(species)
        elif ns == 0:  # options choose between formulas of species: the defaults will do
            self.impl.backend.set_shared(SharedData(SpeciesData.none()))

    # ---- species constants --------------------------------------------------------------

    @property
    def species(self) -> SpeciesData | None:
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
        self.impl.forget_launchers()
        self._prepared.clear()
        self._bound.forget_runners()

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
        """A new value of a constant of a kernel pack, for every run and launch from now on.

        value: a number or a bool, or an array of as many as the constant has columns; its type is
        the constant's, but that a real constant takes integers. Where a set binds an array by this
        name, that array goes before it.
        """
        values = self.impl.constants.checked(name, value)
        call = f"frame_constant of '{name}'"
        self._bound.refuse_while_used(call, name)
        self.impl.use.alone(call, self.impl.constants.give, name, values, me.number)

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
            prepared = self._prepared.get(name)
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
            self._prepared[name] = self.impl.launch_composite(plan, n)

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
            self._prepared[kernel] = prepared

    def __getattr__(self, name: str) -> Any:
        """tv.eosThermalProperties(n) and its like, one method per composite."""
        if name.startswith("_") or name in ("impl", "ns", "options"):
            raise AttributeError(name)
        try:
            composite = self._catalogue.composite(name)
        except ArgumentError as error:
            raise AttributeError(str(error)) from None
        return lambda n: self.composite(composite.name, n)

    def _check_points(self, launch: str, n: int) -> None:
        if not 0 <= integer("nActivePoints", n) <= self.n_grid_points:
            raise ArgumentError(
                "nActivePoints", f"{n} for {launch}", f"0 to nGridPoints = {self.n_grid_points}"
            )

    def _view_plan(self, composite: Composite) -> Plan:
        """The composite's plan on views, from the inputs that were written last."""
        inputs = self.impl.latest(composite.inputs)
        return self._plans.of(composite, composite.outputs, inputs)

    # ---- bound arrays -------------------------------------------------------------------

    def bind(
        self,
        set: str,
        name: str,
        intent: str,
        address: int,
        bounds: Sequence[int],
        scale: float = 1.0,
        owner: Any = None,
        dtype: str = "float64",
        section: bool = False,
    ) -> None:
        """Name an array of a set of points; binding a name again replaces it.

        bounds: the twelve integers of `frame_bind_`; scale multiplies on the way in and divides
        on the way out; owner: kept alive until unbind; dtype: float64, float32 or int32, what the
        array's elements are; section: whether the bounds are those of a larger array, of which
        this is a part.
        """
        where = Bounds.from_twelve(list(bounds))
        array = HostArray(address, where, scale, owner, dtype, section)
        self._bound.bind(set, name, intent, array)

    def bind_array(
        self,
        set: str,
        name: str,
        intent: str,
        data: np.ndarray,
        *bounds: int,
        scale: float = 1.0,
        component_first: bool = False,
        **named: int,
    ) -> None:
        """`bind` for a NumPy array of float64, float32 or int32 in Fortran order: (nx, ny, nz), or
        (nx, ny, nz, ...) of three to seven dimensions, whose last ones count components.

        bounds: SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData by position or by name;
        component_first: the array is (..., nx, ny, nz), in Fortran order as well.
        """
        if not isinstance(component_first, bool):
            raise ArgumentError("component_first", repr(component_first), "True or False")
        direction = "out" if intent in ("out", "inout") else "in"
        address, twelve = numpy_binding(data, bounds, named, direction, component_first)
        self.bind(set, name, intent, address, twelve, scale, data, str(data.dtype))

    def bind_many(
        self,
        set: str,
        name: str,
        intent: str,
        address: int,
        bounds: Any,
        offsets: Any,
        scale: float = 1.0,
        owner: Any = None,
        dtype: str = "float64",
    ) -> None:
        """`bind` for a set of many blocks in one memory; see `bind_blocks`."""
        blocks = BlockBounds.of(bounds, offsets)
        self._bound.bind(set, name, intent, HostArray(address, blocks, scale, owner, dtype))

    def bind_blocks(
        self,
        set: str,
        name: str,
        intent: str,
        data: np.ndarray,
        bounds: Any,
        offsets: Any,
        scale: float = 1.0,
    ) -> None:
        """Name an array of a set of many blocks of any sizes, which lie in one NumPy array of
        float64, float32 or int32; binding a name again replaces all of them.

        bounds: (blocks, 12), the twelve integers of `bind` for each block, of which SptData,
        EptData and nData are the same for all; offsets: (blocks,), elements from the first one of
        `data`, in the order in which they lie in memory, to each block's own array. All arrays of
        the set have the same blocks: as many, with as many points each.
        """
        address = block_array(data, intent != "in")
        blocks = BlockBounds.of(bounds, offsets)
        blocks.check(data.itemsize)
        blocks.check_within(data.size)
        self.bind_many(set, name, intent, address, bounds, offsets, scale, data, str(data.dtype))

    def bind_from(
        self, set: str, name: str, from_set: str, shift: Sequence[int] = (0, 0, 0)
    ) -> None:
        """Let runs of a set read an array that is bound in another one, as faces read cells.

        shift: where the set's first interior point lies, in points along x, y and z from the first
        one of `from_set`. Kernels may read neighbours as far as the other array goes. Its intent
        there does not matter; a later bind of it there holds here too.
        """
        if len(shift) != 3:
            raise ArgumentError("shift", f"{len(shift)} integers", "3, along x, y and z")
        i, j, k = (integer("shift", one) for one in shift)
        self._bound.bind_from(set, name, from_set, (i, j, k))

    def unbind(self, set: str, name: str) -> None:
        """Forget an array of a set, or with name "*" the whole set."""
        self._bound.unbind(set, name)

    def run(
        self,
        set: str,
        composite: str,
        box: Sequence[int] | bytes | None = None,
        colour: int | None = None,
    ) -> int:
        """Evaluate a composite, or one kernel by its name, on every interior point of a set;
        returns the number of chunks.

        box: a part of the interior, i1, i2, j1, j2, k1, k2, whose positions count from 1 at the
        first interior point; or the six integers of each of several boxes that share no point, or
        all of these as the bytes of C ints.
        colour: 1 or 2, of a kernel with colours: at these points alone, so that the host may
        exchange fringes before the other ones.

        Only the bound outputs are computed. Arrays of the set that it neither reads nor gives are
        left alone; StateError where none of its outputs is bound.
        """
        return self._bound.run(set, composite, None if box is None else six_each(box), colour)

    def run_begin(
        self,
        set: str,
        composite: str,
        box: Sequence[int] | bytes | None = None,
        colour: int | None = None,
    ) -> None:
        """Set a `run` going: the interiors of the set's arrays are the bridge's until `wait`, or
        the points of the box and those that kernels read around them.

        The host may read and write fringes and everything else meanwhile, and use views and
        other sets. Bad arguments raise here; a failure of the run here or in `wait`.
        """
        self._bound.run_begin(set, composite, None if box is None else six_each(box), colour)

    def wait(self, set: str) -> int:
        """What `run_begin` set going has happened, results are in the arrays; returns the number
        of chunks."""
        return self._bound.wait(set)

    def position(self, set: str, i: int, j: int, k: int) -> None:
        """Position of a set's first interior point, from which those of the others follow:
        what kernels read as position_i, position_j and position_k. Without it SptX, SptY and SptZ
        of the set's arrays."""
        self._bound.position(set, first_position(i, j, k))

    def position_blocks(self, set: str, ijk: Any) -> None:
        """`position` of each block's first interior point, (blocks, 3), for a set of many blocks.
        Without it SptX, SptY and SptZ of the blocks."""
        self._bound.position(set, first_positions(ijk))

    def reduce(
        self, set: str, quantity: str, operation: str, component: int | str | None = None
    ) -> Any:
        """One number of all interior points of a set: "sum", "min", "max", "minloc", "maxloc" or
        "any" (whether a value is not zero) of a quantity, in the catalogue's unit.

        A bound array, or a column of Q, is reduced as it is; any other quantity is made by kernels
        from what is bound "in" or "inout", and kept nowhere. component: from 1; None for all
        together, "each" for a list with a result of each.

        Returns a float; a bool for "any"; (float, (i, j, k, component)) for "minloc" and "maxloc",
        the first point with the value, in positions as SptX counts them, of many blocks (float,
        (i, j, k, component, block)), blocks from 1. A NaN makes a sum, min or max NaN, and the
        first NaN is the place. Points where the set's iblank is 0 do not count. Without any that
        counts: 0.0, inf (min), -inf (max), False, and None for the place. The same bits for all
        threads, chunks and layouts.
        """
        results = self.reduction(set, quantity, operation, component)
        given: list[Any] = [one.value for one in results]
        if operation == "any":
            given = [one.value != 0.0 for one in results]
        elif operation in ("minloc", "maxloc"):
            given = [(one.value, one.full_place) for one in results]
        return given if component == EACH else given[0]

    def reduction(
        self, set: str, quantity: str, operation: str, component: int | str | None = None
    ) -> list[Reduced]:
        """`reduce`, its results with the place of each, whatever the operation."""
        return self._bound.reduce(set, quantity, operation, component)

    def refuse_blocks(self, set: str, argument: str, instead: str) -> None:
        """ArgumentError for an argument that has no meaning in a set of many blocks."""
        self._bound.refuse_blocks(set, argument, instead)

    def unchanged(self, set: str, name: str) -> None:
        """The next run of the set meets this `in` array, or with "*" all of them, with the
        contents that the set's latest run met: a GPU does not copy it again if it keeps it and
        that run read it. Said for one run, even if that is refused."""
        self._bound.unchanged(set, name)

    # ---- end ----------------------------------------------------------------------------

    def close(self) -> None:
        """Wait for pending runs, forget every bound array, give the backend's memory back."""
        try:
            self._bound.close()
        finally:
            self._prepared.clear()
            self.impl.close()
