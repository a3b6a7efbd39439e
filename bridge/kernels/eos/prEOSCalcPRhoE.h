// Pressure derivative by the internal energy of a volume, at constant densities of all species.
// docs/physics.md, section 8.
//
// In   P_T Pa/K, rho kg/m3, cv J/(kg K)
// Out  p_rhoe = dP/d(rho e)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSCalcPRhoE(const Shared&, const Real& P_T, const Real& rho, const Real& cv,
                              Real& p_rhoe) {
    p_rhoe = P_T / (rho * cv);
}

}  // namespace BRIDGE_NAMESPACE
