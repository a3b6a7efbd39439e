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

// The same from what it has in common with the viscosity: sqrt(M T) and edge^-2.
template <class Real, class InB>
BRIDGE_FN Real denseConductivity(const Shared& shared, const Real& eta0, const Real& psi,
                                 const InB& B_chung, const Real& y, const Real& G1,
                                 const Real& M_m, const Real& rootMT, const Real& invArea,
                                 Mask<Real>& singular) {
    const ChungDense<Real> H2 = chungDense<Real>(B_chung, y, G1);
    const Real B6 = B_chung[5], B7 = B_chung[6];
    const Real inverse = 1.0 / M_m;
    const Real dilute = (1e3 * shared.chungLambdaDilute * shared.chungDiluteRatio) *
                        (eta0 * psi * inverse) * (H2.inverse + B6 * y);
    // sqrt(Tcm/Mp) sqrt(T/Tcm) = sqrt(1000 M T)/M, Mp = M/1000
    const Real dense = (31.622776601683793 * shared.chungQ0) * (rootMT * inverse) * invArea * B7 *
                       y * y * H2.value;
    const Real lambda = dilute + dense;
    singular = lambda <= 0.0;
    if (!shared.chungDense) singular = singular | H2.singular;
    return lambda;
}

template <class Real, class InB>
BRIDGE_FN void chungThermalConductivity(const Shared& shared, const Real& eta0, const Real& psi,
                                        const InB& B_chung, const Real& y, const Real& G1,
                                        const Real& M_m, const Real& Tcm_chung,
                                        const Real& Vcm_chung, const Real& T,
                                        const Bits<Real>& status, Real& lambda,
                                        Bits<Real>& status_out) {
    const Real edge = cbrt(Vcm_chung);
    Mask<Real> singular;
    (void)Tcm_chung;
    lambda = denseConductivity<Real>(shared, eta0, psi, B_chung, y, G1, M_m, sqrt(M_m * T),
                                     1.0 / (edge * edge), singular);
    status_out = status | flag<Real>(singular, CHUNG_SINGULAR);
}

}  // namespace BRIDGE_NAMESPACE
