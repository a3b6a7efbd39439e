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

// What the slopes at one end of the fits would add to the heat capacity of the mixture, is it more
// than the tolerance? ends: of each species the line that is zero at the end, and the tolerance.
template <class Real, class InY>
BRIDGE_FN Mask<Real> extrapolated(const Shared& shared, const double* ends, const Real& T,
                                  const InY& Y) {
    Real beyond = 0.0;
    for (int i = 0; i < species(shared); ++i, ends += 3) {
        const Real added = at_least<Real>(ends[0] + ends[1] * T, 0.0) - ends[2];
        beyond = beyond + at_least<Real>(Y[i], 0.0) * added;
    }
    return beyond > 0.0;
}

// T outside the fit of a species that is there; with a constant heat capacity where it matters.
template <class Real, class InY>
BRIDGE_FN Mask<Real> outsideFits(const Shared& shared, const Real& T, const InY& Y,
                                 const Real& positive) {
    Mask<Real> outside = false;
    const Mask<Real> cold = T<shared.fitLow, hot = T> shared.fitHigh;
    if (!any(cold | hot)) return outside;
    if (shared.thermoExtrap) {
        const Real trace = shared.traceMassFraction * positive;
        for (int i = 0; i < species(shared); ++i) {
            const double* record = shared.nasa + 17 * i;
            outside = outside | ((Y[i] > trace) & ((T < record[0]) | (T > record[2])));
        }
        return outside;
    }
    if (any(cold)) outside = extrapolated<Real>(shared, shared.fitEnds, T, Y);
    const double* above = shared.fitEnds + 3 * species(shared);
    if (any(hot)) outside = outside | extrapolated<Real>(shared, above, T, Y);
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
