/* Twice as many grid points as `Lanes` as one number of single precision: the `Real` of kernels that
 * compute as Fortran's real(4) does.
 *
 * `SingleLanes` holds 2 BRIDGE_LANES floats in one register, and is to kernels what `Lanes` is. Every
 * operation rounds to single precision: a double of a kernel's text, of the shared data or of a
 * table when it becomes a number; sums, products, quotients and square roots correctly. A function
 * that an instruction does not give is that of `Twice`, two registers of doubles, and rounded.
 */
#ifndef BRIDGE_KERNELS_CPU_SINGLES_H
#define BRIDGE_KERNELS_CPU_SINGLES_H

#include "twice.h"

namespace BRIDGE_NAMESPACE {

typedef float FloatVector __attribute__((vector_size(BRIDGE_LANES * 8)));
typedef int WordVector __attribute__((vector_size(BRIDGE_LANES * 8)));

}  // namespace BRIDGE_NAMESPACE

#define BRIDGE_OF_SINGLES
#include "vector.h"
#undef BRIDGE_OF_SINGLES

namespace BRIDGE_NAMESPACE {

/* ---- Doubles and back ------------------------------------------------------------------------ */

#if BRIDGE_LANES == 8
BRIDGE_INLINE Twice widened(SingleLanes x) {
    const __m256 a = _mm512_maskz_extractf32x8_ps(0xff, x.v, 0),
                 b = _mm512_maskz_extractf32x8_ps(0xff, x.v, 1);
    return Twice(Lanes(DoubleVector(_mm512_maskz_cvtps_pd(0xff, a))),
                 Lanes(DoubleVector(_mm512_maskz_cvtps_pd(0xff, b))));
}
BRIDGE_INLINE SingleLanes rounded(Twice x) {
    const __m256 a = _mm512_maskz_cvtpd_ps(0xff, x.a.v), b = _mm512_maskz_cvtpd_ps(0xff, x.b.v);
    return SingleLanes(
        FloatVector(_mm512_maskz_insertf32x8(0xffff, _mm512_castps256_ps512(a), b, 1)));
}
BRIDGE_INLINE TwiceBits widened(SingleBits n) {
    const __m256i a = _mm512_maskz_extracti32x8_epi32(0xff, __m512i(n.v), 0),
                  b = _mm512_maskz_extracti32x8_epi32(0xff, __m512i(n.v), 1);
    return TwiceBits(LaneBits(IntegerVector(_mm512_maskz_cvtepi32_epi64(0xff, a))),
                     LaneBits(IntegerVector(_mm512_maskz_cvtepi32_epi64(0xff, b))));
}
BRIDGE_INLINE SingleBits narrowed(TwiceBits n) {
    const __m256i a = _mm512_maskz_cvtepi64_epi32(0xff, __m512i(n.a.v)),
                  b = _mm512_maskz_cvtepi64_epi32(0xff, __m512i(n.b.v));
    return SingleBits(
        WordVector(_mm512_maskz_inserti32x8(0xffff, _mm512_castsi256_si512(a), b, 1)));
}
BRIDGE_INLINE WordVector cut(FloatVector x) {
    return WordVector(_mm512_maskz_cvttps_epi32(0xffff, x));
}
#elif BRIDGE_LANES == 4
BRIDGE_INLINE Twice widened(SingleLanes x) {
    const __m128 a = _mm256_castps256_ps128(x.v), b = _mm256_extractf128_ps(x.v, 1);
    return Twice(Lanes(DoubleVector(_mm256_cvtps_pd(a))), Lanes(DoubleVector(_mm256_cvtps_pd(b))));
}
BRIDGE_INLINE SingleLanes rounded(Twice x) {
    const __m128 a = _mm256_cvtpd_ps(x.a.v), b = _mm256_cvtpd_ps(x.b.v);
    return SingleLanes(FloatVector(_mm256_insertf128_ps(_mm256_castps128_ps256(a), b, 1)));
}
BRIDGE_INLINE TwiceBits widened(SingleBits n) {
    const __m256i v = __m256i(n.v);
    const __m128i a = _mm256_castsi256_si128(v), b = _mm256_extracti128_si256(v, 1);
    return TwiceBits(LaneBits(IntegerVector(_mm256_cvtepi32_epi64(a))),
                     LaneBits(IntegerVector(_mm256_cvtepi32_epi64(b))));
}
BRIDGE_INLINE SingleBits narrowed(TwiceBits n) {
    const __m256 lower = _mm256_shuffle_ps(__m256(n.a.v), __m256(n.b.v), 0x88);
    return SingleBits(WordVector(_mm256_permute4x64_epi64(__m256i(lower), 0xd8)));
}
BRIDGE_INLINE WordVector cut(FloatVector x) { return WordVector(_mm256_cvttps_epi32(x)); }
#else
BRIDGE_INLINE Twice widened(SingleLanes x) {
    return Twice(Lanes(DoubleVector(_mm_cvtps_pd(x.v))),
                 Lanes(DoubleVector(_mm_cvtps_pd(_mm_movehl_ps(x.v, x.v)))));
}
BRIDGE_INLINE SingleLanes rounded(Twice x) {
    return SingleLanes(FloatVector(_mm_movelh_ps(_mm_cvtpd_ps(x.a.v), _mm_cvtpd_ps(x.b.v))));
}
BRIDGE_INLINE TwiceBits widened(SingleBits n) {
    const __m128i v = __m128i(n.v);
    return TwiceBits(LaneBits(IntegerVector(_mm_cvtepi32_epi64(v))),
                     LaneBits(IntegerVector(_mm_cvtepi32_epi64(_mm_unpackhi_epi64(v, v)))));
}
BRIDGE_INLINE SingleBits narrowed(TwiceBits n) {
    return SingleBits(WordVector(_mm_shuffle_ps(__m128(n.a.v), __m128(n.b.v), 0x88)));
}
BRIDGE_INLINE WordVector cut(FloatVector x) { return WordVector(_mm_cvttps_epi32(x)); }
#endif

/* ---- Conversions ----------------------------------------------------------------------------- */

/* Held in the range of 32 bits; a NaN becomes its lower end, as in the instruction. */
BRIDGE_INLINE SingleBits::SingleBits(SingleLanes x)
    : v(x.v >= 2147483648.0f ? WordVector{} + 2147483647 : cut(x.v)) {}
BRIDGE_INLINE SingleLanes::SingleLanes(SingleBits n)
    : v(__builtin_convertvector(n.v, FloatVector)) {}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Lanes below `count` from memory, the others as they were; and back, the others untouched. */
BRIDGE_INLINE SingleLanes loadBelow(const float* from, int64_t count, SingleLanes otherwise) {
    if (count >= 2 * BRIDGE_LANES) return loadLanes(from);
#if BRIDGE_LANES == 8
    const auto mask = static_cast<__mmask16>((1u << count) - 1);
    return SingleLanes(FloatVector(_mm512_mask_loadu_ps(otherwise.v, mask, from)));
#elif BRIDGE_LANES == 4
    const WordVector mask = WordVector{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<int>(count);
    const FloatVector loaded = _mm256_maskload_ps(from, __m256i(mask));
    return SingleLanes(mask ? loaded : otherwise.v);
#else
    for (int l = 0; l < 3; ++l)
        if (l < count) otherwise.v[l] = from[l];
    return otherwise;
#endif
}
BRIDGE_INLINE void storePart(float* to, SingleLanes x, int64_t count) {
    if (count >= 2 * BRIDGE_LANES) return store(to, x);
#if BRIDGE_LANES == 8
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), x.v);
#elif BRIDGE_LANES == 4
    const WordVector mask = WordVector{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<int>(count);
    _mm256_maskstore_ps(to, __m256i(mask), x.v);
#else
    for (int l = 0; l < 3; ++l)
        if (l < count) to[l] = x.v[l];
#endif
}
/* Lanes from the first-th on; memory has room for all. */
BRIDGE_INLINE void storeFrom(float* to, SingleLanes x, int first) {
    if (first == 0) return store(to, x);
#if BRIDGE_LANES == 8
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(0xffffu << first), x.v);
#elif BRIDGE_LANES == 4
    const WordVector mask = WordVector{0, 1, 2, 3, 4, 5, 6, 7} >= first;
    _mm256_maskstore_ps(to, __m256i(mask), x.v);
#else
    for (int l = 1; l < 4; ++l)
        if (l >= first) to[l] = x.v[l];
#endif
}
template <int entries> BRIDGE_INLINE SingleLanes lookup(const double* table, SingleBits index) {
    return rounded(lookup<entries>(table, widened(index)));
}
#ifdef BRIDGE_TABLE_ROWS
template <int columns>
BRIDGE_INLINE void lookupRecord(const double* table, int last, SingleLanes place,
                                SingleLanes (&values)[columns]) {
    Twice found[columns];
    lookupRecord<columns>(table, last, widened(place), found);
    for (int c = 0; c < columns; ++c) values[c] = rounded(found[c]);
}
#endif

/* ---- Arithmetic ------------------------------------------------------------------------------ */

BRIDGE_INLINE SingleLanes operator/(SingleLanes a, SingleLanes b) {
    return SingleLanes(a.v / b.v);
}
#if BRIDGE_LANES == 2 /* which has no instruction for both */
BRIDGE_INLINE SingleLanes multiplyAdd(SingleLanes a, SingleLanes b, SingleLanes c) {
    return SingleLanes(a.v * b.v + c.v);
}
BRIDGE_INLINE SingleLanes multiplySubtract(SingleLanes a, SingleLanes b, SingleLanes c) {
    return SingleLanes(a.v * b.v - c.v);
}
BRIDGE_INLINE SingleLanes subtractProduct(SingleLanes c, SingleLanes a, SingleLanes b) {
    return SingleLanes(c.v - a.v * b.v);
}
#endif
BRIDGE_INLINE SingleBits operator*(SingleBits a, SingleBits b) { return SingleBits(a.v * b.v); }
BRIDGE_INLINE SingleBits operator/(SingleBits a, SingleBits b) {
    return narrowed(widened(a) / widened(b));
}

/* ---- Functions of doubles -------------------------------------------------------------------- */

#define BRIDGE_FUNCTION(name)                                                                     \
    BRIDGE_INLINE SingleLanes name(SingleLanes x) { return rounded(name(widened(x))); }
/* clang-format off */
BRIDGE_FUNCTION(cbrt) BRIDGE_FUNCTION(exp) BRIDGE_FUNCTION(exp2) BRIDGE_FUNCTION(expm1)
BRIDGE_FUNCTION(log) BRIDGE_FUNCTION(log2) BRIDGE_FUNCTION(log10) BRIDGE_FUNCTION(log1p)
BRIDGE_FUNCTION(sin) BRIDGE_FUNCTION(cos) BRIDGE_FUNCTION(tan) BRIDGE_FUNCTION(asin)
BRIDGE_FUNCTION(acos) BRIDGE_FUNCTION(atan) BRIDGE_FUNCTION(sinh) BRIDGE_FUNCTION(cosh)
BRIDGE_FUNCTION(tanh) BRIDGE_FUNCTION(erf) BRIDGE_FUNCTION(sinpi) BRIDGE_FUNCTION(cospi)
/* clang-format on */
#undef BRIDGE_FUNCTION
#define BRIDGE_FUNCTION(name)                                                                     \
    BRIDGE_INLINE SingleLanes name(SingleLanes x, SingleLanes y) {                                \
        return rounded(name(widened(x), widened(y)));                                             \
    }
BRIDGE_FUNCTION(pow)
BRIDGE_FUNCTION(atan2)
BRIDGE_FUNCTION(mod) /* without a rounding */
#undef BRIDGE_FUNCTION
BRIDGE_INLINE SingleLanes pow(SingleLanes x, SingleBits n) {
    return rounded(pow(widened(x), widened(n)));
}

}  // namespace BRIDGE_NAMESPACE

#endif
