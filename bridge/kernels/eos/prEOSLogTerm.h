// Denominator D = v^2 + 2 b v - b^2 and log term K of the departure functions; K -> 1/v for thin
// gas. log1p: the plain log of the ratio loses digits as b/v -> 0. v is the volume of
// the root, without its shift. docs/physics.md, section 7.
//
// In   v_pr, b m3/mol
// Out  D m6/mol2, K mol/m3
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSLogTerm(const Shared&, const Real& v_pr, const Real& b, Real& D, Real& K) {
    const Real twoRoot2b = 2.8284271247461903 * b;
    D = (v_pr + 2.0 * b) * v_pr - b * b;
    K = log1pOfQuotient(twoRoot2b, v_pr - 0.41421356237309503 * b) / twoRoot2b;
}

}  // namespace BRIDGE_NAMESPACE
