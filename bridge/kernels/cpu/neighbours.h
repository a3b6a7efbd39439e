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

#include <algorithm>
#include <type_traits>

namespace BRIDGE_NAMESPACE {

/* How the neighbours of a launch are read: known to the compiler. `rows`: all as vectors of plain
 * rows; `doubles`: as those or double by double; `any`: of any layout, type and scale, and in the
 * last vector of a row. */
enum class Reading { rows, doubles, any };
template <Reading how> using ReadingIs = std::integral_constant<Reading, how>;

struct NeighbourRows {
    int64_t point, column; /* bytes to the next point, to the next component */
    int64_t axis[3];
    double scale;
    int32_t type;
    int32_t points; /* of the vector: all lanes, or fewer in the last one of a row */
    Reading how;
    bool adjacent; /* points of a row are neighbours in memory */
};

template <class To> To elementAt(const char* place, const NeighbourRows& rows) {
    if (rows.type == BRIDGE_INT32)
        return static_cast<To>(*reinterpret_cast<const int32_t*>(place));
    if (rows.type == BRIDGE_FLOAT32)
        return static_cast<To>(*reinterpret_cast<const float*>(place));
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

/* Doubles that lie apart, into registers without a way through memory. */
BRIDGE_INLINE Wide loadApart(const char* place, int64_t step) {
    alignas(64) double lane[BRIDGE_WIDTH];
    BRIDGE_UNROLL
    for (int64_t l = 0; l < BRIDGE_WIDTH; ++l)
        lane[l] = *reinterpret_cast<const double*>(place + l * step);
    return loadWide(lane);
}

template <class Value>
BRIDGE_INLINE Value neighbour(const char* place, const NeighbourRows& rows) {
    if constexpr (std::is_same_v<Value, Wide>) {
        if (rows.how == Reading::rows || (rows.how == Reading::doubles && rows.adjacent))
            return loadWide(reinterpret_cast<const double*>(place));
        if (rows.how == Reading::doubles) return loadApart(place, rows.point);
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
                               int64_t points, Reading how)
        : place(row + vector * BRIDGE_WIDTH * slot.point_stride),
          rows{slot.point_stride,
               slot.row.column_stride,
               {slot.axis[0], slot.axis[1], slot.axis[2]},
               slot.scale,
               slot.type,
               static_cast<int32_t>(points),
               how,
               slot.plain == 2} {}
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
