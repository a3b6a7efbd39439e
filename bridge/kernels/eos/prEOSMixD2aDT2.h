// Second temperature derivative of the attraction, 2 sum_i X_i (u_i'' G_i + u_i' G_i').
// docs/physics.md, section 5.
//
// In   X, u_i_T, u_i_TT, G_i, G_i_T (ns)
// Out  a_TT Pa m6/(mol2 K2)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InUT, class InUTT, class InG, class InGT>
BRIDGE_FN void prEOSMixD2aDT2(const Shared& shared, const InX& X, const InUT& u_i_T,
                              const InUTT& u_i_TT, const InG& G_i, const InGT& G_i_T, Real& a_TT) {
    const int ns = species(shared);
    Real sum = 0.0;
    for (int i = 0; i < ns; ++i) {
        sum = sum + X[i] * (u_i_TT[i] * G_i[i] + u_i_T[i] * G_i_T[i]);
    }
    a_TT = 2.0 * sum;
}

}  // namespace BRIDGE_NAMESPACE
