"""The catalogue: quantities, kernels and composites as declared in catalogue.toml files.

Everything that launches kernels asks here what a name means; `planner` turns wanted outputs into
the kernels that make them. Kernel packs add their files to the shipped one.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from bridge import packs, planner, selection
from bridge.errors import ArgumentError, known_start
from bridge.plan import Plan

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

    number: where it stands among kernels that may run in any order, by default after the highest;
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


class Catalogue:
    """Quantities, kernels and composites by name, in the order of their files."""

    def __init__(self) -> None:
        self.quantities: dict[str, Quantity] = {}
        self.kernels: dict[str, Kernel] = {}
        self.composites: dict[str, Composite] = {}
        self._entries: dict[str, Composite] = {}
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
            catalogue._read(path)
        catalogue._check()
        return catalogue

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
            wanted = _wanted("a kernel", name, self.kernels)
            raise ArgumentError("kernel", repr(name), wanted, start)
        return self.kernels[name]

    def composite(self, name: str) -> Composite:
        """The composite of this name, or whose entry point has it (all lower case)."""
        found = self.composites.get(name) or self._entries.get(name)
        if found is None:
            wanted = _wanted("a composite", name, self.composites)
            start = known_start(name, self.composites)
            raise ArgumentError("composite", repr(name), wanted, start)
        return found

    def unknown(self, name: str) -> ArgumentError:
        """The refusal of a name that is no quantity, for a caller whose names are views too."""
        start = known_start(name, ("Q", *self.quantities))
        return ArgumentError("name", repr(name), self.suggest(name), start)

    def suggest(self, name: str) -> str:
        """What should have been said instead of an unknown quantity."""
        return _wanted("a quantity", name, self.quantities)

    @property
    def constants(self) -> dict[str, float]:
        """Value of every constant by name."""
        values = ((name, quantity.value) for name, quantity in self.quantities.items())
        return {name: value for name, value in values if value is not None}

    def with_constants(self, values: Mapping[str, float]) -> Catalogue:
        """This catalogue with other values of its constants; ArgumentError for an unknown one."""
        if not values:
            return self
        other = copy(self)
        other.quantities, other._plans = dict(self.quantities), {}
        for name, value in values.items():
            if name not in self.constants:
                wanted = f"a constant: {', '.join(self.constants) or 'no kernel pack has any'}"
                raise ArgumentError("constants", repr(name), wanted)
            other.quantities[name] = replace(self.quantities[name], value=float(value))
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
        these plans read the same values. Constants are always given: those that the kernels read
        are among the plan's inputs. Raises ArgumentError for an unknown name and for an output
        that nothing makes from these inputs, saying what is missing.
        """
        key = (tuple(outputs), frozenset(inputs).union(self.constants), ns, name, status,
               tuple(rewrites), tuple(beside))  # fmt: skip
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
        wanted = composite.outputs if outputs is None else frozenset(outputs)
        return self.plan(
            [name for name in composite.outputs if name in wanted],
            composite.inputs if inputs is None else inputs,
            ns,
            name=composite.name,
            status=selection.STATUS in composite.outputs,
            rewrites=composite.rewrites,
            beside=composite.outputs,
        )

    def single(self, kernel: str, ns: int) -> Plan:
        """One named kernel as a plan; a quantity it rewrites is input and output."""
        key = (kernel, ns)
        if key not in self._plans:
            self._plans[key] = planner.single(self, self.kernel(kernel), ns)
        return self._plans[key]

    # ---- reading ------------------------------------------------------------------------

    def _read(self, path: Path) -> None:
        try:
            text = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ArgumentError("catalogue", f"{path} ({error})", "a readable TOML file") from None
        _known(text, ("quantity", "constant", "kernel", "composite"), str(path))
        for name, entry in text.get("quantity", {}).items():
            self._add(self.quantities, _quantity(name, entry, path), "quantity")
        for name, entry in text.get("constant", {}).items():
            self._add(self.quantities, _constant(name, entry, path), "constant")
        entries = text.get("kernel", [])
        numbers = [k.number for k in self.kernels.values()]
        latest = max((*numbers, *(entry.get("number", 0) for entry in entries)), default=0)
        for entry in entries:
            latest += "number" not in entry
            self._add(self.kernels, _kernel(entry, path, latest), "kernel")
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

    def _check(self) -> None:
        numbers: dict[int, Kernel] = {}
        for kernel in self.kernels.values():
            if not kernel.header.is_file():
                raise ArgumentError("header", f"{kernel.header}, which is missing", kernel.name)
            if kernel.number in numbers:
                other = numbers[kernel.number]
                got = f"{kernel.number} of {kernel.name} in {kernel.file}"
                raise ArgumentError("number", got, f"not that of {other.name} in {other.file}")
            numbers[kernel.number] = kernel
        for name in self.kernels.keys() & self.composites.keys():
            files = f"{self.kernels[name].file} and {self.composites[name].file}"
            got = f"{name}, also a composite, in {files}"
            raise ArgumentError("kernel", got, "a name that can be launched")
        users: list[Kernel | Composite] = [*self.kernels.values(), *self.composites.values()]
        for user in users:
            for name in (*user.inputs, *user.outputs):
                if name not in self.quantities:
                    got = f"{name} in {user.name} of {user.file}"
                    raise ArgumentError("quantity", got, self.suggest(name))
            inputs = user.inputs if isinstance(user, Composite) else ()
            for name in self.constants.keys() & {*inputs, *user.outputs}:
                got = f"{name} in {user.name} of {user.file}"
                raise ArgumentError("constant", got, "constants among inputs of kernels alone")
        for kernel in self.kernels.values():
            for name in kernel.fuses:
                if name not in self.kernels:
                    got = f"{name!r} in {kernel.name} of {kernel.file}"
                    raise ArgumentError("fuses", got, _wanted("a kernel", str(name), self.kernels))
        self._check_makers()
        self._check_rewrites()
        self._check_cycles()

    def _check_makers(self) -> None:
        """One kernel makes a quantity, or one that fuses it: no order of files decides."""
        makers: dict[str, list[Kernel]] = {}
        for kernel in selection.ordinary(self):
            for name in kernel.makes:
                for other in makers.setdefault(name, []):
                    if kernel.name not in other.fuses and other.name not in kernel.fuses:
                        got = (
                            f"{name} made by {other.name} of {other.file} and by {kernel.name} of "
                            f"{kernel.file}"
                        )
                        wanted = "one kernel that makes it, or one that lists the other in 'fuses'"
                        raise ArgumentError("outputs", got, wanted)
                makers[name].append(kernel)

    def _check_rewrites(self) -> None:
        """What a composite takes and gives back has one kernel that gives it its new value."""
        for composite in self.composites.values():
            for name in composite.rewrites:
                given = {*composite.inputs, *self.constants}
                found = selection.rewriters(self, name, given)
                if name != selection.STATUS and len(found) != 1:
                    kernels = " and ".join(f"{k.name} of {k.file}" for k in found)
                    got = f"{name} in inputs and outputs of {composite.name} in {composite.file}"
                    wanted = (
                        f"one kernel that gives it a new value, not {kernels}"
                        if found
                        else f"a kernel that takes and gives {name} and finds its other inputs"
                    )
                    raise ArgumentError("composite", got, wanted)

    def _check_cycles(self) -> None:
        graph: dict[str, set[str]] = {}
        for kernel in selection.ordinary(self):
            for name in kernel.makes:
                graph.setdefault(name, set()).update(set(kernel.inputs) - set(kernel.rewrites))
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            got = f"a cycle: {' <- '.join(error.args[1])}"
            raise ArgumentError(
                "catalogue", got, "quantities that do not need themselves"
            ) from None


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
    if dtype == "int32" and columns != "1":
        raise ArgumentError("columns", f"{columns!r} of {name} in {path}", "1, as it is int32")
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
    more = ("number", "cost", "about", "source", "fuses")
    needs = ("name", "header", "inputs", "outputs")
    _known(entry, (*needs, *more), where, needs=needs)
    return Kernel(
        number=entry.get("number", number),
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


def _wanted(kind: str, name: str, table: Iterable[str]) -> str:
    names = list(table)
    close = [known for known in names if known.lower() == name.lower()]
    close += [
        known for known in difflib.get_close_matches(name, names, 3, 0.5) if known not in close
    ]
    return f"{kind} of the catalogue" + (f", such as {', '.join(close)}" if close else "")


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
