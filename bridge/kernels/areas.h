// Inverse hyperbolic functions of every number type, within 4 ulp: of log1p, so that small results
// keep their digits; of singles those of doubles, rounded. asinh and atanh are odd; acosh below 1 and
// atanh beyond 1 are NaN.
#pragma once

#include "complex.h"
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Part> BRIDGE_FN Part asinh(const Part& x) {
    if constexpr (ofSingles<Part>) return rounded(asinh(widened(x)));
    const Part a = fabs(x);
    const auto large = a > 1e8;  // x**2 + 1 is x**2
    const Part b = either(large, Part(1.0), a);
    const Part small = log1p(b + b * b / (1.0 + sqrt(1.0 + b * b)));
    return copysign(either(large, log(a) + 0.6931471805599453, small), x);
}

template <class Part> BRIDGE_FN Part acosh(const Part& x) {
    if constexpr (ofSingles<Part>) return rounded(acosh(widened(x)));
    const auto large = x > 1e8;
    const Part t = either(large, Part(1.0), x) - 1.0;
    const Part small = log1p(t + sqrt(t * (2.0 + t)));
    const Part above = either(large, log(x) + 0.6931471805599453, small);
    return either(x < 1.0, Part(BRIDGE_NAN), above);
}

template <class Part> BRIDGE_FN Part atanh(const Part& x) {
    if constexpr (ofSingles<Part>) return rounded(atanh(widened(x)));
    const Part a = fabs(x);
    return copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

BRIDGE_OF_PRODUCT(asinh)
BRIDGE_OF_PRODUCT(acosh)
BRIDGE_OF_PRODUCT(atanh)

}  // namespace BRIDGE_NAMESPACE
