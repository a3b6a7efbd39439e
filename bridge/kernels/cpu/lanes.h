/* A pack of grid points as one number: the `Real` of the CPU build.
 *
 * `Lanes` holds BRIDGE_LANES doubles, one grid point each, in one SIMD register. Kernels written
 * for a plain double run on it unchanged, so SIMD goes across points and loops over species stay
 * loops. Everything lies in one namespace per instruction set (BRIDGE_NAMESPACE, from the build):
 * the libraries share no symbol, so an older machine never runs code that the linker merged from
 * a newer one.
 *
 * No operation mixes lanes except all() and any(): a point's result is the same bits whatever
 * its neighbours are. What an instruction gives is in vector.h, for numbers of single precision too
 * (singles.h); logarithms, exponentials and the cube root are in mathematics.h, arithmetic of
 * integers in integers.h, all other functions in functions.h.
 */
#ifndef BRIDGE_KERNELS_CPU_LANES_H
#define BRIDGE_KERNELS_CPU_LANES_H

#include <cstdint>

#if !defined(BRIDGE_NAMESPACE) || !defined(BRIDGE_LANES)
#error "the build sets BRIDGE_NAMESPACE (bridge_v2, _v3, _v4) and BRIDGE_LANES (2, 4, 8)"
#endif

#define BRIDGE_INLINE inline __attribute__((always_inline))

#include "../numbers.h"
#include "../product.h"
#include "instructions.h"

namespace BRIDGE_NAMESPACE {

/* Unlike the intrinsics' own types these do not alias everything, so a store does not force a reload
 * of the shared data. */
typedef double DoubleVector __attribute__((vector_size(BRIDGE_LANES * 8)));
typedef long long IntegerVector __attribute__((vector_size(BRIDGE_LANES * 8)));
typedef float SingleVector __attribute__((vector_size(BRIDGE_LANES * 4)));

/* What point.h asks of a number type. */
template <class Real> struct PointTypes;

}  // namespace BRIDGE_NAMESPACE

#include "vector.h"

namespace BRIDGE_NAMESPACE {

/* ---- Memory ------------------------------------------------------------------------------ */

/* The first `count` lanes from memory, the others anything; and back, the others untouched. */
BRIDGE_INLINE Lanes loadPart(const double* from, int64_t count) {
    if (count >= BRIDGE_LANES) return loadLanes(from);
#if BRIDGE_LANES == 8
    const __mmask8 first = static_cast<__mmask8>((1u << count) - 1);
    return Lanes(DoubleVector(_mm512_maskz_loadu_pd(first, from)));
#elif BRIDGE_LANES == 4
    __m256d x = _mm256_castpd128_pd256(count >= 2 ? _mm_loadu_pd(from) : _mm_load_sd(from));
    if (count == 3) x = _mm256_insertf128_pd(x, _mm_load_sd(from + 2), 1);
    return Lanes(DoubleVector(x));
#else
    return Lanes(DoubleVector(_mm_load_sd(from)));
#endif
}
BRIDGE_INLINE void storePart(double* to, Lanes x, int64_t count) {
    if (count >= BRIDGE_LANES) return store(to, x);
#if BRIDGE_LANES == 8
    const __mmask8 first = static_cast<__mmask8>((1u << count) - 1);
    _mm512_mask_storeu_pd(to, first, __m512d(x.v));
#elif BRIDGE_LANES == 4
    const __m128d low = _mm256_castpd256_pd128(__m256d(x.v));
    if (count == 1) return _mm_store_sd(to, low);
    _mm_storeu_pd(to, low);
    if (count == 3) _mm_store_sd(to + 2, _mm256_extractf128_pd(__m256d(x.v), 1));
#else
    _mm_store_sd(to, __m128d(x.v));
#endif
}
/* Lanes from the first-th on; memory has room for all. */
BRIDGE_INLINE void storeFrom(double* to, Lanes x, int first) {
    if (first == 0) return store(to, x);
#if BRIDGE_LANES == 8
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(0xffu << first), __m512d(x.v));
#elif BRIDGE_LANES == 4
    const __m128d high = _mm256_extractf128_pd(__m256d(x.v), 1);
    if (first == 3) return _mm_storeh_pd(to + 3, high);
    _mm_storeu_pd(to + 2, high);
    if (first == 1) _mm_storeh_pd(to + 1, _mm256_castpd256_pd128(__m256d(x.v)));
#else
    _mm_storeh_pd(to + 1, __m128d(x.v));
#endif
}
/* table[index] of each lane; the table has so many entries, whole vectors of them where it may be
 * held in registers: a shuffle is several times faster than a gather. */
template <int entries> BRIDGE_INLINE Lanes lookup(const double* table, LaneBits index) {
#if BRIDGE_LANES == 8
    if constexpr (entries == 24) {
        const DoubleVector first = loadLanes(table).v, second = loadLanes(table + 8).v;
        const DoubleVector third = loadLanes(table + 16).v;
        const DoubleVector low = shuffled(first, second, index.v);
        return Lanes(index.v < 16 ? low : shuffled(third, index.v));
    }
    return Lanes(DoubleVector(
        _mm512_mask_i64gather_pd(_mm512_setzero_pd(), 0xff, (__m512i)index.v, table, 8)));
#elif BRIDGE_LANES == 4
    return Lanes(DoubleVector(_mm256_i64gather_pd(table, (__m256i)index.v, 8)));
#else
    return Lanes(DoubleVector{table[index.v[0]], table[index.v[1]]});
#endif
}

#if BRIDGE_LANES < 8
/* A table of records, of an even number of columns each: for every lane the record whose number is
 * `place` without its fraction, from 0 to `last`; a NaN has the first. Loads of neighbours, where
 * each column on its own would be a gather. */
#define BRIDGE_TABLE_ROWS
template <int columns>
BRIDGE_INLINE void lookupRecord(const double* table, int last, Lanes place,
                                Lanes (&values)[columns]) {
    static_assert(columns % 2 == 0, "columns are loaded two by two");
#if BRIDGE_LANES == 4
    const __m256d from0 = _mm256_max_pd((__m256d)place.v, _mm256_setzero_pd());
    const __m128i number = _mm256_cvttpd_epi32(_mm256_min_pd(from0, _mm256_set1_pd(last)));
    const double* record[4] = {table + columns * _mm_extract_epi32(number, 0),
                               table + columns * _mm_extract_epi32(number, 1),
                               table + columns * _mm_extract_epi32(number, 2),
                               table + columns * _mm_extract_epi32(number, 3)};
    for (int c = 0; c < columns; c += 2) {
        const __m256d even = _mm256_insertf128_pd(
            _mm256_castpd128_pd256(_mm_loadu_pd(record[0] + c)), _mm_loadu_pd(record[2] + c), 1);
        const __m256d odd = _mm256_insertf128_pd(
            _mm256_castpd128_pd256(_mm_loadu_pd(record[1] + c)), _mm_loadu_pd(record[3] + c), 1);
        values[c] = Lanes(DoubleVector(_mm256_unpacklo_pd(even, odd)));
        values[c + 1] = Lanes(DoubleVector(_mm256_unpackhi_pd(even, odd)));
    }
#else
    const __m128d from0 = _mm_max_pd((__m128d)place.v, _mm_setzero_pd());
    const __m128i number = _mm_cvttpd_epi32(_mm_min_pd(from0, _mm_set1_pd(last)));
    const double *even = table + columns * _mm_extract_epi32(number, 0),
                 *odd = table + columns * _mm_extract_epi32(number, 1);
    for (int c = 0; c < columns; ++c) values[c] = Lanes(DoubleVector{even[c], odd[c]});
#endif
}
#endif

/* ---- Arithmetic ------------------------------------------------------------------------------ */

#if BRIDGE_LANES == 2 /* which has no instruction for both */
BRIDGE_INLINE Lanes multiplyAdd(Lanes a, Lanes b, Lanes c) { return Lanes(a.v * b.v + c.v); }
BRIDGE_INLINE Lanes multiplySubtract(Lanes a, Lanes b, Lanes c) { return Lanes(a.v * b.v - c.v); }
BRIDGE_INLINE Lanes subtractProduct(Lanes c, Lanes a, Lanes b) { return Lanes(c.v - a.v * b.v); }
#endif

#if BRIDGE_LANES == 8
/* A quotient to half a unit in the last place, four times as many a second as the instruction
 * gives: a reciprocal to 2^-42, and a remainder formed with it in one rounding. Where a step may
 * have overflowed, or has to give a zero, an infinity or a NaN, the instruction decides. */
BRIDGE_INLINE Lanes operator/(Lanes a, Lanes b) {
    const __m512d x = (__m512d)a.v, y = (__m512d)b.v;
    const __m512d rough = _mm512_maskz_rcp14_pd(0xff, y);
    const __m512d e = _mm512_fnmadd_pd(y, rough, _mm512_set1_pd(1.0));
    const __m512d inverse = _mm512_fmadd_pd(_mm512_fmadd_pd(e, e, e), rough, rough);
    const __m512d near = _mm512_mul_pd(x, inverse);
    const __m512d q = _mm512_fmadd_pd(_mm512_fnmadd_pd(y, near, x), inverse, near);
    const __mmask8 special = _mm512_fpclass_pd_mask(q, 0xbf); /* NaN, 0, infinity, denormal */
    if (__builtin_expect(special == 0, 1)) return Lanes(DoubleVector(q));
    return Lanes(DoubleVector(_mm512_mask_div_pd(q, special, x, y)));
}
#else
BRIDGE_INLINE Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
#endif

}  // namespace BRIDGE_NAMESPACE

/* ---- Functions ------------------------------------------------------------------------------- */

#if BRIDGE_LANES == 8
#define BRIDGE_REGISTER __m512d
#define BRIDGE_MVEC(name) _ZGVeN8v_##name
#define BRIDGE_MVEC2(name) _ZGVeN8vv_##name
#elif BRIDGE_LANES == 4
#define BRIDGE_REGISTER __m256d
#define BRIDGE_MVEC(name) _ZGVdN4v_##name
#define BRIDGE_MVEC2(name) _ZGVdN4vv_##name
#else
#define BRIDGE_REGISTER __m128d
#define BRIDGE_MVEC(name) _ZGVbN2v_##name
#define BRIDGE_MVEC2(name) _ZGVbN2vv_##name
#endif

#include "mathematics.h"
#include "integers.h"
#include "functions.h"

#endif
