// Equal fugacities of both phases of a split, by substitution from the ln K that its work has.
// docs/physics.md, section 23. Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "nextRatios.h"
#include "phaseSplit.h"

namespace BRIDGE_NAMESPACE {

// Of the points `active`; returns those that have them, with their state in `split`. A step that
// raises the Gibbs energy is taken back.
template <class Real, class Split>
BRIDGE_APART Mask<Real> findSplit(Split& split, Mask<Real> active, Bits<Real>& iterations) {
    const Shared& shared = split.shared;
    Mask<Real> fast = false, found = false;
    Real before = 1e300, factor = 0.5;
    BRIDGE_ROLLED
    for (int i = split.ns; i < split.W; ++i) split.work[i] = 0.0;
    BRIDGE_ROLLED
    for (int turn = 0; turn < shared.flashLimit && any(active); ++turn) {
        split.amounts(active);
        split.compare(active);
        iterations = iterations + flag<Real>(active, 1);
        const Mask<Real> worse = !(split.gibbs <= before + 1e-13 * (1.0 + fabs(before)));
        const Mask<Real> ends =
            active & (!worse) & (split.lesser > 0.0) & (split.residual < shared.flashTolerance);
        found = found | ends;
        active = active & !ends;
        if (!any(active)) break;
        // where substitution leaves the feed slowly, longer steps do not
        const Real most = select(split.residual < 0.1, 64.0, 1.0);
        const Real longer = at_most<Real>(2.0 * factor, most);
        factor = select(worse, select(fast, factor, 0.5 * factor), select(fast, 1.0, longer));
        fast = nextRatios<Real>(split, turn, worse, factor);
        before = select(worse, before, split.gibbs);
    }
    return found;
}

}  // namespace BRIDGE_NAMESPACE
