/* Records: the components of a point as neighbours in memory, as in an array component first.
 *
 * A kernel works on them where they lie. A vector of points is loaded with all its components and
 * turned in registers just before the kernel, and turned back just after it: an array goes through
 * a core once, and nothing through scratch. A row's last vector, if not full, is staged in scratch
 * as records too (block.cpp).
 */
#ifndef BRIDGE_KERNELS_CPU_RECORDS_H
#define BRIDGE_KERNELS_CPU_RECORDS_H

#include "launch.h"

#include <type_traits>

namespace BRIDGE_NAMESPACE {

/* ---- Points of one register ------------------------------------------------------------------ */

/* put(component, values of a few points that are `along` apart, in doubles); a component more than
 * the last is never read. Pairs of components are turned together: an odd last one is turned with
 * the one before it. */
#if BRIDGE_LANES == 2
constexpr int together = 2; /* points that are turned at once */
using Together = __m128d;
BRIDGE_INLINE Together low(Together a, Together b) { return _mm_unpacklo_pd(a, b); }
BRIDGE_INLINE Together high(Together a, Together b) { return _mm_unpackhi_pd(a, b); }
BRIDGE_INLINE Together loadPair(const double* p, int64_t) { return _mm_loadu_pd(p); }
BRIDGE_INLINE void storePair(double* p, int64_t, Together x) { _mm_storeu_pd(p, x); }
BRIDGE_INLINE void storeOne(double* p, int64_t along, Together x) {
    _mm_storel_pd(p, x);
    _mm_storeh_pd(p + along, x);
}
#else
constexpr int together = 4;
using Together = __m256d;
BRIDGE_INLINE Together low(Together a, Together b) { return _mm256_unpacklo_pd(a, b); }
BRIDGE_INLINE Together high(Together a, Together b) { return _mm256_unpackhi_pd(a, b); }
/* Two components of a point and of the second one after it. */
BRIDGE_INLINE Together loadPair(const double* p, int64_t along) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)),
                                _mm_loadu_pd(p + 2 * along), 1);
}
BRIDGE_INLINE void storePair(double* p, int64_t along, Together x) {
    _mm_storeu_pd(p, _mm256_castpd256_pd128(x));
    _mm_storeu_pd(p + 2 * along, _mm256_extractf128_pd(x, 1));
}
BRIDGE_INLINE void storeOne(double* p, int64_t along, Together x) {
    const __m128d first = _mm256_castpd256_pd128(x), second = _mm256_extractf128_pd(x, 1);
    _mm_storel_pd(p, first);
    _mm_storeh_pd(p + along, first);
    _mm_storel_pd(p + 2 * along, second);
    _mm_storeh_pd(p + 3 * along, second);
}
/* Four components, half as many stores as of two pairs. */
BRIDGE_INLINE void storeFour(double* p, int64_t along, Together a, Together b, Together c,
                             Together d) {
    const Together even = low(a, b), odd = high(a, b), evenRest = low(c, d), oddRest = high(c, d);
    _mm256_storeu_pd(p, _mm256_permute2f128_pd(even, evenRest, 0x20));
    _mm256_storeu_pd(p + along, _mm256_permute2f128_pd(odd, oddRest, 0x20));
    _mm256_storeu_pd(p + 2 * along, _mm256_permute2f128_pd(even, evenRest, 0x31));
    _mm256_storeu_pd(p + 3 * along, _mm256_permute2f128_pd(odd, oddRest, 0x31));
}
#endif

template <int columns, class Along, class Put>
BRIDGE_INLINE void turnIn(const double* from, Along along, Put put) {
#pragma GCC unroll 4
    for (int c = 0; c + 2 <= columns; c += 2) {
        const Together even = loadPair(from + c, along), odd = loadPair(from + along + c, along);
        put(c, low(even, odd));
        put(c + 1, high(even, odd));
    }
    if constexpr (columns % 2) {
        const double* last = from + columns - 2;
        put(columns - 1, high(loadPair(last, along), loadPair(last + along, along)));
    }
}
template <int columns, class Along, class Get>
BRIDGE_INLINE void turnOut(double* to, Along along, Get get) {
    int c = 0;
#if BRIDGE_LANES > 2
#pragma GCC unroll 2
    for (; c + 4 <= columns; c += 4)
        storeFour(to + c, along, get(c), get(c + 1), get(c + 2), get(c + 3));
#endif
#pragma GCC unroll 4
    for (; c + 2 <= columns; c += 2) {
        const Together first = get(c), second = get(c + 1);
        storePair(to + c, along, low(first, second));
        storePair(to + along + c, along, high(first, second));
    }
    if constexpr (columns % 2) storeOne(to + columns - 1, along, get(columns - 1));
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
template <int columns, class Along>
BRIDGE_INLINE void loadTile(const double* from, Along along, Tile<columns>& tile) {
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part)
        turnIn<columns>(from + part * together * along, along,
                        [&](int c, Together x) __attribute__((always_inline)) {
                            setPart(tile.value[c], part, x);
                        });
}
template <int columns, class Along>
BRIDGE_INLINE void saveTile(double* to, Along along, const Tile<columns>& tile) {
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part)
        turnOut<columns>(to + part * together * along, along,
                         [&](int c) __attribute__((always_inline)) {
                             return partOf(tile.value[c], part);
                         });
}

/* A slot of records that follow each other: all distances are known when this is compiled. */
template <int columns> class Records {
public:
    BRIDGE_INLINE Records(const bridge_argument& slot, const Rows& rows)
        : base(reinterpret_cast<double*>(rows.of(slot.full))) {}
    BRIDGE_INLINE void enterTail(const bridge_argument& slot, const Rows& rows) {
        base = reinterpret_cast<double*>(rows.of(slot.tail)) - rows.full * size;
    }
    BRIDGE_INLINE void load(int64_t vector, Tile<columns>& tile) const {
        loadTile(base + vector * size, along, tile);
    }
    BRIDGE_INLINE void save(int64_t vector, const Tile<columns>& tile) const {
        saveTile(base + vector * size, along, tile);
    }

private:
    static constexpr std::integral_constant<int64_t, columns> along{};
    static constexpr int64_t size = BRIDGE_WIDTH * columns;
    double* base;
};

/* A slot of records any distance apart, or of columns: what a kernel finds where arrays hold more
 * components than it takes, or between arrays and values in scratch. */
template <int columns> class Either {
public:
    BRIDGE_INLINE Either(const bridge_argument& slot, const Rows& rows)
        : base(rows.of(slot.full)),
          vectorStride(slot.vector_stride),
          columnStride(slot.full.column_stride) {}
    BRIDGE_INLINE void enterTail(const bridge_argument& slot, const Rows& rows) {
        vectorStride = BRIDGE_WIDTH * columns * 8; /* in scratch */
        base = rows.of(slot.tail) - rows.full * vectorStride;
        columnStride = slot.tail.column_stride;
    }
    BRIDGE_INLINE void load(int64_t vector, Tile<columns>& tile) const {
        const auto* from = reinterpret_cast<const double*>(base + vector * vectorStride);
        if (columnStride == 8) return loadTile(from, along(), tile);
        for (int c = 0; c < columns; ++c) tile.value[c] = loadWide(from + c * columnStride / 8);
    }
    BRIDGE_INLINE void save(int64_t vector, const Tile<columns>& tile) const {
        auto* to = reinterpret_cast<double*>(base + vector * vectorStride);
        if (columnStride == 8) return saveTile(to, along(), tile);
        for (int c = 0; c < columns; ++c) store(to + c * columnStride / 8, tile.value[c]);
    }

private:
    BRIDGE_INLINE int64_t along() const { return vectorStride / (BRIDGE_WIDTH * 8); }
    char* base;
    int64_t vectorStride, columnStride;
};

}  // namespace BRIDGE_NAMESPACE

#endif
