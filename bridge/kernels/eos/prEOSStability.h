// Is the mixture stable as one phase? The lowest stationary distance from its tangent plane.
// docs/physics.md, section 6. Source: Michelsen 1982.
//
// In   X (ns), T K, P Pa, u_i (ns), lnphi_i (ns) of the feed, status
// Out  tpd, trial_i (ns) where it is lowest, stability_work (6 ns), status with TWO_PHASE, STABILITY_OPEN
#pragma once
#include "../point.h"
#include "lowestDistance.h"
#include "status.h"

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
    const LowestDistance<Real> found = lowestDistance<Real>(plane, sound, trial_i);
    const Real lowest = found.lowest;
    // what is left in the work means nothing
    const Real none = select(sound, 0.0, Real(BRIDGE_NAN));
    BRIDGE_ROLLED
    for (int i = 0; i < 6 * ns; ++i) stability_work[i] = none;
    const Mask<Real> splits = sound & (lowest < -shared.tpdTolerance);
    const Mask<Real> fatal = (status & Bits<Real>(FATAL)) != Bits<Real>(0);
    tpd = select(sound, select(lowest == BRIDGE_INFINITY, 0.0, lowest), none);
    status_out = status | flag<Real>(splits, TWO_PHASE) |
                 flag<Real>((!fatal) & (!splits) & (found.open | !sound), STABILITY_OPEN);
}

}  // namespace BRIDGE_NAMESPACE
