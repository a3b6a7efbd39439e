// The constants of the cubic equation of state, by the option `cubic`. docs/physics.md, section 6.
// Sources: Peng and Robinson 1976; Soave 1972.
//
//     P = R T/(v - b) - a/D,    D = (v + d1 b)(v + d2 b)
//
// On a GPU they are constants of the code, on a CPU of the run. Factors of 1 and 2 stand where they
// change no bit of Peng and Robinson's results.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

struct CubicConstants {
    double sum, product;                   // d1 + d2, -d1 d2
    double difference, lower;              // d1 - d2, -d2
    double bulk, pull, lnB;                // v/b, a/(b R T), ln(b P/(R T)) at the critical point
    double fit0, fit1, fit2, fit3, slope;  // of guessedSaturation

    template <class Real> BRIDGE_MEMBER Real D(const Real& v, const Real& b) const {
        return (v + sum * b) * v - product * (b * b);
    }
    // Half of dD/dv, and half of dD/db.
    template <class Real> BRIDGE_MEMBER Real halfDv(const Real& v, const Real& b) const {
        return v + (0.5 * sum) * b;
    }
    template <class Real> BRIDGE_MEMBER Real halfDb(const Real& v, const Real& b) const {
        return (0.5 * sum) * v - product * b;
    }
};

BRIDGE_FN CubicConstants cubicConstants(const Shared& shared) {
    // clang-format off
    if (shared.cubic)  // d1 = 1, d2 = 0
        return {1.0, 0.0, 1.0, 0.0, 3.8473221018630726, 4.9339624518280304, -2.4459896369974938,
                0.7659589621246581, 0.3349609309453549, -0.58161442047396, 0.8837235142165746,
                3.0536215758789729};
    // d1 = 1 + sqrt 2, d2 = 1 - sqrt 2
    return {2.0, 1.0, 2.8284271247461903, 0.41421356237309503,
            3.9513730355914416, 5.877359948604403, -2.553664313031442,
            0.9910487007287663, 0.10114286623549118, -0.5270583698193183, 0.8704702712724804,
            3.3553013976081196};
    // clang-format on
}

}  // namespace BRIDGE_NAMESPACE
