// Enthalpy in a jump that holds the target entropy: from the nearer end at constant T and Gibbs
// energy, dh = T ds. Between two phases in equilibrium this is the lever rule. docs/physics.md,
// section 9.
//
// In   h J/kg, h_residual_lo, h_residual_hi J/kg, status_newton
// Out  h
#pragma once
#include "../point.h"
#include "gapEnds.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSGapEnthalpyOfEntropy(const Shared&, const Real& h, const Real& h_residual_lo,
                                         const Real& h_residual_hi,
                                         const Bits<Real>& status_newton, Real& h_out) {
    const GapEnds<Real> ends(h_residual_lo, h_residual_hi, status_newton);
    h_out = select(ends.gap & (h == h), h - ends.nearer(h_residual_lo, h_residual_hi), h);
}

}  // namespace BRIDGE_NAMESPACE
