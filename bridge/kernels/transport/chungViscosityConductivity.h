// Viscosity and conductivity of the dense fluid in one: their coefficients stay in registers and
// what they share is computed once. docs/physics.md, section 11. Source: Chung, Ajlan, Lee and
// Starling 1988.
//
// In   T K, M_m g/mol, Tcm_chung K, Vcm_chung cm3/mol, Tstar, Omega22, omega_m, mr4, kappa_m, y,
//      G1, psi, status
// Out  eta Pa s, lambda W/(m K), status with CHUNG_SINGULAR
#pragma once
#include "../point.h"
#include "chungDenseCoefficients.h"
#include "chungThermalConductivity.h"
#include "chungViscosity.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void chungViscosityConductivity(const Shared& shared, const Real& T, const Real& M_m,
                                          const Real& Tcm_chung, const Real& Vcm_chung,
                                          const Real& Tstar, const Real& Omega22,
                                          const Real& omega_m, const Real& mr4,
                                          const Real& kappa_m, const Real& y, const Real& G1,
                                          const Real& psi, const Bits<Real>& status, Real& eta,
                                          Real& lambda, Bits<Real>& status_out) {
    const Real edge = cbrt(Vcm_chung);
    const Real invArea = 1.0 / (edge * edge), rootMT = sqrt(M_m * T);
    Real E[10], B_chung[7], Fc;
    chungDenseCoefficients<Real>(shared, omega_m, mr4, kappa_m, E, B_chung, Fc);
    const Real eta0 = shared.chungDilute * Fc * rootMT * invArea / Omega22;
    Mask<Real> singular, conducting;
    eta = denseViscosity<Real>(shared, eta0, E, y, G1, Tstar, M_m, Tcm_chung, invArea, singular);
    lambda = denseConductivity<Real>(shared, eta0, psi, B_chung, y, G1, M_m, rootMT, invArea,
                                     conducting);
    status_out = status | flag<Real>(singular | conducting, CHUNG_SINGULAR);
}

}  // namespace BRIDGE_NAMESPACE
