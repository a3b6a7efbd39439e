// Attraction of the mixture and both temperature derivatives in one, nothing stored per species.
// docs/physics.md, section 5. Source: Peng and Robinson 1976.
//
// u_i = c_i - d_i sqrt(T) makes a = sum_ij (1 - k_ij) X_i u_i X_j u_j a polynomial in sqrt(T),
//     a = S_cc - 2 sqrt(T) S_cd + T S_dd,    S_fg = sum_ij (1 - k_ij) X_i f_i X_j g_j,
// whose three sums need each pair of species once: half the work of G_i and G_i' for all i.
// ABS: X_i changes its sign where u_i is negative.
//
// In   X (ns), T K
// Out  a, a_T, a_TT (Pa m6/mol2, per K, per K2)
#pragma once
#include "../point.h"
#include "fourRows.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct AttractionSums {
    Real cc, cd, dd;
};

// `terms(i, c, d)` gives X_i c_i and X_i d_i.
template <class Real, class Terms>
BRIDGE_FN AttractionSums<Real> attractionSums(const Shared& shared, const Terms& terms) {
    const int ns = species(shared);
    if (!shared.anyKij) {  // the double sums are products of single ones
        Real c = 0.0, d = 0.0;
        for (int i = 0; i < ns; ++i) {
            Real ci, di;
            terms(i, ci, di);
            c = c + ci;
            d = d + di;
        }
        return {c * c, c * d, d * d};
    }
    AttractionSums<Real> sums = {0.0, 0.0, 0.0};
    for (int i = 0; i < ns; i += 4) {
        const FourRows k = FourRows::at(shared.oneMinusKij, i, ns);
        Real c[4] = {0.0, 0.0, 0.0, 0.0}, d[4] = {0.0, 0.0, 0.0, 0.0};
        k.add(i + k.rows, ns, terms, c, d);  // counts twice, for the rows that these columns are
        for (int r = 0; r < 4; ++r) {
            c[r] = c[r] + c[r];
            d[r] = d[r] + d[r];
        }
        k.add(i, i + k.rows, terms, c, d);
        for (int r = 0; r < 4; ++r) {  // four, so that c and d stay in registers
            if (r >= k.rows) continue;
            Real ci, di;
            terms(i + r, ci, di);
            sums.cc = sums.cc + ci * c[r];
            sums.cd = sums.cd + 0.5 * (ci * d[r] + di * c[r]);
            sums.dd = sums.dd + di * d[r];
        }
    }
    return sums;
}

template <class Real, class InX>
BRIDGE_FN void prEOSMixAttraction(const Shared& shared, const InX& X, const Real& T, Real& a,
                                  Real& a_T, Real& a_TT) {
    const double *c = shared.prU0, *d = shared.prU1;
    const Real root = sqrt(T);
    const auto plain = [&](int i, Real& ci, Real& di) {
        const Real x = X[i];
        ci = x * c[i];
        di = x * d[i];
    };
    const auto absolute = [&](int i, Real& ci, Real& di) {
        const Real x = select(c[i] < d[i] * root, -Real(X[i]), Real(X[i]));
        ci = x * c[i];
        di = x * d[i];
    };
    const AttractionSums<Real> sums = shared.prCross ? attractionSums<Real>(shared, absolute)
                                                     : attractionSums<Real>(shared, plain);
    const Real slope = sums.cd / root;
    a = sums.cc - root * (2.0 * sums.cd - root * sums.dd);
    a_T = sums.dd - slope;
    a_TT = 0.5 * slope / T;
}

}  // namespace BRIDGE_NAMESPACE
