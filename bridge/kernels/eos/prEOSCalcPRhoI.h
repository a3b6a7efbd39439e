// Pressure derivatives by the density of each species, at constant densities of the others and
// constant internal energy of the volume. docs/physics.md, section 8.
//
// In   T K, v_pr, v m3/mol, P_i (ns) Pa/mol, h0_i (ns) J/mol, S_i, S_i_T (ns), a, a_T, b, D, K,
//      P_T, P, p_rhoe
// Out  p_rhoi (ns) = dP/d(rho_i), Pa m3/kg
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InP, class InH, class InS, class InST, class OutP>
BRIDGE_FN void prEOSCalcPRhoI(const Shared& shared, const Real& T, const Real& v_pr, const Real& v,
                              const InP& P_i, const InH& h0_i, const InS& S_i, const InST& S_i_T,
                              const Real& a, const Real& a_T, const Real& b, const Real& D,
                              const Real& K, const Real& P_T, const Real& P, const Real& p_rhoe,
                              OutP& p_rhoi) {
    const Real RT = shared.R * T;
    const Real perB = (T * a_T - a) * (v_pr / D - K) / b;
    for (int i = 0; i < species(shared); ++i) {
        // energy of the volume by moles of the species, at constant T and volume
        Real u = (h0_i[i] - RT) + 2.0 * K * (T * S_i_T[i] - S_i[i]) + perB * shared.prB[i];
        if (shared.volumeShift) u = u - (T * P_T - P) * shared.cShift[i];
        p_rhoi[i] = (v * P_i[i] - p_rhoe * u) * shared.invW[i];
    }
}

}  // namespace BRIDGE_NAMESPACE
