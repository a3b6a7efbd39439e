"""Kernels of constants that are reductions: what kernels/gpu/constants.c launches.

Part of the source in `marshal`, beside `reductionsource`. The result depends on no order
(kernels/exact.h): threads go over points in strides and add to a few slots, which another kernel
brings together.
"""

from __future__ import annotations

#: Slots of a word, and words from one slot to the next: each has a line of the cache for itself.
SLOTS, SLOT_STRIDE = 32, 16

TEXT = (
    f"""
enum {{ SLOTS = {SLOTS}, SLOT_STRIDE = {SLOT_STRIDE} }};
"""
    + """
// What is reduced: see kernels/gpu/constants.h.
enum { LARGEST, LEAST, NUMBER, TOTAL };

extern "C" __global__ void constant_clear(long long* slots, long long n, long long value) {
    const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread < n) slots[thread * SLOT_STRIDE] = value;
}

__device__ __forceinline__ long long* slot_of(long long* slots, long long word, long long lane) {
    return slots + (word * SLOTS + lane % SLOTS) * SLOT_STRIDE;
}
__device__ __forceinline__ void add(long long* to, long long number) {
    atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(number));
}

// Keys of extremes of each column, the number of values, or, for sums, keys of both extremes.
template <class Far>
__device__ __forceinline__ void constantFirst(const Far* far, const Box& box, const int* mask,
                                              long long* slots, long long points,
                                              long long lanes, int kind,
                                              const Measure& measure) {
    const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long column = thread / lanes, lane = thread - column * lanes;
    if (column >= box.columns) return;
    const Far* source = far + column * box.component;
    long long high = BRIDGE_NO_KEY, low = BRIDGE_NO_KEY, number = 0;
    for (long long p = lane; p < points; p += lanes) {
        if (mask && mask[p] == 0) continue;
        const double x = scaled(source, box, p, &measure);
        if (kind == NUMBER) {
            number += x != 0.0;
            continue;
        }
        const long long up = bridge_key(x), down = bridge_key(-x);
        if (up > high) high = up;
        if (down > low) low = down;
    }
    const long long word = kind == TOTAL ? 2 * column : 0;
    if (kind == NUMBER) {
        add(slot_of(slots, word, lane), number);
    } else {
        atomicMax(slot_of(slots, word, lane), kind == LEAST ? low : high);
        if (kind == TOTAL) atomicMax(slot_of(slots, word + 1, lane), low);
    }
}

// Sums of the parts of values, in units of 2**last; no product and no sum is contracted.
template <class Far>
__device__ __forceinline__ void constantParts(const Far* far, const Box& box, const int* mask,
                                              long long* slots, long long points,
                                              long long lanes, const bridge_grains* grains,
                                              int of) {
    const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long column = thread / lanes, lane = thread - column * lanes;
    if (column >= box.columns || !bridge_has_parts(&grains[column])) return;
    const bridge_grains mine = grains[column];
    const Measure measure = {of, 0, {0.0, 0.0, 0.0}};
    Box here = box;
    here.scale *= bridge_exact_factor(&mine, of == SQUARE);
    const Far* source = far + column * box.component;
    double sums[BRIDGE_EXACT_PARTS] = {0.0, 0.0, 0.0};
    for (long long p = lane; p < points; p += lanes) {
        if (mask && mask[p] == 0) continue;
        double x = scaled(source, here, p, &measure);
#pragma unroll
        for (int i = 0; i < BRIDGE_EXACT_PARTS; ++i) {
            const double part = __dadd_rn(__dadd_rn(x, mine.grain[i]), -mine.grain[i]);
            sums[i] = __dadd_rn(sums[i], part);
            x = __dadd_rn(x, -part);
        }
    }
    for (int i = 0; i < BRIDGE_EXACT_PARTS; ++i)
        add(slot_of(slots, BRIDGE_EXACT_PARTS * column + i, lane),
            static_cast<long long>(ldexp(sums[i], -mine.last[i])));
}

#define BRIDGE_CONSTANT(name, Far)                                                           \\
    extern "C" __global__ void constant_first_##name(                                        \\
        const Far* far, const Box box, const int* mask, long long* slots, long long points,  \\
        long long lanes, int kind, const Measure measure) {                                  \\
        constantFirst(far, box, mask, slots, points, lanes, kind, measure);                  \\
    }                                                                                        \\
    extern "C" __global__ void constant_parts_##name(                                        \\
        const Far* far, const Box box, const int* mask, long long* slots, long long points,  \\
        long long lanes, const bridge_grains* grains, int of) {                              \\
        constantParts(far, box, mask, slots, points, lanes, grains, of);                     \\
    }

BRIDGE_CONSTANT(float64, double)
BRIDGE_CONSTANT(float32, float)
BRIDGE_CONSTANT(int32, int)

// keys: whether the largest slot is the word, else their sum
extern "C" __global__ void constant_fold(const long long* slots, long long* words, long long n,
                                         int keys) {
    const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= n) return;
    const long long* mine = slots + thread * SLOTS * SLOT_STRIDE;
    long long word = mine[0];
    for (int slot = 1; slot < SLOTS; ++slot) {
        const long long other = mine[slot * SLOT_STRIDE];
        word = keys ? (other > word ? other : word) : word + other;
    }
    words[thread] = word;
}

extern "C" __global__ void constant_grains(const long long* keys, bridge_grains* grains,
                                           long long columns, long long points, int of) {
    const long long c = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    grains[c] = bridge_exact_grains(keys[2 * c], keys[2 * c + 1], points, of == SQUARE,
                                    of == VALUE);
}

// The value, to where kernels read the constant, and to the host.
extern "C" __global__ void constant_end(const long long* words, const bridge_grains* grains,
                                        long long columns, int kind, int root, double none,
                                        double* constant, double* host) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    double value;
    if (kind == TOTAL)
        value = bridge_exact_total(grains, words, static_cast<int>(columns), root);
    else if (kind == NUMBER)
        value = static_cast<double>(words[0]);
    else
        value = kind == LEAST ? 0.0 - bridge_of_key(words[0], -none)
                              : bridge_of_key(words[0], none);
    *constant = value;
    *host = value;
}
"""
)
