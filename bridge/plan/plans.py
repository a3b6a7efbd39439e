"""Plans: the composites' plans of one Frame, each made once, refused where constants are missing.

Between the catalogue and who launches: TVProperties on views, BoundSets on the caller's arrays.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridge.errors import ArgumentError, StateError
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.plan.declarations import Composite
from bridge.plan.plan import Plan


class Plans:
    """catalogue: where they come from; ns: species; species: their constants, None until the host
    or a setting gives them."""

    def __init__(self, catalogue: Catalogue, ns: int) -> None:
        self.species: SpeciesData | None = None
        self._catalogue = catalogue
        self._ns = ns
        self._plans: dict[tuple[str, frozenset[str], tuple[str, ...]], Plan] = {}

    def need_species(self, launch: str) -> SpeciesData:
        """The constants; StateError, with the name of what asks, where there are none."""
        if self.species is None:
            raise StateError(
                f"{launch} needs species and none are set: call frame_set('species', ...) "
                "before initialize or populate the shared data"
            )
        return self.species

    def composite(
        self, composite: Composite, outputs: Iterable[str], inputs: Iterable[str]
    ) -> Plan:
        """The plan that gives some outputs of a composite from these inputs; StateError where a
        kernel of it needs constants that are not set."""
        key = (composite.name, frozenset(outputs), tuple(inputs))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._catalogue.composite_plan(
                composite, self._ns, outputs=key[1], inputs=key[2]
            )
            self._plans[key] = plan
        self._need_transport(plan)
        return plan

    def quantity(self, name: str, inputs: Iterable[str], set: str) -> Plan:
        """The plan that makes one quantity of these inputs of a set, the checks of the inputs
        included; ArgumentError where nothing makes it of them."""
        self.need_species(f"a reduction of {name}")
        try:
            plan = self._catalogue.plan([name], inputs, self._ns, name=f"reduce_{name}")
        except ArgumentError as error:
            wanted = f"a quantity that set '{set}' holds or kernels make of it ({error})"
            raise ArgumentError("quantity", repr(name), wanted) from None
        self._need_transport(plan)
        return plan

    def _need_transport(self, plan: Plan) -> None:
        if self.need_species(plan.name).has_transport:
            return
        for kernel in plan.kernels():
            if self._catalogue.kernel(kernel).needs_transport:
                raise StateError(
                    f"{plan.name} runs {kernel}, which needs Vc, dipole and kappa: call "
                    "populatechungshareddata first"
                )
