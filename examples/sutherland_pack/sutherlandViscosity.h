// Viscosity of a dilute gas by Sutherland's law. Source: Sutherland 1893.
//
// In   T K, and the constants mu0 Pa s, T0 K, S K
// Out  mu_gas Pa s
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void sutherlandViscosity(const Shared&, const Real& T, const Real& mu0, const Real& T0,
                                   const Real& S, Real& mu_gas) {
    const Real t = T / T0;
    mu_gas = mu0 * t * sqrt(t) * (T0 + S) / (T + S);
}

}  // namespace BRIDGE_NAMESPACE
