"""Write the launch wrappers of every kernel of a catalogue: catalogue.toml -> launchers.cpp.

Run by meson while building, so it needs nothing beyond the standard library; the wrappers are
those of the last catalogue's kernels, the ones before it lend their quantities (kernel packs):

    python generate_launchers.py OUTPUT.cpp [CATALOGUE.toml ...] CATALOGUE.toml

A wrapper goes over the vectors of a block, loads a kernel's inputs, calls its header's function
and stores its outputs. Arrays (columns other than "1") are handed over as views of the block.

What a compiler says of a wrapper it says of the files that its author wrote: a call has the line
of the function in the header, everything else that of the kernel in the catalogue.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

WRAPPER = """\
{declared}
static void launch_{name}(const void* data, const bridge_argument* slots, const int32_t* at,
                          int64_t first, int64_t count) {{
    [[maybe_unused]] const Shared& shared = *static_cast<const Shared*>(data);
{slots}
    for (int64_t vector = first; vector < first + count; ++vector) {{
{before}
{header}
        {name}<Wide>({arguments});
{declared}
{after}
    }}
}}
"""

SOURCE = """\
/* Written by generate_launchers.py from {catalogues}. */
{start}
#include "launch.h"

{includes}

namespace BRIDGE_NAMESPACE {{

{wrappers}
const NamedKernel namedKernels[] = {{
{table}
}};
const int numberOfKernels = {count};

}}  // namespace BRIDGE_NAMESPACE
"""


def read(paths: list[Path]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Quantities of all catalogues, kernels of the last; a name twice names both files."""
    quantities: dict[str, Any] = {}
    kernels: dict[str, dict[str, Any]] = {}
    for path in paths:
        catalogue = tomllib.loads(path.read_text(encoding="utf-8"))
        quantities |= catalogue.get("quantity", {}) | catalogue.get("constant", {})
        for kernel in catalogue.get("kernel", []):
            name = kernel["name"]
            if name in kernels:
                raise SystemExit(
                    f"kernel {name} is declared twice: in {kernels[name]['path']} and in {path}"
                )
            kernels[name] = kernel | {"path": path, "file": path.parent / kernel["header"]}
    return quantities, [kernel for kernel in kernels.values() if kernel["path"] == paths[-1]]


def line_of(path: Path, pattern: str) -> str:
    """The directive by which the next line is the first one of a file that has a pattern, or its
    first."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    number = next((n for n, line in enumerate(lines, 1) if re.search(pattern, line)), 1)
    name = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {number} "{name}"'


def wrapper(kernel: dict[str, Any], quantities: dict[str, Any]) -> str:
    """C++ text of one launch wrapper."""
    before, arguments, after = [], ["shared"], []
    names = [(name, "in") for name in kernel["inputs"]]
    names += [(name, "out") for name in kernel["outputs"]]
    for place, (name, way) in enumerate(names):
        if name not in quantities:
            raise SystemExit(f"kernel {kernel['name']} of {kernel['path']}: no quantity {name}")
        quantity = quantities[name]
        scalar = str(quantity.get("columns", "1")) == "1"
        word = quantity.get("type", "float64") == "int32"
        variable, slot = f"{way}{place}", f"slot{place}"
        kind, suffix = ("WideBits", "Word") if word else ("Wide", "Real")
        arguments.append(variable)
        if not scalar:
            elements = "Words" if word else "Columns"
            view = f"const In{elements}" if way == "in" else f"Out{elements}"
            before.append(f"{view} {variable}({slot}, vector);  /* {name} */")
        elif way == "in":
            before.append(f"const {kind} {variable} = load{suffix}({slot}, vector);  /* {name} */")
        else:
            before.append(f"{kind} {variable};  /* {name} */")
            after.append(f"store{suffix}({slot}, vector, {variable});")
    indent = " " * 8
    header, path = kernel["file"].resolve(), kernel["path"].resolve()
    declared = line_of(path, rf'name\s*=\s*"{kernel["name"]}"')
    return WRAPPER.format(
        declared=declared,
        header=line_of(header, rf"\b{kernel['name']}\s*\("),
        name=kernel["name"],
        slots="\n".join(
            f"    const bridge_argument slot{k} = slots[at[{k}]];" for k in range(len(names))
        ),
        before="\n".join(indent + line for line in before),
        arguments=", ".join(arguments),
        after="\n".join(indent + line for line in after),
    )


def main(output: Path, paths: list[Path]) -> None:
    quantities, kernels = read(paths)
    table = [
        f'    {{"{k["name"]}", launch_{k["name"]}, {len(k["inputs"]) + len(k["outputs"])}}},'
        for k in kernels
    ]
    headers: dict[str, str] = {}
    for kernel in kernels:
        where = line_of(kernel["path"].resolve(), rf'name\s*=\s*"{kernel["name"]}"')
        headers.setdefault(str(kernel["file"].resolve()), where)
    output.write_text(
        SOURCE.format(
            catalogues=", ".join(path.name for path in paths),
            start=line_of(paths[-1].resolve(), ""),
            includes="\n".join(
                f'{where}\n#include "{header}"' for header, where in headers.items()
            ),
            wrappers="\n".join(wrapper(kernel, quantities) for kernel in kernels),
            table="\n".join(table),
            count=len(kernels),
        ),
        encoding="utf-8",
    )


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), [Path(argument) for argument in sys.argv[2:]])
