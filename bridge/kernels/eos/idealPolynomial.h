// Ideal-gas enthalpy of the mixture as one polynomial in T. docs/physics.md, section 4. Source:
// McBride, Gordon and Reno 1993.
//
// All species are at one T, so each adds the coefficients of its range; the derivative of h/R is
// cp/R. Past the ends of a fit the heat capacity stays (CONST_CP), which makes h/R a straight line
// there, or the polynomial runs on (POLYNOMIAL).
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

// The fit of one species at T, of its record in nasaEnthalpy.
template <class Real> struct FitOfSpecies {
    const double* record;  // Tlow, Tmid, Thigh; h/R low, high; its lines below and above
    Mask<Real> cold;

    BRIDGE_MEMBER FitOfSpecies(const Shared& shared, int i, const Real& T)
        : record(shared.nasaEnthalpy + 19 * i), cold(T <= record[1]) {}
    BRIDGE_MEMBER Real operator()(int k) const {  // of T^k
        return select(cold, Real(record[3 + k]), Real(record[9 + k]));
    }
    BRIDGE_MEMBER Mask<Real> under(const Real& T) const { return T < record[0]; }
    BRIDGE_MEMBER Mask<Real> over(const Real& T) const { return T > record[2]; }
    BRIDGE_MEMBER double below(int k) const { return record[15 + k]; }
    BRIDGE_MEMBER double above(int k) const { return record[17 + k]; }
};

// Whether lines past the ends of fits are needed at some point.
template <class Real> BRIDGE_FN bool pastFits(const Shared& shared, const Real& T) {
    return !shared.thermoExtrap && any((T < shared.fitLow) | (T > shared.fitHigh));
}

template <class Real> struct IdealPolynomial {
    Real c0 = 0.0, c1 = 0.0, c2 = 0.0, c3 = 0.0, c4 = 0.0, c5 = 0.0;  // of h/R: of T^0 .. T^5

    BRIDGE_MEMBER IdealPolynomial() {}  // zero
    template <class InX>
    BRIDGE_MEMBER IdealPolynomial(const Shared& shared, const InX& X, const Real& T) {
        const int ns = species(shared);
        const bool ends = pastFits<Real>(shared, T);
        BRIDGE_ROLLED_MANY
        for (int i = 0; i < ns; ++i) {
            const FitOfSpecies<Real> fit(shared, i, T);
            Real x = X[i], a0 = fit(0), a1 = fit(1), curved = x;
            if (ends) {
                const Mask<Real> under = fit.under(T), over = fit.over(T);
                a0 = select(under, Real(fit.below(0)), select(over, Real(fit.above(0)), a0));
                a1 = select(under, Real(fit.below(1)), select(over, Real(fit.above(1)), a1));
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

// h/R of one species, K; ends: of pastFits.
template <class Real>
BRIDGE_FN Real speciesEnthalpy(const Shared& shared, int i, const Real& T, bool ends) {
    const FitOfSpecies<Real> fit(shared, i, T);
    const Real h = fit(0) + T * (fit(1) + T * (fit(2) + T * (fit(3) + T * (fit(4) + T * fit(5)))));
    if (!ends) return h;
    const Real below = fit.below(0) + fit.below(1) * T, above = fit.above(0) + fit.above(1) * T;
    return select(fit.under(T), below, select(fit.over(T), above, h));
}

// Temperatures around T at which each species has the range of its fit that it has at T: strictly
// between the two, or T itself.
template <class Real>
BRIDGE_FN void sameRanges(const Shared& shared, const Real& T, Real& from, Real& to) {
    from = 0.0;
    to = BRIDGE_INFINITY;
    BRIDGE_ROLLED
    for (const double* end = shared.rangeEnds; *end < BRIDGE_INFINITY; ++end) {
        from = select(T >= *end, Real(*end), from);
        to = select(T <= *end, min(to, Real(*end)), to);
    }
}

}  // namespace BRIDGE_NAMESPACE
