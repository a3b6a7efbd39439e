// Distance from the target enthalpy and the Newton step that would close it. docs/physics.md,
// section 9.
//
// Where cp is no slope to go by (not positive, not finite) the step is made huge, so that the
// search halves its bracket instead.
//
// In   h_target, h J/kg, cp J/(kg K)
// Out  h_residual J/kg, dT K
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSEnthalpyResidual(const Shared&, const Real& h_target, const Real& h,
                                     const Real& cp, Real& h_residual, Real& dT) {
    const Real f = h - h_target;
    h_residual = f;
    const Real step =
        select(isfinite(cp) & (cp > 0.0), f / cp, select(f < 0.0, Real(-1e300), Real(1e300)));
    dT = select(f == 0.0, 0.0, step);
}

}  // namespace BRIDGE_NAMESPACE
