/* What a kernel reads around its points, where the caller's array lies.
 *
 * `u.at<-1, 0, 0>()[m]` is component m of the neighbour towards lower x; of a quantity of one
 * column `p.at<-1, 0, 0>()` is the value. Nothing is copied: a vector of neighbours is as far from
 * the points' own vector as the array's strides say. Past the end of a row the lanes repeat its
 * last point's neighbour, so that nothing beyond the array is read.
 */
#ifndef BRIDGE_KERNELS_CPU_NEIGHBOURS_H
#define BRIDGE_KERNELS_CPU_NEIGHBOURS_H

#include "launch.h"

#include <type_traits>

namespace BRIDGE_NAMESPACE {

/* How neighbours are read: known to the compiler where a launch goes over plain rows. */
struct NeighbourRows {
    int64_t point, column; /* bytes to the next point, to the next component */
    int64_t axis[3];
    double scale;
    int32_t type;
    int32_t points; /* of the vector: all lanes, or fewer in the last one of a row */
    bool plain;
    bool pairs = false;   /* doubles, every other one: the points of a colour */
    bool strided = false; /* doubles at any distance */
};

/* Doubles at distances of `stride` bytes. */
BRIDGE_INLINE Lanes loadStrided(const char* place, int64_t stride) {
    DoubleVector x;
#pragma GCC unroll 8
    for (int64_t l = 0; l < BRIDGE_LANES; ++l)
        x[l] = *reinterpret_cast<const double*>(place + l * stride);
    return Lanes(x);
}

/* Every other double, and none beyond the last of them. */
BRIDGE_INLINE Lanes loadPairs(const double* place) {
    IntegerVector order;
#pragma GCC unroll 8
    for (int64_t l = 0; l < BRIDGE_LANES; ++l)
        order[l] = l < BRIDGE_LANES / 2 ? 2 * l : 2 * l + 1; /* the second vector begins earlier */
    const DoubleVector low = loadLanes(place).v, high = loadLanes(place + BRIDGE_LANES - 1).v;
    return Lanes(__builtin_shuffle(low, high, order));
}

/* f(first lane) for each register of a number. */
template <class F> BRIDGE_INLINE Wide eachRegister(F f) {
#if BRIDGE_REGISTERS == 2
    return {f(int64_t{0}), f(int64_t{BRIDGE_LANES})};
#else
    return f(int64_t{0});
#endif
}

template <class To> To elementAt(const char* place, const NeighbourRows& rows) {
    if (rows.type == BRIDGE_POSITION) return static_cast<To>(reinterpret_cast<intptr_t>(place));
    if (rows.type == BRIDGE_INT32)
        return static_cast<To>(*reinterpret_cast<const int32_t*>(place));
    if (rows.type == BRIDGE_FLOAT32) return static_cast<To>(*reinterpret_cast<const float*>(place));
    return static_cast<To>(*reinterpret_cast<const double*>(place));
}

/* Any layout, type and scale, lane by lane. */
template <class Value>
__attribute__((noinline)) void collect(const char* place, const NeighbourRows& rows,
                                       Value& collected) {
    using Element = std::conditional_t<std::is_same_v<Value, Wide>, double, int64_t>;
    alignas(64) Element lane[BRIDGE_WIDTH];
    for (int64_t l = 0; l < BRIDGE_WIDTH; ++l) {
        const int64_t point = l < rows.points ? l : rows.points - 1;
        lane[l] = elementAt<Element>(place + point * rows.point, rows);
        if (rows.scale != 1.0) lane[l] = static_cast<Element>(lane[l] * rows.scale);
    }
    collected = loadWide(lane);
}

template <class Value>
BRIDGE_INLINE Value neighbour(const char* place, const NeighbourRows& rows) {
    if constexpr (std::is_same_v<Value, Wide>) {
        if (rows.plain) return loadWide(reinterpret_cast<const double*>(place));
        if (rows.pairs)
            return eachRegister([&](int64_t lane) BRIDGE_INLINED {
                return loadPairs(reinterpret_cast<const double*>(place) + 2 * lane);
            });
        if (rows.strided)
            return eachRegister([&](int64_t lane) BRIDGE_INLINED {
                return loadStrided(place + lane * rows.point, rows.point);
            });
    }
    Value collected;
    collect(place, rows, collected);
    return collected;
}

/* The components of one neighbour. */
template <class Value> class NeighbourColumns {
public:
    BRIDGE_INLINE NeighbourColumns(const char* p, const NeighbourRows& r) : place(p), rows(r) {}
    BRIDGE_INLINE Value operator[](int column) const {
        return neighbour<Value>(place + column * rows.column, rows);
    }

private:
    const char* place;
    const NeighbourRows& rows;
};

/* An argument of a kernel: a quantity around a vector of points. */
template <class Value, bool several> class NeighboursOf {
public:
    BRIDGE_INLINE NeighboursOf(const bridge_neighbours& slot, const char* row, int64_t vector,
                               int64_t points, bool plain)
        : place(row + vector * BRIDGE_WIDTH * slot.point_stride),
          rows{slot.point_stride, slot.row.column_stride,
               {slot.axis[0], slot.axis[1], slot.axis[2]},
               slot.scale, slot.type, static_cast<int32_t>(points), plain} {}
    BRIDGE_INLINE NeighboursOf(const char* p, const NeighbourRows& r) : place(p), rows(r) {}
    template <int i, int j, int k> BRIDGE_INLINE auto at() const {
        const char* there = place + i * rows.axis[0] + j * rows.axis[1] + k * rows.axis[2];
        if constexpr (several)
            return NeighbourColumns<Value>(there, rows);
        else
            return neighbour<Value>(there, rows);
    }
    BRIDGE_INLINE Value operator[](int column) const {
        return neighbour<Value>(place + column * rows.column, rows);
    }

private:
    const char* place;
    NeighbourRows rows;
};

using Neighbours = NeighboursOf<Wide, true>;
using ScalarNeighbours = NeighboursOf<Wide, false>;
using IntegerNeighbours = NeighboursOf<WideBits, true>;
using ScalarIntegerNeighbours = NeighboursOf<WideBits, false>;

}  // namespace BRIDGE_NAMESPACE

#endif
