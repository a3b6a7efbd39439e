// The distance of a trial phase from the tangent plane of a feed, and trial phases to begin with.
// docs/physics.md, section 6. Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "stableRoot.h"

namespace BRIDGE_NAMESPACE {

// distance: over R T; residual: how far from a stationary point; apart: how far from the feed.
template <class Real> struct TrialPhase { Real distance, residual, apart; };

// Columns of the work: D, d of the feed; Y, y of the trial phase; W, its mole fractions, of which
// y is the logarithm but for a constant; R, its residual; YLAST and RLAST, both of the trial before.
template <class Real, class InX, class InU, class InF, class OutW> struct TangentPlane {
    const Shared& shared;
    const InX& X;
    const InU& u;
    const InF& lnphi;
    OutW& work;
    const Real T, P;
    const int ns, D = 0, Y = ns, W = 2 * ns, R = 3 * ns, YLAST = 4 * ns, RLAST = 5 * ns;

    // Of the feed, without the shift of the volume, which is the same in every phase.
    BRIDGE_MEMBER Real lnphiOfFeed(int i) const {
        return lnphi[i] - lnphiOfShift<Real>(shared, i, T, P);
    }
    // Fills d; returns which points have one.
    BRIDGE_MEMBER Mask<Real> feed() {
        Real total = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Mask<Real> there = X[i] > 0.0;
            const Real lnX = select(there, log(select(there, X[i], 1.0)), shared.lnAbsent);
            const Real d = lnX + lnphiOfFeed(i);
            work[D + i] = d;
            total = total + d;
        }
        return isfinite(total);
    }
    // The vapour and the liquid of Wilson's equation, an ideal gas, then each species nearly pure.
    BRIDGE_MEMBER void start(int trial) {
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real d = work[D + i], lnX = d - lnphiOfFeed(i);
            Real y = trial == 2 ? d : lnX + shared.lnTraceOfPure;
            if (trial < 2) {
                const Real lnK = log(shared.Pc[i] / P) +
                                 5.373 * (1.0 + shared.omega[i]) * (1.0 - shared.Tc[i] / T);
                y = lnX + (trial == 0 ? lnK : -lnK);
            }
            work[Y + i] = i == trial - 3 ? Real(0.0) : y;
        }
    }
    // w of y, normalised; the logarithm of what it was divided by.
    BRIDGE_MEMBER Real normalise() {
        Real top = work[Y];
        BRIDGE_ROLLED
        for (int i = 1; i < ns; ++i) top = max(top, Real(work[Y + i]));
        Real sum = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real e = exp(Real(work[Y + i]) - top);
            work[W + i] = e;
            sum = sum + e;
        }
        const Real inverse = 1.0 / sum;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) work[W + i] = Real(work[W + i]) * inverse;
        return top + log(sum);
    }
};

}  // namespace BRIDGE_NAMESPACE
