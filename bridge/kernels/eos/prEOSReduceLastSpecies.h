// Species derivatives for a solver that eliminates the last species; they do not depend on how the
// functions are extended off sum Y = 1. docs/physics.md, section 8.
//
// In   rho_Yi (ns), h_Yi (ns)
// Out  rho_Yi_reduced (ns-1), h_Yi_reduced (ns-1)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InRho, class InH, class OutRho, class OutH>
BRIDGE_FN void prEOSReduceLastSpecies(const Shared& shared, const InRho& rho_Yi, const InH& h_Yi,
                                      OutRho& rho_Yi_reduced, OutH& h_Yi_reduced) {
    const int last = species(shared) - 1;
    const Real rhoLast = rho_Yi[last], hLast = h_Yi[last];
    for (int i = 0; i < last; ++i) {
        rho_Yi_reduced[i] = rho_Yi[i] - rhoLast;
        h_Yi_reduced[i] = h_Yi[i] - hLast;
    }
}

}  // namespace BRIDGE_NAMESPACE
