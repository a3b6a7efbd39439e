// Does a feed split? The search of section 6 for trial phases, each left as soon as it says where it
// goes. docs/physics.md, section 23. Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "feedCurvature.h"
#include "feedEnds.h"
#include "searchEnds.h"
#include "searchSteps.h"

namespace BRIDGE_NAMESPACE {

// lowest: distance of the trial phase that is lowest, if below zero; open: points that are neither
// stable nor have one, because a trial had no end.
template <class Real> struct QuickStability {
    Real lowest;
    Mask<Real> open;
};

// Of the points `sound`, whose feed the search has; Z: the root of the feed; the phase goes to
// `found`. Each point has its own trial phase: it does not wait for others.
template <class Real, class Search, class OutTrial>
BRIDGE_APART QuickStability<Real> quickStability(Search& search, const Mask<Real>& sound,
                                                 const Real& Z, OutTrial& found) {
    const Shared& shared = search.shared;
    const int ns = search.ns;
    Mask<Real> otherRoot;
    const PhaseCurvature<Real> feed = feedCurvature<Real>(search, Z, otherRoot);
    Real share = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) share = share + search.work[search.SHARE + i];
    const Mask<Real> given = share > 0.0;
    Mask<Real> knows = given;
    Mask<Real> active = sound, open = false, fast = false, known = false;
    Bits<Real> number = Bits<Real>(-1), turns = Bits<Real>(0);
    Real before = 1e300, factor = 1.0, residual = 0.0, lowest = 0.0, others = 0.0;
    nextStart<Real>(search, sound & !otherRoot, number);
    while (any(active)) {
        const RatioTrial<Real> trial = search.trial();
        const Mask<Real> worse = !(trial.distance <= before + 1e-13 * (1.0 + fabs(before)));
        const Mask<Real> lower =
            active & (trial.distance < lowest) & (trial.distance < -shared.tpdTolerance);
        if (any(lower)) {
            lowest = select(lower, trial.distance, lowest);
            BRIDGE_ROLLED
            for (int i = 0; i < ns; ++i)
                found[i] = select(lower, search.w(i) * search.inverse, Real(found[i]));
        }
        const Real margin = fabs(trial.distance - others);
        const Mask<Real> minimum = active & (!worse) & (margin > 1e-3) & (trial.apart > 0.3) &
                                   (10.0 * trial.residual < margin) &
                                   (2.0 * trial.residual < residual);
        const Mask<Real> home =
            headsForFeed<Real>(search, feed) | risesFromFeed<Real>(search, feed, trial);
        Mask<Real> ends = minimum | (trial.residual < shared.stabilityTolerance) |
                          (home & (trial.liquid == feed.liquid)) |
                          headsForKnown<Real>(search, knows);
        if (any(minimum & !given)) knowMinimum<Real>(search, minimum & !given);
        knows = knows | minimum;
        turns = turns + Bits<Real>(1);
        const Mask<Real> late = active & (!ends) & (turns == Bits<Real>(40));
        ends = ends | late;
        open = open | (late & (lowest == 0.0));  // it leaves the loop
        active = active & !open;
        residual = trial.residual;
        factor =
            select(worse, select(fast, factor, 0.5 * factor), at_most<Real>(2.0 * factor, 1.0));
        fast = nextRatio<Real>(search, known, worse, factor);
        before = select(worse, before, trial.distance);
        known = !worse;
        const Mask<Real> starts = active & ends;
        if (!any(starts)) continue;
        active = active & !(starts & nextStart<Real>(search, starts, number));
        turns = select(starts, Bits<Real>(0), turns);
        before = select(starts, 1e300, before);
        factor = select(starts, 1.0, factor);
        residual = select(starts, 0.0, residual);
        others = select(starts, lowest, others);
        known = known & !starts;
        fast = fast & !starts;
    }
    return {lowest, open};
}

}  // namespace BRIDGE_NAMESPACE
