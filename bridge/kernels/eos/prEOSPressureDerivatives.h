// dP/dv at constant T and dP/dT at constant v; flags a point whose density is ill-conditioned: P
// kappaT > 1e4, with P of the equation of state at (T, v), or no finite dP/dv, as where v - b is
// lost in rounding. v is the volume of the root, without its shift. docs/physics.md, section 7.
//
// In   T K, v_pr, a, a_T, b, D, status
// Out  P_v Pa mol/m3, P_T Pa/K, status with NEAR_CRITICAL
#pragma once
#include "../point.h"
#include "cubic.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSPressureDerivatives(const Shared& shared, const Real& T, const Real& v_pr,
                                        const Real& a, const Real& a_T, const Real& b,
                                        const Real& D, const Bits<Real>& status, Real& P_v,
                                        Real& P_T, Bits<Real>& status_out) {
    const Real invFree = 1.0 / (v_pr - b), invD = 1.0 / D;
    const Real repulsion = shared.R * invFree;
    P_v = 2.0 * a * cubicConstants(shared).halfDv<Real>(v_pr, b) * invD * invD -
          repulsion * T * invFree;
    P_T = repulsion - a_T * invD;
    // P kappaT = P/(-v_pr P_v) without the division: P_v may be zero.
    const Real P = repulsion * T - a * invD;
    const Mask<Real> ill = (P > shared.nearCritical * v_pr * fabs(P_v)) | (!isfinite(P_v));
    status_out = status | flag<Real>(ill & (!has_any<Real>(status, FATAL)), NEAR_CRITICAL);
}

}  // namespace BRIDGE_NAMESPACE
