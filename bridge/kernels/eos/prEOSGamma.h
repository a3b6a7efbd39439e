// Ratio of the heat capacities. docs/physics.md, section 7.
//
// In   cp, cv J/(kg K)
// Out  gamma
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSGamma(const Shared&, const Real& cp, const Real& cv, Real& gamma) {
    gamma = cp / cv;
}

}  // namespace BRIDGE_NAMESPACE
