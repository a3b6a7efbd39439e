/* Records: the components of a point as neighbours in memory, as in an array component first.
 *
 * A kernel works on them where they lie. A vector of points is loaded with all its components and
 * turned in registers just before the kernel, and turned back just after it: an array goes through
 * a core once, and nothing through scratch.
 */
#ifndef BRIDGE_KERNELS_CPU_RECORDS_H
#define BRIDGE_KERNELS_CPU_RECORDS_H

#include "launch.h"

#include <type_traits>

namespace BRIDGE_NAMESPACE {

/* ---- Points of one register ------------------------------------------------------------------ */

/* Where the components of a few points lie: next to each other, `along` doubles from a point to the
 * next one. */
template <class Element, class Along> struct Apart {
    Element* first;
    Along along;
    BRIDGE_INLINE Element* operator()(int point) const { return first + point * along; }
};

/* Two components of a few points: row(p) + column leads to them. Two rows of pairs are two columns,
 * and two columns are two rows of pairs, after low() and high(). */
#if BRIDGE_LANES == 2
constexpr int together = 2; /* points that are turned at once */
using Together = __m128d;
BRIDGE_INLINE Together low(Together a, Together b) { return _mm_unpacklo_pd(a, b); }
BRIDGE_INLINE Together high(Together a, Together b) { return _mm_unpackhi_pd(a, b); }
template <class Row> BRIDGE_INLINE Together loadPair(Row row, int point, int column) {
    return _mm_loadu_pd(row(point) + column);
}
template <class Row> BRIDGE_INLINE void storePair(Row row, int point, int column, Together x) {
    _mm_storeu_pd(row(point) + column, x);
}
template <class Row> BRIDGE_INLINE void storeOne(Row row, int column, Together x) {
    _mm_storel_pd(row(0) + column, x);
    _mm_storeh_pd(row(1) + column, x);
}
#else
constexpr int together = 4;
using Together = __m256d;
BRIDGE_INLINE Together low(Together a, Together b) { return _mm256_unpacklo_pd(a, b); }
BRIDGE_INLINE Together high(Together a, Together b) { return _mm256_unpackhi_pd(a, b); }
/* Of a point and of the second one after it. */
template <class Row> BRIDGE_INLINE Together loadPair(Row row, int point, int column) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(row(point) + column)),
                                _mm_loadu_pd(row(point + 2) + column), 1);
}
template <class Row> BRIDGE_INLINE void storePair(Row row, int point, int column, Together x) {
    _mm_storeu_pd(row(point) + column, _mm256_castpd256_pd128(x));
    _mm_storeu_pd(row(point + 2) + column, _mm256_extractf128_pd(x, 1));
}
template <class Row> BRIDGE_INLINE void storeOne(Row row, int column, Together x) {
    const __m128d first = _mm256_castpd256_pd128(x), second = _mm256_extractf128_pd(x, 1);
    _mm_storel_pd(row(0) + column, first);
    _mm_storeh_pd(row(1) + column, first);
    _mm_storel_pd(row(2) + column, second);
    _mm_storeh_pd(row(3) + column, second);
}
/* Four components, half as many stores as of two pairs. */
template <class Row>
BRIDGE_INLINE void storeFour(Row row, int column, Together a, Together b, Together c, Together d) {
    const Together even = low(a, b), odd = high(a, b), evenRest = low(c, d), oddRest = high(c, d);
    _mm256_storeu_pd(row(0) + column, _mm256_permute2f128_pd(even, evenRest, 0x20));
    _mm256_storeu_pd(row(1) + column, _mm256_permute2f128_pd(odd, oddRest, 0x20));
    _mm256_storeu_pd(row(2) + column, _mm256_permute2f128_pd(even, evenRest, 0x31));
    _mm256_storeu_pd(row(3) + column, _mm256_permute2f128_pd(odd, oddRest, 0x31));
}
#endif

/* put(column, its values), get(column). An odd last column is read with the one before it. */
template <int columns, class Row, class Put> BRIDGE_INLINE void turnIn(Row row, Put put) {
#pragma GCC unroll 4
    for (int c = 0; c + 2 <= columns; c += 2) {
        const Together even = loadPair(row, 0, c), odd = loadPair(row, 1, c);
        put(c, low(even, odd));
        put(c + 1, high(even, odd));
    }
    if constexpr (columns % 2)
        put(columns - 1, high(loadPair(row, 0, columns - 2), loadPair(row, 1, columns - 2)));
}
template <int columns, class Row, class Get> BRIDGE_INLINE void turnOut(Row row, Get get) {
    int c = 0;
#if BRIDGE_LANES > 2
#pragma GCC unroll 2
    for (; c + 4 <= columns; c += 4) storeFour(row, c, get(c), get(c + 1), get(c + 2), get(c + 3));
#endif
#pragma GCC unroll 4
    for (; c + 2 <= columns; c += 2) {
        const Together first = get(c), second = get(c + 1);
        storePair(row, 0, c, low(first, second));
        storePair(row, 1, c, high(first, second));
    }
    if constexpr (columns % 2) storeOne(row, columns - 1, get(columns - 1));
}

/* ---- A vector of points ------------------------------------------------------------------------ */

/* Part `part` of a number: `together` points of it. With a mask of all lanes: of the plain
 * intrinsics gcc warns that they begin with a value that is not set. */
BRIDGE_INLINE void setPart(Lanes& x, int part, Together value) {
#if BRIDGE_LANES == 8
    x.v = part ? DoubleVector(_mm512_maskz_insertf64x4(0xff, __m512d(x.v), value, 1))
               : DoubleVector(_mm512_castpd256_pd512(value));
#else
    (void)part;
    x.v = DoubleVector(value);
#endif
}
BRIDGE_INLINE Together partOf(const Lanes& x, int part) {
#if BRIDGE_LANES == 8
    return part ? _mm512_maskz_extractf64x4_pd(0xff, __m512d(x.v), 1)
                : _mm512_maskz_extractf64x4_pd(0xff, __m512d(x.v), 0);
#else
    (void)part;
    return Together(x.v);
#endif
}
constexpr int partsOfLanes = BRIDGE_LANES / together;
#if BRIDGE_REGISTERS == 2
BRIDGE_INLINE void setPart(Twice& x, int part, Together value) {
    setPart(part < partsOfLanes ? x.a : x.b, part % partsOfLanes, value);
}
BRIDGE_INLINE Together partOf(const Twice& x, int part) {
    return partOf(part < partsOfLanes ? x.a : x.b, part % partsOfLanes);
}
#endif
constexpr int parts = BRIDGE_WIDTH / together;

/* The number of these parts: part(0), part(1) ... */
template <class Part> BRIDGE_INLINE Lanes lanesOfParts(Part part, int first) {
#if BRIDGE_LANES == 8
    return Lanes(DoubleVector(
        _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(part(first)), part(first + 1), 1)));
#else
    return Lanes(DoubleVector(part(first)));
#endif
}
template <class Part> BRIDGE_INLINE Wide ofParts(Part part) {
#if BRIDGE_REGISTERS == 2
    return {lanesOfParts(part, 0), lanesOfParts(part, partsOfLanes)};
#else
    return lanesOfParts(part, 0);
#endif
}

/* The components of a vector of points as a kernel sees them. One type for any number of them. */
class InTile {
public:
    BRIDGE_INLINE explicit InTile(const Wide* p) : value(p) {}
    BRIDGE_INLINE const Wide& operator[](int column) const { return value[column]; }

private:
    const Wide* value;
};
class OutTile {
public:
    BRIDGE_INLINE explicit OutTile(Wide* p) : value(p) {}
    BRIDGE_INLINE Wide& operator[](int column) const { return value[column]; }

private:
    Wide* value;
};

/* The components themselves: in registers where the compiler finds enough of them. */
template <int columns> struct Tile {
    Wide value[columns];
    BRIDGE_INLINE InTile in() const { return InTile(value); }
    BRIDGE_INLINE OutTile out() { return OutTile(value); }
};

/* ---- A slot along a row, as those of launch.h -------------------------------------------------- */

/* A vector of records from memory, and back. */
template <int columns, class Row> BRIDGE_INLINE void loadTile(Row row, Tile<columns>& tile) {
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part)
        turnIn<columns>(
            [=](int p) __attribute__((always_inline)) { return row(part * together + p); },
            [&](int c, Together x)
                __attribute__((always_inline)) { setPart(tile.value[c], part, x); });
}
template <int columns, class Row> BRIDGE_INLINE void saveTile(Row row, const Tile<columns>& tile) {
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part)
        turnOut<columns>(
            [=](int p) __attribute__((always_inline)) { return row(part * together + p); },
            [&](int c) __attribute__((always_inline)) { return partOf(tile.value[c], part); });
}

/* The same of a row's last vector: of so many points, the last of which is repeated. */
template <int columns, class Along>
BRIDGE_INLINE void loadTail(const double* from, Along along, int points, Tile<columns>& tile) {
    loadTile(
        [=](int p) __attribute__((always_inline)) {
            return from + (p < points ? p : points - 1) * along;
        },
        tile);
}
/* Those points that `which` says. */
template <int columns, class Along, class Which>
BRIDGE_INLINE void saveSome(double* to, Along along, Which which, const Tile<columns>& tile) {
    double nowhere[columns];
    double* const beside = nowhere;
    saveTile(
        [=](int p) __attribute__((always_inline)) { return which(p) ? to + p * along : beside; },
        tile);
}
template <int columns, class Along>
BRIDGE_INLINE void saveTail(double* to, Along along, int points, const Tile<columns>& tile) {
    saveSome(
        to, along, [=](int p) BRIDGE_INLINED { return p < points; }, tile);
}

/* A slot of records that follow each other: all distances are known when this is compiled. Of full
 * vectors alone. */
template <int columns> class Records {
public:
    BRIDGE_INLINE Records(const bridge_argument& slot, const Rows& rows)
        : base(reinterpret_cast<double*>(rows.of(slot.full))) {}
    BRIDGE_INLINE void load(int64_t vector, Tile<columns>& tile) const {
        loadTile(Apart<const double, Along>{base + vector * size, {}}, tile);
    }
    BRIDGE_INLINE void save(int64_t vector, const Tile<columns>& tile) const {
        saveTile(Apart<double, Along>{base + vector * size, {}}, tile);
    }

private:
    using Along = std::integral_constant<int64_t, columns>;
    static constexpr int64_t size = BRIDGE_WIDTH * columns;
    double* base;
};

/* The same of the rows' last vectors, if not full. */
template <int columns> class RecordTails {
public:
    BRIDGE_INLINE RecordTails(const bridge_argument& slot, const Rows& rows)
        : base(reinterpret_cast<double*>(rows.of(slot.full)) + rows.full * BRIDGE_WIDTH * columns),
          points(rows.tail) {}
    BRIDGE_INLINE void enterTail(const bridge_argument&, const Rows&) {}
    BRIDGE_INLINE void load(int64_t, Tile<columns>& tile) const {
        loadTail(base, Along{}, points, tile);
    }
    BRIDGE_INLINE void save(int64_t, const Tile<columns>& tile) const {
        saveTail(base, Along{}, points, tile);
    }

private:
    using Along = std::integral_constant<int64_t, columns>;
    double* base;
    int points;
};

/* A slot of records any distance apart, or of columns: what a kernel finds where arrays hold more
 * components than it takes, or between arrays and values in scratch. */
template <int columns> class Either {
public:
    BRIDGE_INLINE Either(const bridge_argument& slot, const Rows& rows)
        : separate(slot, rows),
          base(reinterpret_cast<double*>(rows.of(slot.full))),
          size(slot.vector_stride / 8),
          turned(slot.full.column_stride == 8) {}
    BRIDGE_INLINE void enterTail(const bridge_argument& slot, const Rows& rows) {
        separate.enterTail(slot, rows);
        tail = rows.tail;
    }
    BRIDGE_INLINE void load(int64_t vector, Tile<columns>& tile) const {
        if (turned) {
            const double* from = base + vector * size;
            if (__builtin_expect(tail, 0))
                loadTail(from, size / BRIDGE_WIDTH, tail, tile);
            else
                loadTile(Apart<const double, int64_t>{from, size / BRIDGE_WIDTH}, tile);
            return;
        }
        const auto from = separate.in(vector);
        for (int c = 0; c < columns; ++c) tile.value[c] = from[c];
    }
    BRIDGE_INLINE void save(int64_t vector, const Tile<columns>& tile) const {
        if (turned) {
            double* to = base + vector * size;
            if (__builtin_expect(tail, 0))
                saveTail(to, size / BRIDGE_WIDTH, tail, tile);
            else
                saveTile(Apart<double, int64_t>{to, size / BRIDGE_WIDTH}, tile);
            return;
        }
        const auto to = separate.out(vector);
        for (int c = 0; c < columns; ++c) to[c] = tile.value[c];
    }

private:
    Columns separate;
    double* base;
    int64_t size; /* doubles from a vector of records to the next */
    bool turned;
    int tail = 0;
};

}  // namespace BRIDGE_NAMESPACE

#endif
