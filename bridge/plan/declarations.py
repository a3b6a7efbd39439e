"""What catalogue.toml files declare: quantities, kernels and composites, by name.

Below `catalogue`, which reads the files of the package and of kernel packs and makes plans.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.errors import ArgumentError, known_start

#: Columns of a quantity per point, by the word in the catalogue (or a plain number).
_COLUMNS = {
    "ns": lambda ns: ns,
    "ns-1": lambda ns: ns - 1,
    "pairs": lambda ns: ns * (ns + 1) // 2,
    "ns*ns": lambda ns: ns * ns,
}


@dataclass(frozen=True)
class Quantity:
    """name, SI unit, columns ("1", "ns", "pairs", ...), dtype ("float64" or "int32"), about.

    value: what a constant is at every point where the caller gives nothing else; None for the
    others.
    """

    name: str
    unit: str
    columns: str
    dtype: str
    about: str
    file: Path
    value: float | None = None


@dataclass(frozen=True)
class Kernel:
    """One named kernel: its header's function takes the inputs, then the outputs, in order.

    number: its place among all kernels, file after file, and so among those that may run in any
    order;
    fuses: names of the kernels whose work it does without storing what lies between them: what it
    makes, it makes instead of them; cost: "1", "N", "k", "N2" or "N3" per point; file: the
    catalogue that declares it.
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
    """A named set of outputs from named inputs; entry: its lower-case name in bridge.h."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    file: Path

    @property
    def entry(self) -> str:
        return self.name.lower()

    @property
    def rewrites(self) -> tuple[str, ...]:
        """Quantities that it takes and gives back with a new value."""
        return tuple(name for name in self.outputs if name in self.inputs)


class Declarations:
    """Quantities, kernels and composites by name, in the order of their files."""

    def __init__(self) -> None:
        self.quantities: dict[str, Quantity] = {}
        self.kernels: dict[str, Kernel] = {}
        self.composites: dict[str, Composite] = {}
        self._entries: dict[str, Composite] = {}

    # ---- by name ------------------------------------------------------------------------

    def columns(self, name: str, ns: int) -> int:
        """Values per point of a quantity for ns species."""
        columns = self.quantity(name).columns
        return _COLUMNS[columns](ns) if columns in _COLUMNS else int(columns)

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

    def unknown(self, name: str) -> ArgumentError:
        """The refusal of a name that is no quantity, for a caller whose names are views too."""
        start = known_start(name, ("Q", *self.quantities))
        return ArgumentError("name", repr(name), self.suggest(name), start)

    def suggest(self, name: str) -> str:
        """What should have been said instead of an unknown quantity."""
        return close_names("a quantity", name, self.quantities)

    @property
    def constants(self) -> dict[str, float]:
        """Value of every constant by name."""
        values = ((name, quantity.value) for name, quantity in self.quantities.items())
        return {name: value for name, value in values if value is not None}

    # ---- reading ------------------------------------------------------------------------

    def read(self, path: Path) -> None:
        """Add the declarations of one file; headers are looked for beside it."""
        try:
            text = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ArgumentError("catalogue", f"{path} ({error})", "a readable TOML file") from None
        _known(text, ("quantity", "constant", "kernel", "composite"), str(path))
        for name, entry in text.get("quantity", {}).items():
            self._add(self.quantities, _quantity(name, entry, path), "quantity")
        for name, entry in text.get("constant", {}).items():
            self._add(self.quantities, _constant(name, entry, path), "constant")
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
    _known(entry, ("unit", "columns", "type", "about"), where, needs=("unit",))
    columns = str(entry.get("columns", "1"))
    dtype = entry.get("type", "float64")
    if columns not in _COLUMNS and not (columns.isdigit() and int(columns) > 0):
        wanted = f"a number or one of {', '.join(_COLUMNS)}"
        raise ArgumentError("columns", f"{columns!r} of {name} in {path}", wanted)
    if dtype not in ("float64", "int32"):
        raise ArgumentError("type", f"{dtype!r} of {name} in {path}", "float64 or int32")
    return Quantity(name, entry["unit"], columns, dtype, entry.get("about", ""), path)


def _constant(name: str, entry: dict[str, Any], path: Path) -> Quantity:
    where = _identifier(f"[constant.{name}] of {path}", name)
    _known(entry, ("unit", "value", "about"), where, needs=("unit", "value"))
    value = entry["value"]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentError("value", f"{value!r} in {where}", "a number")
    return Quantity(
        name, entry["unit"], "1", "float64", entry.get("about", ""), path, float(value)
    )


def _kernel(entry: dict[str, Any], path: Path, number: int) -> Kernel:
    name = entry.get("name", "")
    where = _identifier(f"[[kernel]] {name} of {path}", name)
    more = ("cost", "about", "source", "fuses")
    needs = ("name", "header", "inputs", "outputs")
    _known(entry, (*needs, *more), where, needs=needs)
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
    )


def _composite(entry: dict[str, Any], path: Path) -> Composite:
    where = f"[[composite]] {entry.get('name', '')} of {path}"
    needs = ("name", "inputs", "outputs")
    _known(entry, needs, where, needs=needs)
    return Composite(entry["name"], tuple(entry["inputs"]), tuple(entry["outputs"]), path)


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
