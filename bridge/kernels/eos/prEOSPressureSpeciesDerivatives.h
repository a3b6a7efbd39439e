// P_i = n (dP/dn_i) at constant T, V and one mole of mixture. docs/physics.md, section 7.
//
// In   T, v, a, b, D, S_i (ns)
// Out  P_i (ns) Pa
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InS, class OutP>
BRIDGE_FN void prEOSPressureSpeciesDerivatives(const Shared& shared, const Real& T, const Real& v,
                                               const Real& a, const Real& b, const Real& D,
                                               const InS& S_i, OutP& P_i) {
    const int ns = species(shared);
    const Real free = v - b;
    const Real ideal = shared.R * T / free;
    const Real invD = 1.0 / D;
    const Real perB = ideal / free + 2.0 * a * free * invD * invD;
    for (int i = 0; i < ns; ++i) {
        P_i[i] = ideal + perB * shared.prB[i] - 2.0 * S_i[i] * invD;
    }
}

}  // namespace BRIDGE_NAMESPACE
