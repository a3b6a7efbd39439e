"""Headers for one machine: a function for each kernel that loops over points of columns."""

from __future__ import annotations

from collections.abc import Sequence

import standin

from bridge_port.kernel import Kernel


def instances(kernels: Sequence[Kernel], machine: str) -> str:
    """A function for each kernel that loops over points of columns."""
    lines = [GPU if machine == "gpu" else ""]
    lines += [f'#include "{kernel.header}"' for kernel in kernels]
    lines.append(MACHINES[machine])
    for kernel in kernels:
        lines += instance(kernel)
    return "\n".join(lines + [""])


def instance(kernel: Kernel) -> list[str]:
    lines = [
        f'extern "C" void run_{kernel.name}(long long ns, void** tables, void** places, '
        "long long points) {",
        "  using namespace BRIDGE_NAMESPACE;",
        "  static Shared shared; shared.ns = ns;",
        "  for (long long p = 0; p < points; p += width) {",
    ]
    texts = ["shared"]
    for n, table in enumerate(kernel.tables):
        lines.append(
            f"    const Table<Value, {len(table.shape)}> t{n}((const double*)tables[{2 * n}], "
            f"(const long long*)tables[{2 * n + 1}]);"
        )
        texts.append(f"t{n}")
    place = 0
    inputs: list[tuple[str, bool]] = [(q.type, bool(q.shape)) for q in kernel.inputs]
    inputs += [(value.type, False) for value in kernel.constants]
    for type, array in inputs:
        word = "Value" if type == "real" else "Whole"
        access = f"In<{word}>{{places[{place}], points, p}}"
        lines.append(f"    const auto i{place} = {access}{'' if array else '[0]'};")
        texts.append(f"i{place}")
        place += 1
    after = []
    for q in kernel.outputs:
        word = "Value" if q.type == "real" else "Whole"
        count = f"Out<{word}> c{place}{{places[{place}], points, p}};"
        lines.append(f"    {count}")
        if q.shape:
            texts.append(f"c{place}")
        else:
            lines.append(f"    {word} o{place};")
            texts.append(f"o{place}")
            after.append(f"    c{place}[0] = o{place};")
        place += 1
    lines.append(f"    {kernel.name}<Value>({', '.join(texts)});")
    return [*lines, *after, "  }", "}"]


_COLUMNS = """
template <class T> struct Place {
    char* at;
    void operator=(const T& x) const { save(at, x); }
};
template <class T> struct In {
    void* first;
    long long points, point;
    T operator[](int c) const { return load<T>((char*)first + 8 * (c * points + point)); }
};
template <class T> struct Out {
    void* first;
    long long points, point;
    Place<T> operator[](int c) const { return {(char*)first + 8 * (c * points + point)}; }
};
"""
# Two points of a thread, as a GPU's compiler sees them.
GPU = f"""{standin._BEFORE}
#include <stdint.h>
#include "point.h"
#include "cuda/number.h"
"""
MACHINES = {
    "gpu": """
namespace BRIDGE_NAMESPACE {
using Value = Number<2>;
using Whole = Word<2>;
constexpr int width = 2;
template <class T> T load(const char* p);
template <> Value load<Value>(const char* p) {
    Value x;
    for (int i = 0; i < 2; ++i) x.v[i] = ((const double*)p)[i];
    return x;
}
template <> Whole load<Whole>(const char* p) {
    Whole x;
    for (int i = 0; i < 2; ++i) x.v[i] = int(((const int64_t*)p)[i]);
    return x;
}
void save(char* p, const Value& x) {
    for (int i = 0; i < 2; ++i) ((double*)p)[i] = x.v[i];
}
void save(char* p, const Whole& x) {
    for (int i = 0; i < 2; ++i) ((int64_t*)p)[i] = x.v[i];
}
"""
    + _COLUMNS
    + "}\n",
    "lanes": """
namespace BRIDGE_NAMESPACE {
using Value = Lanes;
using Whole = LaneBits;
constexpr int width = BRIDGE_LANES;
template <class T> T load(const char* p);
template <> Lanes load<Lanes>(const char* p) { return loadLanes((const double*)p); }
template <> LaneBits load<LaneBits>(const char* p) { return loadBits((const int64_t*)p); }
void save(char* p, const Lanes& x) { store((double*)p, x); }
void save(char* p, const LaneBits& x) { store((int64_t*)p, x); }
"""
    + _COLUMNS
    + "}\n",
    "scalar": """
namespace BRIDGE_NAMESPACE {
using Value = double;
using Whole = int;
constexpr int width = 1;
template <class T> T load(const char* p);
template <> double load<double>(const char* p) { return *(const double*)p; }
template <> int load<int>(const char* p) { return int(*(const int64_t*)p); }
void save(char* p, double x) { *(double*)p = x; }
void save(char* p, int x) { *(int64_t*)p = x; }
"""
    + _COLUMNS
    + "}\n",
}
