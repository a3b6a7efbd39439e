// Sums of the attraction of each species with all others and their temperature derivative, one
// species after the other. docs/physics.md, section 5. Source: Peng and Robinson 1976.
//
// With u_i = c_i - d_i sqrt(T), G_i = sum_j (1 - k_ij) X_j u_j = C_i - D_i sqrt(T), so that
//     S_i = u_i G_i,    dS_i/dT = -(d_i G_i + u_i D_i) / (2 sqrt(T)).
// ABS: c_i and d_i change their sign where u_i is negative.
#pragma once
#include "../point.h"
#include "attractionSums.h"

namespace BRIDGE_NAMESPACE {

// `factors(i, c, d)` gives c_i and d_i.
template <class Real, class Factors, class InX, class Store>
BRIDGE_FN void speciesAttraction(const Shared& shared, const Factors& factors, const InX& X,
                                 const Real& root, const Store& store) {
    const int ns = species(shared);
    const Real slope = -0.5 / root;
    const auto terms = [&](int j, Real& c, Real& d) {
        const Real x = X[j];
        factors(j, c, d);
        c = x * c;
        d = x * d;
    };
    const auto finish = [&](int i, const Real& C, const Real& D) {
        Real c, d;
        factors(i, c, d);
        const Real u = c - d * root, G = C - D * root;
        store(i, u * G, slope * (d * G + u * D));
    };
    if (!shared.anyKij) {  // all C_i are one number, and so are all D_i
        Real C, D;
        singleSums<Real>(ns, terms, C, D);
        BRIDGE_ROLLED_MANY
        for (int i = 0; i < ns; ++i) finish(i, C, D);
        return;
    }
    const auto rows = [&](const auto& columns) BRIDGE_LAMBDA {
        for (int i = 0; i < ns; i += MatrixRows::most) {
            const MatrixRows k = MatrixRows::at(shared.oneMinusKij, i, ns);
            Real C[MatrixRows::most] = {}, D[MatrixRows::most] = {};
            // In two parts, whose lengths depend on i: a compiler that knows ns would else unroll
            // all columns and keep their products in more registers than a GPU has.
            k.add(0, i, columns, C, D);
            k.add(i, ns, columns, C, D);
            for (int r = 0; r < MatrixRows::most; ++r) {  // unrolled: registers
                if (r >= k.rows) continue;
                finish(i + r, C[r], D[r]);
            }
        }
    };
    ColumnTerms<Real, decltype(terms)> kept(terms);
    if (ns > kept.most) return rows(terms);
    kept.keep(0, ns);
    rows(kept);
}

// `store(i, S_i, S_i_T)` takes the values of a species.
template <class Real, class InX, class Store>
BRIDGE_FN void eachAttraction(const Shared& shared, const InX& X, const Real& T,
                              const Store& store) {
    const double *c = shared.prU0, *d = shared.prU1;
    const Real root = sqrt(T);
    const auto plain = [&](int i, Real& ci, Real& di) {
        ci = c[i];
        di = d[i];
    };
    const auto absolute = [&](int i, Real& ci, Real& di) {
        const Real s = select(c[i] < d[i] * root, Real(-1.0), Real(1.0));
        ci = s * c[i];
        di = s * d[i];
    };
    if (shared.prCross)
        speciesAttraction<Real>(shared, absolute, X, root, store);
    else
        speciesAttraction<Real>(shared, plain, X, root, store);
}

}  // namespace BRIDGE_NAMESPACE
