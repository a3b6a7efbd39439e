"""What catalogue.toml files declare: quantities, constants, tables, kernels and composites.

Below `catalogue`, which reads the files of the package and of kernel packs and makes plans.
"""

from __future__ import annotations

import difflib
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bridge.errors import ArgumentError, known_start
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import POSITIONS

#: Columns of a quantity per point, by the word in the catalogue (or a plain number).
_COLUMNS: dict[str, Callable[[int], int]] = {
    "ns": lambda ns: ns,
    "ns-1": lambda ns: ns - 1,
    "pairs": lambda ns: ns * (ns + 1) // 2,
    "ns*ns": lambda ns: ns * ns,
}


#: Dimensions that a table may have.
MOST_DIMENSIONS = 3
#: The largest absolute value of a constant, by its type.
LARGEST = {"float64": sys.float_info.max, "int32": 2**31 - 1, "logical": 1}

NO_CONSTANTS = "a constant: no kernel pack has any"
NO_TABLES = "a table: no kernel pack has any"


@dataclass(frozen=True)
class Quantity:
    """name, SI unit, columns ("1", "ns", "pairs", ...), dtype ("float64" or "int32"), about.

    per_component: an array of a set may hold any number of it, each of them a point of a run.
    """

    name: str
    unit: str
    columns: str
    dtype: str
    about: str
    file: Path
    per_component: bool = False


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
    planned: whether plans may choose it for what it makes, not only runs and steps by its name.
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
    planned: bool = True

    @property
    def makes(self) -> tuple[str, ...]:
        """Outputs that are new, not rewritten inputs."""
        return tuple(name for name in self.outputs if name not in self.inputs)

    @property
    def rewrites(self) -> tuple[str, ...]:
        """Inputs that it gives a new value."""
        return tuple(name for name in self.outputs if name in self.inputs)

    @property
    def needs_transport(self) -> bool:
        """Whether it reads the critical volume, dipole or association constants: its header lies
        in a folder `transport`."""
        return self.header.parent.name == "transport" or self.name == "prEOSCriticalState"


@dataclass(frozen=True)
class Composite:
    """A named set of outputs from named inputs; steps: the kernels that it runs, in this order,
    where the catalogue gives it (an empty one is planned from the outputs); entry: its lower-case
    name in bridge.h."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    file: Path
    steps: tuple[str, ...] = ()

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
        self._entries: dict[str, Composite] = {}

    # ---- by name ------------------------------------------------------------------------

    def columns(self, name: str, ns: int) -> int:
        """Values per point of a quantity for ns species; ArgumentError where it has one for each
        species and there are none."""
        columns = self.quantity(name).columns
        if columns not in _COLUMNS:
            return int(columns)
        if not ns:
            wanted = "a quantity that knows no species, or ns of at least 1"
            raise ArgumentError("name", f"{name!r}, one value per species, with ns = 0", wanted)
        return _COLUMNS[columns](ns)

    def per_species(self, name: str) -> bool:
        """Whether the columns of a quantity follow from the number of species."""
        return self.quantity(name).columns in _COLUMNS

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
        return close_names("a quantity", name, self.quantities)

    @property
    def constants(self) -> dict[str, Constant]:
        """Every constant by name."""
        found = self.quantities.items()
        return {name: constant for name, constant in found if isinstance(constant, Constant)}

    def constant(self, name: str) -> Constant:
        known = self.constants
        if name not in known:
            wanted = close_names("a constant", name, known) if known else NO_CONSTANTS
            raise ArgumentError("constant", repr(name), wanted, known_start(name, known))
        return known[name]

    def table(self, name: str) -> Table:
        if name not in self.tables:
            wanted = close_names("a table", name, self.tables) if self.tables else NO_TABLES
            raise ArgumentError("table", repr(name), wanted, known_start(name, self.tables))
        return self.tables[name]

    @property
    def positions(self) -> tuple[str, ...]:
        """Inputs of kernels that are known of every point of a set."""
        return tuple(name for name in POSITIONS if name in self.quantities)

    # ---- reading ------------------------------------------------------------------------

    def read(self, path: Path) -> None:
        """Add the declarations of one file; headers are looked for beside it."""
        try:
            text = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ArgumentError("catalogue", f"{path} ({error})", "a readable TOML file") from None
        _known(text, ("quantity", "constant", "table", "kernel", "composite"), str(path))
        for name, entry in text.get("quantity", {}).items():
            self._add(self.quantities, _quantity(name, entry, path), "quantity")
        for name, entry in text.get("constant", {}).items():
            self._add(self.quantities, _constant(name, entry, path), "constant")
        for name, entry in text.get("table", {}).items():
            self._add(self.tables, _table(name, entry, path), "table")
        for entry in text.get("kernel", []):
            self._add(self.kernels, _kernel(entry, path, len(self.kernels) + 1), "kernel")
        for entry in text.get("composite", []):
            composite = _composite(entry, path)
            self._add(self.composites, composite, "composite")
            if composite.entry in self._entries:
                other = self._entries[composite.entry]
                got = f"{composite.name} of {path}"
                raise ArgumentError(
                    "composite", got, f"not {other.name} of {other.file} in other letters"
                )
            self._entries[composite.entry] = composite

    @staticmethod
    def _add(table: dict[str, Any], item: Any, kind: str) -> None:
        if item.name in table:
            files = f"{table[item.name].file} and {item.file}"
            raise ArgumentError(kind, f"{item.name} declared twice, in {files}", "one declaration")
        table[item.name] = item


def _quantity(name: str, entry: dict[str, Any], path: Path) -> Quantity:
    where = _identifier(f"[quantity.{name}] of {path}", name)
    keys = ("unit", "columns", "type", "per_component", "about")
    _known(entry, keys, where, needs=("unit",))
    columns = str(entry.get("columns", "1"))
    dtype = entry.get("type", "float64")
    each = entry.get("per_component", False)
    _check_columns(columns, name, path)
    if dtype not in ("float64", "int32"):
        raise ArgumentError("type", f"{dtype!r} of {name} in {path}", "float64 or int32")
    if each not in (True, False) or (each and columns != "1"):
        wanted = f"true or false, and with columns = {columns!r} false: each column is a point"
        raise ArgumentError("per_component", f"{each!r} in {where}", wanted)
    about = entry.get("about", "")
    return Quantity(name, entry["unit"], columns, dtype, about, path, bool(each))


def _check_columns(columns: str, name: str, path: Path) -> None:
    if columns not in _COLUMNS and not (columns.isdigit() and int(columns) > 0):
        wanted = f"a number or one of {', '.join(_COLUMNS)}"
        raise ArgumentError("columns", f"{columns!r} of {name} in {path}", wanted)


#: Types of a constant -> those of TOML's values, and what they are called.
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "float64": ((int, float), "a finite number"),
    "int32": ((int,), "an integer of 32 bits"),
    "logical": ((bool,), "true or false"),
}


def _constant(name: str, entry: dict[str, Any], path: Path) -> Constant:
    where = _identifier(f"[constant.{name}] of {path}", name)
    _known(entry, ("unit", "columns", "type", "value", "about"), where, needs=("unit",))
    columns, kind = str(entry.get("columns", "1")), entry.get("type", "float64")
    _check_columns(columns, name, path)
    if kind not in _TYPES:
        raise ArgumentError("type", f"{kind!r} of {name} in {path}", f"one of {', '.join(_TYPES)}")
    values = None
    if "value" in entry:
        value = entry["value"]
        values = value if isinstance(value, list) else [value]
        types, wanted = _TYPES[kind]
        fits = (
            isinstance(v, bool) == (kind == "logical") and isinstance(v, types) for v in values
        )
        if not all(fits) or not all(abs(v) <= LARGEST[kind] for v in values):
            raise ArgumentError("value", f"{value!r} in {where}", wanted)
        if isinstance(value, list) == (columns == "1") or str(len(values)) != columns:
            wanted = "one value" if columns == "1" else f"an array of {columns} values"
            if not columns.isdigit():
                wanted = f"none, as its columns are {columns!r}: the host gives them"
            raise ArgumentError("value", f"{value!r} in {where}", wanted)
    dtype = "float64" if kind == "float64" else "int32"
    about = entry.get("about", "")
    given = None if values is None else tuple(values)
    return Constant(name, entry["unit"], columns, dtype, about, path, type=kind, value=given)


def _table(name: str, entry: dict[str, Any], path: Path) -> Table:
    where = _identifier(f"[table.{name}] of {path}", name)
    _known(entry, ("unit", "rank", "size", "about"), where, needs=("unit",))
    size = entry.get("size")
    if size is not None:
        sizes = size if isinstance(size, list) else [size]
        if not all(type(n) is int and n > 0 for n in sizes):
            raise ArgumentError("size", f"{size!r} in {where}", "whole numbers from 1")
        size = tuple(sizes)
    rank = entry.get("rank", len(size) if size else None)
    if type(rank) is not int or not 1 <= rank <= MOST_DIMENSIONS or (size and len(size) != rank):
        wanted = f"1 to {MOST_DIMENSIONS} dimensions, by 'rank' or by 'size'"
        raise ArgumentError("rank", f"{rank!r} in {where}", wanted)
    return Table(name, entry["unit"], rank, size, entry.get("about", ""), path)


def _kernel(entry: dict[str, Any], path: Path, number: int) -> Kernel:
    name = entry.get("name", "")
    where = _identifier(f"[[kernel]] {name} of {path}", name)
    more = ("cost", "about", "source", "fuses", "tables", "reads", "planned")
    needs = ("name", "header", "inputs", "outputs")
    _known(entry, (*needs, *more), where, needs=needs)
    reads = entry.get("reads", {})
    if not isinstance(reads, dict):
        raise ArgumentError("reads", f"{reads!r} of {where}", "reads = {u = {x = [-1, 1]}}")
    planned = entry.get("planned", True)
    if not isinstance(planned, bool):
        raise ArgumentError("planned", f"{planned!r} of {where}", "true or false")
    return Kernel(
        number=number,
        name=name,
        header=path.parent / entry["header"],
        inputs=tuple(entry["inputs"]),
        outputs=tuple(entry["outputs"]),
        cost=entry.get("cost", "1"),
        about=entry.get("about", ""),
        source=entry.get("source", ""),
        fuses=tuple(entry.get("fuses", ())),
        file=path,
        tables=tuple(entry.get("tables", ())),
        reads={q: Fringe.read(each, f"{q} in {where}") for q, each in reads.items()},
        planned=planned,
    )


def _composite(entry: dict[str, Any], path: Path) -> Composite:
    where = f"[[composite]] {entry.get('name', '')} of {path}"
    needs = ("name", "inputs", "outputs")
    _known(entry, (*needs, "steps"), where, needs=needs)
    inputs, outputs = tuple(entry["inputs"]), tuple(entry["outputs"])
    return Composite(entry["name"], inputs, outputs, path, tuple(entry.get("steps", ())))


def _known(
    entry: dict[str, Any], keys: tuple[str, ...], where: str, needs: tuple[str, ...] = ()
) -> None:
    """Refuse misspelt keys, and missing ones."""
    for key in [*(k for k in entry if k not in keys), *(k for k in needs if k not in entry)]:
        got = f"{key!r} {'in' if key in entry else 'missing in'} {where}"
        raise ArgumentError("catalogue", got, f"keys out of {', '.join(keys)}")


def _identifier(where: str, name: str) -> str:
    """The place it stands at, if the name can be one in C++ too."""
    if not (isinstance(name, str) and name.isascii() and name.isidentifier()):
        raise ArgumentError("name", f"{name!r} in {where}", "letters, digits and underscores")
    return where


def close_names(kind: str, name: str, table: Iterable[str]) -> str:
    """What was wanted in place of a name that is not there, with those most like it."""
    names = list(table)
    close = [known for known in names if known.lower() == name.lower()]
    close += [
        known for known in difflib.get_close_matches(name, names, 3, 0.5) if known not in close
    ]
    return f"{kind} of the catalogue" + (f", such as {', '.join(close)}" if close else "")
