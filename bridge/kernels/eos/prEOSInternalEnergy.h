// Internal energy u = h - P/rho. docs/physics.md, section 7.
//
// In   h J/kg, P Pa, rho kg/m3
// Out  u J/kg
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSInternalEnergy(const Shared&, const Real& h, const Real& P, const Real& rho,
                                   Real& u) {
    u = h - P / rho;
}

}  // namespace BRIDGE_NAMESPACE
