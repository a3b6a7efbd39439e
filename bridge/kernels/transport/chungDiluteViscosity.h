// Viscosity of the dilute gas. docs/physics.md, section 11. Source: Chung, Lee and Starling 1984.
//
// In   T K, M_m g/mol, Vcm_chung cm3/mol, Omega22, Fc
// Out  eta0 Pa s
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void chungDiluteViscosity(const Shared& shared, const Real& T, const Real& M_m,
                                    const Real& Vcm_chung, const Real& Omega22, const Real& Fc,
                                    Real& eta0) {
    const Real edge = cbrt(Vcm_chung);
    eta0 = shared.chungDilute * Fc * sqrt(M_m * T) / (edge * edge * Omega22);
}

}  // namespace BRIDGE_NAMESPACE
