// Distance from the target enthalpy and the Newton step that would close it. docs/physics.md,
// section 9.
//
// In   h_target, h J/kg, cp J/(kg K)
// Out  h_residual J/kg, dT K
#pragma once
#include "../point.h"
#include "bracketedNewton.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSEnthalpyResidual(const Shared&, const Real& h_target, const Real& h,
                                     const Real& cp, Real& h_residual, Real& dT) {
    const Real f = h - h_target;
    h_residual = f;
    dT = newtonStep<Real>(f, cp);
}

}  // namespace BRIDGE_NAMESPACE
