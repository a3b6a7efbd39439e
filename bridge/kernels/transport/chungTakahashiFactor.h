// High-pressure factor of the diffusion coefficients at Kay's reduced state, and whether it holds
// there. With takaMode PAIRWISE the mixture kernel takes one factor per pair instead.
// docs/physics.md, section 12. Source: Takahashi 1974.
//
// In   Tr, Pr, T K, P Pa, v m3/mol
// Out  takahashi, status with DIFF_RANGE
//
// Outside of the table the factor of its edge is right for a gas and far too large for a liquid. So
// is the factor of a mixture whose critical point Kay's rule puts too low: n D, which is
// takahashi/Z times that of the dilute gas, would rise with the density.
#pragma once
#include "../eos/status.h"
#include "../point.h"
#include "takahashi.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void chungTakahashiFactor(const Shared& shared, const Real& Tr, const Real& Pr,
                                    const Real& T, const Real& P, const Real& v,
                                    const Bits<Real>& status, Real& factor,
                                    Bits<Real>& status_out) {
    factor = takahashi<Real>(shared, Tr, Pr);
    const Real ideal = shared.R * T, real = P * v;  // real = Z ideal
    const Mask<Real> outside = (Tr < shared.takahashiTrMin) | (Pr > shared.takahashi[17]);
    const Mask<Real> dense = shared.prZc * Pr * ideal > Tr * real;
    const Mask<Real> more = factor * ideal > shared.takahashiGainMax * real;
    status_out = status | flag<Real>((outside & dense) | more, DIFF_RANGE);
}

}  // namespace BRIDGE_NAMESPACE
