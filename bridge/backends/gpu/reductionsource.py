"""Kernels that reduce the points of any box, in the order of kernels/cpu/reduce.cpp.

Part of the source in `marshal`, whose boxes they read. A thread makes one of the 32 partial
results of a group of 1024 points, so that a warp reads neighbours; another kernel makes one of
these 32. The groups go to the host, which has the same bits from here as from its own memory.
"""

from __future__ import annotations

TEXT = """
// Reductions: see bridge/kernels/cpu/reduce.cpp for the order. point: -1 for none.
struct Partial {
    double value;
    long long point;
};

enum { SUM, MIN, MAX, ANY };
enum { VALUE, MAGNITUDE, SQUARE, NONZERO, IS_NAN, BIT };

// bridge_measure of the library: what of a value is reduced.
struct Measure {
    int of, part;
    double grain[3];
};

// No product and no sum is contracted.
__device__ __forceinline__ double measured(double x, const Measure& measure) {
    if (measure.of == MAGNITUDE) x = fabs(x);
    if (measure.of == SQUARE) x = __dmul_rn(x, x);
    if (measure.of == NONZERO) x = x != 0.0 ? 1.0 : 0.0;
    if (measure.of == IS_NAN) x = x != x ? 1.0 : 0.0;
    if (measure.of == BIT) {  // a NaN is no whole number, and has no bits
        const long long bit = static_cast<long long>(measure.grain[0]);
        x = fabs(x) < 9007199254740992.0 && (static_cast<long long>(x) & bit) ? 1.0 : 0.0;
    }
#pragma unroll
    for (int part = 1; part <= 3; ++part) {  // a known number: grains stay in registers
        if (part > measure.part) break;
        const double grain = measure.grain[part - 1];
        const double here = __dadd_rn(__dadd_rn(x, grain), -grain);
        x = part < measure.part ? __dadd_rn(x, -here) : here;
    }
    return x;
}
constexpr int GROUP = 1024, GROUP_LANES = 32;

__device__ __forceinline__ bool before(int operation, const Partial& b, const Partial& a) {
    if (b.point < 0) return false;
    if (a.point < 0) return true;
    const bool bIsNaN = b.value != b.value, aIsNaN = a.value != a.value;
    if (bIsNaN != aIsNaN) return bIsNaN;
    if (!bIsNaN && b.value != a.value)
        return operation == MIN ? b.value < a.value : b.value > a.value;
    return b.point < a.point;
}

// measure: null for the values as they are, known when this is compiled
template <class Far>
__device__ __forceinline__ double scaled(const Far* source, const Box& box, long long point,
                                         const Measure* measure) {
    const long long at = point < box.extent0 ? point * box.stride0 : place(box, point);
    const double value = static_cast<double>(source[at]);
    const double x = box.scale == 1.0 ? value : __dmul_rn(value, box.scale);  // not contracted
    return measure ? measured(x, *measure) : x;
}

// mask: an integer of each point, which does not count where it is 0; null: all count
template <class Far>
__device__ __forceinline__ void reduceLanes(const Far* far, const Box& box, const int* mask,
                                            Partial* out, long long points, long long groups,
                                            int operation, const Measure* measure) {
    const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= groups * GROUP_LANES * box.columns) return;
    const long long column = thread / (groups * GROUP_LANES);
    const long long number = thread - column * groups * GROUP_LANES;
    const long long group = number / GROUP_LANES;
    const long long first = group * GROUP + number - group * GROUP_LANES;
    const Far* source = far + column * box.component;
    long long last = (group + 1) * GROUP;
    if (last > points) last = points;
    Partial mine = {0.0, -1};
    if (mask) {
        for (long long p = first; p < last; p += GROUP_LANES) {
            if (mask[p] == 0) continue;
            const double value = scaled(source, box, p, measure);
            if (operation == SUM) {
                mine.value += value;
            } else if (operation == ANY) {
                if (value != 0.0 && mine.point < 0) mine = Partial{1.0, p};
            } else {
                const Partial here = {value, p};
                if (before(operation, here, mine)) mine = here;
            }
        }
    } else if (operation == SUM) {
#pragma unroll 8
        for (long long p = first; p < last; p += GROUP_LANES)
            mine.value += scaled(source, box, p, measure);
    } else if (operation == ANY) {
#pragma unroll 8
        for (long long p = first; p < last; p += GROUP_LANES)
            if (scaled(source, box, p, measure) != 0.0 && mine.point < 0) mine = Partial{1.0, p};
    } else {
#pragma unroll 8
        for (long long p = first; p < last; p += GROUP_LANES) {
            const Partial here = {scaled(source, box, p, measure), p};
            if (before(operation, here, mine)) mine = here;
        }
    }
    out[thread] = mine;
}

// lanes: those of group after group; out: column after column, in each group after group
__device__ __forceinline__ void reduceGroups(const Partial* lanes, Partial* out, long long n,
                                             int operation) {
    const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= n) return;
    const Partial* mine = lanes + thread * GROUP_LANES;
    Partial result = mine[0];
    if (operation == SUM) {
        double sums[GROUP_LANES];
#pragma unroll
        for (int l = 0; l < GROUP_LANES; ++l) sums[l] = mine[l].value;
#pragma unroll
        for (int level = 0; level < 5; ++level)  // counted up: sums stay in registers
#pragma unroll
            for (int l = 0; l < GROUP_LANES / 2; ++l) {
                const int half = GROUP_LANES / 2 >> level;
                if (l < half) sums[l] += sums[l + half];
            }
        result.value = sums[0];
    } else {
        for (int l = 1; l < GROUP_LANES; ++l)
            if (before(operation, mine[l], result)) result = mine[l];
    }
    out[thread] = result;
}

#define BRIDGE_REDUCTION(name, Far)                                                          \\
    extern "C" __global__ void reduce_##name(const Far* far, const Box box, const int* mask, \\
                                             Partial* out, long long points,                 \\
                                             long long groups, int operation) {              \\
        reduceLanes(far, box, mask, out, points, groups, operation, nullptr);                \\
    }                                                                                        \\
    extern "C" __global__ void measure_##name(const Far* far, const Box box, const int* mask, \\
                                              Partial* out, long long points,                \\
                                              long long groups, int operation,               \\
                                              const Measure measure) {                       \\
        reduceLanes(far, box, mask, out, points, groups, operation, &measure);               \\
    }

BRIDGE_REDUCTION(float64, double)
BRIDGE_REDUCTION(float32, float)
BRIDGE_REDUCTION(int32, int)

// Groups g and g + step of each column, for step 1, then 2, 4 and on: as bridge_cpu_combine.
extern "C" __global__ void reduce_pairs(Partial* partials, long long groups, long long pairs,
                                        long long n, long long step, int operation) {
    const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long column = thread / pairs, g = (thread - column * pairs) * 2 * step;
    if (thread >= n || g + step >= groups) return;
    Partial* mine = partials + column * groups + g;
    if (operation == SUM)
        mine->value += mine[step].value;
    else if (before(operation, mine[step], *mine))
        *mine = mine[step];
}

// The value of each column; empty: where no point counts; root: of the value.
extern "C" __global__ void reduce_values(const Partial* partials, double* out, long long groups,
                                         long long columns, double empty, int operation,
                                         int root) {
    const long long c = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    const Partial mine = partials[c * groups];
    const double value = operation != SUM && mine.point < 0 ? empty : mine.value;
    const double nan = __longlong_as_double(0x7ff8000000000000LL);
    out[c] = value != value ? nan : root ? sqrt(value) : value;
}

extern "C" __global__ void reduce_groups(const Partial* lanes, Partial* out, long long n,
                                         int operation) {
    reduceGroups(lanes, out, n, operation);
}
"""
