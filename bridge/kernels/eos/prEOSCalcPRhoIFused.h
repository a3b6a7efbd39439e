// Pressure derivatives by the density of each species straight from X and T: nothing else is stored
// per species. docs/physics.md, section 8.
//
// In   X (ns), T K, v_pr, v m3/mol, a, a_T, b, D, K, P_v, P_T, P Pa, p_rhoe
// Out  p_rhoi (ns) = dP/d(rho_i), Pa m3/kg
#pragma once
#include "../point.h"
#include "cubic.h"
#include "idealPolynomial.h"
#include "speciesAttraction.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class OutP>
BRIDGE_FN void prEOSCalcPRhoIFused(const Shared& shared, const InX& X, const Real& T,
                                   const Real& v_pr, const Real& v, const Real& a, const Real& a_T,
                                   const Real& b, const Real& D, const Real& K, const Real& P_v,
                                   const Real& P_T, const Real& P, const Real& p_rhoe,
                                   OutP& p_rhoi) {
    const Real free = v_pr - b, invD = 1.0 / D, RT = shared.R * T;
    const Real ideal = RT / free;
    const Real halfDb = cubicConstants(shared).halfDb<Real>(v_pr, b);
    const Real pressurePerB = ideal / free + 2.0 * a * halfDb * invD * invD;
    const Real energyPerB = (T * a_T - a) * (v_pr * invD - K) / b;
    // v P_i - p_rhoe ubar_i is linear in h_i, b_i, S_i and its slope
    const Real base = v * ideal + p_rhoe * RT;
    const Real perB = v * pressurePerB - p_rhoe * energyPerB;
    const Real twice = 2.0 * p_rhoe * K;
    const Real perS = twice - 2.0 * v * invD, perSlope = -twice * T, perH = -p_rhoe * shared.R;
    const Real perShift = shared.volumeShift ? p_rhoe * (T * P_T - P) - v * P_v : Real(0.0);
    const bool ends = pastFits<Real>(shared, T);
    eachAttraction<Real>(shared, X, T, [&](int i, const Real& S, const Real& slope) {
        const Real h = speciesEnthalpy<Real>(shared, i, T, ends);
        Real p = base + perH * h + perB * shared.prB[i] + perS * S + perSlope * slope;
        if (shared.volumeShift) p = p + perShift * shared.cShift[i];
        p_rhoi[i] = p * shared.invW[i];
    });
}

}  // namespace BRIDGE_NAMESPACE
