// Division, roots, exponentials and logarithms of a double on the GPU, at most 4 ulp.
//
// What the compiler supplies rounds correctly, or nearly so, and pays for it with branches, calls
// and constants that take as many instructions to load as to use; most of a thermal state is made
// of these functions. Here a hardware estimate of 20 bits is refined without a branch, so that
// equal divisors share their reciprocal, and constants are operands in constant memory. Infinity
// and NaN are as in C, but for divisors and square roots of the package's own kernels: these give
// NaN for infinity, and a divisor 0 and the root of -0 do. Subnormal numbers count as 0, and some
// results of -0 are 0.
// Polynomials: cpu/mathematics.h. What no thermal state is made of is the compiler's.
#pragma once

namespace BRIDGE_NAMESPACE {
namespace mathematics {

// the compiler's, and Fortran's made of them (numbers.h)
// clang-format off
using BRIDGE_NAMESPACE::abs; using BRIDGE_NAMESPACE::acos; using BRIDGE_NAMESPACE::aint;
using BRIDGE_NAMESPACE::anint; using BRIDGE_NAMESPACE::asin; using BRIDGE_NAMESPACE::atan;
using BRIDGE_NAMESPACE::atan2; using BRIDGE_NAMESPACE::ceil; using BRIDGE_NAMESPACE::copysign;
using BRIDGE_NAMESPACE::cos; using BRIDGE_NAMESPACE::cosh; using BRIDGE_NAMESPACE::cospi;
using BRIDGE_NAMESPACE::erf; using BRIDGE_NAMESPACE::fabs; using BRIDGE_NAMESPACE::floor;
using BRIDGE_NAMESPACE::fmax; using BRIDGE_NAMESPACE::fmin; using BRIDGE_NAMESPACE::isfinite;
using BRIDGE_NAMESPACE::log10; using BRIDGE_NAMESPACE::log2; using BRIDGE_NAMESPACE::max; using BRIDGE_NAMESPACE::min;
using BRIDGE_NAMESPACE::mod; using BRIDGE_NAMESPACE::modulo; using BRIDGE_NAMESPACE::pow;
using BRIDGE_NAMESPACE::rint; using BRIDGE_NAMESPACE::sign; using BRIDGE_NAMESPACE::sin;
using BRIDGE_NAMESPACE::sinh; using BRIDGE_NAMESPACE::sinpi; using BRIDGE_NAMESPACE::tan;
using BRIDGE_NAMESPACE::tanh;
// clang-format on

extern "C" {
// clang-format off
__constant__ double mathematicsTable[] = {
    // 0: exp(r) - 1 = r + r^2 (1/2 + ...), highest power first
    2.510134692835034e-08, 2.7621338669142925e-07, 2.75572664186123e-06, 2.4801518641395993e-05,
    1.9841269864380513e-04, 1.3888888918939168e-03, 8.333333333329793e-03, 4.166666666662064e-02,
    1.6666666666666669e-01, 0.5,
    // 10: log2(e), 1.5 2^52, -ln 2 in two parts
    1.4426950408889634, 6755399441055744.0, -6.93147180369123816490e-01, -1.90821492927058770002e-10,
    // 14: log(1 + f), a series in (f/(f + 2))^2
    1.463003136412286e-01, 1.5330617306743305e-01, 1.8182922513515942e-01, 2.2222210674238516e-01,
    2.8571428628810996e-01, 3.999999999989322e-01, 6.66666666666667e-01,
    // 21: ln 2 in two parts
    6.93147180369123816490e-01, 1.90821492927058770002e-10,
    // 23: 1/3, 2/9
    0.33333333333333333, 0.22222222222222222,
    // 25: (2^r - 1)/r
    4.454275733148866e-10, 7.0713011514345125e-09, 1.0178066505977073e-07,
    1.3215450204669348e-06, 1.5252733821825886e-05, 0.00015403530426708997,
    0.0013333558146422777, 0.009618129107617852, 0.05550410866482158, 0.24022650695910072,
    0.6931471805599453,
};
// clang-format on
}

#define BRIDGE_TABLE(k) mathematicsTable[k]

#if defined(__HIPCC__)
BRIDGE_FN double estimateReciprocal(double x) { return __builtin_amdgcn_rcp(x); }
BRIDGE_FN double estimateInverseRoot(double x) { return __builtin_amdgcn_rsq(x); }
BRIDGE_FN float estimateInverseCubeRoot(float x) { return ::exp2f(::log2f(x) * -0.33333333333f); }
#elif !defined(BRIDGE_ESTIMATES)  // a host that stands in for the GPU has its own
BRIDGE_FN double estimateReciprocal(double x) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}
BRIDGE_FN double estimateInverseRoot(double x) {
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}
BRIDGE_FN float estimateInverseCubeRoot(float x) {
    float logarithm, r;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(logarithm) : "f"(x));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(logarithm * -0.33333333333f));
    return r;
}
#endif

// An estimate r of 1/x, with e = 1 - x r, to the last bit or next to it.
BRIDGE_FN double refined(double r, double e) { return ::fma(r, ::fma(e, e, e), r); }
// Of an x that is neither 0 nor infinite.
BRIDGE_FN double reciprocalOfNormal(double x) {
    const double r = estimateReciprocal(x);
    return refined(r, ::fma(-x, r, 1.0));
}
#ifdef BRIDGE_NORMAL_DIVISORS  // the package's kernels alone: up to 5 % less time (design/bits.md)
BRIDGE_FN double reciprocal(double x) { return reciprocalOfNormal(x); }
#else
// Of any x. The estimate of 0 and infinity is exact, their error is no number: a small one, which
// changes neither 0 nor infinity, takes its place. Integers decide, which leaves the pipe of
// doubles to the rest.
BRIDGE_FN double reciprocal(double x) {
    const double r = estimateReciprocal(x), e = ::fma(-x, r, 1.0);
    const int high = __double2hiint(e);
    const bool number = (high & 0x7ff00000) != 0x7ff00000;
    return refined(r, __hiloint2double(number ? high : 0x3c000000, __double2loint(e)));
}
#endif
BRIDGE_FN double quotient(double a, double b) { return a * reciprocal(b); }

BRIDGE_FN double sqrt(double x) {
    const unsigned high = __double2hiint(x), least = 0x00100000;
    const double seen = __hiloint2double(high < least ? least : high, __double2loint(x));
    const double y = estimateInverseRoot(seen);  // finite for 0, which stays 0
    const double root = x * y, half = 0.5 * y;
    const double e = ::fma(-root, half, 0.5);  // half of 1 - x y^2
    const double inside = ::fma(root, ::fma(1.5 * e, e, e), root);
#ifdef BRIDGE_NORMAL_DIVISORS
    return inside;
#else
    // infinity and both zeros are their own roots
    const int whole = __double2hiint(x);
    return whole == 0x7ff00000 || (whole & 0x7fffffff) == 0 ? x : inside;
#endif
}

// a 2^n where neither is near the end of the range
BRIDGE_FN double scaled(double a, int n) {
    return __hiloint2double(__double2hiint(a) + (n << 20), __double2loint(a));
}
// `inside` where |x| is below the number whose upper half is `limit`; else 0, infinity or NaN.
BRIDGE_FN double within(double x, int limit, double inside) {
    const int high = __double2hiint(x), size = high & 0x7fffffff;
    const int outside = size > 0x7ff00000 ? 0x7ff80000 : high < 0 ? 0 : 0x7ff00000;
    return size < limit ? inside : __hiloint2double(outside, 0);
}

struct Reduced {
    int n;
    double r;  // x - n ln 2
};
BRIDGE_FN Reduced reduced(double x) {
    const double shifted = ::fma(x, BRIDGE_TABLE(10), BRIDGE_TABLE(11));
    const double n = shifted - BRIDGE_TABLE(11);
    return {__double2loint(shifted), ::fma(n, BRIDGE_TABLE(13), ::fma(n, BRIDGE_TABLE(12), x))};
}
// (exp(r) - 1 - r)/r^2 for |r| <= ln2/2
BRIDGE_FN double curvature(double r) {
    double p = BRIDGE_TABLE(0);
#pragma unroll
    for (int k = 1; k < 10; ++k) p = ::fma(p, r, BRIDGE_TABLE(k));
    return p;
}
BRIDGE_FN double exp(double x) {
    const Reduced part = reduced(x);
    const double power = ::fma(::fma(curvature(part.r), part.r, 1.0), part.r, 1.0);
    return within(x, 0x40862000, scaled(power, part.n));  // 708
}
BRIDGE_FN double exp2(double x) {
    const double shifted = x + BRIDGE_TABLE(11);
    const double r = x - (shifted - BRIDGE_TABLE(11));
    double p = BRIDGE_TABLE(25);
#pragma unroll
    for (int k = 26; k < 36; ++k) p = ::fma(p, r, BRIDGE_TABLE(k));
    return within(x, 0x408fe000, scaled(::fma(p, r, 1.0), __double2loint(shifted)));  // 1020
}
BRIDGE_FN double expm1(double x) {
    const Reduced part = reduced(x);
    const double less = ::fma(curvature(part.r) * part.r, part.r, part.r);
    const double power = scaled(1.0, part.n);
    const double inside = ::fma(power, less, power - 1.0);
    const double outside = within(x, 0, 0.0);
    return within(x, 0x40862000, 1.0) == 1.0 ? inside : x < 0.0 ? -1.0 : outside;
}

struct Binary {
    double exponent, mantissa;  // 1/sqrt(2) <= mantissa < sqrt(2)
};
BRIDGE_FN Binary binary(double x) {
    const int exponent = (__double2hiint(x) - 0x3fe6a09e) >> 20;
    const double m = __hiloint2double(__double2hiint(x) - (exponent << 20), __double2loint(x));
    // 2^52 + 2^31 + exponent as a double: converting an integer takes four times as long
    const double e = __hiloint2double(0x43300000, exponent ^ static_cast<int>(0x80000000u));
    return {e - 4503601774854144.0, m};
}
// log(x) from e ln2 + log(1 + f)
BRIDGE_FN double logarithm(double x, double e, double f) {
    const double s = f * reciprocalOfNormal(f + 2.0), z = s * s;
    double p = BRIDGE_TABLE(14);
#pragma unroll
    for (int k = 15; k < 21; ++k) p = ::fma(p, z, BRIDGE_TABLE(k));
    const double rest = ::fma(s, ::fma(-z, p, f), -e * BRIDGE_TABLE(22));
    const double inside = ::fma(e, BRIDGE_TABLE(21), f - rest);
    // 0, infinity, NaN and what is negative, by the upper half
    const int high = __double2hiint(x);
    const int outside = high == 0x7ff00000         ? high
                        : (high & 0x7ff00000) == 0 ? 0xfff00000
                                                   : 0x7ff80000;
    const bool normal = static_cast<unsigned>(high - 0x00100000) < 0x7fe00000u;
    return normal ? inside : __hiloint2double(outside, 0);
}
BRIDGE_FN double log(double x) {
    const Binary part = binary(x);
    return logarithm(x, part.exponent, part.mantissa - 1.0);
}
BRIDGE_FN double log1p(double x) {
    const double sum = 1.0 + x;
    const double back = sum - 1.0;
    const double lost = (1.0 - (sum - back)) + (x - back);  // sum + lost is 1 + x exactly
    const Binary part = binary(sum);
    const int high = __double2hiint(part.mantissa) - __double2hiint(sum);
    const double rest = lost * __hiloint2double(0x3ff00000 + high, 0);  // by 2^-exponent
    return logarithm(sum, part.exponent, (part.mantissa - 1.0) + rest);
}

// A single-precision estimate of m^(-1/3), then one step of third order; x = m 2^(3 third).
BRIDGE_FN double cbrt(double x) {
    const int high = __double2hiint(x) & 0x7fffffff;
    const int third = ((high >> 20) - 1023 + 3 * 400) / 3 - 400;
    const double m = __hiloint2double(high - third * (3 << 20), __double2loint(x));
    const double y = estimateInverseCubeRoot(static_cast<float>(m)), square = y * y;
    const double e = ::fma(-m * y, square, 1.0);  // 1 - m y^3
    const double better = ::fma(y * e, ::fma(e, BRIDGE_TABLE(24), BRIDGE_TABLE(23)), y);
    const double root = ::copysign(scaled(m * better * better, third), x);
    const bool normal = high >= 0x00100000 && high < 0x7ff00000;
    return normal ? root : x;
}

#undef BRIDGE_TABLE

// ---- Of a float, where no digit of a double is needed: exact ones, and those that round correctly.
// Every other function of a float is that of a double, and rounded.

// clang-format off
#define BRIDGE_FUNCTION(name, function)                                                           \
    BRIDGE_FN float name(float x) { return ::function(x); }
BRIDGE_FUNCTION(fabs, fabsf) BRIDGE_FUNCTION(abs, fabsf) BRIDGE_FUNCTION(sqrt, sqrtf)
BRIDGE_FUNCTION(floor, floorf) BRIDGE_FUNCTION(ceil, ceilf) BRIDGE_FUNCTION(rint, rintf)
BRIDGE_FUNCTION(aint, truncf) BRIDGE_FUNCTION(anint, roundf)
#undef BRIDGE_FUNCTION
#define BRIDGE_FUNCTION(name, value)                                                              \
    BRIDGE_FN float name(float x, float y) { return value; }
BRIDGE_FUNCTION(quotient, x / y)
BRIDGE_FUNCTION(copysign, ::copysignf(x, y)) BRIDGE_FUNCTION(sign, ::copysignf(x, y))
BRIDGE_FUNCTION(max, x >= y || x != x ? x : y) BRIDGE_FUNCTION(min, x <= y || x != x ? x : y)
BRIDGE_FUNCTION(fmax, x >= y || y != y ? x : y) BRIDGE_FUNCTION(fmin, x <= y || y != y ? x : y)
BRIDGE_FUNCTION(mod, ::fmodf(x, y))
#undef BRIDGE_FUNCTION
// clang-format on
BRIDGE_FN bool isfinite(float x) { return fabs(x) <= 3.40282347e38f; }
BRIDGE_FN float modulo(float x, float y) {
    const float r = mod(x, y);
    if (r == 0.0f) return copysign(0.0f, y);
    return (r < 0.0f) != (y < 0.0f) ? r + y : r;
}

}  // namespace mathematics
}  // namespace BRIDGE_NAMESPACE
