// Denominator D = (v + d1 b)(v + d2 b) and log term K of the departure functions; K -> 1/v for thin
// gas. log1p: the plain log of the ratio loses digits as b/v -> 0. v is the volume of
// the root, without its shift. docs/physics.md, section 7.
//
// In   v_pr, b m3/mol
// Out  D m6/mol2, K mol/m3
#pragma once
#include "../point.h"
#include "cubic.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSLogTerm(const Shared& shared, const Real& v_pr, const Real& b, Real& D,
                            Real& K) {
    const CubicConstants c = cubicConstants(shared);
    const Real width = c.difference * b;
    D = c.D<Real>(v_pr, b);
    K = log1pOfQuotient(width, v_pr - c.lower * b) / width;
}

}  // namespace BRIDGE_NAMESPACE
