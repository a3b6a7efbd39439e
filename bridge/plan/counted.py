"""Kernels compiled with a number that counts operations and records which neighbours are read.

One library of the headers with `Real` = Counted (kernels/cpu/counted.h), one point at a time, for
`bridge advise`, which asks what a kernel costs, and for `offsets`, which asks how far it reads.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from bridge.errors import BridgeError
from bridge.plan.declarations import Declarations, Kernel
from bridge.plan.packs import kernels_folder

FLAGS = ("-std=c++17", "-O0", "-w", "-fPIC", "-shared", "-fvisibility=hidden")

_SOURCE = """\
#define BRIDGE_COUNTED
{followed}
#define BRIDGE_NAMESPACE bridge_counted
#include "point.h"
{includes}
using namespace bridge_counted;
#define EXPORT extern "C" __attribute__((visibility("default")))
static const char* const names[] = {{
#define NAME(name) #name,
BRIDGE_OPERATIONS(NAME)
}};
static double tableValues[512];
static const int tableSizes[3] = {{8, 8, 8}};
EXPORT int bridge_operations() {{ return operations; }}
EXPORT const char* bridge_operation(int k) {{ return names[k]; }}
EXPORT int64_t* bridge_counts() {{ return counts; }}
EXPORT double* bridge_table_values() {{ return tableValues; }}
EXPORT int bridge_recorded() {{ return static_cast<int>(recordedOffsets.size()); }}
EXPORT void bridge_recorded_offset(int k, int* four) {{
    for (int n = 0; n < 4; ++n) four[n] = recordedOffsets[k][n];
}}
EXPORT void bridge_forget_offsets() {{ recordedOffsets.clear(); }}
static int mayHave;
EXPORT int bridge_may_have() {{ return mayHave; }}
{wrappers}
"""

_DECLARED = """
int bridge_operations(); const char* bridge_operation(int); int64_t* bridge_counts();
double* bridge_table_values();
int bridge_recorded(); void bridge_recorded_offset(int, int*); void bridge_forget_offsets();
int bridge_may_have();
"""


class CountedKernels:
    """The library of some kernels; BridgeError with the compiler's words where a header does not
    compile. folder: where it is made, which has to stay; command: of a C++17 compiler; followed:
    an integer of a point is followed through them (kernels/cpu/followed.h)."""

    def __init__(
        self,
        kernels: Iterable[str],
        catalogue: Declarations,
        folder: Path,
        command: Sequence[str],
        followed: str = "",
    ) -> None:
        names = list(dict.fromkeys(kernels))
        headers = dict.fromkeys(catalogue.kernel(name).header.resolve() for name in names)
        source, library = folder / "counted.cpp", folder / "counted.so"
        source.write_text(
            _SOURCE.format(
                followed="#define BRIDGE_FOLLOWED" if followed else "",
                includes="\n".join(f'#include "{header}"' for header in headers),
                wrappers="\n".join(
                    _wrapper(name, function, catalogue, followed)
                    for name in names
                    for function in functions(catalogue.kernel(name))
                ),
            )
        )
        line = [*command, *FLAGS, f"-I{kernels_folder()}", str(source), "-o", str(library), "-lm"]
        done = subprocess.run(line, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise BridgeError(f"{', '.join(names)} cannot be counted:\n{done.stderr}".rstrip())
        self.ffi = cffi.FFI()
        self.ffi.cdef(_DECLARED)
        for name in names:
            for function in functions(catalogue.kernel(name)):
                self.ffi.cdef(f"void count_{name}_{function}(const void*, void**, const int*);")
        opened: Any = self.ffi.dlopen(str(library))
        opened.bridge_table_values()[0:512] = [1.0] * 512
        self.lib = opened

    def operations(self) -> list[str]:
        """Names of what is counted."""
        words = [
            self.ffi.string(self.lib.bridge_operation(k))
            for k in range(self.lib.bridge_operations())
        ]
        return [word.decode() if isinstance(word, bytes) else word for word in words]

    def call(
        self, kernel: str, shared: int, values: Sequence[np.ndarray], function: str = ""
    ) -> None:
        """One kernel on one point: the values of its inputs, then of its outputs, of float64 or
        int64; shared: address of the per-run data; function: its own, or one of the first and last
        points of a sweep."""
        at = [self.ffi.cast("void*", one.ctypes.data) for one in values]
        launch = getattr(self.lib, f"count_{kernel}_{function or kernel}")
        columns = self.ffi.new("int[]", [len(one) for one in values])
        launch(self.ffi.cast("void*", shared), self.ffi.new("void*[]", at), columns)

    def may_have(self) -> int:
        """The bits that the followed integer may have got in the latest call."""
        return int(self.lib.bridge_may_have())

    def take_offsets(self) -> list[tuple[int, int, int, int]]:
        """Number of the argument and the offset of each neighbour that was read since."""
        four = self.ffi.new("int[4]")
        found = []
        for k in range(self.lib.bridge_recorded()):
            self.lib.bridge_recorded_offset(k, four)
            found.append((four[0], four[1], four[2], four[3]))
        self.lib.bridge_forget_offsets()
        return found


def functions(kernel: Kernel) -> list[str]:
    """Those of a kernel's header that stand for it: its own, and of a sweep those of the first and
    the last points."""
    ends = () if kernel.order is None else (*kernel.order.first, *kernel.order.last)
    return list(dict.fromkeys((kernel.name, *ends)))


def _wrapper(name: str, function: str, catalogue: Declarations, followed: str) -> str:
    """C++ text that calls a function of a kernel on one point."""
    kernel = catalogue.kernel(name)
    before, after = [], []
    arguments = ["shared"]
    arguments += [
        f"Table<Counted, {catalogue.table(table).rank}>(tableValues, tableSizes)"
        for table in kernel.tables
    ]
    for k, quantity in enumerate((*kernel.inputs, *kernel.outputs)):
        declared, inward = catalogue.quantity(quantity), k < len(kernel.inputs)
        several, integer = declared.columns != "1", declared.dtype == "int32"
        arguments.append(f"a{k}")
        around = inward and quantity in kernel.reads
        if integer and not several and not around:
            before.append(f"int64_t* const w{k} = static_cast<int64_t*>(at[{k}]);")
            value = "0" if quantity == followed else f"static_cast<int>(*w{k})"
            before.append(f"Bits<Counted> a{k}({value});")
            if not inward:
                after.append(f"*w{k} = a{k};")
            if not inward and quantity == followed:
                after.append(f"mayHave = a{k}.may;")
            continue
        if integer:
            before.append(f"int64_t* w{k} = static_cast<int64_t*>(at[{k}]);")
            before.append(f"std::vector<int> p{k}(w{k}, w{k} + columns[{k}]);")
            if not inward:
                after.append(f"for (int c = 0; c < columns[{k}]; ++c) w{k}[c] = p{k}[c];")
        else:
            before.append(f"Counted* p{k} = static_cast<Counted*>(at[{k}]);")
        number = "int" if integer else "Counted"
        if around:
            what = "Cells" if kernel.reads[quantity].cells else "Neighbours"
            kind = f"Recorded{what}<{number}, {'true' if several else 'false'}>"
            place = f"p{k}.data()" if integer else f"p{k}"
            before.append(f"const {kind} a{k}({k}, {place});")
        elif several:
            place = f"p{k}.data()" if integer else f"p{k}"
            const = "const " if inward else ""
            before.append(f"{const}{number}* {const}a{k} = {place};")
        else:
            before.append(f"{'const ' + number if inward else number + '&'} a{k} = p{k}[0];")
    if kernel.order is not None and kernel.order.private:
        before.append(f"std::vector<Counted> numbers({kernel.order.private}, Counted(1.0));")
        before.append("Private line(numbers.data());")
        arguments.append("line")
    call = f"{function}<Counted>({', '.join(arguments)});"
    head = (
        f"EXPORT void count_{name}_{function}(const void* data, void** at, const int* columns) {{"
    )
    first = ("(void)columns;", "const Shared& shared = *static_cast<const Shared*>(data);")
    return "\n    ".join((head, *first, *before, call, *after)) + "\n}"
