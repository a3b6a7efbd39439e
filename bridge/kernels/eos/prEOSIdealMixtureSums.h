// Ideal-gas heat capacities and enthalpy of the mixture straight from T and X: no species value is
// stored. docs/physics.md, section 4. Source: McBride, Gordon and Reno 1993.
//
// In   X (ns), T K
// Out  cp_ideal, cv_ideal J/(mol K), h_ideal J/mol
#pragma once
#include "../point.h"
#include "idealPolynomial.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void prEOSIdealMixtureSums(const Shared& shared, const InX& X, const Real& T,
                                     Real& cp_ideal, Real& cv_ideal, Real& h_ideal) {
    const IdealPolynomial<Real> ideal(shared, X, T);
    const Real h = ideal.h(T), cp = ideal.cp(T);
    cp_ideal = shared.R * cp;
    cv_ideal = shared.R * (cp - 1.0);
    h_ideal = shared.R * h;
}

}  // namespace BRIDGE_NAMESPACE
