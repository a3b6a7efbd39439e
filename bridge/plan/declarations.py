"""What catalogue.toml files declare: quantities, constants, tables, kernels and composites.

Below `catalogue`, which has the files of the package and of kernel packs read
(`cataloguefiles`) and makes plans.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bridge.errors import ArgumentError, known_start
from bridge.plan import columns
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import POSITIONS
from bridge.plan.order import Order

#: The largest absolute value of a constant, by its type.
LARGEST = {"float64": sys.float_info.max, "int32": 2**31 - 1, "logical": 1}

NO_CONSTANTS = "a constant: no kernel pack has any"
NO_TABLES = "a table: no kernel pack has any"


@dataclass(frozen=True)
class Quantity:
    """name, SI unit, columns (a word of `columns`), dtype ("float64" or "int32"), about.

    per_component: an array of a set may hold any number of it, each of them a point of a run;
    symbol: in formulas; words: what else people call it.
    """

    name: str
    unit: str
    columns: str
    dtype: str
    about: str
    file: Path
    per_component: bool = False
    symbol: str = field(default="", kw_only=True)
    words: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class Constant(Quantity):
    """A quantity that is the same at every point where no array is given for it.

    type: "float64", "int32" or "logical", which kernels read as the integer 0 or 1; value: of each
    column, None where the host has to give it.
    """

    type: str = "float64"
    value: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Table:
    """Values of a host that kernels look up by integers; rank: of its array; size: of each
    dimension, None where the host's array decides."""

    name: str
    unit: str
    rank: int
    size: tuple[int, ...] | None
    about: str
    file: Path


@dataclass(frozen=True)
class Kernel:
    """One named kernel: its header's function takes the tables, the inputs, then the outputs, in
    order.

    number: its place among all kernels, file after file, and so among those that may run in any
    order;
    fuses: names of the kernels whose work it does without storing what lies between them: what it
    makes, it makes instead of them; cost: "1", "N", "k", "N2" or "N3" per point; file: the
    catalogue that declares it; reads: inputs that it reads at neighbours of a point, and how far;
    order: that of its points, where it reads neighbours of what it writes; planned: whether
    plans may choose it for what it makes, not only runs and steps by its name; singles: whether
    it computes in single precision, as real(4) does; option: name and value with which alone
    plans choose it; given: the quantity that the caller gives wherever plans choose it;
    in_place_of: the kernel that they leave out then.
    """

    number: int
    name: str
    header: Path
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    cost: str
    about: str
    source: str
    fuses: tuple[str, ...]
    file: Path
    tables: tuple[str, ...] = ()
    reads: Mapping[str, Fringe] = field(default_factory=dict)
    order: Order | None = None
    planned: bool = True
    singles: bool = False
    option: tuple[str, str] | None = None
    given: str = ""
    in_place_of: str = ""

    @property
    def makes(self) -> tuple[str, ...]:
        """Outputs that are new, not rewritten inputs."""
        return tuple(name for name in self.outputs if name not in self.inputs)

    @property
    def rewrites(self) -> tuple[str, ...]:
        """Inputs that it gives a new value."""
        return tuple(name for name in self.outputs if name in self.inputs)

    @property
    def stands_for(self) -> tuple[str, ...]:
        """Kernels that plans choose it instead of, ever or on its condition."""
        return (*self.fuses, self.in_place_of) if self.in_place_of else self.fuses

    @property
    def needs_transport(self) -> bool:
        """Whether it reads the critical volume, dipole or association constants: its header lies
        in a folder `transport`."""
        return self.header.parent.name == "transport" or self.name == "prEOSCriticalState"


@dataclass(frozen=True)
class Replace:
    """What a pack says in `[replace]`: its kernel or composite `by` runs where `composite` of
    another file is asked for. names: its own quantities -> those that they stand for; without:
    outputs of `composite` that it does not give."""

    composite: str
    by: str
    names: tuple[tuple[str, str], ...]
    without: tuple[str, ...]
    file: Path


@dataclass(frozen=True)
class Composite:
    """A named set of outputs from named inputs; steps: the kernels that it runs, in this order,
    where the catalogue gives it (an empty one is planned from the outputs); entry: its lower-case
    name in bridge.h; replaced: by what of a pack, whose inputs and outputs these are then."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    file: Path
    steps: tuple[str, ...] = ()
    replaced: Replace | None = None

    @property
    def entry(self) -> str:
        return self.name.lower()

    @property
    def rewrites(self) -> tuple[str, ...]:
        """Quantities that it takes and gives back with a new value."""
        return tuple(name for name in self.outputs if name in self.inputs)


class Declarations:
    """Quantities (constants among them), tables, kernels and composites by name, in the order of
    their files."""

    def __init__(self) -> None:
        self.quantities: dict[str, Quantity] = {}
        self.tables: dict[str, Table] = {}
        self.kernels: dict[str, Kernel] = {}
        self.composites: dict[str, Composite] = {}
        self.replacements: list[Replace] = []
        self._entries: dict[str, Composite] = {}

    # ---- by name ------------------------------------------------------------------------

    def columns(self, name: str, ns: int) -> int:
        """Values per point of a quantity for ns species; ArgumentError where it has some for each
        species and there are none, or fewer than it counts on."""
        word = self.quantity(name).columns
        if not columns.per_species(word):
            return int(word)
        if not ns:
            wanted = "a quantity that knows no species, or ns of at least 1"
            raise ArgumentError("name", f"{name!r}, {word} values per point, with ns = 0", wanted)
        linear = columns.of_species(word)
        if linear is not None and linear.a * ns + linear.b < 0:
            got = f"{ns}, with {word} values of {name!r} per point"
            raise ArgumentError("ns", got, f"at least {-(linear.b // linear.a)}")
        return columns.counted(word, ns)

    def per_species(self, name: str) -> bool:
        """Whether the columns of a quantity follow from the number of species."""
        return columns.per_species(self.quantity(name).columns)

    def quantity(self, name: str) -> Quantity:
        if name not in self.quantities:
            raise self.unknown(name)
        return self.quantities[name]

    def kernel(self, name: str) -> Kernel:
        """The kernel of this name, case-sensitive."""
        if name not in self.kernels:
            start = known_start(name, (*self.kernels, *self.composites))
            wanted = close_names("a kernel", name, self.kernels)
            raise ArgumentError("kernel", repr(name), wanted, start)
        return self.kernels[name]

    def composite(self, name: str) -> Composite:
        """The composite of this name, or whose entry point has it (all lower case)."""
        found = self.composites.get(name) or self._entries.get(name)
        if found is None:
            wanted = close_names("a composite", name, self.composites)
            start = known_start(name, self.composites)
            raise ArgumentError("composite", repr(name), wanted, start)
        return found

    def runnable(self, name: str) -> Composite | Kernel:
        """What a run evaluates: a composite or one kernel, whose names are never the same; a
        composite's entry comes last."""
        if name in self.composites or name not in self.kernels:
            names = (*self.composites, *self.kernels)
            if name not in self.composites and name not in self._entries:
                wanted = close_names("a composite or a kernel", name, names)
                raise ArgumentError("composite", repr(name), wanted, known_start(name, names))
            return self.composite(name)
        return self.kernels[name]

    def unknown(self, name: str) -> ArgumentError:
        """The refusal of a name that is no quantity, for a caller whose names are views too."""
        start = known_start(name, ("Q", *self.quantities))
        return ArgumentError("name", repr(name), self.suggest(name), start)

    def suggest(self, name: str) -> str:
        """What should have been said instead of an unknown quantity."""
        from bridge.plan import lookup

        every = self.quantities.values()
        called = [one.name for one in lookup.named(name, every) or lookup.near(name, every)]
        return close_names("a quantity", name, ("Q", *self.quantities), called)

    @property
    def constants(self) -> dict[str, Constant]:
        """Every constant by name."""
        found = self.quantities.items()
        return {name: constant for name, constant in found if isinstance(constant, Constant)}

    def constant(self, name: str) -> Constant:
        found = self.quantities.get(name)
        if isinstance(found, Constant):
            return found
        known = self.constants
        wanted = close_names("a constant", name, known) if known else NO_CONSTANTS
        raise ArgumentError("constant", repr(name), wanted, known_start(name, known))

    def table(self, name: str) -> Table:
        if name not in self.tables:
            wanted = close_names("a table", name, self.tables) if self.tables else NO_TABLES
            raise ArgumentError("table", repr(name), wanted, known_start(name, self.tables))
        return self.tables[name]

    @property
    def positions(self) -> tuple[str, ...]:
        """Inputs of kernels that are known of every point of a set."""
        return tuple(name for name in POSITIONS if name in self.quantities)

    # ---- adding ------------------------------------------------------------------------

    def add(self, item: Quantity | Table | Kernel | Composite) -> None:
        """One more declaration; ArgumentError where there is one of its kind and name."""
        tables: list[tuple[type[Any], str, dict[str, Any]]] = [
            (Constant, "constant", self.quantities),
            (Quantity, "quantity", self.quantities),
            (Table, "table", self.tables),
            (Kernel, "kernel", self.kernels),
            (Composite, "composite", self.composites),
        ]
        kind, table = next((k, t) for which, k, t in tables if isinstance(item, which))
        if item.name in table:
            files = f"{table[item.name].file} and {item.file}"
            raise ArgumentError(kind, f"{item.name} declared twice, in {files}", "one declaration")
        table[item.name] = item
        if isinstance(item, Composite):
            self._add_entry(item)

    def replace(self, composite: Composite) -> None:
        """Another declaration in place of the composite of this name."""
        self.composites[composite.name] = self._entries[composite.entry] = composite

    def _add_entry(self, composite: Composite) -> None:
        if composite.entry in self._entries:
            other = self._entries[composite.entry]
            got = f"{composite.name} of {composite.file}"
            raise ArgumentError(
                "composite", got, f"not {other.name} of {other.file} in other letters"
            )
        self._entries[composite.entry] = composite


def close_names(kind: str, name: str, table: Iterable[str], called: Iterable[str] = ()) -> str:
    """What was wanted in place of a name that is not there, with those most like it; called: those
    that people call so."""
    import difflib

    names = list(table)
    close = [known for known in names if known.lower() == name.lower()]
    close = list(dict.fromkeys([*close, *called]))[:4]
    similar = [] if close and called else difflib.get_close_matches(name, names, 3, 0.5)
    close += [known for known in similar if known not in close]
    return f"{kind} of the catalogue" + (f", such as {', '.join(close)}" if close else "")
