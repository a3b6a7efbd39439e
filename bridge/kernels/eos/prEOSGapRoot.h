// The root of the evaluation at the final temperature: in an enthalpy jump the one of the nearer
// end, whichever the temperature between the ends would have chosen. docs/physics.md, section 9.
//
// In   Z_pr, Z_lo, Z_hi, h_residual_lo, h_residual_hi J/kg, status_newton
// Out  Z_pr
#pragma once
#include "gapEnds.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSGapRoot(const Shared&, const Real& Z_pr, const Real& Z_lo, const Real& Z_hi,
                            const Real& h_residual_lo, const Real& h_residual_hi,
                            const Bits<Real>& status_newton, Real& Z_pr_out) {
    const GapEnds<Real> ends(h_residual_lo, h_residual_hi, status_newton);
    // a fatal point stays NaN
    Z_pr_out = select(ends.gap & (Z_pr == Z_pr), ends.nearer(Z_lo, Z_hi), Z_pr);
}

}  // namespace BRIDGE_NAMESPACE
