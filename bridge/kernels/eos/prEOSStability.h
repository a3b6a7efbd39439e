// Is the mixture stable as one phase? The lowest stationary distance from its tangent plane, by
// successive substitution from several trial phases, accelerated. docs/physics.md, section 6.
// Source: Michelsen 1982.
//
// A step that raises the distance is taken back and halved, so that each one that counts lowers it.
// A search that ends at the feed has found nothing. The trial phase has the root of lowest Gibbs
// energy, whatever root the feed has: on a metastable one it is unstable.
//
// In   X (ns), T K, P Pa, u_i (ns), lnphi_i (ns) of the feed, status
// Out  tpd, trial_i (ns) where it is lowest, stability_work (6 ns), status with TWO_PHASE, STABILITY_OPEN
#pragma once
#include "../point.h"
#include "status.h"
#include "trialPhase.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InU, class InF, class OutTrial, class OutW>
BRIDGE_FN void prEOSStability(const Shared& shared, const InX& X, const Real& T, const Real& P,
                              const InU& u_i, const InF& lnphi_i, const Bits<Real>& status,
                              Real& tpd, OutTrial& trial_i, OutW& stability_work,
                              Bits<Real>& status_out) {
    const int ns = ofTheRun(species(shared));
    TangentPlane<Real, InX, InU, InF, OutW> plane = {shared,         X, u_i, lnphi_i,
                                                     stability_work, T, P,   ns};
    const Mask<Real> sound = plane.feed();
    Real lowest = BRIDGE_INFINITY;
    Mask<Real> open = false;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) trial_i[i] = X[i];
    // the trial phase as it is, where it has the lowest distance so far
    const auto keep = [&](const Mask<Real>& ended, const Real& value) BRIDGE_LAMBDA {
        const Mask<Real> lower = ended & (value < lowest);
        if (!any(lower)) return;
        lowest = select(lower, value, lowest);
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i)
            trial_i[i] = select(lower, Real(stability_work[plane.W + i]), Real(trial_i[i]));
    };
    BRIDGE_ROLLED
    for (int trial = 0; trial < ns + 3; ++trial) {
        const int pure = trial < 3 ? 0 : trial - 3;
        const Mask<Real> tried = trial < 3 ? sound : sound & (X[pure] > 0.0);
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
    // what is left in the work means nothing
    const Real none = select(sound, 0.0, Real(BRIDGE_NAN));
    BRIDGE_ROLLED
    for (int i = 0; i < 6 * ns; ++i) stability_work[i] = none;
    const Mask<Real> splits = sound & (lowest < -shared.tpdTolerance);
    const Mask<Real> fatal = (status & Bits<Real>(FATAL)) != Bits<Real>(0);
    tpd = select(sound, select(lowest == BRIDGE_INFINITY, 0.0, lowest), none);
    status_out = status | flag<Real>(splits, TWO_PHASE) |
                 flag<Real>((!fatal) & (!splits) & (open | !sound), STABILITY_OPEN);
}

}  // namespace BRIDGE_NAMESPACE
