"""A catalogue.toml file: its entries read and checked, one declaration each.

Between `declarations`, which says what they are, and `catalogue`, which reads the files of the
package and of kernel packs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bridge.errors import ArgumentError
from bridge.physics.options import CHOICES
from bridge.plan import columns
from bridge.plan.declarations import (
    LARGEST,
    Composite,
    Constant,
    Declarations,
    Kernel,
    Quantity,
    Replace,
    Table,
)
from bridge.plan.fringe import Fringe
from bridge.plan.order import KEYS as ORDER
from bridge.plan.order import Order

#: Dimensions that a table may have.
MOST_DIMENSIONS = 3
#: Tables of a file.
KINDS = ("quantity", "constant", "table", "kernel", "composite", "replace")
#: What has a kernel planned: an option of the physics, or a quantity that the caller gives. It may
#: be in place of another one.
CONDITIONS = ("option", "given")
#: What a file says of all its kernels before these: whether they compute in single precision, as
#: their originals in real(4) do.
PRECISION = "precision"
PRECISIONS = {"double": False, "original": True}


def read_shipped(path: Path, into: Declarations) -> None:
    """Add the declarations of the package's own file, parsed when the package was built."""
    from bridge.compiled.catalogue import CONTENT

    add(CONTENT, path, into)


def read(path: Path, into: Declarations) -> None:
    """Add the declarations of one file; headers are looked for beside it."""
    import tomllib

    try:
        text = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArgumentError("catalogue", f"{path} ({error})", "a readable TOML file") from None
    add(text, path, into)


def add(text: dict[str, Any], path: Path, into: Declarations) -> None:
    """Add the declarations of a file's contents."""
    _known(text, (PRECISION, *KINDS), str(path))
    precision = text.get(PRECISION, "double")
    if not isinstance(precision, str) or precision not in PRECISIONS:
        raise ArgumentError(PRECISION, f"{precision!r} of {path}", " or ".join(PRECISIONS))
    for name, entry in text.get("quantity", {}).items():
        into.add(_quantity(name, entry, path))
    for name, entry in text.get("constant", {}).items():
        into.add(_constant(name, entry, path))
    for name, entry in text.get("table", {}).items():
        into.add(_table(name, entry, path))
    for entry in text.get("kernel", []):
        number = len(into.kernels) + 1
        into.add(_kernel(entry, path, number, PRECISIONS[precision]))
    for entry in text.get("composite", []):
        into.add(_composite(entry, path))
    into.replacements += _replacements(text.get("replace", {}), path)


def _quantity(name: str, entry: dict[str, Any], path: Path) -> Quantity:
    where = _identifier(f"[quantity.{name}] of {path}", name)
    keys = ("unit", "columns", "type", "per_component", "about", "symbol", "words")
    _known(entry, keys, where, needs=("unit",))
    width = _columns(str(entry.get("columns", "1")), name, path)
    dtype = entry.get("type", "float64")
    each = entry.get("per_component", False)
    if dtype not in ("float64", "int32"):
        raise ArgumentError("type", f"{dtype!r} of {name} in {path}", "float64 or int32")
    if each not in (True, False) or (each and width != "1"):
        wanted = f"false, as columns = {width!r}" if width != "1" else "true or false"
        raise ArgumentError("per_component", f"{each!r} in {where}", wanted)
    about, symbol = entry.get("about", ""), entry.get("symbol", "")
    words = tuple(filter(None, map(str.strip, entry.get("words", "").split(","))))
    return Quantity(
        name, entry["unit"], width, dtype, about, path, bool(each), symbol=symbol, words=words
    )


def _columns(said: str, name: str, path: Path) -> str:
    """In their one spelling."""
    found = columns.plain(said)
    if not found:
        raise ArgumentError("columns", f"{said!r} of {name} in {path}", columns.WANTED)
    return found


#: Types of a constant -> those of TOML's values, and what they are called.
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "float64": ((int, float), "a finite number"),
    "int32": ((int,), "an integer of 32 bits"),
    "logical": ((bool,), "true or false"),
}


def _constant(name: str, entry: dict[str, Any], path: Path) -> Constant:
    where = _identifier(f"[constant.{name}] of {path}", name)
    _known(entry, ("unit", "columns", "type", "value", "about"), where, needs=("unit",))
    width, kind = str(entry.get("columns", "1")), entry.get("type", "float64")
    width = _columns(width, name, path)
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
        if isinstance(value, list) == (width == "1") or str(len(values)) != width:
            wanted = "one value" if width == "1" else f"an array of {width} values"
            if columns.per_species(width):
                wanted = f"none, as its columns are {width!r}: the host gives them"
            raise ArgumentError("value", f"{value!r} in {where}", wanted)
    dtype = "float64" if kind == "float64" else "int32"
    about = entry.get("about", "")
    given = None if values is None else tuple(values)
    return Constant(name, entry["unit"], width, dtype, about, path, type=kind, value=given)


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


def _kernel(entry: dict[str, Any], path: Path, number: int, singles: bool) -> Kernel:
    name = entry.get("name", "")
    where = _identifier(f"[[kernel]] {name} of {path}", name)
    more = ("cost", "about", "source", "fuses", "tables", "reads", "planned", "in_place_of")
    needs = ("name", "header", "inputs", "outputs")
    _known(entry, (*needs, *more, *CONDITIONS, *ORDER), where, needs=needs)
    reads = entry.get("reads", {})
    if not isinstance(reads, dict):
        raise ArgumentError("reads", f"{reads!r} of {where}", "reads = {u = {x = [-1, 1]}}")
    planned = entry.get("planned", True)
    if not isinstance(planned, bool):
        raise ArgumentError("planned", f"{planned!r} of {where}", "true or false")
    option, given = _option(entry, where), entry.get("given", "")
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
        order=Order.read(entry, where),
        planned=planned and option is None and not given,
        option=option,
        given=given,
        in_place_of=entry.get("in_place_of", ""),
        singles=singles,
    )


def _option(entry: dict[str, Any], where: str) -> tuple[str, str] | None:
    """The option of the physics that has a kernel planned, and its value."""
    keys = [key for key in (*CONDITIONS, "in_place_of") if key in entry]
    for key in keys:
        if not isinstance(entry[key], str):
            wanted = 'text, as in option = "name=VALUE" or given = "quantity"'
            raise ArgumentError(key, f"{entry[key]!r} of {where}", wanted)
    beside = {"in_place_of": CONDITIONS, "given": ("in_place_of",)}
    for key, others in beside.items():
        if key in keys and not set(keys).intersection(others):
            wanted = f"{' or '.join(others)} beside it"
            raise ArgumentError(key, f"{entry[key]!r} of {where}", wanted)
    if set(keys).issuperset(CONDITIONS):
        raise ArgumentError("given", f"{entry['given']!r} of {where}", "no option beside it")
    if "option" not in keys:
        return None
    name, _, value = entry["option"].partition("=")
    if value not in CHOICES.get(name, ()):
        known = ", ".join(f"{key}={one}" for key, values in CHOICES.items() for one in values[1:])
        raise ArgumentError("option", f"{entry['option']!r} of {where}", f"one of {known}")
    return name, value


def _composite(entry: dict[str, Any], path: Path) -> Composite:
    where = f"[[composite]] {entry.get('name', '')} of {path}"
    needs = ("name", "inputs", "outputs")
    _known(entry, (*needs, "steps"), where, needs=needs)
    inputs, outputs = tuple(entry["inputs"]), tuple(entry["outputs"])
    return Composite(entry["name"], inputs, outputs, path, tuple(entry.get("steps", ())))


def _replacements(entry: dict[str, Any], path: Path) -> list[Replace]:
    """[replace] composite = "kernel or composite", with [replace.names] own = "other" and
    [replace.without] composite = ["output"]."""
    where = f"[replace] of {path}"
    names, without = entry.get("names", {}), entry.get("without", {})
    found = {key: by for key, by in entry.items() if key not in ("names", "without")}
    for table, kind, wanted in (
        (found, str, 'names like shippedComposite = "packKernel"'),
        (names, str, 'names like pack_T = "T"'),
        (without, list, 'lists like shippedComposite = ["W"]'),
    ):
        for key, value in table.items() if isinstance(table, dict) else [("", table)]:
            if not key or not isinstance(value, kind):
                raise ArgumentError("replace", f"{key} = {value!r} in {where}", wanted)
    for key in without:
        if key not in found:
            raise ArgumentError("replace", f"{key!r} in [replace.without] of {path}", where)
    return [
        Replace(name, by, tuple(names.items()), tuple(without.get(name, ())), path)
        for name, by in found.items()
    ]


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
