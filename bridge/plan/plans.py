"""Plans: what the launches of one Frame run, each made once, refused where constants are missing.

Between the catalogue and who launches: TVProperties on views, BoundSets on the caller's arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from bridge.errors import ArgumentError, StateError
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.plan import Plan


class Plans:
    """catalogue: where they come from; ns: species; species: their constants, None until the host
    or a setting gives them."""

    def __init__(self, catalogue: Catalogue, ns: int) -> None:
        self.species: SpeciesData | None = None
        self._catalogue = catalogue
        self._ns = ns
        self._plans: dict[tuple[str, frozenset[str], tuple[str, ...], int | None], Plan] = {}

    def need_species(self, launch: Composite | Kernel) -> None:
        """StateError, with the name of what asks, where it needs species and there are none.

        For ns = 0 everything may run that knows no species: kernels of packs, on quantities
        that have no value for each species.
        """
        if self.species is None and self._ns:
            raise self._not_set(launch.name)
        if not self._ns:
            self._refuse_species(launch)

    def _refuse_species(self, launch: Composite | Kernel) -> None:
        per_species = self._catalogue.per_species
        for name in (*launch.inputs, *launch.outputs):
            if per_species(name):
                raise self._without_species(launch.name, f"'{name}' has a value for each")
        if launch.file == shipped_file():
            raise self._without_species(launch.name, "it is physics of the package")

    @staticmethod
    def _not_set(launch: str) -> StateError:
        return StateError(
            f"{launch} needs species and none are set: call frame_set('species', ...) "
            "before initialize or populate the shared data"
        )

    @staticmethod
    def _without_species(launch: str, why: str) -> StateError:
        return StateError(
            f"{launch} needs species ({why}) and the Frame was initialised with ns = 0: call "
            "frame_initialize with their number"
        )

    def of(
        self,
        which: Composite | Kernel,
        outputs: Iterable[str],
        inputs: Iterable[str],
        colour: int | None = None,
    ) -> Plan:
        """The plan that gives some outputs of a composite or kernel from these inputs; colour: at
        these points of a kernel that has colours; StateError where a kernel of it needs constants
        that are not set."""
        key = (which.name, frozenset(outputs), tuple(inputs), colour)
        plan = self._plans.get(key)
        if plan is None:
            self.need_species(which)
            if isinstance(which, Composite):
                plan = self._catalogue.composite_plan(
                    which, self._ns, outputs=key[1], inputs=key[2]
                )
            else:
                given = frozenset(which.inputs).intersection(key[2])
                plan = self._catalogue.single(
                    which.name, self._ns, outputs=key[1], inputs=given, colour=colour
                )
            self._plans[key] = plan
        self.need_constants(plan)
        return plan

    def quantities(self, names: Sequence[str], inputs: Collection[str], set: str) -> list[Plan]:
        """The plans that make quantities of these inputs of a set, the checks of the inputs
        included: one for all in double and one for all in single precision. ArgumentError for the
        first that nothing makes of them."""
        if self.species is None and self._ns:
            raise self._not_set(f"a reduction of {names[0]}")
        alike: dict[bool, list[str]] = {}
        for name in names:
            try:
                plan = self._catalogue.plan([name], inputs, self._ns, name=f"reduce_{name}")
            except ArgumentError as error:
                wanted = f"a quantity that set '{set}' holds or kernels make of it ({error})"
                raise ArgumentError("quantity", repr(name), wanted) from None
            alike.setdefault(plan.singles, []).append(name)
        plans = [
            self._catalogue.plan(some, inputs, self._ns, name=f"reduce_{'_'.join(some)}")
            for some in alike.values()
        ]
        for plan in plans:
            self.need_constants(plan)
        return plans

    def need_constants(self, plan: Plan) -> None:
        """StateError where a kernel of the plan needs constants that are not set."""
        if self.species is not None and self.species.has_transport:
            return
        for name in plan.kernels():
            kernel = self._catalogue.kernel(name)
            if not self._ns:
                if kernel.file == shipped_file():
                    raise self._without_species(plan.name, f"it runs {name}")
            elif kernel.needs_transport:
                raise StateError(
                    f"{plan.name} runs {name}, which needs Vc, dipole and kappa: call "
                    "populatechungshareddata first"
                )
