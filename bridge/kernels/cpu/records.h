/* Records: the components of a point as neighbours in memory, as in an array component first.
 *
 * What reads them around a point, and loop nests, take them where they lie. A vector of points is
 * loaded with all its components and turned in registers just before the kernel, and turned back
 * just after it: an array goes through a core once, and nothing through scratch.
 */
#ifndef BRIDGE_KERNELS_CPU_RECORDS_H
#define BRIDGE_KERNELS_CPU_RECORDS_H

#include "launch.h"

#include <algorithm>

namespace BRIDGE_NAMESPACE {

/* ---- Points of one register ------------------------------------------------------------------ */

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

/* get(column): its values. */
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

constexpr int partsOfLanes = BRIDGE_LANES / together;

/* Part `part` of a number: `together` points of it. With a mask of all lanes: of the plain
 * intrinsics gcc warns that they begin with a value that is not set. */
BRIDGE_INLINE Together partOf(const Lanes& x, int part) {
#if BRIDGE_LANES == 8
    return part ? _mm512_maskz_extractf64x4_pd(0xff, __m512d(x.v), 1)
                : _mm512_maskz_extractf64x4_pd(0xff, __m512d(x.v), 0);
#else
    (void)part;
    return Together(x.v);
#endif
}

/* The number of these parts: part(0), part(1) ... */
template <class Part> BRIDGE_INLINE Lanes lanesOfParts(Part part, int first) {
#if BRIDGE_LANES == 8
    return Lanes(DoubleVector(
        _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(part(first)), part(first + 1), 1)));
#else
    return Lanes(DoubleVector(part(first)));
#endif
}
template <class Part> BRIDGE_INLINE WideDoubles ofParts(Part part) {
#if BRIDGE_REGISTERS == 2
    return {lanesOfParts(part, 0), lanesOfParts(part, partsOfLanes)};
#else
    return lanesOfParts(part, 0);
#endif
}

/* A register of records that follow each other into memory, without the first `known` of them. */
template <int columns>
BRIDGE_INLINE void saveRecords(double* to, int known, const Lanes (&value)[columns]) {
    const auto save = [&](auto row) BRIDGE_INLINED {
#pragma GCC unroll 4
        for (int part = 0; part < partsOfLanes; ++part)
            turnOut<columns>([=](int p) BRIDGE_INLINED { return row(part * together + p); },
                             [&](int c) BRIDGE_INLINED { return partOf(value[c], part); });
    };
    if (known == 0) return save([=](int p) BRIDGE_INLINED { return to + p * columns; });
    double nowhere[columns];
    double* const beside = nowhere;
    save([=](int p) BRIDGE_INLINED { return p < known ? beside : to + p * columns; });
}

/* ---- Records of singles ------------------------------------------------------------------------ */

#ifdef BRIDGE_SINGLES
constexpr int singleLanes = 2 * BRIDGE_LANES;

/* What is found until now, with those lanes of the r-th register that belong there; place(l): of
 * lane l, counted through all registers. */
template <class Place>
BRIDGE_INLINE SingleLanes chosen(SingleLanes found, SingleLanes next, int r, Place place) {
    WordVector order;
#pragma GCC unroll 16
    for (int l = 0; l < singleLanes; ++l) {
        const int lane = place(l) - r * singleLanes;
        order[l] = lane >= 0 && lane < singleLanes ? singleLanes + lane : l;
    }
    return SingleLanes(shuffled(found.v, next.v, order));
}

/* A register of records that follow each other, turned into components. Few components: as many
 * registers as they are, of each of which a component has some lanes; many: number by number. */
template <int columns> BRIDGE_INLINE void turnFew(const float* from, SingleLanes* tile) {
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) {
        tile[c] = loadLanes(from);
#pragma GCC unroll 8
        for (int r = 0; r < columns; ++r)
            tile[c] = chosen(tile[c], loadLanes(from + r * singleLanes), r,
                             [=](int l) BRIDGE_INLINED { return l * columns + c; });
    }
}
BRIDGE_INLINE void turnSingles(const float* from, int columns, SingleLanes* tile) {
    if (columns == 2) return turnFew<2>(from, tile);
    if (columns == 3) return turnFew<3>(from, tile);
    if (columns == 4) return turnFew<4>(from, tile);
    if (columns == 5) return turnFew<5>(from, tile);
    if (columns == 6) return turnFew<6>(from, tile);
#pragma GCC unroll 32
    for (int c = 0; c < columns; ++c)
#pragma GCC unroll 16
        for (int l = 0; l < singleLanes; ++l) tile[c].v[l] = from[l * columns + c];
}

/* And back, without the first `known` records. */
template <int columns>
BRIDGE_INLINE void saveRecords(float* to, int known, const SingleLanes (&value)[columns]) {
    if constexpr (columns > 6) {
#pragma GCC unroll 16
        for (int l = 0; l < singleLanes; ++l)
            if (l >= known)
#pragma GCC unroll 32
                for (int c = 0; c < columns; ++c) to[l * columns + c] = value[c].v[l];
    } else {
#pragma GCC unroll 8
        for (int r = 0; r < columns; ++r) {
            SingleLanes found = value[0];
#pragma GCC unroll 8
            for (int c = 0; c < columns; ++c)
                found = chosen(found, value[c], c, [=](int l) BRIDGE_INLINED {
                    const int number = r * singleLanes + l;
                    return number % columns * singleLanes + number / columns;
                });
            const int first = known * columns - r * singleLanes;
            storeFrom(to + r * singleLanes, found, std::clamp(first, 0, singleLanes));
        }
    }
}
#endif

}  // namespace BRIDGE_NAMESPACE

#endif
