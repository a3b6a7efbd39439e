// S_i = u_i G_i = sum_j X_j a_ij and its temperature derivative: d(n^2 a)/dn_i = 2 n S_i.
// docs/physics.md, section 5.
//
// In   u_i, u_i_T, G_i, G_i_T (ns)
// Out  S_i, S_i_T (ns)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InU, class InUT, class InG, class InGT, class OutS, class OutST>
BRIDGE_FN void prEOSSpeciesASums(const Shared& shared, const InU& u_i, const InUT& u_i_T,
                                 const InG& G_i, const InGT& G_i_T, OutS& S_i, OutST& S_i_T) {
    const int ns = species(shared);
    for (int i = 0; i < ns; ++i) {
        const Real u = u_i[i], G = G_i[i];
        S_i[i] = u * G;
        S_i_T[i] = u_i_T[i] * G + u * G_i_T[i];
    }
}

}  // namespace BRIDGE_NAMESPACE
