// Density derivatives rho_p = (drho/dP)_T and rho_T = (drho/dT)_P. docs/physics.md, section 8.
//
// In   P_v, P_T, v, W
// Out  rho_p kg/(m3 Pa), rho_T kg/(m3 K)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSCalcRhoPRhoT(const Shared&, const Real& P_v, const Real& P_T, const Real& v,
                                 const Real& W, Real& rho_p, Real& rho_T) {
    rho_p = -W / (v * v * P_v);
    rho_T = -rho_p * P_T;
}

}  // namespace BRIDGE_NAMESPACE
