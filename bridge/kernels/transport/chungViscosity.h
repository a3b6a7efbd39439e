// Viscosity of the dense fluid. docs/physics.md, section 11. Source: Chung, Ajlan, Lee and
// Starling 1988.
//
// In   eta0 Pa s, E (10), y, G1, Tstar, M_m g/mol, Tcm_chung K, Vcm_chung cm3/mol, status
// Out  eta Pa s, status with CHUNG_SINGULAR (the raw value stays)
#pragma once
#include "../point.h"
#include "chungDense.h"
#include "../eos/status.h"

namespace BRIDGE_NAMESPACE {

// The same from what it has in common with the conductivity.
template <class Real, class InE>
BRIDGE_FN Real denseViscosity(const Shared& shared, const Real& eta0, const InE& E, const Real& y,
                              const Real& G1, const Real& Tstar, const Real& M_m,
                              const Real& Tcm_chung, const Real& invArea, Mask<Real>& singular) {
    const ChungDense<Real> G2 = chungDense<Real>(E, y, G1);
    const Real E6 = E[5], E7 = E[6], E8 = E[7], E9 = E[8], E10 = E[9];
    const Real inverse = 1.0 / Tstar;
    const Real dilute = eta0 * (G2.inverse + E6 * y);
    const Real dense = shared.chungDense0 * sqrt(M_m * Tcm_chung) * invArea * E7 * y * y *
                       G2.value * exp(E8 + (E9 + E10 * inverse) * inverse);
    const Real eta = dilute + dense;
    singular = eta <= 0.0;
    if (!shared.chungDense) singular = singular | G2.singular;
    return eta;
}

template <class Real, class InE>
BRIDGE_FN void chungViscosity(const Shared& shared, const Real& eta0, const InE& E, const Real& y,
                              const Real& G1, const Real& Tstar, const Real& M_m,
                              const Real& Tcm_chung, const Real& Vcm_chung,
                              const Bits<Real>& status, Real& eta, Bits<Real>& status_out) {
    const Real edge = cbrt(Vcm_chung);
    Mask<Real> singular;
    eta = denseViscosity<Real>(shared, eta0, E, y, G1, Tstar, M_m, Tcm_chung, 1.0 / (edge * edge),
                               singular);
    status_out = status | flag<Real>(singular, CHUNG_SINGULAR);
}

}  // namespace BRIDGE_NAMESPACE
