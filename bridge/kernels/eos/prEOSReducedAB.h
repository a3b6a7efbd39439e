// Dimensionless attraction A = a P/(R T)^2 and covolume B = b P/(R T). docs/physics.md, section 6.
// Source: Peng and Robinson 1976.
//
// In   a, b, T K, P Pa
// Out  A, B
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSReducedAB(const Shared& shared, const Real& a, const Real& b, const Real& T,
                              const Real& P, Real& A, Real& B) {
    const Real invRT = 1.0 / (shared.R * T);
    B = b * P * invRT;
    A = a * P * invRT * invRT;
}

}  // namespace BRIDGE_NAMESPACE
