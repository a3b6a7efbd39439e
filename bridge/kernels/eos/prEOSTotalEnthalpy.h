// Total enthalpy h0 = h + |velocity|^2/2 and rho h0 (rho h0 - P is the conserved energy).
// docs/physics.md, section 8.
//
// In   h J/kg, rho kg/m3, velocity (3) m/s
// Out  h0 J/kg, rhoh0 J/m3
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InU>
BRIDGE_FN void prEOSTotalEnthalpy(const Shared&, const Real& h, const Real& rho,
                                  const InU& velocity, Real& h0, Real& rhoh0) {
    const Real ux = velocity[0], uy = velocity[1], uz = velocity[2];
    h0 = h + 0.5 * (ux * ux + uy * uy + uz * uz);
    rhoh0 = rho * h0;
}

}  // namespace BRIDGE_NAMESPACE
