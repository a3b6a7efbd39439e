// Reduced temperature and collision integral of viscosity. docs/physics.md, section 11. Source:
// Neufeld, Janzen and Aziz 1972. The sine term is off unless omega22G is given.
//
// In   T K, eps_m K, status
// Out  Tstar (floored), Omega22, status with TRANSPORT_CLAMP
#pragma once
#include "../point.h"
#include "../eos/status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void chungCollisionIntegral(const Shared& shared, const Real& T, const Real& eps_m,
                                      const Bits<Real>& status, Real& Tstar, Real& Omega22,
                                      Bits<Real>& status_out) {
    const double* c = shared.omega22;  // A B C D E F; D and F times log2(e)
    const Real raw = T / eps_m;
    Tstar = at_least<Real>(raw, shared.tStarMin);
    status_out = status | flag<Real>(raw < shared.tStarMin, TRANSPORT_CLAMP);
    const Real lnT = log(Tstar);
    Omega22 = c[0] * exp(-c[1] * lnT) + c[2] * exp2OfNegative(-c[3] * Tstar) +
              c[4] * exp2OfNegative(-c[5] * Tstar);
    if (shared.omega22G != 0.0) {
        const double* s = shared.omega22Sine;  // S W P
        const Real angle = s[0] * exp(s[1] * lnT) - s[2];
        Omega22 =
            Omega22 + shared.omega22G * exp(c[1] * lnT) * sinpi(angle * 0.31830988618379067154);
    }
}

}  // namespace BRIDGE_NAMESPACE
