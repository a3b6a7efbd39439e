// Enthalpy in an enthalpy jump: the target. docs/physics.md, section 9.
//
// In   h, h_target J/kg, status_newton
// Out  h
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSGapEnthalpy(const Shared&, const Real& h, const Real& h_target,
                                const Bits<Real>& status_newton, Real& h_out) {
    const Mask<Real> gap = has_any<Real>(status_newton, H_GAP) & (h == h);
    h_out = select(gap, h_target, h);
}

}  // namespace BRIDGE_NAMESPACE
