/* Functions of `Lanes` beside those of mathematics.h: glibc's libmvec by its vector ABI names, at
 * most 4 ulp, and what is made of them.
 *
 * All of them are in glibc 2.35 and later. Included by lanes.h only.
 */
#ifndef BRIDGE_KERNELS_CPU_FUNCTIONS_H
#define BRIDGE_KERNELS_CPU_FUNCTIONS_H

namespace BRIDGE_NAMESPACE {

/* ---- libmvec -------------------------------------------------------------------------------- */

#define BRIDGE_FUNCTION(name)                                                                     \
    extern "C" BRIDGE_REGISTER BRIDGE_MVEC(name)(BRIDGE_REGISTER);                                \
    BRIDGE_INLINE Lanes name(Lanes a) {                                                           \
        return Lanes(DoubleVector(BRIDGE_MVEC(name)(BRIDGE_REGISTER(a.v))));                      \
    }
BRIDGE_FUNCTION(acos)
BRIDGE_FUNCTION(asin)
BRIDGE_FUNCTION(atan)
BRIDGE_FUNCTION(cos)
BRIDGE_FUNCTION(sin)
BRIDGE_FUNCTION(tan)
BRIDGE_FUNCTION(cosh)
BRIDGE_FUNCTION(sinh)
BRIDGE_FUNCTION(erf)
BRIDGE_FUNCTION(log10)
BRIDGE_FUNCTION(log2)
#undef BRIDGE_FUNCTION

#define BRIDGE_FUNCTION(name)                                                                     \
    extern "C" BRIDGE_REGISTER BRIDGE_MVEC2(name)(BRIDGE_REGISTER, BRIDGE_REGISTER);              \
    BRIDGE_INLINE Lanes name(Lanes a, Lanes b) {                                                  \
        return Lanes(                                                                             \
            DoubleVector(BRIDGE_MVEC2(name)(BRIDGE_REGISTER(a.v), BRIDGE_REGISTER(b.v))));        \
    }
BRIDGE_FUNCTION(pow)
BRIDGE_FUNCTION(atan2)
#undef BRIDGE_FUNCTION

/* cos(pi a) and sin(pi a): the period is taken off exactly before pi comes in. */
BRIDGE_INLINE Lanes cospi(Lanes a) {
    return cos((a - 2.0 * rint(0.5 * a)) * 3.14159265358979323846);
}
BRIDGE_INLINE Lanes sinpi(Lanes a) {
    return sin((a - 2.0 * rint(0.5 * a)) * 3.14159265358979323846);
}

/* ---- Remainders and powers ------------------------------------------------------------------ */

/* a - aint(a/b) b without a rounding, with the sign of a: C's fmod. A quotient below 2^52 is the
 * integer sought, or the next one, and the remainder exact; any other goes lane by lane. Both give
 * the one exact answer, so neighbours change nothing. */
BRIDGE_INLINE Lanes mod(Lanes a, Lanes b) {
#if BRIDGE_LANES >= 4
    const Lanes size = fabs(a), by = fabs(b);
    const Lanes quotient(size.v / by.v);
    if (__builtin_expect(all((quotient < 4503599627370496.0) & isfinite(by)), 1)) {
        const Lanes n = aint(quotient);
#if BRIDGE_LANES == 8
        Lanes r(DoubleVector(
            _mm512_maskz_fnmadd_pd(0xff, (__m512d)n.v, (__m512d)by.v, (__m512d)size.v)));
#else
        Lanes r(DoubleVector(_mm256_fnmadd_pd((__m256d)n.v, (__m256d)by.v, (__m256d)size.v)));
#endif
        r = select(r < 0.0, r + by, r);
        return copysign(r, a);
    }
#endif
    Lanes r;
    for (int i = 0; i < BRIDGE_LANES; ++i) r.v[i] = __builtin_fmod(a.v[i], b.v[i]);
    return r;
}
BRIDGE_INLINE Lanes pow(Lanes a, LaneBits n) { return pow(a, Lanes(n)); }

}  // namespace BRIDGE_NAMESPACE

#endif
