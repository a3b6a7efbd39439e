// A trial phase of the stability test at its y, and the next one. docs/physics.md, section 6.
// Sources: Michelsen 1982; Anderson 1965 (acceleration).
#pragma once
#include "../point.h"
#include "tangentPlane.h"

namespace BRIDGE_NAMESPACE {

// Attraction a of w. Column R gets the sums over j of (1 - k_ij) w_j u_j, later the residuals.
template <class Real, class Plane> BRIDGE_FN Real trialAttraction(const Plane& plane) {
    const int ns = plane.ns;
    Real G = 0.0, a = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) G = G + Real(plane.work[plane.W + i]) * plane.u[i];
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        Real g = G;
        if (plane.shared.anyKij) {
            const double* k = plane.shared.oneMinusKij + int64_t(i) * ns;
            g = 0.0;
            BRIDGE_ROLLED
            for (int j = 0; j < ns; ++j)
                g = g + k[j] * (Real(plane.work[plane.W + j]) * plane.u[j]);
        }
        plane.work[plane.R + i] = g;
        a = a + (Real(plane.work[plane.W + i]) * plane.u[i]) * g;
    }
    return a;
}

template <class Real, class Plane> BRIDGE_FN TrialPhase<Real> trialPhase(Plane& plane) {
    const Shared& shared = plane.shared;
    const Real lnSum = plane.normalise();
    const Real a = trialAttraction<Real>(plane);
    Real b = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < plane.ns; ++i) b = b + Real(plane.work[plane.W + i]) * shared.prB[i];
    const LogFugacity<Real> lnf(shared, a, b, plane.T, plane.P);
    TrialPhase<Real> phase = {0.0, 0.0, 0.0};
    Real mean = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < plane.ns; ++i) {
        const Real g = plane.work[plane.R + i], y = plane.work[plane.Y + i];
        const Real lnphi = lnf(shared.prB[i], plane.u[i] * g);
        const Real d = plane.work[plane.D + i], w = plane.work[plane.W + i];
        const Real r = select(plane.X[i] > 0.0, d - lnphi - y, 0.0);
        const Real z = (y - lnSum) - (d - plane.lnphiOfFeed(i));
        plane.work[plane.R + i] = r;
        mean = mean + w * r;
        phase.residual = phase.residual + w * r * r;
        phase.apart = phase.apart + w * z * z;
    }
    phase.distance = -mean - lnSum;
    return phase;
}

// The next y: an accelerated step from the last two residuals where both trials are good; else one
// step of substitution, or a part of it. Returns which points took the accelerated step.
template <class Real, class Plane>
BRIDGE_FN Mask<Real> nextTrial(Plane& plane, const Mask<Real>& known, const Mask<Real>& worse,
                               const Real& factor) {
    const int Y = plane.Y, R = plane.R, YLAST = plane.YLAST, RLAST = plane.RLAST;
    auto& work = plane.work;
    Real cross = 0.0, square = 0.0, longest = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < plane.ns; ++i) {
        const Real r = work[R + i], change = r - Real(work[RLAST + i]);
        const Real weighted = Real(work[plane.W + i]) * change;
        cross = cross + weighted * r;
        square = square + weighted * change;
    }
    const Real share = select(square > 0.0, cross / square, 0.0);
    const auto step = [&](int i) BRIDGE_LAMBDA {
        const Real r = work[R + i], moved = Real(work[Y + i]) - Real(work[YLAST + i]);
        return Real(r - share * (moved + (r - Real(work[RLAST + i]))));
    };
    BRIDGE_ROLLED
    for (int i = 0; i < plane.ns; ++i) longest = max(longest, fabs(step(i)));
    const Mask<Real> accelerated = known & (!worse) & (longest < 5.0);
    BRIDGE_ROLLED
    for (int i = 0; i < plane.ns; ++i) {
        const Real y = work[Y + i], r = work[R + i], next = y + step(i);
        const Real from = select(worse, Real(work[YLAST + i]), y);
        const Real along = select(worse, Real(work[RLAST + i]), r);
        work[Y + i] = select(accelerated, next, from + factor * along);
        work[YLAST + i] = from;
        work[RLAST + i] = along;
    }
    return accelerated;
}

}  // namespace BRIDGE_NAMESPACE
