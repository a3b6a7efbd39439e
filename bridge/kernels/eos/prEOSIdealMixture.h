// Ideal-gas heat capacities and enthalpy of the mixture, per mole. docs/physics.md, section 4.
//
// In   X (ns), cp0_i (ns) J/(mol K), h0_i (ns) J/mol
// Out  cp_ideal, cv_ideal J/(mol K), h_ideal J/mol
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InCp, class InH>
BRIDGE_FN void prEOSIdealMixture(const Shared& shared, const InX& X, const InCp& cp0_i,
                                 const InH& h0_i, Real& cp_ideal, Real& cv_ideal, Real& h_ideal) {
    const int ns = species(shared);
    Real cp = 0.0, h = 0.0;
    for (int i = 0; i < ns; ++i) {
        cp = cp + X[i] * cp0_i[i];
        h = h + X[i] * h0_i[i];
    }
    cp_ideal = cp;
    cv_ideal = cp - shared.R;
    h_ideal = h;
}

}  // namespace BRIDGE_NAMESPACE
