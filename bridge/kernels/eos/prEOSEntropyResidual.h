// Distance from the target entropy, as heat at T, and the Newton step that would close it.
// docs/physics.md, section 9.
//
// In   s_target, s J/(kg K), cp J/(kg K), T K
// Out  h_residual = T (s - s_target) J/kg, dT K
#pragma once
#include "../point.h"
#include "bracketedNewton.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSEntropyResidual(const Shared&, const Real& s_target, const Real& s,
                                    const Real& cp, const Real& T, Real& h_residual, Real& dT) {
    const Real f = T * (s - s_target);
    h_residual = f;
    dT = newtonStep<Real>(f, cp);
}

}  // namespace BRIDGE_NAMESPACE
