// Ideal-gas heat capacity of each species. docs/physics.md, section 4. Source: McBride, Gordon and
// Reno 1993.
//
// In   T K
// Out  cp0_i (ns) J/(mol K)
#pragma once
#include "../point.h"
#include "nasa7.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class OutCp>
BRIDGE_FN void prEOSIdealSpeciesCp(const Shared& shared, const Real& T, OutCp& cp0_i) {
    const int ns = species(shared);
    for (int i = 0; i < ns; ++i) cp0_i[i] = shared.R * Nasa7<Real>::at(shared, i, T).cp();
}

}  // namespace BRIDGE_NAMESPACE
