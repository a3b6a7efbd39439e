// Molar volume v = Z R T/P and density W/v. docs/physics.md, section 6.
//
// In   Z, T K, P Pa, W kg/mol
// Out  v m3/mol, rho kg/m3
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSDensity(const Shared& shared, const Real& Z, const Real& T, const Real& P,
                            const Real& W, Real& v, Real& rho) {
    v = Z * (shared.R * T) / P;
    rho = W / v;
}

}  // namespace BRIDGE_NAMESPACE
