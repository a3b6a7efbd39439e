// Density in an enthalpy jump, by the lever rule: the specific volume lies between those of the
// two ends as the target enthalpy lies between theirs. T, P and the shift of the volume are common
// to both, so Z stands for the volume. Last of all that concerns the root: every other kernel reads
// the nearer end. docs/physics.md, section 9.
//
// In   Z_pr, Z, v m3/mol, rho kg/m3, Z_lo, Z_hi, h_residual_lo, h_residual_hi J/kg, status_newton
// Out  Z, v, rho
#pragma once
#include "../point.h"
#include "gapEnds.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSGapDensity(const Shared&, const Real& Z_pr, const Real& Z, const Real& v,
                               const Real& rho, const Real& Z_lo, const Real& Z_hi,
                               const Real& h_residual_lo, const Real& h_residual_hi,
                               const Bits<Real>& status_newton, Real& Z_out, Real& v_out,
                               Real& rho_out) {
    const GapEnds<Real> ends(h_residual_lo, h_residual_hi, status_newton);
    const Real mixed = ends.lever(Z_lo, Z_hi) + (Z - Z_pr);
    const Mask<Real> gap = ends.gap & (Z == Z);
    Z_out = select(gap, mixed, Z);
    v_out = select(gap, v * (mixed / Z), v);
    rho_out = select(gap, rho * (Z / mixed), rho);
}

}  // namespace BRIDGE_NAMESPACE
