// Gibbs energy g = h - T s. docs/physics.md, section 7.
//
// In   h J/kg, s J/(kg K), T K
// Out  g J/kg
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSGibbs(const Shared&, const Real& h, const Real& s, const Real& T, Real& g) {
    g = h - T * s;
}

}  // namespace BRIDGE_NAMESPACE
