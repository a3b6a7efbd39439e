// Attraction of the mixture and both temperature derivatives in one, nothing stored per species.
// docs/physics.md, section 5. Source: Peng and Robinson 1976.
//
// In   X (ns), T K
// Out  a, a_T, a_TT (Pa m6/mol2, per K, per K2)
#pragma once
#include "../point.h"
#include "mixtureAttraction.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void prEOSMixAttraction(const Shared& shared, const InX& X, const Real& T, Real& a,
                                  Real& a_T, Real& a_TT) {
    const Real root = sqrt(T);
    MixtureAttraction<Real>(shared, X, root).at(root, a, a_T, a_TT);
}

}  // namespace BRIDGE_NAMESPACE
