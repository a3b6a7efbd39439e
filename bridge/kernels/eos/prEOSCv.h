// Heat capacity at constant volume: ideal gas plus T a'' K. docs/physics.md, section 7.
//
// In   cv_ideal J/(mol K), T, a_TT, K, W, status
// Out  cv J/(kg K), status with UNSTABLE where cv <= 0
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSCv(const Shared&, const Real& cv_ideal, const Real& T, const Real& a_TT,
                       const Real& K, const Real& W, const Bits<Real>& status, Real& cv,
                       Bits<Real>& status_out) {
    cv = (cv_ideal + T * a_TT * K) / W;
    status_out = status | flag<Real>(cv <= 0.0, UNSTABLE);
}

}  // namespace BRIDGE_NAMESPACE
