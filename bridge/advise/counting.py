"""What a plan does with a point: bytes of arrays, and operations that the kernels count.

The kernels' headers are compiled with a number type that counts (kernels/cpu/counted.h) and run on
a few points, kernel after kernel as the plan has them.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from bridge.bench.states import States, random_states
from bridge.errors import BridgeError
from bridge.kernels.sharedstruct import SharedStruct
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan.catalogue import Catalogue
from bridge.plan.inputs import DEFAULTS
from bridge.plan.packbuild import compiler
from bridge.plan.packs import kernels_folder
from bridge.plan.plan import Loop, Plan, Step, Traffic

#: Points that are counted: branches on a point's values are taken as often as these take them.
POINTS = 32
_FLAGS = ("-std=c++17", "-O0", "-w", "-fPIC", "-shared", "-fvisibility=hidden")
_NUMBER = np.dtype([("value", np.float64), ("product", np.int64)])

_SOURCE = """\
#define BRIDGE_COUNTED
#define BRIDGE_NAMESPACE bridge_counted
#include "point.h"
{includes}
using namespace bridge_counted;
#define EXPORT extern "C" __attribute__((visibility("default")))
static const char* const names[] = {{
#define NAME(name) #name,
BRIDGE_OPERATIONS(NAME)
}};
EXPORT int bridge_operations() {{ return operations; }}
EXPORT const char* bridge_operation(int k) {{ return names[k]; }}
EXPORT int64_t* bridge_counts() {{ return counts; }}
{wrappers}
"""


@dataclass(frozen=True)
class Work:
    """Of one point. columns: read and written; between: bytes that kernels hand each other;
    operations: how many of each."""

    traffic: Traffic
    columns: tuple[int, int]
    between: int
    operations: dict[str, float]


def work(plan: Plan, catalogue: Catalogue, ns: int, options: Mapping[str, str]) -> Work:
    """Of a point of this plan; BridgeError where a header does not compile."""
    traffic = plan.traffic(catalogue.constants)
    inner = set(range(len(plan.slots))) - {*plan.inputs.values(), *plan.outputs.values()}
    return Work(
        traffic,
        (traffic.read // 8, traffic.written // 8),
        16 * sum(plan.slots[slot].columns for slot in inner),
        _count(plan, catalogue, random_states(ns, POINTS), options),
    )


def _count(
    plan: Plan, catalogue: Catalogue, states: States, options: Mapping[str, str]
) -> dict[str, float]:
    """Operations of an average point."""
    shared = SharedStruct(SharedData(states.species, Options.parse(dict(options))).fields())
    with tempfile.TemporaryDirectory(prefix="bridge-advise-") as folder:
        ffi, lib = _compiled(dict.fromkeys(plan.kernels()), catalogue, Path(folder))
        size = lib.bridge_operations()
        words = [ffi.string(lib.bridge_operation(k)) for k in range(size)]
        names = [word.decode() if isinstance(word, bytes) else word for word in words]
        counts = lib.bridge_counts()
        random = np.random.default_rng(1)
        for point in range(states.n):
            slots = [
                np.zeros(s.columns, np.int64 if s.dtype == "int32" else _NUMBER)
                for s in plan.slots
            ]
            for name, slot in plan.inputs.items():
                if plan.slots[slot].dtype != "int32":
                    slots[slot]["value"] = _value(name, catalogue, states, point, random)
            _run(plan.steps, slots, lambda name: getattr(lib, f"count_{name}"), ffi, shared)
        return {name: counts[k] / states.n for k, name in enumerate(names) if counts[k]}


def _value(
    name: str, catalogue: Catalogue, states: States, point: int, random: np.random.Generator
) -> Any:
    """Something that an input may be."""
    state = {"T": states.T, "P": states.P, "Y": states.Y, "Y_leading": states.Y[:, :-1]}
    if name in state:
        return state[name][point]
    constant = catalogue.constants.get(name)
    if constant is not None and constant.value is not None:
        return constant.value
    return DEFAULTS.get(name, random.uniform(0.5, 1.5))


def _run(
    steps: Sequence[Step | Loop], slots: list[np.ndarray], kernel: Any, ffi: Any, shared: Any
) -> None:
    for item in steps:
        if isinstance(item, Loop):
            for _ in range(item.limit):
                _run(item.steps, slots, kernel, ffi, shared)
                if slots[item.done].all():
                    break
            continue
        at = [ffi.cast("void*", slots[slot].ctypes.data) for slot in item.slots]
        columns = [len(slots[slot]) for slot in item.slots]
        address = ffi.cast("void*", shared.address)
        kernel(item.kernel)(address, ffi.new("void*[]", at), ffi.new("int[]", columns))


# ---- the library ------------------------------------------------------------------------------


def _compiled(
    kernels: Mapping[str, None], catalogue: Catalogue, folder: Path
) -> tuple[cffi.FFI, Any]:
    headers = dict.fromkeys(catalogue.kernel(name).header.resolve() for name in kernels)
    source, library = folder / "counted.cpp", folder / "counted.so"
    source.write_text(
        _SOURCE.format(
            includes="\n".join(f'#include "{header}"' for header in headers),
            wrappers="\n".join(_wrapper(name, catalogue) for name in kernels),
        )
    )
    line = [*compiler(), *_FLAGS, f"-I{kernels_folder()}", str(source), "-o", str(library), "-lm"]
    done = subprocess.run(line, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise BridgeError(f"{', '.join(kernels)} cannot be counted:\n{done.stderr}".rstrip())
    ffi = cffi.FFI()
    ffi.cdef(
        "int bridge_operations(); const char* bridge_operation(int); int64_t* bridge_counts();"
    )
    for name in kernels:
        ffi.cdef(f"void count_{name}(const void*, void**, const int*);")
    return ffi, ffi.dlopen(str(library))


def _wrapper(name: str, catalogue: Catalogue) -> str:
    """C++ text that calls a kernel on one point; what it reads from a slot is no product any
    more."""
    kernel = catalogue.kernel(name)
    before, arguments, after = [], ["shared"], []
    for k, quantity in enumerate((*kernel.inputs, *kernel.outputs)):
        declared, inward = catalogue.quantity(quantity), k < len(kernel.inputs)
        arguments.append(f"a{k}")
        if declared.dtype == "int32":
            before.append(f"int64_t* p{k} = static_cast<int64_t*>(at[{k}]);")
            before.append(f"int a{k} = static_cast<int>(*p{k});")
            after += [] if inward else [f"*p{k} = a{k};"]
            continue
        before.append(f"Counted* p{k} = static_cast<Counted*>(at[{k}]);")
        if inward:
            before.append(f"for (int c = 0; c < columns[{k}]; ++c) p{k}[c].product = 0;")
        if declared.columns == "1":
            before.append(f"{'const Counted' if inward else 'Counted&'} a{k} = *p{k};")
        else:
            before.append(f"{'const Counted* const' if inward else 'Counted*'} a{k} = p{k};")
    call = f"{name}<Counted>({', '.join(arguments)});"
    head = f"EXPORT void count_{name}(const void* data, void** at, const int* columns) {{"
    first = ("(void)columns;", "const Shared& shared = *static_cast<const Shared*>(data);")
    return "\n    ".join((head, *first, *before, call, *after)) + "\n}"
