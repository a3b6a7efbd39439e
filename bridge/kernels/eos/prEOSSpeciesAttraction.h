// Sums of the attraction of each species with all others and their temperature derivative in one,
// nothing else stored per species. docs/physics.md, section 5. Source: Peng and Robinson 1976.
//
// In   X (ns), T K
// Out  S_i, S_i_T (ns)
#pragma once
#include "../point.h"
#include "speciesAttraction.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class OutS, class OutST>
BRIDGE_FN void prEOSSpeciesAttraction(const Shared& shared, const InX& X, const Real& T, OutS& S_i,
                                      OutST& S_i_T) {
    eachAttraction<Real>(shared, X, T, [&](int i, const Real& S, const Real& slope) {
        S_i[i] = S;
        S_i_T[i] = slope;
    });
}

}  // namespace BRIDGE_NAMESPACE
