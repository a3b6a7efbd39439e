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
#include "chungDiluteViscosity.h"
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
    Real E[10], B_chung[7], Fc, eta0;
    Bits<Real> bits;
    chungDenseCoefficients<Real>(shared, omega_m, mr4, kappa_m, E, B_chung, Fc);
    chungDiluteViscosity<Real>(shared, T, M_m, Vcm_chung, Omega22, Fc, eta0);
    chungViscosity<Real>(shared, eta0, E, y, G1, Tstar, M_m, Tcm_chung, Vcm_chung, status, eta,
                         bits);
    chungThermalConductivity<Real>(shared, eta0, psi, B_chung, y, G1, M_m, Tcm_chung, Vcm_chung, T,
                                   bits, lambda, status_out);
}

}  // namespace BRIDGE_NAMESPACE
