// The search for the lowest stationary distance from the tangent plane of a feed, by successive
// substitution from several trial phases, accelerated. docs/physics.md, section 6. Source: Michelsen
// 1982.
//
// A step that raises the distance is taken back and halved, so that each one that counts lowers it.
// A search that ends at the feed has found nothing. The trial phase has the root of lowest Gibbs
// energy, whatever root the feed has: on a metastable one it is unstable.
#pragma once
#include "../point.h"
#include "trialPhase.h"

namespace BRIDGE_NAMESPACE {

// lowest: of what was found, else infinity; open: a search had no end.
template <class Real> struct LowestDistance {
    Real lowest;
    Mask<Real> open;
};

// Of the points `sound`, whose feed the plane has; trial_i is the trial phase of the lowest one, else
// the feed.
template <class Real, class Plane, class OutTrial>
BRIDGE_APART LowestDistance<Real> lowestDistance(Plane& plane, const Mask<Real>& sound,
                                                 OutTrial& trial_i) {
    const Shared& shared = plane.shared;
    const int ns = plane.ns;
    Real lowest = BRIDGE_INFINITY;
    Mask<Real> open = false;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) trial_i[i] = plane.X[i];
    // the trial phase as it is, where it has the lowest distance so far
    const auto keep = [&](const Mask<Real>& ended, const Real& value) BRIDGE_LAMBDA {
        const Mask<Real> lower = ended & (value < lowest);
        if (!any(lower)) return;
        lowest = select(lower, value, lowest);
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i)
            trial_i[i] = select(lower, Real(plane.work[plane.W + i]), Real(trial_i[i]));
    };
    BRIDGE_ROLLED
    for (int trial = 0; trial < ns + 3; ++trial) {
        const int pure = trial < 3 ? 0 : trial - 3;
        const Mask<Real> tried = trial < 3 ? sound : sound & (plane.X[pure] > 0.0);
        if (!any(tried)) continue;
        plane.start(trial);
        Mask<Real> active = tried, fast = false, known = false, feed = false;
        Real value = 0.0, before = 1e300, factor = 1.0;
        BRIDGE_ROLLED
        for (int turn = 0; turn < shared.stabilityLimit && any(active); ++turn) {
            const TrialPhase<Real> phase = trialPhase<Real>(plane);
            const Mask<Real> worse = !(phase.distance <= before + 1e-13 * (1.0 + fabs(before)));
            const Mask<Real> near = phase.apart < shared.feedDistance;
            value = select(active, phase.distance, value);
            feed = select(active, near & (phase.distance >= -shared.tpdTolerance), feed);
            const Mask<Real> ends = active & (near | (phase.residual < shared.stabilityTolerance));
            keep(ends & !feed, value);
            active = active & !ends;
            if (!any(active)) break;
            factor = select(worse, select(fast, factor, 0.5 * factor),
                            at_most<Real>(2.0 * factor, 1.0));
            fast = nextTrial<Real>(plane, known, worse, factor);
            before = select(worse, before, phase.distance);
            known = !worse;
        }
        open = open | active;
        keep(active & !feed, value);
    }
    return {lowest, open};
}

}  // namespace BRIDGE_NAMESPACE
