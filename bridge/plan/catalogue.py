"""The catalogue: the declarations of the package and of kernel packs, and plans of them.

Everything that launches kernels asks here what a name means; `planner` turns wanted outputs into
the kernels that make them. Kernel packs add their files to the shipped one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from bridge.errors import ArgumentError
from bridge.physics.options import Options
from bridge.plan import cataloguefiles, contradictions, packs, planner, replacements
from bridge.plan.declarations import LARGEST, Composite, Declarations
from bridge.plan.plan import Plan
from bridge.plan.selection import STATUS


class Catalogue(Declarations):
    """Declarations that contradict nothing, and the plans made of them, each kept."""

    def __init__(self) -> None:
        super().__init__()
        self._plans: dict[tuple[object, ...], Plan] = {}

    @classmethod
    def shipped(cls) -> Catalogue:
        """The catalogue of the package, read once."""
        return _shipped()

    @classmethod
    def installed(cls) -> Catalogue:
        """The shipped catalogue and those of the packs that `packs.found` finds."""
        return _installed(packs.found())

    @classmethod
    def load(cls, paths: Iterable[Path | str]) -> Catalogue:
        """Read and check catalogue files; a contradiction raises ArgumentError naming the file.

        Headers are looked for beside the file that names them. Unknown quantities, missing
        headers, names declared twice (both files are named) and cycles are refused.
        """
        catalogue = cls()
        for path in map(Path, paths):
            read = cataloguefiles.read_shipped if path == shipped_file() else cataloguefiles.read
            read(path, catalogue)
        contradictions.check(catalogue)
        replacements.apply(catalogue)
        return catalogue

    def with_constants(self, values: Mapping[str, float]) -> Catalogue:
        """This catalogue with other values of its constants; ArgumentError for an unknown one, one
        of several values, and a value that is not of its type."""
        if not values:
            return self
        other = copy(self)
        other.quantities, other._plans = dict(self.quantities), {}
        for name, value in values.items():
            if name not in self.constants:
                wanted = f"a constant: {', '.join(self.constants) or 'no kernel pack has any'}"
                raise ArgumentError("constants", repr(name), wanted)
            constant = self.constants[name]
            if constant.columns != "1":
                wanted = f"one value, not the {constant.columns} of {name}: use frame_constant"
                raise ArgumentError("constants", f"{name}={value:g}", wanted)
            low = 0.0 if constant.type == "logical" else -LARGEST[constant.type]
            whole = constant.type == "float64" or value.is_integer()
            if not (whole and low <= value <= LARGEST[constant.type]):
                wanted = {"int32": "an integer of 32 bits", "logical": "0 or 1"}[constant.type]
                raise ArgumentError("constants", f"{name}={value:g}", wanted)
            other.quantities[name] = replace(constant, value=(value,))
        return other

    def with_options(self, options: Options) -> Catalogue:
        """This catalogue with plans of the kernels that these options of the physics choose, and
        without those that they stand for, alone or in a kernel that fuses them."""
        chosen = [
            kernel
            for kernel in self.kernels.values()
            if kernel.option and getattr(options, kernel.option[0]) == kernel.option[1]
        ]
        if not chosen:
            return self
        absent = {kernel.in_place_of for kernel in chosen}
        other = copy(self)
        other.kernels, other._plans = dict(self.kernels), {}
        for name, kernel in self.kernels.items():
            if name in absent or not absent.isdisjoint(kernel.fuses):
                other.kernels[name] = replace(kernel, planned=False)
        for kernel in chosen:
            other.kernels[kernel.name] = replace(kernel, planned=True)
        return other

    @property
    def pack_kernels(self) -> list[str]:
        """Names of the kernels that are not shipped."""
        return [k.name for k in self.kernels.values() if k.file != shipped_file()]

    # ---- plans --------------------------------------------------------------------------

    def plan(
        self,
        outputs: Sequence[str],
        inputs: Iterable[str],
        ns: int,
        *,
        name: str = "plan",
        status: bool = True,
        rewrites: Sequence[str] = (),
        beside: Sequence[str] = (),
    ) -> Plan:
        """The kernels that make `outputs` from `inputs`, in dependency order, and no others.

        status: run the kernels that check the inputs and choose the root, so that fatal points
        are NaN and status bits 0 to 7 are complete. Given quantities are never recomputed; an
        output that is given is returned as it came, but for `rewrites`: what a kernel gives a new
        value, which outputs and the kernels after it then have. beside: outputs of other plans of
        the same composite; kernels that rewrite something for them run here too, so that all of
        these plans read the same values. Constants and positions are always given: those that
        the kernels read are among the plan's inputs. Raises ArgumentError for an unknown name and
        for an output that nothing makes from these inputs, saying what is missing.
        """
        key = (
            tuple(outputs),
            frozenset(inputs).union(self.constants, self.positions),
            ns,
            name,
            status,
            tuple(rewrites),
            tuple(beside),
        )
        if key not in self._plans:
            self._plans[key] = planner.plan(self, *key)
        return self._plans[key]

    def composite_plan(
        self,
        composite: Composite,
        ns: int,
        *,
        outputs: Iterable[str] | None = None,
        inputs: Iterable[str] | None = None,
    ) -> Plan:
        """The plan of a composite, of some of its outputs, from inputs that stand for its own
        (Y_leading for Y)."""
        wanted = frozenset(composite.outputs if outputs is None else outputs)
        if composite.replaced is not None:
            given = frozenset(composite.inputs if inputs is None else inputs)
            key = ("replaced", composite.name, wanted, given, ns)
            if key not in self._plans:
                self._plans[key] = replacements.plan(self, composite, wanted, given, ns)
            return self._plans[key]
        if composite.steps:
            steps = ("steps", composite.name, wanted, ns)
            if steps not in self._plans:
                self._plans[steps] = planner.in_order(self, composite, wanted, ns)
            return self._plans[steps]
        return self.plan(
            [name for name in composite.outputs if name in wanted],
            composite.inputs if inputs is None else inputs,
            ns,
            name=composite.name,
            status=STATUS in composite.outputs,
            rewrites=composite.rewrites,
            beside=composite.outputs,
        )

    def single(
        self,
        kernel: str,
        ns: int,
        *,
        outputs: Iterable[str] | None = None,
        inputs: Iterable[str] | None = None,
        colour: int | None = None,
    ) -> Plan:
        """One named kernel as a plan; a quantity it rewrites is input and output. outputs: those
        that are wanted; inputs: those that are given, the others start at zero; all where None;
        colour: of the points, 1 or 2, where it has colours; None for all points."""
        which = self.kernel(kernel)
        wanted = frozenset(which.outputs if outputs is None else outputs)
        given = frozenset(which.inputs if inputs is None else inputs)
        key = (kernel, ns, wanted, given, colour)
        if key not in self._plans:
            self._plans[key] = planner.single(self, which, ns, wanted, given, colour)
        return self._plans[key]


@lru_cache(maxsize=1)
def shipped_file() -> Path:
    """The catalogue of the package."""
    return packs.kernels_folder() / packs.CATALOGUE


@lru_cache(maxsize=1)
def _shipped() -> Catalogue:
    return Catalogue.load([shipped_file()])


@lru_cache(maxsize=4)
def _installed(found: tuple[packs.Pack, ...]) -> Catalogue:
    if not found:
        return _shipped()
    return Catalogue.load([shipped_file(), *(pack.catalogue for pack in found)])
