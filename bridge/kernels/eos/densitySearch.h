// The split of largest entropy at given volume and energy, from a trial phase. docs/physics.md,
// section 26. Source: Michelsen 1999.
#pragma once
#include "../point.h"
#include "densitySplit.h"
#include "densityStep.h"

namespace BRIDGE_NAMESPACE {

// Of the points `active`, from TRIAL, mole fractions of a phase that would form as the vapour, with its
// free volume; returns those that have it, with their state in `split`. First less and less of the trial
// phase, until more of it raises the entropy; then Newton steps, halved where they lower it.
template <class Real, class Split>
BRIDGE_APART Mask<Real> densitySearch(Split& split, int trial, const Real& freeTrial,
                                      const Mask<Real>& begins, const Mask<Real>& cold,
                                      Mask<Real> active, Bits<Real>& iterations) {
    auto& work = split.work;
    const int ns = split.ns;
    const Real room = split.V - split.b;
    Mask<Real> found = false, last = false, starts = begins, first = !begins;
    Real most = at_most<Real>(room / freeTrial, 1.0), factor = 1.0;
    Real reach = 2.0;  // the longest step
    Real phiLast = 0.0, pLast = 0.0, volumeLast = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real w = work[trial + i];
        most = select(w > 0.0, at_most<Real>(Real(split.X[i]) / w, most), most);
    }
    const Real part = select(cold, 0.8, 0.5);
    Real amount = select(cold, 0.98, 0.5) * most;
    const auto begin = [&](const Mask<Real>& which) BRIDGE_LAMBDA {
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real x = split.X[i], w = amount * Real(work[trial + i]);
            const Mask<Real> there = which & (w > 0.0);
            const Real theta = log(select(there, w / (x - w), 1.0));
            work[split.THETA + i] =
                select(which, select(there, theta, -600.0), Real(work[split.THETA + i]));
        }
        const Real taken = amount * freeTrial;
        split.phi = select(which, log(select(which, taken / (room - taken), 1.0)), split.phi);
    };
    begin(active & starts);
    BRIDGE_ROLLED
    for (int turn = 0; turn < split.shared.flashLimit && any(active); ++turn) {
        split.state(active);
        iterations = iterations + flag<Real>(active, 1);
        found = found | (active & last);
        active = active & !last;
        if (!any(active)) break;
        // what the entropy has gained since the last step, or along the trial phase
        Real gain = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real now = split.share(i, Real(work[split.THETA + i]));
            const Real before = split.share(i, Real(work[split.LAST + i]));
            const Real g = work[split.G + i], both = 0.5 * (g + Real(work[split.GLAST + i]));
            gain = gain - select(starts, now * g, (now - before) * both);
        }
        const Real volume = split.volume();
        gain = gain +
               select(starts, volume * split.p, 0.5 * (volume - volumeLast) * (split.p + pLast));
        const Mask<Real> worse = (!(gain >= select(starts, Real(0.0), Real(-1e-13)))) & !first;
        first = false;
        const Mask<Real> less = active & worse & starts, taken = active & !worse;
        if (any(less)) {
            // so little of it that no T has the energy: one less was better
            const Mask<Real> under = less & cold & has_any<Real>(split.bits, H_BELOW);
            amount = select(less, select(under, amount / part, part * amount), amount);
            first = first | under;
            begin(less);
        }
        Mask<Real> bent = false;
        const Real longest = densityStep<Real>(split, taken, bent);
        const Real all = at_most<Real>(reach / at_least<Real>(longest, 1e-300), 1.0);
        reach = select(taken, at_most<Real>(2.0 * reach, 64.0), at_least<Real>(0.5 * reach, 2.0));
        factor = select(taken, all, 0.5 * factor);
        last = taken & (!bent) & (longest < 1e-7);
        starts = starts & !taken;
        const Mask<Real> moves = active & !less;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real theta = work[split.THETA + i];
            const Real from = select(taken, theta, Real(work[split.LAST + i]));
            work[split.LAST + i] = from;
            work[split.GLAST + i] =
                select(taken, Real(work[split.G + i]), Real(work[split.GLAST + i]));
            work[split.THETA + i] =
                select(moves, from + factor * Real(work[split.STEP + i]), theta);
        }
        phiLast = select(taken, split.phi, phiLast);
        pLast = select(taken, split.p, pLast);
        volumeLast = select(taken, volume, volumeLast);
        split.phi = select(moves, phiLast + factor * split.step, split.phi);
    }
    return found;
}

}  // namespace BRIDGE_NAMESPACE
