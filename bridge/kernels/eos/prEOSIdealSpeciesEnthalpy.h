// Ideal-gas enthalpy of each species, heat of formation included. docs/physics.md, section 4.
// Source: McBride, Gordon and Reno 1993.
//
// In   T K
// Out  h0_i (ns) J/mol
#pragma once
#include "../point.h"
#include "nasa7.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class OutH>
BRIDGE_FN void prEOSIdealSpeciesEnthalpy(const Shared& shared, const Real& T, OutH& h0_i) {
    const int ns = species(shared);
    for (int i = 0; i < ns; ++i) {
        const Nasa7<Real> fit = Nasa7<Real>::at(shared, i, T);
        h0_i[i] = shared.R * (fit.h() + fit.cp() * (T - fit.t));
    }
}

}  // namespace BRIDGE_NAMESPACE
