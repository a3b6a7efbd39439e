// Ideal-gas heat capacities and enthalpy of the mixture straight from T and X: no species value is
// stored. docs/physics.md, section 4. Source: McBride, Gordon and Reno 1993.
//
// All species are at one T, so the mixture has one polynomial of h/R, whose derivative is cp/R:
// each species adds the coefficients of its range. Past the ends of a fit the heat capacity stays
// (CONST_CP), which makes h/R a straight line there, or the polynomial runs on (POLYNOMIAL).
//
// In   X (ns), T K
// Out  cp_ideal, cv_ideal J/(mol K), h_ideal J/mol
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void prEOSIdealMixtureSums(const Shared& shared, const InX& X, const Real& T,
                                     Real& cp_ideal, Real& cv_ideal, Real& h_ideal) {
    const int ns = species(shared);
    const bool ends = !shared.thermoExtrap && any((T < shared.fitLow) | (T > shared.fitHigh));
    Real c0 = 0.0, c1 = 0.0, c2 = 0.0, c3 = 0.0, c4 = 0.0, c5 = 0.0;  // of h/R: of T^0 .. T^5
    for (int i = 0; i < ns; ++i) {
        const double* range = shared.nasaEnthalpy + 19 * i;  // Tlow, Tmid, Thigh
        const double *low = range + 3, *high = range + 9, *below = range + 15, *above = range + 17;
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
    const Real h = c0 + T * (c1 + T * (c2 + T * (c3 + T * (c4 + T * c5))));
    const Real cp = c1 + T * (2.0 * c2 + T * (3.0 * c3 + T * (4.0 * c4 + T * (5.0 * c5))));
    cp_ideal = shared.R * cp;
    cv_ideal = shared.R * (cp - 1.0);
    h_ideal = shared.R * h;
}

}  // namespace BRIDGE_NAMESPACE
