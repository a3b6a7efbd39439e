// G_i = sum_j (1 - k_ij) X_j u_j and its temperature derivative. docs/physics.md, section 5.
// Source: Peng and Robinson 1976.
//
// Without interaction coefficients all G_i are one number: O(ns), and the same to rounding.
//
// In   X, u_i, u_i_T (ns)
// Out  G_i, G_i_T (ns)
#pragma once
#include "../point.h"
#include "matrixRows.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InU, class InUT, class OutG, class OutGT>
BRIDGE_FN void prEOSCrossSums(const Shared& shared, const InX& X, const InU& u_i,
                              const InUT& u_i_T, OutG& G_i, OutGT& G_i_T) {
    const int ns = species(shared);
    if (!shared.anyKij) {
        Real G = 0.0, G_T = 0.0;
        for (int j = 0; j < ns; ++j) {
            const Real x = X[j];
            G = G + x * u_i[j];
            G_T = G_T + x * u_i_T[j];
        }
        for (int i = 0; i < ns; ++i) {
            G_i[i] = G;
            G_i_T[i] = G_T;
        }
        return;
    }
    const auto terms = [&](int j, Real& xu, Real& xu_T) {
        const Real x = X[j];
        xu = x * u_i[j];
        xu_T = x * u_i_T[j];
    };
    for (int i = 0; i < ns; i += MatrixRows::most) {
        const MatrixRows k = MatrixRows::at(shared.oneMinusKij, i, ns);
        Real G[MatrixRows::most] = {}, G_T[MatrixRows::most] = {};
        k.add(0, ns, terms, G, G_T);
        for (int r = 0; r < MatrixRows::most; ++r) {  // unrolled: registers
            if (r >= k.rows) continue;
            G_i[i + r] = G[r];
            G_i_T[i + r] = G_T[r];
        }
    }
}

}  // namespace BRIDGE_NAMESPACE
