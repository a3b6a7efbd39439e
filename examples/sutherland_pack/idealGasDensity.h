// Density of an ideal gas.
//
// In   T K, P Pa, W kg/mol
// Out  rho_gas kg/m3
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void idealGasDensity(const Shared& shared, const Real& T, const Real& P, const Real& W,
                               Real& rho_gas) {
    rho_gas = P * W / (shared.R * T);
}

}  // namespace BRIDGE_NAMESPACE
