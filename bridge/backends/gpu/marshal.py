"""Kernels that gather any box into a flat view on the device, and scatter it back.

What the copy engines cannot do: component-first arrays, rows with holes, factors, integers in
real arrays. They read and write device memory or page-locked host memory alike.
"""

from __future__ import annotations

from bridge.backends.gpu import constantsource, reductionsource

#: Axes run from the fastest: points of a row, rows, planes; a thread has one point and goes over
#: its components, so that both sides are met in neighbouring places by neighbouring threads
#: where the points of a row lie side by side.
_SOURCE = """\
// Between a box (any 4-D array) and a flat view, the point index fastest.

struct Box {
    long long extent0, extent1;           // points of a row, rows of a plane
    long long stride0, stride1, stride2;  // elements between points, rows, planes
    long long component;                  // elements from component to component
    long long columns;
    double scale;
};

__device__ __forceinline__ long long place(const Box& box, long long point) {
    const long long row = point / box.extent0;
    const long long plane = row / box.extent1;
    return (point - row * box.extent0) * box.stride0 +
           (row - plane * box.extent1) * box.stride1 + plane * box.stride2;
}

// A finite number that only an infinity of a float could stand for becomes NaN.
template <class To, class From> __device__ __forceinline__ To element(From x) {
    return static_cast<To>(x);
}
template <> __device__ __forceinline__ float element<float, double>(double x) {
    const double size = fabs(x), beyond = 3.40282356779733661637539395458142568448e38;
    const bool lost = size >= beyond && size <= 1.7976931348623157e308;
    return static_cast<float>(lost ? __longlong_as_double(0x7ff8000000000000ll) : x);
}

template <class Far, class Near>
__device__ __forceinline__ void gather(const Far* far, const Box& box, Near* near,
                                       long long stride, long long first, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= n) return;
    const Far* source = far + place(box, first + thread);
    for (int c = 0; c < box.columns; ++c) {
        const Far value = source[c * box.component];
        near[c * stride + thread] =
            box.scale == 1.0 ? static_cast<Near>(value) : static_cast<Near>(value * box.scale);
    }
}

template <class Far, class Near>
__device__ __forceinline__ void scatter(Far* far, const Box& box, const Near* near,
                                        long long stride, long long first, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= n) return;
    Far* target = far + place(box, first + thread);
    for (int c = 0; c < box.columns; ++c) {
        const Near value = near[c * stride + thread];
        target[c * box.component] =
            box.scale == 1.0 ? element<Far>(value) : element<Far>(value / box.scale);
    }
}

#define BRIDGE_SHAPE(name, Far, Near)                                                        \\
    extern "C" __global__ void gather_##name(Far* far, const Box box, Near* near,            \\
                                             long long stride, long long first, int n) {     \\
        gather(far, box, near, stride, first, n);                                            \\
    }                                                                                        \\
    extern "C" __global__ void scatter_##name(Far* far, const Box box, Near* near,           \\
                                              long long stride, long long first, int n) {    \\
        scatter(far, box, near, stride, first, n);                                           \\
    }

BRIDGE_SHAPE(float64_float64, double, double)
BRIDGE_SHAPE(float64_int32, double, int)
BRIDGE_SHAPE(int32_int32, int, int)
BRIDGE_SHAPE(float32_float64, float, double)
BRIDGE_SHAPE(int32_float64, int, double)

// Elements that are their own numbers, from that of the box's first point on.
extern "C" __global__ void gather_position_int32(long long value, Box box, int* near,
                                                 long long, long long first, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread < n) near[thread] = static_cast<int>(value + place(box, first + thread));
}
"""

#: Boxes of one memory and the same points of another one; a thread has one element.
_BOXES = """\
struct Move {
    long long first;                // element of the launch that the box begins at
    long long extent[3];            // of the three fastest axes
    long long far, far_stride[4];   // in elements
    long long near, near_stride[4];
};

struct Moves {
    long long total, number;
    Move move[32];
};

template <class Word>
__device__ __forceinline__ void moveBoxes(Word* far, Word* near, const Moves& moves, int inward) {
    const unsigned element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= moves.total) return;
    int box = 0;
    while (box + 1 < moves.number && moves.move[box + 1].first <= element) ++box;
    const Move& move = moves.move[box];
    unsigned rest = element - static_cast<unsigned>(move.first);
    long long a = move.far, b = move.near;
    for (int axis = 0; axis < 3; ++axis) {
        const unsigned n = static_cast<unsigned>(move.extent[axis]), outer = rest / n;
        const long long index = rest - outer * n;
        a += index * move.far_stride[axis];
        b += index * move.near_stride[axis];
        rest = outer;
    }
    a += rest * move.far_stride[3];
    b += rest * move.near_stride[3];
    if (inward)
        far[a] = near[b];
    else
        near[b] = far[a];
}

extern "C" __global__ void move_boxes_8(long long* far, long long* near, const Moves moves,
                                        int inward) {
    moveBoxes(far, near, moves, inward);
}
extern "C" __global__ void move_boxes_4(int* far, int* near, const Moves moves, int inward) {
    moveBoxes(far, near, moves, inward);
}
"""

#: Points of many blocks side by side: what reads an array of them as one box.
_BLOCKS = """\
struct Block {
    long long first;                 // number of its first point
    long long extent0, extent1;      // points of a row, rows of a plane
    long long stride0, stride1, stride2;
    long long offset, component;     // of its first point; from component to component
};

template <class Element>
__device__ __forceinline__ void gatherBlocks(const Element* far, const Block* blocks, int count,
                                             Element* near, long long points, int columns) {
    const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= points) return;
    int low = 0, high = count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (blocks[middle].first <= thread)
            low = middle;
        else
            high = middle - 1;
    }
    const Block& block = blocks[low];
    const long long point = thread - block.first, row = point / block.extent0;
    const long long plane = row / block.extent1;
    const Element* source = far + block.offset + (point - row * block.extent0) * block.stride0 +
                            (row - plane * block.extent1) * block.stride1 + plane * block.stride2;
    for (int c = 0; c < columns; ++c) near[c * points + thread] = source[c * block.component];
}

extern "C" __global__ void gather_blocks_8(const double* far, const Block* blocks, int count,
                                           double* near, long long points, int columns) {
    gatherBlocks(far, blocks, count, near, points, columns);
}
extern "C" __global__ void gather_blocks_4(const int* far, const Block* blocks, int count,
                                           int* near, long long points, int columns) {
    gatherBlocks(far, blocks, count, near, points, columns);
}
"""

#: Words that have changed, as bridge_carried of kernels/gpu/order.h has them; a thread takes one.
_CARRIED = """\
struct Carried {
    int* block;
    int n;
    struct {
        int place, word[2];
    } values[60];
};

extern "C" __global__ void carry_words(const Carried carried) {
    const int thread = threadIdx.x;
    if (thread >= carried.n) return;
    int* word = carried.block + 2LL * carried.values[thread].place;
    word[0] = carried.values[thread].word[0];
    word[1] = carried.values[thread].word[1];
}
"""

#: What is compiled beside the sources of plans: these kernels, and reductions over the same boxes.
SOURCE = (
    '#include "exact.h"\n\n' + _SOURCE + _BOXES + _BLOCKS + _CARRIED + reductionsource.TEXT
    + constantsource.TEXT
)  # fmt: skip
