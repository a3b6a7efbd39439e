// Coefficients of the dense-fluid corrections, linear in (omega, mr4, kappa), and the factor Fc.
// docs/physics.md, section 11. Source: Chung, Ajlan, Lee and Starling 1988.
//
// PUBLISHED uses the mixture's arguments as they are; its denominators vanish on surfaces in
// composition space. BOUNDED keeps omega in a range where they do not and drops the polar and
// association arguments; Fc always keeps all three.
//
// In   omega_m, mr4, kappa_m
// Out  E (10), B_chung (7), Fc
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN Real chungLinear(const double* row, const Real& omega, const Real& mr4,
                           const Real& kappa) {
    return row[0] + row[1] * omega + row[2] * mr4 + row[3] * kappa;
}

template <class Real, class OutE, class OutB>
BRIDGE_FN void chungDenseCoefficients(const Shared& shared, const Real& omega_m, const Real& mr4,
                                      const Real& kappa_m, OutE& E, OutB& B_chung, Real& Fc) {
    const double *e = shared.chungE, *b = shared.chungB;  // rows of 4
    if (shared.chungDense) {
        const Real omegaE = clamp<Real>(omega_m, shared.omegaViscLow, shared.omegaViscHigh);
        const Real omegaB = clamp<Real>(omega_m, shared.omegaCondLow, shared.omegaCondHigh);
        for (int i = 0; i < 10; ++i) E[i] = e[4 * i] + e[4 * i + 1] * omegaE;
        for (int i = 0; i < 7; ++i) B_chung[i] = b[4 * i] + b[4 * i + 1] * omegaB;
    } else {
        for (int i = 0; i < 10; ++i) E[i] = chungLinear<Real>(e + 4 * i, omega_m, mr4, kappa_m);
        for (int i = 0; i < 7; ++i) {
            B_chung[i] = chungLinear<Real>(b + 4 * i, omega_m, mr4, kappa_m);
        }
    }
    Fc = chungLinear<Real>(shared.chungFc, omega_m, mr4, kappa_m);
}

}  // namespace BRIDGE_NAMESPACE
