// The two ends of an enthalpy jump that holds the target, for the kernels that give such a point
// its values. docs/physics.md, section 9.
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

// h_residual_lo <= 0 < h_residual_hi at the ends of a bracket that has collapsed on a jump.
template <class Real> struct GapEnds {
    Mask<Real> gap;  // whether the search of this point ended in one
    Real upper;      // mass fraction of the state at the upper end
    Mask<Real> nearLower;

    BRIDGE_MEMBER GapEnds(const Real& h_residual_lo, const Real& h_residual_hi,
                          const Bits<Real>& status_newton)
        : gap(has_any<Real>(status_newton, H_GAP)),
          upper(h_residual_lo / select(gap, h_residual_lo - h_residual_hi, Real(1.0))),
          nearLower(upper < 0.5) {}

    BRIDGE_MEMBER Real nearer(const Real& atLower, const Real& atUpper) const {
        return select(nearLower, atLower, atUpper);
    }
    BRIDGE_MEMBER Real lever(const Real& atLower, const Real& atUpper) const {
        return atLower + upper * (atUpper - atLower);
    }
};

}  // namespace BRIDGE_NAMESPACE
