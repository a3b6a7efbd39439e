// What the checks of a point's input have in common, for prEOSCheckInput, prEOSCleanMassFractions
// and the kernel that does both. docs/physics.md, section 3.
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct MassFractionSums {
    Real sum = 0.0, positive = 0.0, least = 0.0;

    // Take one more in; returns it with negatives as zero.
    BRIDGE_MEMBER Real add(const Real& y) {
        const Real kept = select(y > 0.0, y, 0.0);
        sum = sum + y;
        positive = positive + kept;
        least = select(y < least, y, least);
        return kept;
    }
    // One NaN or infinity makes the sum one.
    BRIDGE_MEMBER Mask<Real> sound(const Shared& shared) const {
        return isfinite(sum) & (positive >= shared.smallSum);
    }
};

// T outside the fit of a species that is there.
template <class Real, class InY>
BRIDGE_FN Mask<Real> outsideFits(const Shared& shared, const Real& T, const InY& Y,
                                 const Real& positive) {
    Mask<Real> outside = false;
    if (!any((T < shared.fitLow) | (T > shared.fitHigh))) return outside;
    const Real trace = shared.traceMassFraction * positive;
    for (int i = 0; i < species(shared); ++i) {
        const double* record = shared.nasa + 17 * i;
        outside = outside | ((Y[i] > trace) & ((T < record[0]) | (T > record[2])));
    }
    return outside;
}

// Bits of T, P and Y; information bits at sound points only.
template <class Real, class InY>
BRIDGE_FN Bits<Real> inputStatus(const Shared& shared, const Real& T, const Real& P, const InY& Y,
                                 const MassFractionSums<Real>& sums) {
    const Mask<Real> soundT = (T >= shared.Tleast) & (T <= shared.Tmost);
    const Mask<Real> soundP = (P >= shared.Pleast) & (P <= shared.Pmost);
    const Bits<Real> fatal = flag<Real>(!soundT, BAD_T) | flag<Real>(!soundP, BAD_P) |
                             flag<Real>(!sums.sound(shared), BAD_Y);
    const Mask<Real> renormed = fabs(sums.sum - 1.0) > shared.renormTolerance;
    const Mask<Real> outside = outsideFits<Real>(shared, T, Y, sums.positive);
    return select(fatal != Bits<Real>(0), fatal,
                  flag<Real>(renormed, Y_RENORM) | flag<Real>(outside, T_EXTRAP));
}

}  // namespace BRIDGE_NAMESPACE
