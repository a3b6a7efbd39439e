// The language of kernels for plain numbers: what is computed one point at a time, and what all
// points share (a constant, a member of `shared`). point.h has the same for its number types.
//
// C's functions of a double by their names, Fortran's for double and int by theirs: max, min,
// sign, mod, modulo, aint, anint, nint. A NaN goes through max and min.
#pragma once

#ifndef BRIDGE_FN
#define BRIDGE_FN static inline __attribute__((always_inline))
#endif
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__)
#define BRIDGE_C(name) ::name
#else
#define BRIDGE_C(name) __builtin_##name  // no symbol of another namespace comes into the library
#endif

namespace BRIDGE_NAMESPACE {

#define BRIDGE_FUNCTION(name)                                                                     \
    BRIDGE_FN double name(double x) { return BRIDGE_C(name)(x); }
// clang-format off
BRIDGE_FUNCTION(fabs) BRIDGE_FUNCTION(sqrt) BRIDGE_FUNCTION(cbrt) BRIDGE_FUNCTION(exp)
BRIDGE_FUNCTION(exp2) BRIDGE_FUNCTION(expm1) BRIDGE_FUNCTION(log) BRIDGE_FUNCTION(log2)
BRIDGE_FUNCTION(log10) BRIDGE_FUNCTION(log1p) BRIDGE_FUNCTION(sin) BRIDGE_FUNCTION(cos)
BRIDGE_FUNCTION(tan) BRIDGE_FUNCTION(asin) BRIDGE_FUNCTION(acos) BRIDGE_FUNCTION(atan)
BRIDGE_FUNCTION(sinh) BRIDGE_FUNCTION(cosh) BRIDGE_FUNCTION(tanh) BRIDGE_FUNCTION(erf)
BRIDGE_FUNCTION(floor) BRIDGE_FUNCTION(ceil) BRIDGE_FUNCTION(rint)
// clang-format on
#undef BRIDGE_FUNCTION
#define BRIDGE_FUNCTION(name)                                                                     \
    BRIDGE_FN double name(double x, double y) { return BRIDGE_C(name)(x, y); }
// clang-format off
BRIDGE_FUNCTION(copysign) BRIDGE_FUNCTION(atan2) BRIDGE_FUNCTION(pow)
// clang-format on
#undef BRIDGE_FUNCTION
// Of a NaN and a number the number, of +0 and -0 the first one, as `max` and `min` below.
BRIDGE_FN double fmax(double x, double y) { return x >= y || y != y ? x : y; }
BRIDGE_FN double fmin(double x, double y) { return x <= y || y != y ? x : y; }

#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__)
BRIDGE_FN double cospi(double x) { return ::cospi(x); }
BRIDGE_FN double sinpi(double x) { return ::sinpi(x); }
#else
BRIDGE_FN double cospi(double x) { return cos(3.141592653589793 * x); }
BRIDGE_FN double sinpi(double x) { return sin(3.141592653589793 * x); }
#endif
BRIDGE_FN bool isfinite(double x) { return fabs(x) <= 1.7976931348623157e308; }
BRIDGE_FN bool isnan(double x) { return x != x; }

// ---- Fortran's, of doubles

BRIDGE_FN double abs(double x) { return fabs(x); }
BRIDGE_FN double max(double x, double y) { return x >= y || x != x ? x : y; }
BRIDGE_FN double min(double x, double y) { return x <= y || x != x ? x : y; }
BRIDGE_FN double sign(double x, double y) { return copysign(x, y); }
BRIDGE_FN double mod(double x, double y) { return BRIDGE_C(fmod)(x, y); }
BRIDGE_FN double modulo(double x, double y) {
    const double r = mod(x, y);
    if (r == 0.0) return copysign(0.0, y);
    return (r < 0.0) != (y < 0.0) ? r + y : r;
}
BRIDGE_FN double aint(double x) { return BRIDGE_C(trunc)(x); }
BRIDGE_FN double anint(double x) { return BRIDGE_C(round)(x); }
BRIDGE_FN int nint(double x) { return static_cast<int>(anint(x)); }

// ---- and of integers

BRIDGE_FN int abs(int x) { return x < 0 ? -x : x; }
BRIDGE_FN int max(int x, int y) { return x < y ? y : x; }
BRIDGE_FN int min(int x, int y) { return y < x ? y : x; }
BRIDGE_FN int sign(int x, int y) { return y < 0 ? -abs(x) : abs(x); }
BRIDGE_FN int mod(int x, int y) { return x % y; }
BRIDGE_FN int modulo(int x, int y) {
    const int r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

// One of each, as in max(x, 0): the integer becomes a double.
#define BRIDGE_MIXED(name)                                                                        \
    BRIDGE_FN double name(double x, int y) { return name(x, static_cast<double>(y)); }            \
    BRIDGE_FN double name(int x, double y) { return name(static_cast<double>(x), y); }
// clang-format off
BRIDGE_MIXED(max) BRIDGE_MIXED(min) BRIDGE_MIXED(sign) BRIDGE_MIXED(mod) BRIDGE_MIXED(modulo)
// clang-format on
#undef BRIDGE_MIXED

// ---- Integer exponents, for numbers of every kind

// By repeated squaring, as compilers do it; a pow of two reals takes many times as long.
template <class Value> BRIDGE_FN Value powerByProducts(Value x, int n) {
    unsigned left = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
    Value result = left & 1 ? x : Value(1);
    while (left >>= 1) {
        x = x * x;
        if (left & 1) result = result * x;
    }
    return n < 0 ? Value(1) / result : result;
}
BRIDGE_FN double pow(double x, int n) { return powerByProducts(x, n); }
BRIDGE_FN int pow(int x, int n) { return powerByProducts(x, n); }
BRIDGE_FN double pow(int x, double y) { return pow(static_cast<double>(x), y); }

}  // namespace BRIDGE_NAMESPACE
