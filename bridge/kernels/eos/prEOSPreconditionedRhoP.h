// Density derivative of the preconditioned Jacobian; with Vp = c it is rho_p. docs/physics.md,
// section 8. Source: Venkateswaran and Merkle 1999.
//
// In   rho, rho_T, h_p, h_T, c m/s, velocity (3) m/s, Vref m/s
// Out  r_p kg/(m3 Pa)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InU>
BRIDGE_FN void prEOSPreconditionedRhoP(const Shared&, const Real& rho, const Real& rho_T,
                                       const Real& h_p, const Real& h_T, const Real& c,
                                       const InU& velocity, const Real& Vref, Real& r_p) {
    const Real ux = velocity[0], uy = velocity[1], uz = velocity[2];
    const Real speed = sqrt(ux * ux + uy * uy + uz * uz);
    const Real Vp = at_most<Real>(at_least<Real>(speed, Vref), c);
    const Real bounded = select(c == c, Vp, c);  // an unstable point stays NaN
    r_p = 1.0 / (bounded * bounded) - rho_T * (1.0 - rho * h_p) / (rho * h_T);
}

}  // namespace BRIDGE_NAMESPACE
