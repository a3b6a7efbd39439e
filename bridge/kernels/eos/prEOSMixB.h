// Covolume of the mixture, b = sum_i X_i b_i. docs/physics.md, section 5. Source: Peng and
// Robinson 1976.
//
// In   X (ns)
// Out  b m3/mol
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void prEOSMixB(const Shared& shared, const InX& X, Real& b) {
    const int ns = species(shared);
    Real sum = 0.0;
    for (int i = 0; i < ns; ++i) sum = sum + X[i] * shared.prB[i];
    b = sum;
}

}  // namespace BRIDGE_NAMESPACE
