// Temperature derivative of the attraction, 2 sum_i X_i u_i' G_i. docs/physics.md, section 5.
//
// In   X, u_i_T, G_i (ns)
// Out  a_T Pa m6/(mol2 K)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InUT, class InG>
BRIDGE_FN void prEOSMixDaDT(const Shared& shared, const InX& X, const InUT& u_i_T, const InG& G_i,
                            Real& a_T) {
    const int ns = species(shared);
    Real sum = 0.0;
    for (int i = 0; i < ns; ++i) sum = sum + X[i] * u_i_T[i] * G_i[i];
    a_T = 2.0 * sum;
}

}  // namespace BRIDGE_NAMESPACE
