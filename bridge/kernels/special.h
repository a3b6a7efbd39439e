// Functions of Fortran that no vector library has: for headers that `bridge port` makes, of every
// number type.
//
// Gamma and Bessel functions, and the parts of a number, are those of the mathematical library,
// point by point: on a CPU the bits that compiled Fortran has. erfc is libmvec's on a CPU (4 ulp);
// erfc_scaled is W. J. Cody's rational approximation (1969), as in libgfortran.
#pragma once

#include "complex.h"
#include "point.h"

namespace BRIDGE_NAMESPACE {

// ---- A function of one number, or of two, at each point

#define BRIDGE_AT_EACH_SINGLE(Real)                                                               \
    template <class F> BRIDGE_FN Real atEach(F f, Real x) {                                       \
        return rounded(atEach(f, widened(x)));                                                    \
    }                                                                                             \
    template <class F> BRIDGE_FN Real atEach(F f, Real x, Real y) {                               \
        return rounded(atEach(f, widened(x), widened(y)));                                        \
    }
template <class F> BRIDGE_FN double atEach(F f, double x) { return f(x); }
template <class F> BRIDGE_FN double atEach(F f, double x, double y) { return f(x, y); }
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__)
template <class F, class Several, int points = Several::points>
BRIDGE_FN Several atEach(F f, const Several& x) {
    Several r;
    BRIDGE_UNROLL
    for (int p = 0; p < points; ++p) r.v[p] = f(x.v[p]);
    return r;
}
template <class F, class Several, int points = Several::points>
BRIDGE_FN Several atEach(F f, const Several& x, const Several& y) {
    Several r;
    BRIDGE_UNROLL
    for (int p = 0; p < points; ++p) r.v[p] = f(x.v[p], y.v[p]);
    return r;
}
#elif defined(BRIDGE_COUNTED)
template <class F> BRIDGE_FN Counted atEach(F f, Counted x) {
    return count(operation_pow, f(x.v));
}
template <class F> BRIDGE_FN Counted atEach(F f, Counted x, Counted y) {
    return count(operation_pow, f(x.v, y.v));
}
#elif defined(BRIDGE_TRACED)
// Functions have no names here: nothing is known of what they make.
template <class F> BRIDGE_FN Traced atEach(F, Traced) { return {}; }
template <class F> BRIDGE_FN Traced atEach(F, Traced, Traced) { return {}; }
#elif !defined(BRIDGE_SCALAR)
#ifdef BRIDGE_DEBUG
template <class F> BRIDGE_FN OnePoint atEach(F f, OnePoint x) { return f(x.v); }
template <class F> BRIDGE_FN OnePoint atEach(F f, OnePoint x, OnePoint y) { return f(x.v, y.v); }
#endif
template <class F> BRIDGE_FN Lanes atEach(F f, Lanes x) {
    Lanes r;
    for (int i = 0; i < BRIDGE_LANES; ++i) r.v[i] = f(double(x.v[i]));
    return r;
}
template <class F> BRIDGE_FN Lanes atEach(F f, Lanes x, Lanes y) {
    Lanes r;
    for (int i = 0; i < BRIDGE_LANES; ++i) r.v[i] = f(double(x.v[i]), double(y.v[i]));
    return r;
}
template <class F> BRIDGE_FN Twice atEach(F f, Twice x) {
    return Twice(atEach(f, x.a), atEach(f, x.b));
}
template <class F> BRIDGE_FN Twice atEach(F f, Twice x, Twice y) {
    return Twice(atEach(f, x.a, y.a), atEach(f, x.b, y.b));
}
BRIDGE_AT_EACH_SINGLE(SingleLanes)
#endif
#ifdef BRIDGE_SINGLE_POINT
BRIDGE_AT_EACH_SINGLE(SinglePoint)
#endif

// ---- Gamma and Bessel functions

#define BRIDGE_SPECIAL(name, value)                                                               \
    struct name##AtPoint {                                                                        \
        BRIDGE_MEMBER double operator()(double x) const { return value; }                         \
    };                                                                                            \
    template <class Real> BRIDGE_FN auto name(const Real& x) { return atEach(name##AtPoint{}, x); }
BRIDGE_SPECIAL(gammaFunction, BRIDGE_C(tgamma)(x))
BRIDGE_SPECIAL(besselJ0, BRIDGE_C(j0)(x))
BRIDGE_SPECIAL(besselJ1, BRIDGE_C(j1)(x))
BRIDGE_SPECIAL(besselY0, BRIDGE_C(y0)(x))
BRIDGE_SPECIAL(besselY1, BRIDGE_C(y1)(x))

// lgamma writes the sign to a variable that all threads share.
BRIDGE_FN double logGammaOf(double x) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__)
    return ::lgamma(x);
#else
    int sign;
    return __builtin_lgamma_r(x, &sign);
#endif
}
BRIDGE_SPECIAL(logGamma, logGammaOf(x))

// All points have the same order: it is the number of turns of a loop in there.
#define BRIDGE_ORDER(name, function)                                                              \
    struct name##AtPoint {                                                                        \
        int order;                                                                                \
        BRIDGE_MEMBER double operator()(double x) const { return BRIDGE_C(function)(order, x); }  \
    };                                                                                            \
    template <class Real> BRIDGE_FN auto name(int order, const Real& x) {                         \
        return atEach(name##AtPoint{order}, x);                                                   \
    }
BRIDGE_ORDER(besselJn, jn)
BRIDGE_ORDER(besselYn, yn)
#undef BRIDGE_ORDER

// ---- Complementary error function

#if defined(BRIDGE_LANES) && !defined(BRIDGE_SCALAR) && !defined(BRIDGE_COUNTED)
extern "C" BRIDGE_REGISTER BRIDGE_MVEC(erfc)(BRIDGE_REGISTER);
BRIDGE_FN Lanes erfc(Lanes x) {
    return Lanes(DoubleVector(BRIDGE_MVEC(erfc)(BRIDGE_REGISTER(x.v))));
}
BRIDGE_FN Twice erfc(Twice x) { return Twice(erfc(x.a), erfc(x.b)); }
BRIDGE_FN SingleLanes erfc(SingleLanes x) { return rounded(erfc(widened(x))); }
#ifdef BRIDGE_DEBUG
BRIDGE_FN OnePoint erfc(OnePoint x) { return OnePoint(erfc(Lanes(x.v))); }
BRIDGE_FN SinglePoint erfc(SinglePoint x) { return rounded(erfc(widened(x))); }
#endif
BRIDGE_FN double erfc(double x) { return BRIDGE_C(erfc)(x); }
#else
BRIDGE_SPECIAL(erfc, BRIDGE_C(erfc)(x))
#endif

// exp(x**2) erfc(x)
template <class Real> BRIDGE_FN Real erfcScaled(const Real& x) {
    if constexpr (ofSingles<Real>) return rounded(erfcScaled(widened(x)));
    const Real size = fabs(x);
    // up to 0.46875: exp(x**2) (1 - erf(x))
    const auto least = size <= 0.46875;
    const Real a = either(least, size, Real(0.0));
    const Real square = a * a;
    Real above = 1.85777706184603153e-1, below = 1.0;
    above = above * square + 3.16112374387056560;
    above = above * square + 1.13864154151050156e2;
    above = above * square + 3.77485237685302021e2;
    above = above * square + 3.20937758913846947e3;
    below = below * square + 2.36012909523441209e1;
    below = below * square + 2.44024637934444173e2;
    below = below * square + 1.28261652607737228e3;
    below = below * square + 2.84423683343917062e3;
    const Real first = exp(square) * (1.0 - x * above / below);
    // up to 4
    const Real b = either(size <= 4.0, size, Real(4.0));
    above = 2.15311535474403846e-8;
    above = above * b + 5.64188496988670089e-1;
    above = above * b + 8.88314979438837594;
    above = above * b + 6.61191906371416295e1;
    above = above * b + 2.98635138197400131e2;
    above = above * b + 8.81952221241769090e2;
    above = above * b + 1.71204761263407058e3;
    above = above * b + 2.05107837782607147e3;
    above = above * b + 1.23033935479799725e3;
    below = 1.0;
    below = below * b + 1.57449261107098347e1;
    below = below * b + 1.17693950891312499e2;
    below = below * b + 5.37181101862009858e2;
    below = below * b + 1.62138957456669019e3;
    below = below * b + 3.29079923573345963e3;
    below = below * b + 4.36261909014324716e3;
    below = below * b + 3.43936767414372164e3;
    below = below * b + 1.23033935480374942e3;
    const Real second = above / below;
    // beyond: a series of 1/x**2
    const Real c = either(size > 4.0, size, Real(4.0));
    const Real inverse = 1.0 / c, y = inverse * inverse;
    above = 1.63153871373020978e-2;
    above = above * y + 3.05326634961232344e-1;
    above = above * y + 3.60344899949804439e-1;
    above = above * y + 1.25781726111229246e-1;
    above = above * y + 1.60837851487422766e-2;
    above = above * y + 6.58749161529837803e-4;
    below = 1.0;
    below = below * y + 2.56852019228982242;
    below = below * y + 1.87295284992346047;
    below = below * y + 5.27905102951428412e-1;
    below = below * y + 6.05183413124413191e-2;
    below = below * y + 2.33520497626869185e-3;
    const Real third = (5.6418958354775628695e-1 - y * above / below) * inverse;
    const Real positive = either(size > 4.0, third, second);
    // below 0: 2 exp(x**2) less that of |x|; the square in two parts, for its last digits
    const Real whole = aint(x * 16.0) / 16.0;
    const Real held = either(x < -27.0, Real(-27.0), either(x < 0.0, whole, Real(0.0)));
    const Real rest = either((x < 0.0) & (x >= -27.0), (x - held) * (x + held), Real(0.0));
    const Real twice = 2.0 * exp(held * held) * exp(rest);
    const Real other = either(x < 0.0, twice - positive, positive);
    const Real found = either(least, first, either(x < -26.628, infinity<Real>(), other));
    return either(isnan(x), x, found);
}
BRIDGE_OF_PRODUCT(erfcScaled)

// ---- Parts of a number

BRIDGE_FN double splitNumber(double x, int& power) {
    power = 0;
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__)
    return isfinite(x) ? ::frexp(x, &power) : BRIDGE_NAN;
#else
    return isfinite(x) ? __builtin_frexp(x, &power) : BRIDGE_NAN;
#endif
}
BRIDGE_FN double scaledNumber(double x, double power) {
    const double most = 5000.0;
    const int n = static_cast<int>(power > most ? most : power < -most ? -most : power);
    return BRIDGE_C(scalbn)(x, n);
}
BRIDGE_FN double fractionOf(double x) {
    int power;
    return splitNumber(x, power);
}
BRIDGE_FN double exponentOf(double x) {
    int power;
    splitNumber(x, power);
    return isfinite(x) ? static_cast<double>(power) : 2147483647.0;
}
BRIDGE_SPECIAL(fractionPart, fractionOf(x))
BRIDGE_SPECIAL(exponentNumber, exponentOf(x))
#undef BRIDGE_SPECIAL
BRIDGE_FN int exponentPart(double x) { return static_cast<int>(exponentOf(x)); }
template <class Real> BRIDGE_FN Bits<Real> exponentPart(const Real& x) {
    return Bits<Real>(exponentNumber(x));
}
template <class Real> BRIDGE_FN Bits<Real> exponentPart(const Product<Real>& x) {
    return Bits<Real>(exponentNumber(x));
}

// digits and least exponent: of the kind of real.
struct SpacingAtPoint {
    int digits, least;
    BRIDGE_MEMBER double operator()(double x) const {
        if (x != x) return x;
        if (!isfinite(x)) return BRIDGE_NAN;
        int power;
        splitNumber(x, power);
        const int of = power - digits;
        return BRIDGE_C(scalbn)(1.0, x == 0.0 || of < least ? least : of);
    }
};
struct InverseSpacingAtPoint {
    int digits;
    BRIDGE_MEMBER double operator()(double x) const {
        if (x != x) return x;
        if (!isfinite(x)) return BRIDGE_NAN;
        int power;
        splitNumber(x, power);
        return BRIDGE_C(scalbn)(fabs(x), digits - power);
    }
};
template <class Real> BRIDGE_FN auto spacingOf(const Real& x, int digits, int least) {
    return atEach(SpacingAtPoint{digits, least}, x);
}
template <class Real> BRIDGE_FN auto inverseSpacing(const Real& x, int digits) {
    return atEach(InverseSpacingAtPoint{digits}, x);
}

#define BRIDGE_SPECIAL(name, value)                                                               \
    struct name##AtPoint {                                                                        \
        BRIDGE_MEMBER double operator()(double x, double y) const { return value; }               \
    };                                                                                            \
    template <class A, class B> BRIDGE_FN auto name(const A& x, const B& y) {                     \
        return atEach(name##AtPoint{}, x, y);                                                     \
    }
BRIDGE_SPECIAL(scaleNumber, scaledNumber(x, y))
BRIDGE_SPECIAL(setExponent, scaledNumber(fractionOf(x), y))
BRIDGE_SPECIAL(nearestDouble, BRIDGE_C(nextafter)(x, copysign(infinity<double>(), y)))
BRIDGE_SPECIAL(nearestSingle,
               BRIDGE_C(nextafterf)(static_cast<float>(x),
                                    static_cast<float>(copysign(infinity<double>(), y))))
#undef BRIDGE_SPECIAL
template <class A, class B> BRIDGE_FN auto nearestNumber(const A& x, const B& y) {
    if constexpr (ofSingles<Both<A, B>>)
        return nearestSingle(x, y);
    else
        return nearestDouble(x, y);
}

}  // namespace BRIDGE_NAMESPACE
