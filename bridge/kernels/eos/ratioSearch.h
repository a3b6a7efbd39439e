// A trial phase w of a feed X by q = ln(w/X), but for a constant: its distance from the tangent plane,
// and the q that substitution gives next. docs/physics.md, sections 6 and 23. Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "stableRoot.h"

namespace BRIDGE_NAMESPACE {

// distance: over R T; residual: mean square distance from a stationary point; apart: mean square of
// ln(w/X); liquid: v/b below that of the critical point.
template <class Real> struct RatioTrial {
    Real distance, residual, apart;
    Mask<Real> liquid;
};

// Columns of the work: Q; K, ln phi_i(X) - ln phi_i(w), the next q; W, w but for the factor `inverse`;
// QLAST and RLAST, q and K - q of the trial before; WILSON and PURE, of the first ones; KNOWN and
// SHARE, K and w of a minimum that is known, else zero.
template <class Real, class InX, class InU, class InF, class OutW> struct RatioSearch {
    const Shared& shared;
    const InX& X;
    const InU& u;
    const InF& lnphi;
    OutW& work;
    const Real T, P, invRT;
    const int ns, Q = 0, K = ns, W = 2 * ns, QLAST = 3 * ns, RLAST = 4 * ns, WILSON = 5 * ns,
                  PURE = 6 * ns, KNOWN = 7 * ns, SHARE = 8 * ns;
    Real inverse = 0.0;

    BRIDGE_MEMBER Real q(int i) const { return work[Q + i]; }
    BRIDGE_MEMBER Real k(int i) const { return work[K + i]; }
    BRIDGE_MEMBER Real w(int i) const { return work[W + i]; }
    BRIDGE_MEMBER Mask<Real> there(int i) const { return X[i] > 0.0; }
    // Without the shift of the volume, which is the same in every phase.
    BRIDGE_MEMBER Real lnphiOfFeed(int i) const {
        return lnphi[i] - lnphiOfShift<Real>(shared, i, T, P);
    }
    // The sum over j of (1 - k_ij) x_j u_j, which is `sum` where all k_ij are zero.
    template <class Fractions>
    BRIDGE_MEMBER Real attraction(int i, const Real& sum, const Fractions& x) const {
        if (!shared.anyKij) return sum;
        const double* row = shared.oneMinusKij + int64_t(i) * ns;
        Real g = 0.0;
        BRIDGE_ROLLED
        for (int j = 0; j < ns; ++j) g = g + row[j] * (x(j) * u[j]);
        return g;
    }
    // At its q; fills K and W.
    BRIDGE_MEMBER RatioTrial<Real> trial() {
        Real top = -1e300, total = 0.0, sum = 0.0, b = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) top = select(there(i) & (q(i) > top), q(i), top);
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real e = X[i] * exp(at_most<Real>(q(i) - top, 0.0));
            work[W + i] = e;
            total = total + e;
            sum = sum + e * u[i];
            b = b + e * shared.prB[i];
        }
        const Real both = 1.0 / (total * b), perb = total * (total * both);
        inverse = b * both;
        Real a = sum * sum;
        if (shared.anyKij) {
            const auto each = [&](int j) BRIDGE_LAMBDA { return w(j); };
            a = 0.0;
            BRIDGE_ROLLED
            for (int i = 0; i < ns; ++i) {
                const Real g = attraction(i, sum, each);
                work[K + i] = g;
                a = a + w(i) * u[i] * g;
            }
        }
        a = a * inverse * inverse;
        const CubicConstants c = cubicConstants(shared);
        const Real B = b * inverse * P * invRT;
        const StableRoot<Real> root(shared, a * P * invRT * invRT, B);
        const Real pull = root.L * (1.0 / c.difference) * perb * invRT;
        const Real perB = ((root.Z - 1.0) + pull * a) * perb;
        const Real lnSum = top + log(total);
        Real mean = 0.0, square = 0.0, apart = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real g = (shared.anyKij ? k(i) : sum) * inverse;
            const Real lnphi = perB * shared.prB[i] - root.logZB - 2.0 * pull * (u[i] * g);
            const Real next = lnphiOfFeed(i) - lnphi;
            const Real r = next - q(i), z = q(i) - lnSum;
            work[K + i] = next;
            mean = mean + w(i) * r;
            square = square + w(i) * r * r;
            apart = apart + w(i) * z * z;
        }
        return {-mean * inverse - lnSum, square * inverse, apart * inverse, root.Z < c.bulk * B};
    }
};

}  // namespace BRIDGE_NAMESPACE
