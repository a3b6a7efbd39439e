/* How elements, registers and runs of points are copied between the caller's arrays and memory
 * that kernels read. Internal to block.cpp, marshal.cpp and nests.cpp; fringes are never touched.
 */
#ifndef BRIDGE_KERNELS_CPU_COPY_H
#define BRIDGE_KERNELS_CPU_COPY_H

#include "element.h"
#include "interface.h"
#include "lanes.h"
#include "width.h"

#include <algorithm>
#include <type_traits>

namespace BRIDGE_NAMESPACE {

constexpr int64_t lanes = BRIDGE_LANES; /* of a register */
constexpr int64_t width = BRIDGE_WIDTH; /* of a vector in a block */
constexpr int64_t ahead = 8192; /* bytes: arrays are read and written row by row, across pages, and
                                 * the processor foresees neither; views are in its caches */

/* Offset of point (i, j, k) of a box, in elements. */
inline int64_t offsetOf(const bridge_box& box, int64_t i, int64_t j, int64_t k) {
    return box.offset + i * box.stride[0] + j * box.stride[1] + k * box.stride[2];
}

/* The block that has a point, by its number among all. */
inline int64_t blockOf(const bridge_blocks& blocks, int64_t point) {
    return std::upper_bound(blocks.first, blocks.first + blocks.count, point) - blocks.first - 1;
}

/* f(offset of a row's first point, its number counted from `first`, its length, rows): of rows in one
 * plane that are equally long, one call. */
template <class F> void forEachRows(const bridge_box& box, int64_t first, int64_t n, F f) {
    const int64_t rowLength = box.extent[0];
    int64_t row = first / rowLength;
    int64_t i = first - row * rowLength;
    int64_t k = row / box.extent[1];
    int64_t j = row - k * box.extent[1];
    for (int64_t done = 0; done < n;) {
        const int64_t length = std::min(rowLength - i, n - done);
        const int64_t rows =
            length < rowLength ? 1 : std::min(box.extent[1] - j, (n - done) / rowLength);
        f(offsetOf(box, i, j, k), done, length, rows);
        done += length * rows;
        i = 0;
        j += rows;
        if (j == box.extent[1]) {
            j = 0;
            ++k;
        }
    }
}

/* f(box, offset, number, length, rows), through the blocks of an array where it has many. */
template <class F> void forEachRowsOf(const bridge_array& array, int64_t first, int64_t n, F f) {
    const auto some = [&](const bridge_box& box, int64_t from, int64_t before, int64_t points) {
        forEachRows(box, from, points,
                    [&](int64_t offset, int64_t point, int64_t length, int64_t rows) {
                        f(box, offset, before + point, length, rows);
                    });
    };
    const bridge_blocks& blocks = array.blocks;
    if (blocks.count == 0) return some(array.box, first, 0, n);
    int64_t b = blockOf(blocks, first);
    for (int64_t done = 0; done < n; ++b) {
        const int64_t from = first + done - blocks.first[b];
        const int64_t points = std::min(blocks.first[b + 1] - first - done, n - done);
        if (points > 0) some(blocks.boxes[b], from, done, points);
        done += points;
    }
}

/* f(box, offset of a run's first point, its number counted from `first`, its length) */
template <class F> void forEachRunOf(const bridge_array& array, int64_t first, int64_t n, F f) {
    forEachRowsOf(
        array, first, n,
        [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length, int64_t rows) {
            for (int64_t r = 0; r < rows; ++r)
                f(box, offset + r * box.stride[1], point + r * length, length);
        });
}

/* ---- One element, one vector ------------------------------------------------------------------ */

/* On its way in (times scale) or out (divided by it); integers are never scaled. */
struct Plain {
    template <class To, class From> To one(From x) const { return element<To>(x); }
    Lanes all(Lanes x) const { return x; }
};
struct Times {
    double scale;
    template <class To, class From> To one(From x) const { return element<To>(x * scale); }
    Lanes all(Lanes x) const { return x * scale; }
};
struct Over {
    double scale;
    template <class To, class From> To one(From x) const { return element<To>(x / scale); }
    Lanes all(Lanes x) const { return x / scale; }
};

/* Inlined always: gcc takes a function that only prefetches for one that does nothing. */
BRIDGE_INLINE void willRead(const void* p, int64_t distance = ahead) {
    __builtin_prefetch(static_cast<const char*>(p) + distance, 0, 3);
}
BRIDGE_INLINE void willWrite(const void* p, int64_t distance = ahead) {
    /* the builtin is a read where the instruction set does not promise this one; a processor that
     * lacks it does nothing */
    asm volatile("prefetchw %0" : : "m"(*(static_cast<const char*>(p) + distance)));
}

/* `count` neighbours, at most a register of them. */
template <class To, class From, class Op>
BRIDGE_INLINE void movePart(const From* from, To* to, int64_t count, Op op) {
    if constexpr (isDouble<To> && isDouble<From>)
        storePart(to, op.all(loadPart(from, count)), count);
    else if (count == lanes)
        for (int64_t l = 0; l < lanes; ++l) to[l] = op.template one<To>(from[l]);
    else
        for (int64_t l = 0; l < count; ++l) to[l] = op.template one<To>(from[l]);
}

/* ---- Squares, transposed ---------------------------------------------------------------------- */

/* A square of values, one component per row after transpose() and one point per row before, or
 * the other way round. The loops are unrolled so that rows are registers. */
struct Tile {
    Lanes row[lanes];

    /* Swap the off-diagonal halves of squares of 2 step by 2 step, for all steps. */
    template <int64_t step = 1> BRIDGE_INLINE void transpose() {
        IntegerVector low, high; /* lanes of the upper and of the lower row afterwards */
#pragma GCC unroll 8
        for (int64_t l = 0; l < lanes; ++l) {
            low[l] = l & step ? l - step + lanes : l;
            high[l] = l & step ? l + lanes : l + step;
        }
#pragma GCC unroll 8
        for (int64_t r = 0; r < lanes; ++r) {
            if (r & step) continue;
            const DoubleVector a = row[r].v, b = row[r + step].v;
            row[r].v = shuffled(a, b, low);
            row[r + step].v = shuffled(a, b, high);
        }
        if constexpr (2 * step < lanes) transpose<2 * step>();
    }
};

/* Numbers that the compiler knows: how many points or components an unrolled copy is about. */
template <int64_t n> using Known = std::integral_constant<int64_t, n>;

/* A register's points, `wide` components, at most a register of them: from where a point's
 * components are neighbours to where a component's points are, and back; the strides lead to the
 * next point, the next component. Of `points` points; inwards the other lanes repeat the last. */
template <class Wide, class Points, class Op>
BRIDGE_INLINE void turnIn(const double* from, int64_t along, double* to, int64_t across, Wide wide,
                          Points points, Op op) {
    const auto source = [&](int64_t p) { return from + std::min<int64_t>(p, points - 1) * along; };
    if (wide == 1) {
        DoubleVector x;
#pragma GCC unroll 8
        for (int64_t p = 0; p < lanes; ++p) x[p] = *source(p);
        return store(to, op.all(Lanes(x)));
    }
    Tile tile;
#pragma GCC unroll 8
    for (int64_t p = 0; p < lanes; ++p) tile.row[p] = loadPart(source(p), wide);
    tile.transpose();
#pragma GCC unroll 8
    for (int64_t k = 0; k < lanes; ++k)
        if (k < wide) store(to + k * across, op.all(tile.row[k]));
}
template <class Wide, class Points, class Op>
BRIDGE_INLINE void turnOut(const double* from, int64_t across, double* to, int64_t along,
                           Wide wide, Points points, Op op) {
    if (wide == 1) {
        const Lanes x = op.all(loadLanes(from));
#pragma GCC unroll 8
        for (int64_t p = 0; p < lanes; ++p)
            if (p < points) to[p * along] = x.v[p];
        return;
    }
    Tile tile;
#pragma GCC unroll 8
    for (int64_t k = 0; k < lanes; ++k)
        tile.row[k] = k < wide ? loadLanes(from + k * across) : Lanes(0.0);
    tile.transpose();
#pragma GCC unroll 8
    for (int64_t p = 0; p < lanes; ++p)
        if (p < points) storePart(to + p * along, op.all(tile.row[p]), wide);
}

/* f(wide) with the remainder of `columns` by a register as a Known number, if it is not 0. */
template <class F> BRIDGE_INLINE void withRemainder(int64_t columns, F f) {
    switch (columns % lanes) {
        case 1:
            return f(Known<1>{});
#if BRIDGE_LANES > 2
        case 2:
            return f(Known<2>{});
        case 3:
            return f(Known<3>{});
#endif
#if BRIDGE_LANES > 4
        case 4:
            return f(Known<4>{});
        case 5:
            return f(Known<5>{});
        case 6:
            return f(Known<6>{});
        case 7:
            return f(Known<7>{});
#endif
        default:
            return f(Known<0>{});
    }
}

/* Up to a register of points with all their components; `rest` of these are beyond the last whole
 * register of them. The view has room for a register, filled or not. */
template <bool inward, class A, class V, class Rest, class Points, class Op>
BRIDGE_INLINE void turnRegister(A* array, int64_t along, V* view, int64_t viewStride,
                                int64_t columns, Rest rest, Points points, Op op) {
    const auto square = [&](int64_t c, auto wide) BRIDGE_INLINED {
        /* the processor does not foresee points that are further apart than a line */
        for (int64_t p = 0; along >= 8 && p < points; ++p)
            if constexpr (inward)
                willRead(array + p * along + c);
            else
                willWrite(array + p * along + c);
        if constexpr (inward)
            turnIn(array + c, along, view + c * viewStride, viewStride, wide, points, op);
        else
            turnOut(view + c * viewStride, viewStride, array + c, along, wide, points, op);
    };
    int64_t c = 0;
    for (; c + lanes <= columns; c += lanes) square(c, Known<lanes>{});
    if constexpr (Rest::value > 0) square(c, rest);
}

/* Up to a register of points with all their components, into a view that has room for so many and
 * no more, or out of it. */
template <bool inward, class A, class V, class Op>
void turn(A* array, int64_t along, int64_t across, V* view, int64_t viewStride, int64_t points,
          int64_t columns, Op op) {
    if constexpr (isDouble<A> && isDouble<V>) {
        if (across == 1 && points == lanes)
            return withRemainder(columns, [&](auto rest) {
                turnRegister<inward>(array, along, view, viewStride, columns, rest, Known<lanes>{},
                                     op);
            });
    }
    for (int64_t l = 0; l < points; ++l)
        for (int64_t c = 0; c < columns; ++c) {
            auto& outer = array[l * along + c * across];
            auto& inner = view[c * viewStride + l];
            if constexpr (inward)
                inner = op.template one<V>(outer);
            else
                outer = op.template one<A>(inner);
        }
}

}  // namespace BRIDGE_NAMESPACE

#endif
