// A feed as one phase or two: attempts at a split, tests of what is found. docs/physics.md, section
// 23. Sources: Michelsen 1982; Anderson 1965. The phase of larger v/b is the vapour; so is a feed of
// v/b above that of the critical point.
#pragma once
#include "../point.h"
#include "findSplit.h"
#include "splitOfFeed.h"

namespace BRIDGE_NAMESPACE {

// Columns of the work: those of PhaseSplit in a search; in a test those of RatioSearch, at LNPHI the
// fugacity coefficients of what is tested, x, at NEXT a phase that would form; at TRIAL the last one.
template <class Real, class InX, class InU, class InF, class OutX, class OutY, class OutW>
struct TwoPhases {
    const Shared& shared;
    const InX& X;
    const InU& u;
    const InF& lnphi;
    OutX& x;
    OutY& y;
    OutW& work;
    const Real T, P;
    const int ns, KNOWN = 7 * ns, SHARE = 8 * ns, LNPHI = 9 * ns, NEXT = 12 * ns, TRIAL = 14 * ns;
    PhaseSplit<Real, InX, InU, InF, OutW> split = {shared, X, u, lnphi, work, T, P, ns};
    Real Z = 0.0;                                  // of x
    Mask<Real> open = false, known = false;        // goes on; has two phases
    Mask<Real> splits = false, undecided = false;  // the feed
    Real lowest = 1e-12, vapour = 0.0;  // Gibbs energy less that of the feed, but for rounding
    Bits<Real> iterations = Bits<Real>(0);

    // One phase of these points, of molar volume v and covolume b; its test knows no minimum.
    BRIDGE_MEMBER void feed(const Mask<Real>& points, const Real& v, const Real& b) {
        Z = select(points, v * (P / (shared.R * T)), Z);
        vapour = select(points, select(v > cubicConstants(shared).bulk * b, Real(1.0), Real(0.0)),
                        vapour);
        lowest = select(points, 1e-12, lowest);
        known = known & !points;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            x[i] = select(points, Real(X[i]), Real(x[i]));
            y[i] = select(points, Real(X[i]), Real(y[i]));
            work[LNPHI + i] = select(points, Real(lnphi[i]), Real(work[LNPHI + i]));
            work[KNOWN + i] = select(points, 0.0, Real(work[KNOWN + i]));
            work[SHARE + i] = select(points, 0.0, Real(work[SHARE + i]));
        }
    }
    // Of x of these points.
    BRIDGE_MEMBER LowestDistance<Real> test(const Mask<Real>& tested) {
        ColumnsFrom<OutW> own = {work, LNPHI}, next = {work, NEXT}, search = {work, 0};
        const LowestDistance<Real> found =
            splitOfFeed<Real>(shared, x, T, P, u, own, Z, tested, next, search);
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i)
            work[TRIAL + i] = select(tested, Real(next[i]), Real(work[TRIAL + i]));
        return found;
    }
    // The ln K of an attempt, of the points that are open; tpd: of the test of the feed.
    BRIDGE_MEMBER void begin(int attempt, const Real& tpd) {
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real w = at_least<Real>(Real(work[TRIAL + i]), 1e-300);
            const Real beside = attempt == 2 ? Real(y[i]) : Real(x[i]);
            const Mask<Real> there = open & (X[i] > 0.0);
            const Real lnK = log(select(there, w / at_least<Real>(beside, 1e-300), 1.0));
            work[split.LNK + i] =
                attempt == 0 ? select(there, lnK - tpd, 0.0) : (attempt == 2 ? -lnK : lnK);
        }
    }
    // From the ln K that the work has, of the points that are open. Returns which of them have a
    // better split than before, whose liquid has to be tested.
    BRIDGE_MEMBER Mask<Real> attempt() {
        const Mask<Real> found = findSplit<Real>(split, open, iterations);
        const Mask<Real> better = found & (split.gibbs < lowest);
        known = known | better;
        if (!any(better)) return better;
        lowest = select(better, split.gibbs, lowest);
        const Mask<Real> turned = split.bulkLiquid > split.bulkVapour;
        const Real share = select(turned == split.liquidLess, split.lesser, 1.0 - split.lesser);
        vapour = select(better, share, vapour);
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real one = work[split.W + i], two = work[split.W + ns + i];
            const Real lnK = work[split.LNK + i];
            x[i] = select(better, select(turned, two, one), Real(x[i]));
            y[i] = select(better, select(turned, one, two), Real(y[i]));
            work[split.W + i] = x[i];
            work[KNOWN + i] = select(turned, -lnK, lnK);  // the vapour
            work[SHARE + i] = y[i];
        }
        const LogFugacity<Real> lnf = split.fugacity(split.W);
        Z = lnf.Z;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i)
            work[LNPHI + i] = lnf(shared.prB[i], u[i] * Real(work[split.G + i])) +
                              lnphiOfShift<Real>(shared, i, T, P);
        return better;
    }
};

}  // namespace BRIDGE_NAMESPACE
