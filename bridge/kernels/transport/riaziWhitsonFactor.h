// Factor of the diffusion coefficients by the viscosity, for gases and liquids: what
// chungTakahashiFactor makes, with denseDiffusion RIAZI_WHITSON. docs/physics.md, section 12.
// Source: Riazi and Whitson 1993.
//
// In   Pr, omegam, eta Pa s, eta0 Pa s, T K, P Pa, v m3/mol, status
// Out  takahashi, status with DIFF_RANGE
//
// Published is c D over that of the dilute gas, c = 1/v; D0_ij is at the same pressure and at
// c = P/(R T), hence the Z. The published amplitude, 1.07, is blended to 1 for the dilute gas.
#pragma once
#include "../eos/status.h"
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void riaziWhitsonFactor(const Shared& shared, const Real& Pr, const Real& omegam,
                                  const Real& eta, const Real& eta0, const Real& T, const Real& P,
                                  const Real& v, const Bits<Real>& status, Real& factor,
                                  Bits<Real>& status_out) {
    const double* c = shared.riaziWhitson;
    const Real ratio = at_least<Real>(eta / eta0, 1.0), excess = ratio - 1.0;
    const Real square = excess * excess;
    const Real amplitude = 1.0 + c[0] * square / (square + shared.riaziWhitsonBlend);
    const Real logRatio = log(ratio);
    const Real byPressure = (c[3] + c[4] * omegam) * Pr * logRatio;
    const Real Z = P * v / (shared.R * T);
    factor = Z * amplitude * exp((c[1] + c[2] * omegam) * logRatio + byPressure);
    status_out = status | flag<Real>(fabs(byPressure) > shared.riaziWhitsonMost, DIFF_RANGE);
}

}  // namespace BRIDGE_NAMESPACE
