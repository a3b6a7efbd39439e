// Heat-capacity factor of the conductivity, from the ideal-gas heat capacity; 1 for a monatomic
// gas. docs/physics.md, section 11. Source: Chung, Lee and Starling 1984.
//
// In   T K, Tcm_chung K, omega_m, cv_ideal J/(mol K)
// Out  psi
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void chungPsi(const Shared& shared, const Real& T, const Real& Tcm_chung,
                        const Real& omega_m, const Real& cv_ideal, Real& psi) {
    const double* c = shared.chungPsi;  // alpha0; beta 3; z 2; numerator 4; denominator 2
    const Real Tr = T / Tcm_chung;
    const Real alpha = cv_ideal / shared.R - c[0];
    const Real beta = c[1] + omega_m * (c[2] + omega_m * c[3]);
    const Real Zt = c[4] + c[5] * Tr * Tr;
    psi = 1.0 + alpha * (c[6] + c[7] * alpha + c[8] * beta + c[9] * Zt) /
                    (c[10] + beta * Zt + c[11] * alpha * beta);
}

}  // namespace BRIDGE_NAMESPACE
