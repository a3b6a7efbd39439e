/* Arithmetic of `LaneBits`, one integer of each point, and its conversions.
 *
 * Integers have 32 bits, as in the arrays of the host, and lie in lanes of 64: what leaves the 32
 * is undefined, as in Fortran. Included by lanes.h only.
 */
#ifndef BRIDGE_KERNELS_CPU_INTEGERS_H
#define BRIDGE_KERNELS_CPU_INTEGERS_H

namespace BRIDGE_NAMESPACE {

/* ---- Conversions ---------------------------------------------------------------------------- */

constexpr double integerShift = 6755399441055744.0; /* 1.5 2^52: an integer in the last bits */
constexpr long long integerShiftBits = 0x4338000000000000LL;

/* Held in the range of 32 bits; a NaN becomes its lower end. */
BRIDGE_INLINE LaneBits::LaneBits(Lanes x) {
    const Lanes low = -2147483648.0;
    const Lanes held = within(aint(x), low, 2147483647.0);
    v = IntegerVector((select(x == x, held, low) + integerShift).v) - integerShiftBits;
}
BRIDGE_INLINE Lanes::Lanes(LaneBits n) : v(DoubleVector(n.v + integerShiftBits) - integerShift) {}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

/* The product of the lower halves: one instruction, where that of 64 bits takes several. */
BRIDGE_INLINE LaneBits operator*(LaneBits a, LaneBits b) {
#if BRIDGE_LANES == 8
    return LaneBits(IntegerVector(_mm512_maskz_mul_epi32(0xff, (__m512i)a.v, (__m512i)b.v)));
#elif BRIDGE_LANES == 4
    return LaneBits(IntegerVector(_mm256_mul_epi32((__m256i)a.v, (__m256i)b.v)));
#else
    return LaneBits(IntegerVector(_mm_mul_epi32((__m128i)a.v, (__m128i)b.v)));
#endif
}
/* Towards zero. The quotient of two doubles is exact enough: one that is no integer is farther from
 * one than its rounding error. By zero: 0. */
BRIDGE_INLINE LaneBits operator/(LaneBits a, LaneBits b) {
    const LaneMask none = b == LaneBits(0);
    return LaneBits(select(none, 0.0, Lanes(a) / select(none, 1.0, Lanes(b))));
}

}  // namespace BRIDGE_NAMESPACE

#endif
