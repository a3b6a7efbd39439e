// The form that the dense corrections of viscosity (G2) and conductivity (H2) share.
// docs/physics.md, section 11. Source: Chung, Ajlan, Lee and Starling 1988.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct ChungDense {
    Real value, inverse;  // -> 1 as y -> 0
    Mask<Real> singular;  // the denominator is a small difference of its terms
};

// c1..c5 are the first five of E or B_chung.
template <class Real, class InC>
BRIDGE_FN ChungDense<Real> chungDense(const InC& c, const Real& y, const Real& G1) {
    const Real c1 = c[0], c2 = c[1], c3 = c[2], c4 = c[3], c5 = c[4];
    const Real first = select(y > 0.0, -expm1(-c4 * y) / y, select(y == y, c4, y));
    const Real c14 = c1 * c4;
    const Real denominator = c14 + c2 + c3;
    const Real numerator = c1 * first + (c2 * exp(c5 * y) + c3) * G1;
    const Real both = 1.0 / (numerator * denominator);
    const Real terms = fabs(c14) + fabs(c2) + fabs(c3);
    return {numerator * numerator * both, denominator * denominator * both,
            fabs(denominator) < 0.1 * terms};
}

}  // namespace BRIDGE_NAMESPACE
