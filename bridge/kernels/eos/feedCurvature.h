// What the test of stability takes of the feed before its first trial phase. docs/physics.md, sections
// 6 and 23. Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "phaseCurvature.h"
#include "ratioSearch.h"

namespace BRIDGE_NAMESPACE {

// Fills WILSON and PURE, and Q of a feed that has another root than its own, Z, with that of the feed
// there. Returns how the feed bends.
template <class Real, class Search>
BRIDGE_FN PhaseCurvature<Real> feedCurvature(Search& search, const Real& Z,
                                             Mask<Real>& otherRoot) {
    const Shared& shared = search.shared;
    auto& work = search.work;
    const Real &T = search.T, &P = search.P, &invRT = search.invRT;
    const auto x = [&](int i) BRIDGE_LAMBDA { return Real(search.X[i]); };
    Real sum = 0.0, a = 0.0, b = 0.0, Zmax, Zmin;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        sum = sum + x(i) * search.u[i];
        b = b + x(i) * shared.prB[i];
    }
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        const Real g = search.attraction(i, sum, x);
        a = a + x(i) * search.u[i] * g;
        work[search.K + i] = g;
        work[search.PURE + i] = -log(at_least<Real>(x(i), 1e-300)) - shared.lnTraceOfPure;
        work[search.WILSON + i] =
            log(shared.Pc[i] / P) + 5.373 * (1.0 + shared.omega[i]) * (1.0 - shared.Tc[i] / T);
    }
    Bits<Real> roots;
    prEOSSolveCubic<Real>(shared, a * P * invRT * invRT, b * P * invRT, Zmax, Zmin, roots);
    otherRoot = roots == Bits<Real>(3);
    if (any(otherRoot)) {
        const LogFugacity<Real> lnf(shared, a, b, T, P, select(Zmax - Z > Z - Zmin, Zmax, Zmin));
        BRIDGE_ROLLED
        for (int i = 0; i < search.ns; ++i)
            work[search.Q + i] =
                search.lnphiOfFeed(i) - lnf(shared.prB[i], search.u[i] * search.k(i));
    }
    return PhaseCurvature<Real>(shared, a, b, Z, T, P);
}

}  // namespace BRIDGE_NAMESPACE
