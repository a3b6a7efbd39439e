"""What an evaluation asks for, made once: its plan, what it returns, units and columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.errors import ArgumentError, InconsistentError
from bridge.evaluation import memory
from bridge.physics.species import SpeciesData
from bridge.plan import lookup
from bridge.plan.catalogue import Catalogue
from bridge.plan.declarations import Composite, Kernel, Quantity
from bridge.plan.inputs import ALIASES, POSITIONS, begins_at_zero
from bridge.plan.plan import Plan
from bridge.plan.plans import Plans
from bridge.plan.selection import STATUS, searched


@dataclass(frozen=True)
class Column:
    """One quantity: what the catalogue says of it, and the shape of a point's values: () or
    (columns,)."""

    quantity: Quantity
    tail: tuple[int, ...]

    def zeros(self, shape: tuple[int, ...]) -> np.ndarray:
        """Of points of this shape."""
        return np.zeros((*shape, *self.tail), self.quantity.dtype)

    def empty(self, shape: tuple[int, ...]) -> np.ndarray:
        """The same, of any contents."""
        return memory.empty((*shape, *self.tail), self.quantity.dtype)


@dataclass(frozen=True)
class Told:
    """What is said of results: columns of every input and output by their names in the catalogue;
    names: those of the catalogue, by what the caller calls a result; species: their names."""

    columns: Mapping[str, Column]
    names: Mapping[str, str]
    species: tuple[str, ...]


class Request:
    """plan: what runs; names: what is returned, in this order, as the caller calls it; given:
    inputs that the caller gives and the plan has; constants: the values of inputs that stand in
    the catalogue; columns: of every input and output."""

    def __init__(
        self, catalogue: Catalogue, data: SpeciesData, plan: Plan, names: Iterable[str],
        given: Collection[str],
    ) -> None:  # fmt: skip
        ns = len(data.names)
        self.plan = plan
        self.names = {name: ALIASES.get(name, name) for name in names}
        used = dict.fromkeys((*plan.inputs, *plan.outputs))
        self.given = [name for name in given if name in used]
        self.constants = {
            name: _value(catalogue, name) for name in catalogue.constants if name in used
        }
        for name in given:
            self.constants.pop(name, None)
        self.columns = {name: self._column(catalogue, name, ns) for name in used}
        self.positions = [name for name in POSITIONS if name in used and name not in given]
        self.told = Told(self.columns, self.names, data.names)
        self.masked = plan.mask is not None
        bytes_ = (8 * int(np.prod(column.tail)) for column in self.columns.values())
        self.bytes_of_point = sum(bytes_)

    @staticmethod
    def _column(catalogue: Catalogue, name: str, ns: int) -> Column:
        quantity = catalogue.quantity(name)
        one = quantity.columns == "1"
        return Column(quantity, () if one else (catalogue.columns(name, ns),))

    @classmethod
    def make(
        cls, catalogue: Catalogue, data: SpeciesData, which: Composite | Kernel | None,
        outputs: tuple[str, ...] | None, given: Collection[str],
    ) -> Request:  # fmt: skip
        """Of a composite or kernel, else of quantities by their names."""
        plan, names = _plan(catalogue, data, which, outputs, given)
        if plan.block_kernels:
            raise InconsistentError(
                "outputs" if which is None else "composite",
                f"kernels that read neighbours ({', '.join(plan.block_kernels)}) make "
                f"{', '.join(plan.outputs)}",
                "run them on arrays of a set (TVProperties.run)",
            )
        return cls(catalogue, data, plan, names, given)


def _value(catalogue: Catalogue, name: str) -> Any:
    """Of a constant that the caller does not give; None where the catalogue has none."""
    constant = catalogue.constant(name)
    if constant.value is None:
        return None
    return constant.value[0] if constant.columns == "1" else constant.value


def names_of(outputs: Any, catalogue: Catalogue) -> tuple[str, ...] | None:
    """What the caller calls outputs, as a tuple of names: text is split at blanks and commas."""
    if outputs is None:
        return None
    if isinstance(outputs, str):
        names = tuple(outputs.replace(",", " ").split())
        if not names:
            raise ArgumentError("outputs", repr(outputs), "names of quantities")
        for phrase in outputs.split(","):
            _refuse_description(phrase.strip(), catalogue)
        return names
    if not isinstance(outputs, Iterable):
        raise ArgumentError("outputs", repr(outputs), "a name, or a sequence of names")
    names = tuple(outputs)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError("outputs", repr(name), "names of quantities")
    return names


def _refuse_description(phrase: str, catalogue: Catalogue) -> None:
    """ "speed of sound" is what a quantity is called, and no list of three names."""
    if " " not in phrase or phrase.split()[0] in catalogue.quantities:
        return
    for found in lookup.named(phrase, catalogue.quantities.values())[:1]:
        wanted = f"the name of the quantity, {found.name!r}: {found.about}, {found.unit}"
        raise ArgumentError("outputs", repr(phrase), wanted)


def _plan(
    catalogue: Catalogue, data: SpeciesData, which: Composite | Kernel | None,
    outputs: tuple[str, ...] | None, given: Collection[str],
) -> tuple[Plan, list[str]]:  # fmt: skip
    """The plan, and what it returns."""
    ns = len(data.names)
    plans = Plans(catalogue, ns)
    if which is not None:
        plans.species = data
        plans.need_species(which)
        names = list(which.outputs if outputs is None else outputs)
        wanted = [ALIASES.get(name, name) for name in names]
        known = {*catalogue.constants, *POSITIONS}
        _check_arguments(which, given, wanted, known)
        if isinstance(which, Composite) and STATUS in which.outputs and STATUS not in given:
            wanted.append(STATUS)  # bad points are told, whoever asks for their words
        return plans.of(which, wanted, [*given, *known]), names
    if outputs is None and not ns:
        raise ArgumentError("outputs", None, "names of quantities, or a composite")
    names = list(("rho",) if outputs is None else outputs)
    solved = _solved(catalogue, given)
    plan = catalogue.plan(_outputs(names, solved), list(given), ns, name="evaluate")
    if not ns:
        plans.need_constants(plan)
    kernels = (catalogue.kernel(name) for name in plan.kernels())
    if ns or any(STATUS in kernel.outputs for kernel in kernels):
        names.append(STATUS)
    return plan, list(dict.fromkeys([*names, *solved]))


def _solved(catalogue: Catalogue, given: Collection[str]) -> tuple[str, ...]:
    """What of the state is solved for, and how many evaluations that took."""
    found = searched(catalogue, given)
    names = ("T", "P", "iterations")
    return tuple(name for name in names if name in found and name not in given)


def _outputs(outputs: Iterable[str], solved: Iterable[str]) -> list[str]:
    """Canonical names, each once; what is solved for comes along."""
    names = [ALIASES.get(name, name) for name in outputs]
    return list(dict.fromkeys([*names, *solved, STATUS]))


def _check_arguments(
    which: Composite | Kernel, given: Iterable[str], wanted: list[str], known: Collection[str]
) -> None:
    """What is given is what a composite or kernel reads; what is wanted, what it gives. known:
    constants, which need not be given."""
    for name in given:
        if name not in which.inputs and name not in known:
            reads = f"what {which.name} reads: {', '.join(which.inputs)}"
            raise ArgumentError("inputs", repr(name), reads)
    for name in which.inputs:
        if name not in given and name not in known and not begins_at_zero(name):
            cause = f"{which.name} reads {name!r}, which has no value"
            raise InconsistentError("inputs", cause, f"give inputs={{{name!r}: value}}")
    for name in wanted:
        if name not in which.outputs:
            gives = f"outputs of {which.name}: {', '.join(which.outputs)}"
            raise ArgumentError("outputs", repr(name), gives)
