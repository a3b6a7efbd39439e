// Which feeds split, and into what. docs/physics.md, section 23. Sources: Michelsen 1982; Anderson
// 1965.
//
// Up to three attempts, the first from the trial phase of the test of the feed. Where the liquid of
// what is found is itself unstable, its trial phase is put in the place of either.
#pragma once
#include "../point.h"
#include "twoPhases.h"

namespace BRIDGE_NAMESPACE {

// Of the points `alive`; had: those of them that have ln K of two phases in the work. Turns: -1, an
// attempt from these; 0, a test of the feed; then attempts. Each attempt has a test of its liquid; the
// code has one test. The feed of a point that has no ln K is tested in the first turn, that of one
// whose liquid is unstable in the next. v, b: molar volume and covolume of the feed.
template <class Real, class Phases>
BRIDGE_APART void findPhases(Phases& phases, int first, const Mask<Real>& alive,
                             const Mask<Real>& had, const Real& v, const Real& b) {
    Mask<Real> tested = alive, fresh = alive;
    Real tpd = 0.0;
    phases.feed(Mask<Real>(true), v, b);
    phases.open = had;
    phases.lowest = -phases.shared.tpdTolerance;  // so low that the test of the feed finds it too
    BRIDGE_ROLLED
    for (int turn = first; turn < 4; ++turn) {
        Mask<Real> better = false;
        if (turn > 0) phases.begin(turn - 1, tpd);
        if (turn != 0) better = phases.attempt();
        if (turn <= 0) {
            fresh = (turn < 0 || first == 0) ? alive & !better : fresh;
            phases.feed(fresh, v, b);
        }
        tested = turn > 0 ? better : (turn < 0 ? alive : fresh);
        if (any(tested)) {
            const LowestDistance<Real> found = phases.test(tested);
            const Mask<Real> unstable = tested & (found.lowest < -phases.shared.tpdTolerance);
            if (turn > 0) {
                phases.open = phases.open & !(tested & !unstable);
            } else {
                phases.open = select(fresh, unstable, turn < 0 ? Mask<Real>(false) : phases.open);
                phases.undecided = select(fresh, found.open, phases.undecided);
                tpd = select(fresh, found.lowest, tpd);
                phases.splits = phases.splits | (fresh & unstable);
                fresh = better & unstable;
                phases.splits = phases.splits | (better & !unstable);
            }
        }
        if (turn >= 0 && !any(phases.open)) break;
    }
}

}  // namespace BRIDGE_NAMESPACE
