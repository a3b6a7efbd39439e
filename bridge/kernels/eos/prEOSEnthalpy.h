// Enthalpy: ideal gas plus departure P v - R T + K (T a' - a). docs/physics.md, section 7.
//
// In   h_ideal J/mol, P, v, T, a, a_T, K, W
// Out  h J/kg
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSEnthalpy(const Shared& shared, const Real& h_ideal, const Real& P,
                             const Real& v, const Real& T, const Real& a, const Real& a_T,
                             const Real& K, const Real& W, Real& h) {
    h = (h_ideal + (P * v - shared.R * T) + K * (T * a_T - a)) / W;
}

}  // namespace BRIDGE_NAMESPACE
