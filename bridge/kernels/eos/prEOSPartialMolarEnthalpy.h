// Partial molar enthalpies. docs/physics.md, section 7.
//
// In   T, h0_i (ns), P_T, vbar_i (ns), S_i (ns), S_i_T (ns), a, a_T, b, v_pr, D, K, P
// Out  hbar_i (ns) J/mol
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InH, class InV, class InS, class InST, class OutH>
BRIDGE_FN void prEOSPartialMolarEnthalpy(const Shared& shared, const Real& T, const InH& h0_i,
                                         const Real& P_T, const InV& vbar_i, const InS& S_i,
                                         const InST& S_i_T, const Real& a, const Real& a_T,
                                         const Real& b, const Real& v_pr, const Real& D,
                                         const Real& K, const Real& P, OutH& hbar_i) {
    const int ns = species(shared);
    const Real RT = shared.R * T;
    const Real TPT = T * P_T;
    const Real perB = (T * a_T - a) * (v_pr / D - K) / b;
    for (int i = 0; i < ns; ++i) {
        hbar_i[i] = h0_i[i] + (TPT * vbar_i[i] - RT) + 2.0 * K * (T * S_i_T[i] - S_i[i]) +
                    perB * shared.prB[i];
    }
    if (!shared.volumeShift) return;  // vbar_i has the shift, which adds P c_i in all
    const Real perShift = P - TPT;
    for (int i = 0; i < ns; ++i) hbar_i[i] = Real(hbar_i[i]) + perShift * shared.cShift[i];
}

}  // namespace BRIDGE_NAMESPACE
