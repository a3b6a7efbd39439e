// P_i = n (dP/dn_i) at constant T, V and one mole of mixture. docs/physics.md, section 7.
//
// In   T, v_pr, a, b, D, S_i (ns), P_v
// Out  P_i (ns) Pa
#pragma once
#include "../point.h"
#include "cubic.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InS, class OutP>
BRIDGE_FN void prEOSPressureSpeciesDerivatives(const Shared& shared, const Real& T,
                                               const Real& v_pr, const Real& a, const Real& b,
                                               const Real& D, const InS& S_i, const Real& P_v,
                                               OutP& P_i) {
    const int ns = species(shared);
    const Real free = v_pr - b;
    const Real ideal = shared.R * T / free;
    const Real invD = 1.0 / D;
    const Real halfDb = cubicConstants(shared).halfDb<Real>(v_pr, b);
    const Real perB = ideal / free + 2.0 * a * halfDb * invD * invD;
    for (int i = 0; i < ns; ++i) {
        P_i[i] = ideal + perB * shared.prB[i] - 2.0 * S_i[i] * invD;
    }
    if (!shared.volumeShift) return;
    for (int i = 0; i < ns; ++i) P_i[i] = Real(P_i[i]) - P_v * shared.cShift[i];
}

}  // namespace BRIDGE_NAMESPACE
