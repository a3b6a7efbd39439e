// Entropy in an enthalpy jump: from the nearer end at constant T and Gibbs energy, T ds = dh.
// Between two phases in equilibrium this is the lever rule. docs/physics.md, section 9.
//
// In   s J/(kg K), T K, h_residual_lo, h_residual_hi J/kg, status_newton
// Out  s
#pragma once
#include "gapEnds.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSGapEntropy(const Shared&, const Real& s, const Real& T,
                               const Real& h_residual_lo, const Real& h_residual_hi,
                               const Bits<Real>& status_newton, Real& s_out) {
    const GapEnds<Real> ends(h_residual_lo, h_residual_hi, status_newton);
    s_out = select(ends.gap & (s == s), s - ends.nearer(h_residual_lo, h_residual_hi) / T, s);
}

}  // namespace BRIDGE_NAMESPACE
