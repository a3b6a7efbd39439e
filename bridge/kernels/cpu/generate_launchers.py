"""Write the launch wrappers of every kernel of a catalogue: catalogue.toml -> launchers.cpp.

Run by meson while building, so it needs nothing beyond the standard library; the wrappers are
those of the last catalogue's kernels, the ones before it lend their quantities (kernel packs):

    python generate_launchers.py OUTPUT.cpp ... [CATALOGUE.toml ...] CATALOGUE.toml

The kernels are dealt to the outputs: a compiler works on these side by side.

A wrapper goes over the vectors of a block, loads a kernel's inputs, calls its header's function
and stores its outputs. Arrays (columns other than "1") are handed over as views of the block.
A kernel that gives a quantity of a few columns a new value has its outputs kept until it has read
the old ones (HELD), so that both may be one array of the caller.

What a compiler says of a wrapper it says of the files that its author wrote: a call has the line
of the function in the header, everything else that of the kernel in the catalogue.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if __package__:
    from bridge.kernels.cpu import generate_lines
else:  # a script of meson's, whose folder Python may have been told to leave out
    sys.path.insert(0, str(Path(__file__).parent))
    import generate_lines  # type: ignore[import-not-found, no-redef]

#: The most columns of an output that a kernel keeps until it has read its inputs.
HELD = 8
#: The most components that are turned from an array component first where it lies.
RECORD = 32

WRAPPER = """\
{declared}
static void {function}(const void* data, const bridge_block* block, const int32_t* at,
                       int64_t first, int64_t count) {{
    [[maybe_unused]] const Shared& shared = *static_cast<const Shared*>(data);
{slots}
    for (Rows rows(*block, first, count, {flat}); rows; ++rows) {{
{places}
        for (int64_t vector = rows.begin; vector < rows.end; ++vector) {{
{tails}
{before}
{call}
{after}
        }}
    }}
}}
"""

CALL = """\
{header}
            BRIDGE_NAMESPACE::{name}<Wide>({arguments});
{declared}"""
#: Of a debugger's build: a kernel is called once for each point (debug.h).
CALL_OF_ONE = """\
            for (int point = 0; point < BRIDGE_WIDTH; ++point) {{
{before}
{header}
                BRIDGE_NAMESPACE::{name}<WidePoint>({arguments});
{declared}
{after}
            }}"""

#: Of a kernel that reads neighbours: whole vectors first, where all arrays have rows of doubles or
#: records; then the others, and the last vector of each row.
BLOCK_WRAPPER = """\
{declared}
static void {function}(const void* data, const bridge_block* block, const int32_t* at,
                       int64_t first, int64_t count) {{
    [[maybe_unused]] const Shared& shared = *static_cast<const Shared*>(data);
{slots}
    const Reading reading = readingOf({{{single}}}, {{{several}}});
    for (Rows rows(*block, first, count); rows; ++rows) {{
{places}
        int64_t vector = rows.begin;
        const auto evaluate = [&]([[maybe_unused]] auto how,
                                  [[maybe_unused]] int64_t points) BRIDGE_INLINED {{
{before}
{call}
{after}
        }};
        const int64_t whole = rows.end < rows.full ? rows.end : rows.full;
{wholes}
        for (; vector < rows.end; ++vector) {{
            if (vector == rows.full) {{
{tails}
            }}
{ends}
                evaluate(ReadingIs<Reading::any>{{}},
                         vector == rows.full ? block->tail : BRIDGE_WIDTH);
        }}
    }}
}}
"""
WHOLES = """\
        if (reading == Reading::{how})
            for (; vector < whole; ++vector)
                evaluate(ReadingIs<Reading::{how}>{{}}, BRIDGE_WIDTH);"""
ENDS = """\
            if (reading == Reading::{how})
                evaluate(ReadingIs<Reading::{ends}>{{}}, block->tail);
            else"""

SOURCE = """\
/* Written by generate_launchers.py from {catalogues}. */
{singles}{start}
#include "neighbours.h"
{debug}{lines}
{includes}

namespace BRIDGE_NAMESPACE {{

{wrappers}
extern const NamedKernel namedKernels{part}[];
const NamedKernel namedKernels{part}[] = {{
{table}
    {{nullptr, nullptr, nullptr, 0}},
}};
{parts}
}}  // namespace BRIDGE_NAMESPACE
"""


def read(paths: list[Path]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Quantities and tables of all catalogues, kernels of the last; a name twice names both
    files."""
    import tomllib  # here: a run imports this module for what it says of wrappers

    quantities: dict[str, Any] = {}
    kernels: dict[str, dict[str, Any]] = {}
    for path in paths:
        catalogue = tomllib.loads(path.read_text(encoding="utf-8"))
        for kind in ("quantity", "constant", "table"):
            found = catalogue.get(kind, {})
            quantities |= {
                name: {**one, "constant": kind == "constant"} for name, one in found.items()
            }
        for kernel in catalogue.get("kernel", []):
            name = kernel["name"]
            if name in kernels:
                raise SystemExit(
                    f"kernel {name} is declared twice: in {kernels[name]['path']} and in {path}"
                )
            kernels[name] = kernel | {
                "path": path,
                "file": path.parent / kernel["header"],
                "singles": catalogue.get("precision") == "original",
            }
    return quantities, [kernel for kernel in kernels.values() if kernel["path"] == paths[-1]]


def held(kernel: Mapping[str, Any], name: str, columns: str) -> bool:
    """Whether an output is kept until the kernel has read all its inputs."""
    return name in kernel["inputs"] and columns.isdigit() and int(columns) <= HELD


def of_records(columns: str, dtype: str) -> bool:
    """Whether a quantity is taken from arrays whose components come first where they lie."""
    return dtype == "float64" and columns.isdigit() and 1 < int(columns) <= RECORD


def line_of(path: Path, pattern: str) -> str:
    """The directive by which the next line is the first one of a file that has a pattern, or its
    first."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    number = next((n for n, line in enumerate(lines, 1) if re.search(pattern, line)), 1)
    name = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {number} "{name}"'


def wrapper(kernel: dict[str, Any], quantities: dict[str, Any], debug: bool = False) -> str:
    """C++ text of a kernel's launch wrapper; debug: of a debugger's build."""
    if generate_lines.ordered(kernel):
        return _lines_wrapper(kernel, quantities, debug)
    places, tails, before, arguments, after = [], [], [], ["shared"], []
    ones: list[tuple[str, str]] = []  # of a debugger's build: before and after the call
    reads: dict[str, Any] = kernel.get("reads", {})
    single: list[str] = []
    several: list[str] = []
    names = [(name, "in") for name in kernel["inputs"]]
    names += [(name, "out") for name in kernel["outputs"]]
    for number, (name, direction) in enumerate(names):
        if name not in quantities:
            raise SystemExit(f"kernel {kernel['name']} of {kernel['path']}: no quantity {name}")
        quantity = quantities[name]
        columns = str(quantity.get("columns", "1"))
        word = quantity.get("type", "float64") != "float64"
        variable, place = f"{direction}{number}", f"place{number}"
        arguments.append(f"one{number}" if debug else variable)
        ones.append(
            generate_lines.of_one(number, variable, direction == "in", word, columns != "1")
        )
        if direction == "in" and name in reads:
            around = f"around{number}"
            what = generate_lines.read_elsewhere(word, columns != "1")
            if isinstance(reads[name], str):  # "cells" or "interior"
                before.append(f"const CellsOf{what} {variable}(*{around}.cells);  /* {name} */")
                continue
            record = of_records(columns, quantity.get("type", "float64"))
            if not word:
                (several if record else single).append(
                    f"layoutOf({around}, {columns if record else 1})"
                )
            places.append(f"const char* const {place} = rows.of({around}.row);  /* {name} */")
            count = f", {columns}" if record else ""
            before.append(
                f"const NeighboursOf{what} {variable}"
                f"({around}, {place}, vector, points, how{count});"
            )
            continue
        tails.append(f"{place}.enterTail(slot{number}, rows);")
        if columns != "1":
            kind, number_type = ("Words", "WideBits") if word else ("Columns", "Wide")
            places.append(f"{kind} {place}(slot{number}, rows);  /* {name} */")
            if direction == "in":
                before.append(f"const {kind}::In {variable} = {place}.in(vector);")
            elif held(kernel, name, columns):
                before.append(f"Held<{number_type}, {columns}> {variable};")
                after.append(f"{variable}.save({place}.out(vector));")
            else:
                before.append(f"{kind}::Out {variable} = {place}.out(vector);")
            continue
        kind, number_type = ("WordScalar", "WideBits") if word else ("RealScalar", "Wide")
        places.append(f"{kind} {place}(slot{number}, rows);  /* {name} */")
        if direction == "in":
            before.append(f"const {number_type} {variable} = {place}.load(vector);")
        else:
            before.append(f"{number_type} {variable};")
            after.append(f"{place}.save(vector, {variable});")

    slots, tables = _slots(kernel, quantities, names, debug)
    arguments[1:1] = tables
    if not reads:
        tails = [
            "if (__builtin_expect(vector == rows.full, 0)) {",
            *(f"    {text}" for text in tails),
            "}",
        ]
    whole_vectors, row_ends = ["rows"], [("rows", "ends")]
    if several:
        whole_vectors.append("records")
        row_ends.append(("records", "recordEnds"))
    header, path = kernel["file"].resolve(), kernel["path"].resolve()
    return (BLOCK_WRAPPER if reads else WRAPPER).format(
        single=", ".join(single),
        several=", ".join(several),
        wholes="\n".join(WHOLES.format(how=how) for how in whole_vectors),
        ends="\n".join(ENDS.format(how=how, ends=last) for how, last in row_ends),
        declared=line_of(path, rf'name\s*=\s*"{kernel["name"]}"'),
        call=(CALL_OF_ONE if debug else CALL).format(
            header=line_of(header, rf"\b{kernel['name']}\s*\("),
            name=kernel["name"],
            arguments=", ".join(arguments),
            declared=line_of(path, rf'name\s*=\s*"{kernel["name"]}"'),
            before=_lines(4, [text for text, _ in ones]),
            after=_lines(4, [text for _, text in ones if text]),
        ),
        name=kernel["name"],
        function=f"launch_{kernel['name']}",
        slots=_lines(1, slots),
        flat=" & ".join(f"slot{k}.flat" for k in range(len(names))),
        places=_lines(2, places),
        tails=_lines(4 if reads else 3, tails),
        before=_lines(3, before),
        after=_lines(3, after),
    )


def _slots(
    kernel: dict[str, Any], quantities: dict[str, Any], names: list[tuple[str, str]], debug: bool
) -> tuple[list[str], list[str]]:
    """What a wrapper looks up once: statements, and the names of tables; names: of quantities,
    each with its direction."""
    reads, tables = kernel.get("reads", {}), []
    found = [
        f"const bridge_neighbours around{k} = block->neighbours[at[{k}]];"
        if direction == "in" and name in reads
        else f"const bridge_argument slot{k} = block->slots[at[{k}]];"
        for k, (name, direction) in enumerate(names)
    ]
    for number, name in enumerate(kernel.get("tables", ())):
        if name not in quantities:
            raise SystemExit(f"kernel {kernel['name']} of {kernel['path']}: no table {name}")
        rank = quantities[name].get("rank") or len(quantities[name]["size"])
        place = f"block->tables[at[{len(names) + number}]]"
        real = "WidePoint" if debug else "Wide"
        found.append(f"const Table<{real}, {rank}> table{number}({place}->data, {place}->size);")
        tables.append(f"table{number}")
    return found, tables


def _lines(depth: int, texts: list[str]) -> str:
    return "\n".join(4 * depth * " " + text for text in texts)


def _lines_wrapper(kernel: dict[str, Any], quantities: dict[str, Any], debug: bool) -> str:
    """That of a kernel whose points follow each other."""
    header, path = kernel["file"].resolve(), kernel["path"].resolve()
    for name in (*kernel["inputs"], *kernel["outputs"], *kernel.get("tables", ())):
        if name not in quantities:
            raise SystemExit(f"kernel {kernel['name']} of {path}: no quantity {name}")

    def directive(function: str | None) -> str:
        if function is None:
            return line_of(path, rf'name\s*=\s*"{kernel["name"]}"')
        return line_of(header, rf"\b{function}\s*\(")

    return generate_lines.wrapper(kernel, quantities, held, directive, debug)


def main(outputs: Sequence[Path], paths: list[Path], debug: bool = False) -> None:
    """debug: kernels are called for one point at a time."""
    quantities, kernels = read(paths)
    for part, own in enumerate(_dealt(kernels, len(outputs))):
        # the first one has the list of all
        text = "" if part else _parts(len(outputs))
        source = _source(own, quantities, paths, debug, part, text)
        outputs[part].write_text(source, encoding="utf-8")


def _dealt(kernels: list[dict[str, Any]], count: int) -> list[list[dict[str, Any]]]:
    """The kernels in so many parts, which a compiler needs about the same time for: that goes with
    the lengths of headers. Kernels that share most of theirs stay together, and share functions
    that are compiled apart."""
    lengths: dict[Path, int] = {}
    included = [_included(kernel["file"].resolve(), lengths) for kernel in kernels]
    by_all = frozenset.intersection(*included) if kernels else frozenset()
    groups: dict[frozenset[Path], list[dict[str, Any]]] = {}
    for kernel, headers in zip(kernels, included, strict=True):
        groups.setdefault(headers - by_all - {kernel["file"].resolve()}, []).append(kernel)
    units: list[tuple[int, list[dict[str, Any]]]] = []  # lengths and kernels that stay together
    for headers, some in groups.items():
        shared = sum(lengths[one] for one in headers)
        own = [lengths.get(kernel["file"].resolve(), 0) for kernel in some]
        if shared > sum(own):
            units.append((shared + sum(own), some))
        else:
            units += [(shared + of, [one]) for of, one in zip(own, some, strict=True)]
    sums = [0] * count
    part_of: dict[str, int] = {}
    for length, some in sorted(units, key=lambda unit: -unit[0]):
        least = sums.index(min(sums))
        part_of |= {kernel["name"]: least for kernel in some}
        sums[least] += length
    return [[one for one in kernels if part_of[one["name"]] == part] for part in range(count)]


def _included(header: Path, lengths: dict[Path, int]) -> frozenset[Path]:
    """A header and those that it includes from beside it; puts in how many characters each has."""
    found: set[Path] = set()
    waiting = [header]
    while waiting:
        one = waiting.pop()
        if one in found or not one.is_file():
            continue
        found.add(one)
        text = one.read_text(encoding="utf-8", errors="replace")
        lengths[one] = len(text)
        names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE)
        waiting += [(one.parent / name).resolve() for name in names]
    return frozenset(found)


def _parts(count: int) -> str:
    """The list of the outputs' kernels."""
    names = [f"namedKernels{part}" for part in range(count)]
    declared = [f"extern const NamedKernel {name}[];" for name in names[1:]]
    listed = ", ".join([*names, "nullptr"])
    return "\n".join([*declared, f"const NamedKernel* const kernelParts[] = {{{listed}}};", ""])


def _source(
    kernels: list[dict[str, Any]], quantities: dict[str, Any], paths: list[Path], debug: bool,
    part: int, parts: str,
) -> str:  # fmt: skip
    """Text of one output."""
    texts, table = [], []
    for k in kernels:
        texts.append(wrapper(k, quantities, debug))
        arguments = len(k["inputs"]) + len(k["outputs"]) + len(k.get("tables", ()))
        name = k["name"]
        launches = (
            f"nullptr, lines_{name}" if generate_lines.ordered(k) else f"launch_{name}, nullptr"
        )
        table.append(f'    {{"{name}", {launches}, {arguments}}},')
    headers: dict[str, str] = {}
    for kernel in kernels:
        where = line_of(kernel["path"].resolve(), rf'name\s*=\s*"{kernel["name"]}"')
        headers.setdefault(str(kernel["file"].resolve()), where)
    return SOURCE.format(
        catalogues=", ".join(path.name for path in paths),
        singles="#define BRIDGE_SINGLES\n" if any(k["singles"] for k in kernels) else "",
        start=line_of(paths[-1].resolve(), ""),
        debug='#include "debug.h"\n' if debug else "",
        lines='#include "lines.h"\n' if any(map(generate_lines.ordered, kernels)) else "",
        includes="\n".join(f'{where}\n#include "{header}"' for header, where in headers.items()),
        wrappers="\n".join(texts),
        part=part,
        table="\n".join(table),
        parts=parts,
    )


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    given = [Path(argument) for argument in sys.argv[1:]]
    main(
        [path for path in given if path.suffix == ".cpp"],
        [path for path in given if path.suffix != ".cpp"],
    )
