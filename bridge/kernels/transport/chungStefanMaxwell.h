// Fick matrix of the Stefan-Maxwell equations, at the mass-average velocity:
// j_i = -rho (W_i/W) sum_j D_fick(i,j) grad X_j. docs/physics.md, section 12.
// Sources: Bird, Stewart and Lightfoot 2002; Giovangigli 1999.
//
// M = B + beta Y w^T with w_j = W_j/W is inverted in place, in the output; beta, of the size of
// 1/D, makes it regular. X^-1/2 M X^1/2 is symmetric and positive definite, so elimination needs no
// pivots, and X_i = 0 is no special case.
//
// In   X (ns), W kg/mol, T K, P Pa, D0_ij (ns(ns+1)/2) m2/s, takahashi
// Out  D_fick (ns*ns, row by row) m2/s
#pragma once
#include "../point.h"
#include "mixtureDiffusion.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InD, class OutD>
BRIDGE_FN void chungStefanMaxwell(const Shared& shared, const InX& X, const Real& W, const Real& T,
                                  const Real& P, const InD& D0_ij, const Real& factor,
                                  OutD& D_fick) {
    const int ns = species(shared);
    const bool pairwise = shared.takaMode != 0;
    const Real invW = 1.0 / W;
    const auto inverse = [&](int i, int j, int pair) {
        const Real D = D0_ij[pair];
        return 1.0 / (pairwise ? D * takahashiPair<Real>(shared, i, j, X[i], X[j], T, P) : D);
    };

    Real beta = 0.0;  // sum X_i/D_ii
    for (int i = 0, pair = 0; i < ns; pair += ns - i, ++i) {
        beta = beta + X[i] * inverse(i, i, pair);
    }
    for (int i = 0; i < ns; ++i) {
        const Real w = shared.W[i] * invW;
        D_fick[i * ns + i] = beta * X[i] * w * w;
    }
    for (int i = 0, pair = 0; i < ns; ++i) {
        ++pair;  // past (i, i)
        for (int j = i + 1; j < ns; ++j, ++pair) {
            const Real r = inverse(i, j, pair);
            const Real other = beta * (shared.W[i] * invW) * (shared.W[j] * invW) - r;
            D_fick[i * ns + i] = Real(D_fick[i * ns + i]) + X[j] * r;
            D_fick[j * ns + j] = Real(D_fick[j * ns + j]) + X[i] * r;
            D_fick[i * ns + j] = X[i] * other;
            D_fick[j * ns + i] = X[j] * other;
        }
    }

    for (int k = 0; k < ns; ++k) {  // Gauss-Jordan
        const Real pivot = 1.0 / Real(D_fick[k * ns + k]);
        D_fick[k * ns + k] = Real(1.0);
        for (int j = 0; j < ns; ++j) D_fick[k * ns + j] = Real(D_fick[k * ns + j]) * pivot;
        for (int i = 0; i < ns; ++i) {
            if (i == k) continue;
            const Real t = D_fick[i * ns + k];
            D_fick[i * ns + k] = Real(0.0);
            for (int j = 0; j < ns; ++j) {
                D_fick[i * ns + j] = Real(D_fick[i * ns + j]) - t * Real(D_fick[k * ns + j]);
            }
        }
    }

    // D Y = 0: what the gradients do not add up to has no effect.
    const Real scale = pairwise ? Real(1.0) : factor;
    for (int i = 0; i < ns; ++i) {
        const Real shift = X[i] / beta;
        for (int j = 0; j < ns; ++j) {
            D_fick[i * ns + j] = scale * (Real(D_fick[i * ns + j]) - shift);
        }
    }
}

}  // namespace BRIDGE_NAMESPACE
