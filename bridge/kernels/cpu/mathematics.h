/* Logarithms, exponentials, tanh and the cube root of `Lanes`, written out so that they inline.
 *
 * A call of a vector library saves every live register around it and cannot overlap with its
 * neighbours; kernels that take several exponentials per point are twice as fast with these.
 * At most 4 ulp, special values as in C (tests/kernels/test_lanes.py). A branch chooses between two
 * ways to the same bits and no more, so that no lane sees another. Included by lanes.h only.
 * Methods: Tang 1989 and 1990 (reduction and polynomials of exp, expm1, log), TwoSum of Knuth
 * (log1p), Halley (cbrt); coefficients are near minimax.
 */
#ifndef BRIDGE_KERNELS_CPU_MATHEMATICS_H
#define BRIDGE_KERNELS_CPU_MATHEMATICS_H

namespace BRIDGE_NAMESPACE {

constexpr double ln2High = 6.93147180369123816490e-01; /* trailing zeros: n ln2High is exact */
constexpr double ln2Low = 1.90821492927058770002e-10;

/* ---- Powers of two -------------------------------------------------------------------------- */

struct Binary { /* x = mantissa 2^exponent, 1/sqrt(2) <= mantissa < sqrt(2) */
    Lanes exponent, mantissa;
};

#if BRIDGE_LANES == 8

/* a 2^n for integer-valued n; overflows to infinity and underflows through subnormal numbers. */
BRIDGE_INLINE Lanes scaled(Lanes a, Lanes n) {
    return Lanes(DoubleVector(_mm512_maskz_scalef_pd(0xff, __m512d(a.v), __m512d(n.v))));
}
BRIDGE_INLINE Lanes powerOfTwo(Lanes n) { return scaled(1.0, n); }
/* 0 has exponent -infinity and infinity has exponent infinity, both mantissa 1; below 0: NaN. */
BRIDGE_INLINE Binary binary(Lanes x) {
    const Lanes m(DoubleVector(
        _mm512_maskz_getmant_pd(0xff, __m512d(x.v), _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan)));
    const Lanes e(DoubleVector(_mm512_maskz_getexp_pd(0xff, __m512d(x.v))));
    const LaneMask upper = m >= 1.4142135623730951;
    return {select(upper, e + 1.0, e), select(upper, 0.5 * m, m)};
}

#else

/* What hardly any number takes is kept out of the way of all others; a lane has the same bits on
 * either way. */
#define BRIDGE_COLD static __attribute__((noinline, cold, const, unused))
typedef unsigned long long UnsignedVector __attribute__((vector_size(BRIDGE_LANES * 8)));

/* -1022 <= n <= 1023 */
BRIDGE_INLINE Lanes powerOfTwo(Lanes n) {
    const double shift = 6755399441055744.0 + 1023.0; /* 1.5 2^52: n in the last bits */
    return Lanes(DoubleVector(IntegerVector((n + shift).v) << 52));
}
BRIDGE_INLINE Lanes scaled(Lanes a, Lanes n) {
    const Lanes half = rint(0.5 * n);
    return a * powerOfTwo(half) * powerOfTwo(n - half);
}
/* Zero, infinity, NaN, numbers below 0 and subnormal ones: as in the form for eight lanes. */
BRIDGE_COLD Binary binaryOfAny(Lanes x) {
    const LaneMask tiny = x < 2.2250738585072014e-308;
    const IntegerVector bits = IntegerVector(select(tiny, x * 0x1p54, x).v);
    const IntegerVector stored = (bits >> 52) & 0x7ff;
    /* 2^52 + stored, as a double */
    const Lanes e =
        Lanes(DoubleVector(stored | 0x4330000000000000LL)) - (4503599627370496.0 + 1023.0);
    const Lanes m(DoubleVector((bits & 0x000fffffffffffffLL) | 0x3ff0000000000000LL));
    const LaneMask upper = m >= 1.4142135623730951;
    const double infinity = __builtin_inf();
    Lanes exponent = select(upper, e + 1.0, e) - select(tiny, 54.0, 0.0);
    exponent = select(x == 0.0, -infinity, select(x == infinity, infinity, exponent));
    return {exponent, select((x > 0.0) & (x < infinity), select(upper, 0.5 * m, m),
                             select(x >= 0.0, 1.0, __builtin_nan("")))};
}
/* Normal numbers above 0 are those from the smallest integer on. */
BRIDGE_INLINE LaneMask normal(Lanes x) {
    const UnsignedVector bits = UnsignedVector(x.v) + 0x7ff0000000000000ULL;
    return LaneMask(IntegerVector(bits) < -0x0020000000000000LL);
}
BRIDGE_INLINE Binary binaryOfNormal(Lanes x) {
    const UnsignedVector bits = UnsignedVector(x.v);
    /* From the bits of sqrt(1/2) on, each power of two begins a new exponent. */
    const UnsignedVector stored = (bits - (0x3fe6a09e667f3bcdULL - 0x4000000000000000ULL)) >> 52;
    const Lanes biased(DoubleVector(stored | 0x4330000000000000ULL)); /* 2^52 + stored */
    return {biased - (4503599627370496.0 + 1024.0),
            Lanes(DoubleVector(bits + 0x4000000000000000ULL - (stored << 52)))};
}
BRIDGE_INLINE Binary binary(Lanes x) {
    if (__builtin_expect(!all(normal(x)), 0)) return binaryOfAny(x);
    return binaryOfNormal(x);
}

#endif

/* ---- Exponentials --------------------------------------------------------------------------- */

/* exp(r) - 1 for |r| <= ln2/2. */
BRIDGE_INLINE Lanes smallExpm1(Lanes r) {
    Lanes p = 2.510134692835034e-08;
    p = p * r + 2.7621338669142925e-07;
    p = p * r + 2.75572664186123e-06;
    p = p * r + 2.4801518641395993e-05;
    p = p * r + 1.9841269864380513e-04;
    p = p * r + 1.3888888918939168e-03;
    p = p * r + 8.333333333329793e-03;
    p = p * r + 4.166666666662064e-02;
    p = p * r + 1.6666666666666669e-01;
    p = p * r + 0.5;
    return (p * r) * r + r;
}

#if BRIDGE_LANES == 8

/* Steps of 1/16 instead of 1 leave half the polynomial; a shuffle of two registers finds the power
 * of two that belongs to the fraction. */
struct Sixteenths { /* of x: the nearest multiple n of 1/16, and 2^(n - floor(n)) */
    Lanes n, power;
};
BRIDGE_INLINE Sixteenths sixteenths(Lanes x) {
    /* clang-format off */
    const DoubleVector low = {1.0, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916,
                              1.189207115002721, 1.241857812073484, 1.2968395546510096,
                              1.3542555469368927};
    const DoubleVector high = {1.4142135623730951, 1.4768261459394993, 1.5422108254079407,
                               1.6104903319492543, 1.681792830507429, 1.7562521603732995,
                               1.8340080864093424, 1.9152065613971474};
    /* clang-format on */
    const double shift = 422212465065984.0; /* 1.5 2^48: sixteenths in the last bits */
    const Lanes sum = x + shift;
    return {sum - shift, Lanes(shuffled(low, high, IntegerVector(sum.v)))};
}

BRIDGE_INLINE Lanes exp(Lanes x) {
    x = within(x, -800.0, 800.0);
    const Sixteenths part = sixteenths(x * 1.4426950408889634);
    const Lanes r = (x - part.n * ln2High) - part.n * ln2Low;
    Lanes p = 1.3889037272355196e-03;
    p = p * r + 8.3334520402642e-03;
    p = p * r + 4.166666666489117e-02;
    p = p * r + 1.6666666665246266e-01;
    p = p * r + 0.5;
    p = (p * r) * r + r;
    return scaled(part.power * p + part.power, part.n); /* scalef takes the floor of n */
}

BRIDGE_INLINE Lanes exp2(Lanes x) {
    x = within(x, -1100.0, 1100.0);
    const Sixteenths part = sixteenths(x);
    const Lanes r = x - part.n;
    Lanes p = 1.5403727871878627e-04;
    p = p * r + 1.3333786067768005e-03;
    p = p * r + 9.618129106890753e-03;
    p = p * r + 5.550410865630706e-02;
    p = p * r + 2.4022650695910075e-01;
    p = p * r + 6.931471805599457e-01;
    return scaled(part.power * (p * r) + part.power, part.n);
}
BRIDGE_INLINE Lanes exp2OfNegative(Lanes x) { return exp2(x); }

#else

/* a 2^n for integer-valued n, where a and the product are normal numbers. */
BRIDGE_INLINE Lanes scaledWithin(Lanes a, Lanes n) {
    const double shift = 6755399441055744.0; /* 1.5 2^52: n in the last bits */
    return Lanes(DoubleVector(UnsignedVector(a.v) + (UnsignedVector((n + shift).v) << 52)));
}

/* Overflow, subnormal results and NaN. */
BRIDGE_COLD Lanes expOfAny(Lanes x) {
    x = within(x, -800.0, 800.0);
    const Lanes n = rint(x * 1.4426950408889634);
    return scaled(smallExpm1((x - n * ln2High) - n * ln2Low) + 1.0, n);
}
BRIDGE_INLINE LaneMask modest(Lanes x) { return fabs(x) <= 708.0; }
BRIDGE_INLINE Lanes expOfModest(Lanes x) {
    const Lanes n = rint(x * 1.4426950408889634);
    return scaledWithin(smallExpm1((x - n * ln2High) - n * ln2Low) + 1.0, n);
}
BRIDGE_INLINE Lanes exp(Lanes x) {
    if (__builtin_expect(!all(modest(x)), 0)) return expOfAny(x);
    return expOfModest(x);
}

BRIDGE_COLD Lanes exp2OfAny(Lanes x) {
    x = within(x, -1100.0, 1100.0);
    const Lanes n = rint(x);
    return scaled(smallExpm1((x - n) * 0.6931471805599453) + 1.0, n);
}
BRIDGE_INLINE Lanes exp2(Lanes x) {
    if (__builtin_expect(!all(fabs(x) <= 1021.0), 0)) return exp2OfAny(x);
    const Lanes n = rint(x);
    return scaledWithin(smallExpm1((x - n) * 0.6931471805599453) + 1.0, n);
}

/* exp2 for x <= 0, by a quarter of the instructions less: there is no overflow, and below 2^-1020
 * it does not fall any more, which no sum with a larger number notices. */
BRIDGE_INLINE Lanes exp2OfNegative(Lanes x) {
    x = notBelow(x, -1020.0);
    const double shift = 6755399441055744.0; /* 1.5 2^52: rounds to an integer in the last bits */
    const Lanes shifted = x + shift;
    const Lanes r = x - (shifted - shift);
    Lanes part = 4.454275733148866e-10;
    part = part * r + 7.0713011514345125e-09;
    part = part * r + 1.0178066505977073e-07;
    part = part * r + 1.3215450204669348e-06;
    part = part * r + 1.5252733821825886e-05;
    part = part * r + 0.00015403530426708997;
    part = part * r + 0.0013333558146422777;
    part = part * r + 0.009618129107617852;
    part = part * r + 0.05550410866482158;
    part = part * r + 0.24022650695910072;
    part = part * r + 0.6931471805599453;
    part = part * r + 1.0;
    return Lanes(DoubleVector(IntegerVector(part.v) + (IntegerVector(shifted.v) << 52)));
}

#endif

#if BRIDGE_LANES == 8

BRIDGE_INLINE Lanes expm1(Lanes x) {
    x = within(x, -100.0, 709.8);
    const Lanes n = rint(x * 1.4426950408889634);
    const Lanes less = smallExpm1((x - n * ln2High) - n * ln2Low);
    const Lanes half = scaled(0.5, n); /* 2^n itself would overflow too soon */
    const Lanes far = 2.0 * (half * less + (half - 0.5));
    return select(x == 0.0, x, select(n == 0.0, less, far)); /* -0 stays */
}

#else

BRIDGE_COLD Lanes expm1OfAny(Lanes x) {
    x = within(x, -100.0, 709.8);
    const Lanes n = rint(x * 1.4426950408889634);
    const Lanes less = smallExpm1((x - n * ln2High) - n * ln2Low);
    const Lanes half = powerOfTwo(n - 1.0); /* 2^n itself would overflow too soon */
    const Lanes far = 2.0 * (half * less + (half - 0.5));
    return select(x == 0.0, x, select(n == 0.0, less, far)); /* -0 stays */
}
BRIDGE_INLINE Lanes expm1OfModest(Lanes x) {
    const Lanes n = rint(x * 1.4426950408889634);
    const Lanes less = smallExpm1((x - n * ln2High) - n * ln2Low);
    const Lanes power = powerOfTwo(n);
    return copysign(power * less + (power - 1.0), x); /* -0 stays */
}
BRIDGE_INLINE Lanes expm1(Lanes x) {
    if (__builtin_expect(!all(modest(x)), 0)) return expm1OfAny(x);
    return expm1OfModest(x);
}

#endif

/* (exp(2x) - 1)/(exp(2x) + 1) */
BRIDGE_INLINE Lanes tanh(Lanes x) {
    const Lanes e = expm1(within(2.0 * fabs(x), 0.0, 44.0));
    return copysign(e / (e + 2.0), x);
}

/* ---- Logarithms ----------------------------------------------------------------------------- */

/* (2 artanh(s)/s - 2)/z, z = s^2 */
BRIDGE_INLINE Lanes artanhSeries(Lanes z) {
    Lanes p = 1.463003136412286e-01;
    p = p * z + 1.5330617306743305e-01;
    p = p * z + 1.8182922513515942e-01;
    p = p * z + 2.2222210674238516e-01;
    p = p * z + 2.8571428628810996e-01;
    p = p * z + 3.999999999989322e-01;
    return p * z + 6.66666666666667e-01;
}
/* e ln2 + log(1 + f) */
BRIDGE_INLINE Lanes logarithm(Lanes e, Lanes f) {
    const Lanes s = f / (f + 2.0);
    const Lanes z = s * s;
    const Lanes p = artanhSeries(z);
    return e * ln2High + (f - (s * (f - z * p) - e * ln2Low));
}

BRIDGE_INLINE Lanes log(Binary x) { return logarithm(x.exponent, x.mantissa - 1.0); }
BRIDGE_INLINE Lanes log(Lanes x) { return log(binary(x)); }

BRIDGE_INLINE Lanes log1p(Lanes x) {
    const Lanes sum = 1.0 + x;
    const Lanes back = sum - 1.0;
    const Lanes lost = (1.0 - (sum - back)) + (x - back); /* sum + lost is 1 + x exactly */
    const Binary part = binary(sum);
    const LaneMask whole = isfinite(part.exponent);
    const Lanes rest = scaled(select(whole, lost, 0.0), select(whole, -part.exponent, 0.0));
    const Lanes y = logarithm(part.exponent, (part.mantissa - 1.0) + rest);
    return select(x == 0.0, x, y); /* -0 stays */
}

/* log(1 + x/y) for 0 <= x/y < 5.6: one division, and no digits lost where it is small. With the
 * power of two 2^e next to 1 + x/y it is e ln2 + 2 artanh((1 + x/y - 2^e)/(1 + x/y + 2^e)). */
BRIDGE_INLINE Lanes log1pOfQuotient(Lanes x, Lanes y) {
    const LaneMask first = x > 0.41421356237309503 * y, second = x > 1.8284271247461901 * y,
                   third = x > 4.6568542494923806 * y;
    const Lanes e = select(third, 3.0, select(second, 2.0, select(first, 1.0, 0.0)));
    const Lanes less = select(third, 7.0, select(second, 3.0, select(first, 1.0, 0.0)));
    const Lanes f = x - less * y;
    const Lanes s = f / (f + (2.0 * less + 2.0) * y);
    const Lanes z = s * s;
    return e * ln2High + ((s * (z * artanhSeries(z)) + e * ln2Low) + 2.0 * s);
}

/* ---- Cube root ------------------------------------------------------------------------------ */

/* part: of |x| */
BRIDGE_INLINE Lanes cbrt(Lanes x, Binary part) {
    const Lanes third = rint(part.exponent * (1.0 / 3.0));
    const Lanes left = part.exponent - 3.0 * third; /* -1, 0 or 1 */
    const Lanes m = part.mantissa;
    Lanes y = 0.02556608271860522; /* cbrt(m) to 2e-6 */
    y = y * m - 0.172186919831943;
    y = y * m + 0.4955390366404781;
    y = y * m - 0.8201573094839348;
    y = y * m + 1.0479306955437162;
    y = y * m + 0.4233077964235478;
    y = y * select(left > 0.0, 1.2599210498948732, select(left < 0.0, 0.7937005259840998, 1.0));
    const Lanes whole = m * powerOfTwo(left);
    const Lanes cube = y * y * y;
    y = y - y * (cube - whole) / (2.0 * cube + whole); /* Halley: to the last bits */
    return select(isfinite(part.exponent), copysign(y * powerOfTwo(third), x), x);
}
BRIDGE_INLINE Lanes cbrt(Lanes x) { return cbrt(x, binary(fabs(x))); }

}  // namespace BRIDGE_NAMESPACE

#endif
