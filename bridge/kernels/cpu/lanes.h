/* A pack of grid points as one number: the `Real` of the CPU build.
 *
 * `Lanes` holds BRIDGE_LANES doubles, one grid point each, in one SIMD register. Kernels written
 * for a plain double run on it unchanged, so SIMD goes across points and loops over species stay
 * loops. Everything lies in one namespace per instruction set (BRIDGE_NAMESPACE, from the build):
 * the libraries share no symbol, so an older machine never runs code that the linker merged from
 * a newer one.
 *
 * No operation mixes lanes except all() and any(): a point's result is the same bits whatever
 * its neighbours are. Logarithms, exponentials and the cube root are in mathematics.h, arithmetic
 * of integers in integers.h, all other functions in functions.h.
 */
#ifndef BRIDGE_KERNELS_CPU_LANES_H
#define BRIDGE_KERNELS_CPU_LANES_H

#include <cstdint>
#include <immintrin.h>

#if !defined(BRIDGE_NAMESPACE) || !defined(BRIDGE_LANES)
#error "the build sets BRIDGE_NAMESPACE (bridge_v2, _v3, _v4) and BRIDGE_LANES (2, 4, 8)"
#endif

#define BRIDGE_INLINE inline __attribute__((always_inline))

#include "../numbers.h"
#include "../product.h"

namespace BRIDGE_NAMESPACE {

/* aligned(8): vectors lie where the caller's array puts them. Unlike the intrinsics' own types
 * these do not alias everything, so a store does not force a reload of the shared data. */
typedef double DoubleVector __attribute__((vector_size(BRIDGE_LANES * 8)));
typedef long long IntegerVector __attribute__((vector_size(BRIDGE_LANES * 8)));
typedef float SingleVector __attribute__((vector_size(BRIDGE_LANES * 4)));
typedef double LooseDoubleVector __attribute__((vector_size(BRIDGE_LANES * 8), aligned(8)));
typedef long long LooseIntegerVector __attribute__((vector_size(BRIDGE_LANES * 8), aligned(8)));

/* ---- The three types --------------------------------------------------------------------- */

/* All ones where true, zero where false; the compiler makes mask registers of it. */
struct LaneMask {
    IntegerVector v;
    LaneMask() = default;
    BRIDGE_INLINE explicit LaneMask(IntegerVector x) : v(x) {}
    BRIDGE_INLINE LaneMask(bool x) : v(IntegerVector{} - (long long)x) {}
};

struct Lanes;

struct LaneBits { /* one integer of 32 bits per point, in 64 */
    IntegerVector v;
    LaneBits() = default;
    BRIDGE_INLINE explicit LaneBits(IntegerVector x) : v(x) {}
    BRIDGE_INLINE explicit LaneBits(Lanes x); /* Fortran's int: the fraction is cut off */
    BRIDGE_INLINE LaneBits(int x) : v(IntegerVector{} + (long long)x) {}
    BRIDGE_INLINE LaneBits(long x) : v(IntegerVector{} + (long long)x) {}
    LaneBits(double) = delete; /* n + 0.5 is no integer */
};

struct Lanes {
    DoubleVector v;
    Lanes() = default;
    BRIDGE_INLINE explicit Lanes(LaneBits n); /* Fortran's real */
    BRIDGE_INLINE explicit Lanes(DoubleVector x) : v(x) {}
    /* A vector of equal doubles; x - 0.0 is x to the last bit, signed zeros and NaN included. */
    BRIDGE_INLINE Lanes(double x) : v(x - DoubleVector{}) {}
};

/* What point.h asks of a number type. */
template <class Real> struct PointTypes;
template <> struct PointTypes<Lanes> {
    using Mask = LaneMask;
    using Bits = LaneBits;
};

/* ---- Memory ------------------------------------------------------------------------------ */

BRIDGE_INLINE Lanes loadLanes(const double* p) {
    return Lanes(DoubleVector(*reinterpret_cast<const LooseDoubleVector*>(p)));
}
/* Lanes of one vector, and of two that are counted through both, in an order. */
#ifdef __clang__ /* which takes no order from a vector; the order counts modulo its length */
BRIDGE_INLINE DoubleVector shuffled(DoubleVector a, DoubleVector b, IntegerVector order) {
    DoubleVector found;
    for (int l = 0; l < BRIDGE_LANES; ++l) {
        const int at = (int)(order[l] & (2 * BRIDGE_LANES - 1));
        found[l] = at < BRIDGE_LANES ? a[at] : b[at - BRIDGE_LANES];
    }
    return found;
}
BRIDGE_INLINE DoubleVector shuffled(DoubleVector a, IntegerVector order) {
    return shuffled(a, a, order);
}
#else
BRIDGE_INLINE DoubleVector shuffled(DoubleVector a, DoubleVector b, IntegerVector order) {
    return __builtin_shuffle(a, b, order);
}
BRIDGE_INLINE DoubleVector shuffled(DoubleVector a, IntegerVector order) {
    return __builtin_shuffle(a, order);
}
#endif
BRIDGE_INLINE void store(double* p, Lanes a) { *reinterpret_cast<LooseDoubleVector*>(p) = a.v; }
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
BRIDGE_INLINE LaneBits loadBits(const int64_t* p) {
    return LaneBits(IntegerVector(*reinterpret_cast<const LooseIntegerVector*>(p)));
}
BRIDGE_INLINE void store(int64_t* p, LaneBits a) {
    *reinterpret_cast<LooseIntegerVector*>(p) = a.v;
}

/* ---- Arithmetic: Lanes with Lanes, and with a double through the implicit broadcast --------- */

#define BRIDGE_ARITHMETIC(op)                                                                     \
    BRIDGE_INLINE Lanes operator op(Lanes a, Lanes b) { return Lanes(a.v op b.v); }               \
    BRIDGE_INLINE Lanes& operator op##=(Lanes& a, Lanes b) { return a = a op b; }
BRIDGE_ARITHMETIC(+)
BRIDGE_ARITHMETIC(-)
BRIDGE_INLINE Lanes operator-(Lanes a) { return Lanes(-a.v); }
BRIDGE_INLINE Lanes operator+(Lanes a) { return a; }

#if BRIDGE_LANES == 8
#define BRIDGE_FUSED(name, a, b, c)                                                               \
    _mm512_##name##_pd((__m512d)(a).v, (__m512d)(b).v, (__m512d)(c).v)
#elif BRIDGE_LANES == 4
#define BRIDGE_FUSED(name, a, b, c)                                                               \
    _mm256_##name##_pd((__m256d)(a).v, (__m256d)(b).v, (__m256d)(c).v)
#endif
BRIDGE_INLINE Lanes multiplied(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
#ifdef BRIDGE_FUSED
BRIDGE_INLINE Lanes multiplyAdd(Lanes a, Lanes b, Lanes c) {
    return Lanes(DoubleVector(BRIDGE_FUSED(fmadd, a, b, c)));
}
BRIDGE_INLINE Lanes multiplySubtract(Lanes a, Lanes b, Lanes c) {
    return Lanes(DoubleVector(BRIDGE_FUSED(fmsub, a, b, c)));
}
BRIDGE_INLINE Lanes subtractProduct(Lanes c, Lanes a, Lanes b) {
    return Lanes(DoubleVector(BRIDGE_FUSED(fnmadd, a, b, c)));
}
#undef BRIDGE_FUSED
#else /* v2 has no such instruction */
BRIDGE_INLINE Lanes multiplyAdd(Lanes a, Lanes b, Lanes c) { return Lanes(a.v * b.v + c.v); }
BRIDGE_INLINE Lanes multiplySubtract(Lanes a, Lanes b, Lanes c) { return Lanes(a.v * b.v - c.v); }
BRIDGE_INLINE Lanes subtractProduct(Lanes c, Lanes a, Lanes b) { return Lanes(c.v - a.v * b.v); }
#endif
BRIDGE_PRODUCTS(BRIDGE_INLINE, Lanes)

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
BRIDGE_INLINE Lanes& operator/=(Lanes& a, Lanes b) { return a = a / b; }
#else
BRIDGE_ARITHMETIC(/)
#endif
#undef BRIDGE_ARITHMETIC

#define BRIDGE_COMPARE(op)                                                                        \
    BRIDGE_INLINE LaneMask operator op(Lanes a, Lanes b) {                                        \
        return LaneMask(IntegerVector(a.v op b.v));                                               \
    }                                                                                             \
    BRIDGE_INLINE LaneMask operator op(LaneBits a, LaneBits b) {                                  \
        return LaneMask(IntegerVector(a.v op b.v));                                               \
    }
BRIDGE_COMPARE(<)
BRIDGE_COMPARE(<=)
BRIDGE_COMPARE(>)
BRIDGE_COMPARE(>=)
BRIDGE_COMPARE(==)
BRIDGE_COMPARE(!=)
#undef BRIDGE_COMPARE

BRIDGE_INLINE LaneMask operator&(LaneMask a, LaneMask b) { return LaneMask(a.v & b.v); }
BRIDGE_INLINE LaneMask operator|(LaneMask a, LaneMask b) { return LaneMask(a.v | b.v); }
BRIDGE_INLINE LaneMask operator^(LaneMask a, LaneMask b) { return LaneMask(a.v ^ b.v); }
BRIDGE_INLINE LaneMask operator~(LaneMask a) { return LaneMask(~a.v); }
BRIDGE_INLINE LaneMask operator!(LaneMask a) { return LaneMask(~a.v); }
/* Both sides are always evaluated: there is nothing to skip in a vector. */
BRIDGE_INLINE LaneMask operator&&(LaneMask a, LaneMask b) { return a & b; }
BRIDGE_INLINE LaneMask operator||(LaneMask a, LaneMask b) { return a | b; }
BRIDGE_INLINE LaneMask& operator&=(LaneMask& a, LaneMask b) { return a = a & b; }
BRIDGE_INLINE LaneMask& operator|=(LaneMask& a, LaneMask b) { return a = a | b; }
BRIDGE_INLINE LaneMask operator==(LaneMask a, LaneMask b) { return LaneMask(~(a.v ^ b.v)); }
BRIDGE_INLINE LaneMask operator!=(LaneMask a, LaneMask b) { return LaneMask(a.v ^ b.v); }

/* ---- Choice -------------------------------------------------------------------------------- */

BRIDGE_INLINE Lanes select(LaneMask m, Lanes a, Lanes b) { return Lanes(m.v ? a.v : b.v); }
BRIDGE_INLINE Lanes select(LaneMask m, double a, double b) {
    return select(m, Lanes(a), Lanes(b));
}
BRIDGE_INLINE LaneBits select(LaneMask m, LaneBits a, LaneBits b) {
    return LaneBits(m.v ? a.v : b.v);
}
BRIDGE_INLINE Lanes select(LaneMask m, double a, int b) { return select(m, a, double(b)); }
BRIDGE_INLINE Lanes select(LaneMask m, int a, double b) { return select(m, double(a), b); }
BRIDGE_INLINE LaneBits select(LaneMask m, int a, int b) {
    return select(m, LaneBits(a), LaneBits(b));
}
BRIDGE_INLINE LaneMask select(LaneMask m, LaneMask a, LaneMask b) { return (m & a) | (~m & b); }

BRIDGE_INLINE bool any(LaneMask m) {
#if BRIDGE_LANES == 8
    return _mm512_movepi64_mask((__m512i)m.v) != 0;
#elif BRIDGE_LANES == 4
    return _mm256_movemask_pd((__m256d)m.v) != 0;
#else
    return _mm_movemask_pd((__m128d)m.v) != 0;
#endif
}
BRIDGE_INLINE bool all(LaneMask m) {
#if BRIDGE_LANES == 8
    return _mm512_movepi64_mask((__m512i)m.v) == 0xff;
#elif BRIDGE_LANES == 4
    return _mm256_movemask_pd((__m256d)m.v) == 0xf;
#else
    return _mm_movemask_pd((__m128d)m.v) == 0x3;
#endif
}

/* ---- Rounding, roots, signs: one instruction each ------------------------------------------- */

#if BRIDGE_LANES == 8
#define BRIDGE_REGISTER __m512d
/* With every lane asked for these are the plain instructions; gcc's unmasked forms warn of an
 * uninitialised operand in its own header. */
#define BRIDGE_ROUND(x, mode) _mm512_maskz_roundscale_pd(0xff, x, mode)
#define BRIDGE_SQRT(x) _mm512_maskz_sqrt_pd(0xff, x)
#define BRIDGE_MAX(x, y) _mm512_maskz_max_pd(0xff, x, y)
#define BRIDGE_MIN(x, y) _mm512_maskz_min_pd(0xff, x, y)
#define BRIDGE_MVEC(name) _ZGVeN8v_##name
#define BRIDGE_MVEC2(name) _ZGVeN8vv_##name
#elif BRIDGE_LANES == 4
#define BRIDGE_REGISTER __m256d
#define BRIDGE_ROUND(x, mode) _mm256_round_pd(x, mode)
#define BRIDGE_SQRT(x) _mm256_sqrt_pd(x)
#define BRIDGE_MAX(x, y) _mm256_max_pd(x, y)
#define BRIDGE_MIN(x, y) _mm256_min_pd(x, y)
#define BRIDGE_MVEC(name) _ZGVdN4v_##name
#define BRIDGE_MVEC2(name) _ZGVdN4vv_##name
#else
#define BRIDGE_REGISTER __m128d
#define BRIDGE_ROUND(x, mode) _mm_round_pd(x, mode)
#define BRIDGE_SQRT(x) _mm_sqrt_pd(x)
#define BRIDGE_MAX(x, y) _mm_max_pd(x, y)
#define BRIDGE_MIN(x, y) _mm_min_pd(x, y)
#define BRIDGE_MVEC(name) _ZGVbN2v_##name
#define BRIDGE_MVEC2(name) _ZGVbN2vv_##name
#endif

BRIDGE_INLINE Lanes sqrt(Lanes a) {
    return Lanes(DoubleVector(BRIDGE_SQRT(BRIDGE_REGISTER(a.v))));
}
BRIDGE_INLINE Lanes floor(Lanes a) {
    return Lanes(DoubleVector(
        BRIDGE_ROUND(BRIDGE_REGISTER(a.v), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)));
}
BRIDGE_INLINE Lanes ceil(Lanes a) {
    return Lanes(DoubleVector(
        BRIDGE_ROUND(BRIDGE_REGISTER(a.v), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)));
}
BRIDGE_INLINE Lanes rint(Lanes a) { /* to nearest, ties to even */
    return Lanes(DoubleVector(
        BRIDGE_ROUND(BRIDGE_REGISTER(a.v), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)));
}
BRIDGE_INLINE Lanes aint(Lanes a) { /* towards zero */
    return Lanes(
        DoubleVector(BRIDGE_ROUND(BRIDGE_REGISTER(a.v), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)));
}
BRIDGE_INLINE Lanes fabs(Lanes a) {
    return Lanes(DoubleVector(IntegerVector(a.v) & 0x7fffffffffffffffLL));
}
BRIDGE_INLINE Lanes copysign(Lanes size, Lanes sign) {
    return Lanes(DoubleVector((IntegerVector(size.v) & 0x7fffffffffffffffLL) |
                              (IntegerVector(sign.v) & ~0x7fffffffffffffffLL)));
}

/* As C's fmax and fmin: a NaN gives way to the other argument. The instruction returns its second
 * operand when either is NaN, and of two zeros, so the first argument is put there: of +0 and -0 the
 * first one is the result, as of numbers.h, and only a NaN needs a look. */
BRIDGE_INLINE Lanes fmax(Lanes a, Lanes b) {
    Lanes r(DoubleVector(BRIDGE_MAX(BRIDGE_REGISTER(b.v), BRIDGE_REGISTER(a.v))));
    return select(a == a, r, b);
}
BRIDGE_INLINE Lanes fmin(Lanes a, Lanes b) {
    Lanes r(DoubleVector(BRIDGE_MIN(BRIDGE_REGISTER(b.v), BRIDGE_REGISTER(a.v))));
    return select(a == a, r, b);
}

/* As Fortran's, but for a NaN: that of either argument stays. */
BRIDGE_INLINE Lanes max(Lanes a, Lanes b) {
    Lanes r(DoubleVector(BRIDGE_MAX(BRIDGE_REGISTER(b.v), BRIDGE_REGISTER(a.v))));
    return select(b == b, r, b);
}
BRIDGE_INLINE Lanes min(Lanes a, Lanes b) {
    Lanes r(DoubleVector(BRIDGE_MIN(BRIDGE_REGISTER(b.v), BRIDGE_REGISTER(a.v))));
    return select(b == b, r, b);
}

/* To the nearest integer, halves away from zero: the number below 0.5 keeps the one that is next
 * to a half from being carried over it. */
BRIDGE_INLINE Lanes anint(Lanes a) { return aint(a + copysign(0.49999999999999994, a)); }

BRIDGE_INLINE LaneMask isnan(Lanes a) { return a != a; }
BRIDGE_INLINE LaneMask isfinite(Lanes a) { return fabs(a) <= Lanes(1.7976931348623157e308); }

/* One lane, for code outside the kernels (tests, printing). */
BRIDGE_INLINE double lane(Lanes a, int i) { return a.v[i]; }
BRIDGE_INLINE int lane(LaneBits a, int i) { return int(a.v[i]); }

/* The bound where x is past it, else x, NaN included: one instruction. */
#define BRIDGE_VECTOR_BOUNDS
BRIDGE_INLINE Lanes notBelow(Lanes x, Lanes low) {
    return Lanes(DoubleVector(BRIDGE_MAX(BRIDGE_REGISTER(low.v), BRIDGE_REGISTER(x.v))));
}
BRIDGE_INLINE Lanes notAbove(Lanes x, Lanes high) {
    return Lanes(DoubleVector(BRIDGE_MIN(BRIDGE_REGISTER(high.v), BRIDGE_REGISTER(x.v))));
}

/* x held in [low, high]; a NaN stays. */
BRIDGE_INLINE Lanes within(Lanes x, Lanes low, Lanes high) {
    const BRIDGE_REGISTER below = BRIDGE_MIN(BRIDGE_REGISTER(high.v), BRIDGE_REGISTER(x.v));
    return Lanes(DoubleVector(BRIDGE_MAX(BRIDGE_REGISTER(low.v), below)));
}

}  // namespace BRIDGE_NAMESPACE

#include "mathematics.h"
#include "integers.h"
#include "functions.h"

#endif
