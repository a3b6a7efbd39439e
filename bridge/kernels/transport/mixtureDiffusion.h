// Mixture-averaged diffusion coefficients from pair resistances, however these come. docs/physics.md,
// section 12. Source: Poling, Prausnitz and O'Connell 2001.
//
// D_im = [sum_{j!=i} (X_j + d) W_j/W] / [sum_{j!=i} (X_j + d)/D_ij]: finite and smooth up to X_i =
// 1. Each pair is visited once; contributions reach a species in the order of the others' index,
// but for those within a block of rows.
#pragma once
#include "../point.h"
#include "sumOfOthers.h"
#include "takahashi.h"

namespace BRIDGE_NAMESPACE {

// Factor of one pair in PAIRWISE mode, at the pair's own reduced state.
template <class Real>
BRIDGE_FN Real takahashiPair(const Shared& shared, int i, int j, const Real& Xi, const Real& Xj,
                             const Real& T, const Real& P) {
    const Real xi = at_least<Real>(Xi, shared.diffusionFloor);
    const Real xj = at_least<Real>(Xj, shared.diffusionFloor);
    const Real w = xi / (xi + xj);
    const Real Tc = w * shared.Tc[i] + (1.0 - w) * shared.Tc[j];
    const Real Pc = w * shared.Pc[i] + (1.0 - w) * shared.Pc[j];
    return takahashi<Real>(shared, T / Tc, P / Pc);
}

// Sums over pairs of species, `rows` species at a time: what is loaded and stored for species j
// serves all of them. r(i, j) is the resistance of a pair i < j.
template <int rows, class Real, class Resistance, class InX, class OutD>
BRIDGE_FN void addPairs(int i, int ns, double d, const Resistance& r, const InX& X, OutD& D_im) {
    Real x[rows], sum[rows];
    BRIDGE_UNROLL
    for (int a = 0; a < rows; ++a) {
        x[a] = X[i + a] + d;
        sum[a] = Real(D_im[i + a]);
    }
    BRIDGE_UNROLL
    for (int a = 0; a < rows; ++a) {
        BRIDGE_UNROLL
        for (int b = a + 1; b < rows; ++b) {
            const Real pair = r(i + a, i + b);
            sum[a] = sum[a] + x[b] * pair;
            sum[b] = sum[b] + x[a] * pair;
        }
    }
    for (int j = i + rows; j < ns; ++j) {
        const Real xj = X[j] + d;
        Real own = Real(D_im[j]);
        BRIDGE_UNROLL
        for (int a = 0; a < rows; ++a) {
            const Real pair = r(i + a, j);
            sum[a] = sum[a] + xj * pair;
            own = own + x[a] * pair;
        }
        D_im[j] = own;
    }
    BRIDGE_UNROLL
    for (int a = 0; a < rows; ++a) D_im[i + a] = sum[a];
}

// `resistance(k)` gives scale/D0 of pair number k of the packed tables.
template <class Real, class Resistance, class InX, class OutD>
BRIDGE_FN void mixtureDiffusion(const Shared& shared, const Resistance& resistance,
                                const Real& scale, const InX& X, const Real& W, const Real& T,
                                const Real& P, const Real& factor, OutD& D_im) {
    const int ns = species(shared);
    const double d = shared.diffusionFloor;
    const bool pairwise = shared.takaMode != 0;
    const Real common = pairwise ? scale : scale * factor;
    if (ns == 1) {
        const Real x = X[0];
        const Real own = pairwise ? takahashiPair<Real>(shared, 0, 0, x, x, T, P) : Real(1.0);
        D_im[0] = common * own / resistance(0);
        return;
    }
    const bool byMole = shared.massFraction != 0;
    SumOfOthers<Real> weights;
    for (int i = 0; i < ns; ++i) {
        D_im[i] = Real(0.0);
        weights.add((X[i] + d) * (byMole ? 1.0 : shared.W[i]));
    }
    const auto pair = [&](int i, int j) BRIDGE_LAMBDA {
        const int64_t row = i;
        Real r = resistance(row * ns - row * (row + 1) / 2 + j);
        if (pairwise) r = r / takahashiPair<Real>(shared, i, j, X[i], X[j], T, P);
        return r;
    };
    constexpr int rows = BRIDGE_ROWS;
    int i = 0;
    for (; i + rows <= ns; i += rows) addPairs<rows, Real>(i, ns, d, pair, X, D_im);
    for (; i < ns; ++i) addPairs<1, Real>(i, ns, d, pair, X, D_im);
    const Real all = common / (byMole ? Real(1.0) : W);
    for (int i = 0; i < ns; ++i) {
        const Real own = (X[i] + d) * (byMole ? 1.0 : shared.W[i]);
        D_im[i] = all * weights.without(own) / Real(D_im[i]);
    }
}

}  // namespace BRIDGE_NAMESPACE
