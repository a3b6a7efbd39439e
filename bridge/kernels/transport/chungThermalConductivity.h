// Thermal conductivity of the dense fluid. docs/physics.md, section 11. Source: Chung, Ajlan, Lee
// and Starling 1988.
//
// In   eta0 Pa s, psi, B_chung (7), y, G1, M_m g/mol, Tcm_chung K, Vcm_chung cm3/mol, T K, status
// Out  lambda W/(m K), status with CHUNG_SINGULAR (the raw value stays)
#pragma once
#include "../point.h"
#include "chungDense.h"
#include "../eos/status.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InB>
BRIDGE_FN void chungThermalConductivity(const Shared& shared, const Real& eta0, const Real& psi,
                                        const InB& B_chung, const Real& y, const Real& G1,
                                        const Real& M_m, const Real& Tcm_chung,
                                        const Real& Vcm_chung, const Real& T,
                                        const Bits<Real>& status, Real& lambda,
                                        Bits<Real>& status_out) {
    const ChungDense<Real> H2 = chungDense<Real>(B_chung, y, G1);
    const Real B6 = B_chung[5], B7 = B_chung[6];
    const Real edge = cbrt(Vcm_chung);
    const Real Mp = 1e-3 * M_m;  // kg/mol
    const Real dilute = shared.chungLambdaDilute * shared.chungDiluteRatio * eta0 * psi / Mp *
                        (1.0 / H2.value + B6 * y);
    // sqrt(Tcm/Mp) sqrt(T/Tcm)
    const Real dense = shared.chungQ0 * sqrt(T / Mp) / (edge * edge) * B7 * y * y * H2.value;
    (void)Tcm_chung;
    lambda = dilute + dense;
    Mask<Real> singular = lambda <= 0.0;
    if (!shared.chungDense) singular = singular | H2.singular;
    status_out = status | flag<Real>(singular, CHUNG_SINGULAR);
}

}  // namespace BRIDGE_NAMESPACE
