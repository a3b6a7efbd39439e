// Vapour and liquid in equilibrium at given T, P and feed, where the feed splits. docs/physics.md,
// section 23. Sources: Michelsen 1982; Anderson 1965.
//
// From the trial phase of the test of stability. Where a phase that is found is itself unstable, two
// more attempts put its trial phase in the place of either. The phase of larger v/b is the vapour;
// so is a feed of v/b above that of the critical point.
//
// In   X (ns), T K, P Pa, u_i (ns), lnphi_i (ns) and v_pr, b m3/mol of the feed, status
// Out  vapour_fraction, x_i, y_i (ns), flash_work (15 ns), flash_iterations, status with TWO_PHASE,
//      NO_CONV, and STABILITY_OPEN where the test had no end, or a further phase would form
#pragma once
#include "../point.h"
#include "findSplit.h"
#include "splitOfFeed.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InU, class InF, class OutX, class OutY, class OutW>
BRIDGE_FN void prEOSFlash(const Shared& shared, const InX& X, const Real& T, const Real& P,
                          const InU& u_i, const InF& lnphi_i, const Real& v_pr, const Real& b,
                          const Bits<Real>& status, Real& vapour_fraction, OutX& x_i, OutY& y_i,
                          OutW& flash_work, Bits<Real>& flash_iterations, Bits<Real>& status_out) {
    const int ns = ofTheRun(species(shared));
    const Mask<Real> fatal = has_any<Real>(status, FATAL);
    const int other = 14 * ns;  // a phase that would form
    ColumnsFrom<OutW> search = {flash_work, 0}, lnphi = {flash_work, 9 * ns},
                      trial = {flash_work, other};
    BRIDGE_ROLLED
    for (int i = 7 * ns; i < 9 * ns; ++i) flash_work[i] = 0.0;  // the test knows no minimum
    const Real pressure = P / (shared.R * T);
    const LowestDistance<Real> feed =
        splitOfFeed<Real>(shared, X, T, P, u_i, lnphi_i, v_pr * pressure, !fatal, trial, search);
    const Mask<Real> splits = feed.lowest < -shared.tpdTolerance;
    const Real one = select(v_pr > cubicConstants(shared).bulk * b, Real(1.0), Real(0.0));
    vapour_fraction = select(fatal, Real(BRIDGE_NAN), one);
    flash_iterations = Bits<Real>(0);
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        x_i[i] = X[i];
        y_i[i] = X[i];
    }
    PhaseSplit<Real, InX, InU, InF, OutW> split = {shared, X, u_i, lnphi_i, flash_work, T, P, ns};
    Mask<Real> open = splits, known = false;
    Real lowest = 1e-12;  // of the feed, but for rounding
    BRIDGE_ROLLED
    for (int attempt = 0; attempt < 3 && any(open); ++attempt) {
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real w = at_least<Real>(Real(flash_work[other + i]), 1e-300);
            const Real beside = attempt == 2 ? Real(y_i[i]) : Real(x_i[i]);
            const Mask<Real> there = open & (X[i] > 0.0);
            const Real lnK = log(select(there, w / at_least<Real>(beside, 1e-300), 1.0));
            flash_work[split.LNK + i] =
                attempt == 0 ? select(there, lnK - feed.lowest, 0.0) : (attempt == 2 ? -lnK : lnK);
        }
        const Mask<Real> found = findSplit<Real>(split, open, flash_iterations);
        const Mask<Real> better = found & (split.gibbs < lowest);
        known = known | better;
        if (!any(better)) continue;
        lowest = select(better, split.gibbs, lowest);
        const Mask<Real> turned = split.bulkLiquid > split.bulkVapour;
        const Real vapour = select(turned == split.liquidLess, split.lesser, 1.0 - split.lesser);
        vapour_fraction = select(better, vapour, vapour_fraction);
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real x = flash_work[split.W + i], y = flash_work[split.W + ns + i];
            x_i[i] = select(better, select(turned, y, x), Real(x_i[i]));
            y_i[i] = select(better, select(turned, x, y), Real(y_i[i]));
            flash_work[split.W + i] = x_i[i];
            // the test of the liquid knows one, the vapour
            const Real lnK = flash_work[split.LNK + i];
            flash_work[7 * ns + i] = select(turned, -lnK, lnK);
            flash_work[8 * ns + i] = y_i[i];
        }
        const LogFugacity<Real> lnf = split.fugacity(split.W);
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i)
            lnphi[i] = lnf(shared.prB[i], u_i[i] * Real(flash_work[split.G + i])) +
                       lnphiOfShift<Real>(shared, i, T, P);
        ColumnsFrom<OutW> next = {flash_work, 12 * ns};
        const LowestDistance<Real> liquid =
            splitOfFeed<Real>(shared, x_i, T, P, u_i, lnphi, lnf.Z, better, next, search);
        const Mask<Real> unstable = liquid.lowest < -shared.tpdTolerance;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) trial[i] = select(better, Real(next[i]), Real(trial[i]));
        open = open & !(better & !unstable);
    }
    status_out = status | flag<Real>(splits, TWO_PHASE) | flag<Real>(splits & !known, NO_CONV) |
                 flag<Real>((known & open) | (feed.open & !splits), STABILITY_OPEN);
    const Real none = select(fatal, Real(BRIDGE_NAN), 0.0);  // what is left there means nothing
    BRIDGE_ROLLED
    for (int i = 0; i < 15 * ns; ++i) flash_work[i] = none;
}

}  // namespace BRIDGE_NAMESPACE
