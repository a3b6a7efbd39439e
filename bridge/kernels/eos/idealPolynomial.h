// Ideal-gas enthalpy of the mixture as one polynomial in T. docs/physics.md, section 4. Source:
// McBride, Gordon and Reno 1993.
//
// All species are at one T, so each adds the coefficients of its range; the derivative of h/R is
// cp/R. Past the ends of a fit the heat capacity stays (CONST_CP), which makes h/R a straight line
// there, or the polynomial runs on (POLYNOMIAL).
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct IdealPolynomial {
    Real c0 = 0.0, c1 = 0.0, c2 = 0.0, c3 = 0.0, c4 = 0.0, c5 = 0.0;  // of h/R: of T^0 .. T^5

    BRIDGE_MEMBER IdealPolynomial() {}  // zero
    template <class InX>
    BRIDGE_MEMBER IdealPolynomial(const Shared& shared, const InX& X, const Real& T) {
        const int ns = species(shared);
        const bool ends = !shared.thermoExtrap && any((T < shared.fitLow) | (T > shared.fitHigh));
        for (int i = 0; i < ns; ++i) {
            const double* range = shared.nasaEnthalpy + 19 * i;  // Tlow, Tmid, Thigh
            const double *low = range + 3, *high = range + 9, *below = range + 15,
                         *above = range + 17;
            const Mask<Real> cold = T <= range[1];
            const auto fit = [&](int k) { return select(cold, Real(low[k]), Real(high[k])); };
            Real x = X[i], a0 = fit(0), a1 = fit(1), curved = x;
            if (ends) {
                const Mask<Real> under = T < range[0];
                const Mask<Real> over = T > range[2];
                a0 = select(under, Real(below[0]), select(over, Real(above[0]), a0));
                a1 = select(under, Real(below[1]), select(over, Real(above[1]), a1));
                curved = select(under | over, Real(0.0), x);
            }
            c0 = c0 + x * a0;
            c1 = c1 + x * a1;
            c2 = c2 + curved * fit(2);
            c3 = c3 + curved * fit(3);
            c4 = c4 + curved * fit(4);
            c5 = c5 + curved * fit(5);
        }
    }

    BRIDGE_MEMBER Real h(const Real& T) const {  // h/R, K
        return c0 + T * (c1 + T * (c2 + T * (c3 + T * (c4 + T * c5))));
    }
    BRIDGE_MEMBER Real cp(const Real& T) const {  // cp/R
        return c1 + T * (2.0 * c2 + T * (3.0 * c3 + T * (4.0 * c4 + T * (5.0 * c5))));
    }
};

// h/R of one species, K; ends: whether some point is outside of some fit.
template <class Real>
BRIDGE_FN Real speciesEnthalpy(const Shared& shared, int i, const Real& T, bool ends) {
    const double* range = shared.nasaEnthalpy + 19 * i;  // Tlow, Tmid, Thigh
    const double *low = range + 3, *high = range + 9, *below = range + 15, *above = range + 17;
    const Mask<Real> cold = T <= range[1];
    const auto fit = [&](int k) { return select(cold, Real(low[k]), Real(high[k])); };
    const Real h = fit(0) + T * (fit(1) + T * (fit(2) + T * (fit(3) + T * (fit(4) + T * fit(5)))));
    if (!ends) return h;
    const Real under = below[0] + below[1] * T, over = above[0] + above[1] * T;
    return select(T < range[0], under, select(T > range[2], over, h));
}

// Temperatures around T at which each species has the range of its fit that it has at T: strictly
// between the two, or T itself.
template <class Real>
BRIDGE_FN void sameRanges(const Shared& shared, const Real& T, Real& from, Real& to) {
    from = 0.0;
    to = BRIDGE_INFINITY;
    const auto bound = [&](double end) {
        from = select(T >= end, max(from, Real(end)), from);
        to = select(T <= end, min(to, Real(end)), to);
    };
    for (int i = 0; i < species(shared); ++i) {
        const double* range = shared.nasaEnthalpy + 19 * i;
        bound(range[1]);
        if (shared.thermoExtrap) continue;
        bound(range[0]);
        bound(range[2]);
    }
}

}  // namespace BRIDGE_NAMESPACE
