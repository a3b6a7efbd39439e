// Heat capacity at constant pressure, cp = cv - T P_T^2/P_v (per mole). docs/physics.md, section
// 7.
//
// In   cv J/(kg K), T, P_v, P_T, W
// Out  cp J/(kg K)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSCp(const Shared&, const Real& cv, const Real& T, const Real& P_v,
                       const Real& P_T, const Real& W, Real& cp) {
    cp = cv - T * P_T * P_T / (P_v * W);
}

}  // namespace BRIDGE_NAMESPACE
