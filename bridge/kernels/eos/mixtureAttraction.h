// Attraction of the mixture as a polynomial in sqrt(T). docs/physics.md, section 5. Source: Peng
// and Robinson 1976.
//
// u_i = c_i - d_i sqrt(T) makes a = sum_ij (1 - k_ij) X_i u_i X_j u_j
//     a = S_cc - 2 sqrt(T) S_cd + T S_dd,    S_fg = sum_ij (1 - k_ij) X_i f_i X_j g_j,
// whose three sums need each pair of species once: half the work of G_i and G_i' for all i. They
// do not depend on T, but with ABS: X_i changes its sign where u_i is negative.
#pragma once
#include "../point.h"
#include "attractionSums.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct MixtureAttraction {
    AttractionSums<Real> sums = {0.0, 0.0, 0.0};

    BRIDGE_MEMBER MixtureAttraction() {}  // zero
    template <class InX>
    BRIDGE_MEMBER MixtureAttraction(const Shared& shared, const InX& X, const Real& root) {
        const double *c = shared.prU0, *d = shared.prU1;
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
        sums = shared.prCross ? attractionSums<Real>(shared, absolute)
                              : attractionSums<Real>(shared, plain);
    }

    // root: sqrt(T)
    BRIDGE_MEMBER void at(const Real& root, Real& a, Real& a_T, Real& a_TT) const {
        const Real inverse = 1.0 / root;
        const Real slope = sums.cd * inverse;
        a = sums.cc - root * (2.0 * sums.cd - root * sums.dd);
        a_T = sums.dd - slope;
        a_TT = 0.5 * slope * inverse * inverse;
    }
};

}  // namespace BRIDGE_NAMESPACE
