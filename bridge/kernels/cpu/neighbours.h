/* What a kernel reads around its points, where the caller's array lies.
 *
 * `u.at<-1, 0, 0>()[m]` is component m of the neighbour towards lower x; of a quantity of one
 * column `p.at<-1, 0, 0>()` is the value. Nothing is copied: a vector of neighbours is as far from
 * the points' own vector as the array's strides say. Past the end of a row the lanes repeat its
 * last point's neighbour, so that nothing beyond the array is read.
 *
 * `u.at(i, j, k)` of Cells is the value of the cell at these positions, of each lane its own.
 */
#ifndef BRIDGE_KERNELS_CPU_NEIGHBOURS_H
#define BRIDGE_KERNELS_CPU_NEIGHBOURS_H

#include "records.h"

#include <algorithm>
#include <initializer_list>
#include <type_traits>

namespace BRIDGE_NAMESPACE {

/* The most components that are turned from records: RECORD of generate_launchers.py. */
constexpr int mostRecordColumns = 32;

/* How the neighbours of a launch are read: known to the compiler. `rows`: all as vectors of plain
 * rows; `ends`: these, where the last vector of a row is not full; `records`: quantities of one
 * column so, the components of others turned from records (records.h); `recordEnds`: these at the
 * end of a row; `any`: of any layout, type and scale, at the ends of rows too. Of points in an order
 * (lines.h) `doubles`: double by double; `pairs`: every other double of plain rows, the points of a
 * colour; `singles`: the same of real(4). */
enum class Reading { rows, ends, records, recordEnds, doubles, pairs, singles, any };
template <Reading how> using ReadingIs = std::integral_constant<Reading, how>;

/* How the neighbours of one argument lie; columns: of what may be records, 1 of any other one.
 * Records follow each other: all distances within a row are known when this is compiled. */
inline int layoutOf(const bridge_neighbours& around, int columns) {
    if (around.plain != BRIDGE_NEAR_RECORDS || around.point_stride == 8 * columns)
        return around.plain;
    return BRIDGE_NEAR_APART;
}

/* The one that fits all real inputs of a launch: how those of one column lie, and those of several
 * that may be records. */
inline Reading readingOf(std::initializer_list<int> single, std::initializer_list<int> several) {
    const auto all = [](std::initializer_list<int> layouts, int wanted) {
        return std::all_of(layouts.begin(), layouts.end(), [=](int one) { return one == wanted; });
    };
    if (!all(single, BRIDGE_NEAR_ROWS)) return Reading::any;
    if (all(several, BRIDGE_NEAR_ROWS)) return Reading::rows;
    return all(several, BRIDGE_NEAR_RECORDS) ? Reading::records : Reading::any;
}

struct NeighbourRows {
    int64_t point, column; /* bytes to the next point, to the next component */
    int64_t axis[3];
    double scale;
    int32_t type;
    int32_t points; /* of the vector: all lanes, or fewer in the last one of a row */
    Reading how;
    bool doubles; /* without a scale */
    int32_t columns = 1;
};

template <class To> To elementAt(const char* place, const NeighbourRows& rows) {
    if (rows.type == BRIDGE_POSITION) return static_cast<To>(reinterpret_cast<intptr_t>(place));
    if (rows.type == BRIDGE_INT32)
        return static_cast<To>(*reinterpret_cast<const int32_t*>(place));
    if (rows.type == BRIDGE_FLOAT32)
        return static_cast<To>(*reinterpret_cast<const float*>(place));
    return static_cast<To>(*reinterpret_cast<const double*>(place));
}

/* Lanes below `count` from memory, the others as they were; nothing past them is read. */
BRIDGE_INLINE Lanes loadBelow(const double* place, int count, const Lanes& otherwise) {
#if BRIDGE_LANES == 8
    const auto mask = static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<unsigned>(count)));
    return Lanes(DoubleVector(_mm512_mask_loadu_pd((__m512d)otherwise.v, mask, place)));
#elif BRIDGE_LANES == 4
    const __m256i mask =
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    const __m256d loaded = _mm256_maskload_pd(place, mask);
    return Lanes(
        DoubleVector(_mm256_blendv_pd((__m256d)otherwise.v, loaded, _mm256_castsi256_pd(mask))));
#else
    (void)place, (void)count; /* one of two */
    return otherwise;
#endif
}

/* The last vector of a row of plain doubles, not full: lanes past the end repeat the last point. */
BRIDGE_INLINE WideDoubles loadEnd(const double* place, int points) {
    const Lanes last(place[points - 1]);
#if BRIDGE_REGISTERS == 2
    return {loadBelow(place, std::min(points, BRIDGE_LANES), last),
            loadBelow(place + BRIDGE_LANES, std::max(points - BRIDGE_LANES, 0), last)};
#else
    return loadBelow(place, points, last);
#endif
}

/* Doubles that lie apart. */
BRIDGE_INLINE Lanes lanesApart(const char* place, int64_t step) {
    alignas(64) double lane[BRIDGE_LANES];
    BRIDGE_UNROLL
    for (int64_t l = 0; l < BRIDGE_LANES; ++l)
        lane[l] = *reinterpret_cast<const double*>(place + l * step);
    return loadLanes(lane);
}
BRIDGE_INLINE WideDoubles loadApart(const char* place, int64_t step) {
#if BRIDGE_REGISTERS == 2
    return {lanesApart(place, step), lanesApart(place + BRIDGE_LANES * step, step)};
#else
    return lanesApart(place, step);
#endif
}
/* The same by a function, which returns a register: several would go through memory. */
__attribute__((noinline, pure)) inline DoubleVector registerApart(const char* place,
                                                                  int64_t step) noexcept {
    return lanesApart(place, step).v;
}
BRIDGE_INLINE WideDoubles callApart(const char* place, int64_t step) {
    const Lanes first(registerApart(place, step));
#if BRIDGE_REGISTERS == 2
    return {first, Lanes(registerApart(place + BRIDGE_LANES * step, step))};
#else
    return first;
#endif
}

/* For the last vector of a row, not full: lanes past the end repeat the last point. */
BRIDGE_INLINE WideDoubles loadApartEnd(const char* place, int64_t step, int64_t points) {
    alignas(64) double lane[BRIDGE_WIDTH];
    BRIDGE_UNROLL
    for (int64_t l = 0; l < BRIDGE_WIDTH; ++l)
        lane[l] = *reinterpret_cast<const double*>(place + (l < points ? l : points - 1) * step);
    return loadDoubles(lane);
}

/* Records turned into components; of the last vector of a row the last point is repeated. `columns`
 * is known to the compiler, which leaves out what no kernel asks for. Each component is written
 * once, as a whole: behind branches on its parts a compiler no longer knows `columns`. */
BRIDGE_INLINE void turnRecords(const char* place, int columns, int points, Wide* tile) {
    const auto pair = [=](int part, int p, int c) BRIDGE_INLINED {
        const auto row = [=](int q) BRIDGE_INLINED {
            const int point = part * together + q;
            return reinterpret_cast<const double*>(place + (point < points ? point : points - 1) *
                                                               columns * 8);
        };
        return loadPair(row, p, c);
    };
    const auto even = [=](int c) BRIDGE_INLINED {
        return ofParts([=](int part)
                           BRIDGE_INLINED { return low(pair(part, 0, c), pair(part, 1, c)); });
    };
    const auto odd = [=](int c) BRIDGE_INLINED {
        return ofParts([=](int part)
                           BRIDGE_INLINED { return high(pair(part, 0, c), pair(part, 1, c)); });
    };
#pragma GCC unroll 16
    for (int c = 0; c + 2 <= columns; c += 2) {
        tile[c] = wide(even(c));
        tile[c + 1] = wide(odd(c));
    }
    if (columns % 2) tile[columns - 1] = wide(odd(columns - 2));
}

/* Every other double, and none beyond the last of them. */
BRIDGE_INLINE WideDoubles loadPairs(const char* place) {
    IntegerVector order;
    BRIDGE_UNROLL
    for (int64_t l = 0; l < BRIDGE_LANES; ++l)
        order[l] = l < BRIDGE_LANES / 2 ? 2 * l : 2 * l + 1; /* the second vector begins earlier */
    const auto load = [&](int64_t lane) BRIDGE_INLINED {
        const double* from = reinterpret_cast<const double*>(place) + 2 * lane;
        return Lanes(shuffled(loadLanes(from).v, loadLanes(from + BRIDGE_LANES - 1).v, order));
    };
#if BRIDGE_REGISTERS == 2
    return {load(0), load(BRIDGE_LANES)};
#else
    return load(0);
#endif
}

/* Every other float, and none beyond the last of them: they are the lower halves of 64 bits. */
BRIDGE_INLINE Lanes everyOther(const float* place) {
#if BRIDGE_LANES == 8
    const __m512i pairs = (__m512i)_mm512_maskz_loadu_ps(0x7fff, place);
    const auto singles = (SingleVector)_mm512_maskz_cvtepi64_epi32(0xff, pairs);
#elif BRIDGE_LANES == 4
    const __m256i but = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, -1, 0);
    const __m256i evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const auto singles = (SingleVector)_mm256_castps256_ps128(
        _mm256_permutevar8x32_ps(_mm256_maskload_ps(place, but), evens));
#else
    SingleVector singles;
    for (int64_t l = 0; l < BRIDGE_LANES; ++l) singles[l] = place[2 * l];
#endif
    return Lanes(__builtin_convertvector(singles, DoubleVector));
}
BRIDGE_INLINE WideDoubles loadSingles(const char* place) {
    const auto* from = reinterpret_cast<const float*>(place);
#if BRIDGE_REGISTERS == 2
    return {everyOther(from), everyOther(from + 2 * BRIDGE_LANES)};
#else
    return everyOther(from);
#endif
}

/* Any layout, type and scale, and the ends of rows. A function of its own: inlined, it takes longer
 * to compile than the kernels. Lanes of doubles are put together in registers: a load that meets
 * words just stored one by one has to wait for them. */
template <class Value>
__attribute__((noinline, pure)) Value collect(const char* place,
                                              const NeighbourRows& rows) noexcept {
    using Element = std::conditional_t<std::is_same_v<Value, Wide>, double, int64_t>;
    if constexpr (std::is_same_v<Value, Wide>)
        if (rows.doubles) {
            if (rows.point == 8 && rows.points < BRIDGE_WIDTH)
                return wide(loadEnd(reinterpret_cast<const double*>(place), rows.points));
            return wide(loadApartEnd(place, rows.point, rows.points));
        }
    const auto last = [&](int64_t lane) { return lane < rows.points ? lane : rows.points - 1; };
    alignas(64) Element lane[BRIDGE_WIDTH];
    for (int64_t l = 0; l < BRIDGE_WIDTH; ++l) {
        lane[l] = elementAt<Element>(place + last(l) * rows.point, rows);
        if (rows.scale != 1.0) lane[l] = static_cast<Element>(lane[l] * rows.scale);
    }
    return loadWide(lane);
}

template <class Value>
BRIDGE_INLINE Value neighbour(const char* place, const NeighbourRows& rows) {
    if constexpr (std::is_same_v<Value, Wide>) {
        if (rows.how == Reading::rows || rows.how == Reading::records)
            return loadWide(reinterpret_cast<const double*>(place));
        if (rows.how == Reading::ends || rows.how == Reading::recordEnds)
            return wide(loadEnd(reinterpret_cast<const double*>(place), rows.points));
        if (rows.how == Reading::doubles) return wide(loadApart(place, rows.point));
        if (rows.how == Reading::pairs) return wide(loadPairs(place));
        if (rows.how == Reading::singles) return wide(loadSingles(place));
        if (rows.doubles && rows.points == BRIDGE_WIDTH) return wide(callApart(place, rows.point));
    }
    return collect<Value>(place, rows);
}

/* The components of one neighbour. `turned` is a member of its own: a compiler looks for what it
 * knows of `rows` behind no more than so many stores to the tile. */
template <class Value> class NeighbourColumns {
public:
    BRIDGE_INLINE NeighbourColumns(const char* p, const NeighbourRows& r)
        : place(p),
          rows(r),
          turned(std::is_same_v<Value, Wide> && r.columns > 1 &&
                 (r.how == Reading::records || r.how == Reading::recordEnds)) {
        if constexpr (std::is_same_v<Value, Wide>)
            if (turned)
                turnRecords(place, r.columns, r.how == Reading::records ? BRIDGE_WIDTH : r.points,
                            tile);
    }
    BRIDGE_INLINE Value operator[](int column) const {
        if constexpr (std::is_same_v<Value, Wide>)
            if (turned) return tile[column];
        return neighbour<Value>(place + column * rows.column, rows);
    }

private:
    const char* place;
    const NeighbourRows& rows;
    const bool turned;
    Value tile[std::is_same_v<Value, Wide> ? mostRecordColumns : 1];
};

/* An argument of a kernel: a quantity around a vector of points. */
template <class Value, bool several> class NeighboursOf {
public:
    /* columns: of records, known to the compiler. */
    BRIDGE_INLINE NeighboursOf(const bridge_neighbours& slot, const char* row, int64_t vector,
                               int64_t points, Reading how, int columns = 1)
        : place(row + vector * BRIDGE_WIDTH * slot.point_stride),
          rows{slot.point_stride,
               slot.row.column_stride,
               {slot.axis[0], slot.axis[1], slot.axis[2]},
               slot.scale,
               slot.type,
               static_cast<int32_t>(points),
               how,
               slot.plain != BRIDGE_NEAR_ANY,
               columns} {}
    BRIDGE_INLINE NeighboursOf(const char* p, const NeighbourRows& r) : place(p), rows(r) {}
    template <int i, int j, int k> BRIDGE_INLINE auto at() const {
        const char* there = place + i * rows.axis[0] + j * rows.axis[1] + k * rows.axis[2];
        if constexpr (several)
            return NeighbourColumns<Value>(there, rows);
        else
            return neighbour<Value>(there, rows);
    }
    BRIDGE_INLINE Value operator[](int column) const {
        return NeighbourColumns<Value>(place, rows)[column];
    }

private:
    const char* place;
    NeighbourRows rows;
};

/* Bytes from the origin to a cell for each lane: any position is moved into the array. */
struct CellPlaces {
    alignas(64) int64_t lane[BRIDGE_WIDTH];
};
__attribute__((noinline, pure)) inline CellPlaces cellPlaces(const bridge_cells& cells, WideBits i,
                                                             WideBits j, WideBits k) noexcept {
    alignas(64) int64_t at[3][BRIDGE_WIDTH];
    store(at[0], i);
    store(at[1], j);
    store(at[2], k);
    CellPlaces found{};
    for (int a = 0; a < 3; ++a)
        for (int64_t l = 0; l < BRIDGE_WIDTH; ++l) {
            const int64_t inside = std::min(std::max(at[a][l], cells.low[a]), cells.high[a]);
            found.lane[l] += (inside - cells.first[a]) * cells.stride[a];
        }
    return found;
}

template <class Value>
__attribute__((noinline, pure)) Value atCells(const bridge_cells& cells, const CellPlaces& places,
                                              int64_t column) noexcept {
    using Element = std::conditional_t<std::is_same_v<Value, Wide>, double, int64_t>;
    const char* origin = cells.origin + column * cells.column_stride;
    alignas(64) Element lane[BRIDGE_WIDTH];
    const auto go = [&](auto element) {
        for (int64_t l = 0; l < BRIDGE_WIDTH; ++l)
            lane[l] = static_cast<Element>(
                *reinterpret_cast<const decltype(element)*>(origin + places.lane[l]));
    };
    if (cells.type == BRIDGE_INT32)
        go(int32_t{});
    else if (cells.type == BRIDGE_FLOAT32)
        go(float{});
    else
        go(double{});
    if (cells.scale != 1.0)
        for (int64_t l = 0; l < BRIDGE_WIDTH; ++l)
            lane[l] = static_cast<Element>(lane[l] * cells.scale);
    return loadWide(lane);
}

/* The components of one cell for each lane. */
template <class Value> class CellColumns {
public:
    BRIDGE_INLINE CellColumns(const bridge_cells& c, const CellPlaces& p) : cells(c), places(p) {}
    BRIDGE_INLINE Value operator[](int column) const {
        return atCells<Value>(cells, places, column);
    }

private:
    const bridge_cells& cells;
    CellPlaces places;
};

/* An argument of a kernel: a quantity at any cell of its array, by positions. */
template <class Value, bool several> class CellsOf {
public:
    BRIDGE_INLINE explicit CellsOf(const bridge_cells& c) : cells(c) {}
    BRIDGE_INLINE auto at(const WideBits& i, const WideBits& j, const WideBits& k) const {
        const CellPlaces places = cellPlaces(cells, i, j, k);
        if constexpr (several)
            return CellColumns<Value>(cells, places);
        else
            return atCells<Value>(cells, places, 0);
    }

private:
    const bridge_cells& cells;
};

#ifndef BRIDGE_DEBUG  // debug.h has those of one point
using Cells = CellsOf<Wide, true>;
using ScalarCells = CellsOf<Wide, false>;
using IntegerCells = CellsOf<WideBits, true>;
using ScalarIntegerCells = CellsOf<WideBits, false>;

#ifndef BRIDGE_NEST  // nest.h has those of a nest
using Neighbours = NeighboursOf<Wide, true>;
using ScalarNeighbours = NeighboursOf<Wide, false>;
using IntegerNeighbours = NeighboursOf<WideBits, true>;
using ScalarIntegerNeighbours = NeighboursOf<WideBits, false>;
#endif
#endif

}  // namespace BRIDGE_NAMESPACE

#endif
