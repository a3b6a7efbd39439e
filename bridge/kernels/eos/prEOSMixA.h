// Attraction of the mixture, a = sum_i X_i u_i G_i. docs/physics.md, section 5. Source: Peng and
// Robinson 1976.
//
// In   X, u_i, G_i (ns)
// Out  a Pa m6/mol2 (may pass through zero: nothing divides by it)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InU, class InG>
BRIDGE_FN void prEOSMixA(const Shared& shared, const InX& X, const InU& u_i, const InG& G_i,
                         Real& a) {
    const int ns = species(shared);
    Real sum = 0.0;
    for (int i = 0; i < ns; ++i) sum = sum + X[i] * u_i[i] * G_i[i];
    a = sum;
}

}  // namespace BRIDGE_NAMESPACE
