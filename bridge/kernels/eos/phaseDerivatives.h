// Derivatives of a phase of given composition, temperature and volume, per mole of it; those by the
// moles of a species as factors of b_i and S_i. docs/physics.md, sections 7 and 25.
#pragma once
#include "../point.h"
#include "cubic.h"
#include "prEOSIdealMixtureSums.h"
#include "prEOSLogTerm.h"
#include "prEOSMixAttraction.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct PhaseDerivatives {
    Real P_v, P_T, cp;
    Real P0, Pb, PS;          // P_i = P0 + Pb b_i + PS S_i
    Real TP, hb, hS;          // hbar_i = TP vbar_i + hb b_i + hS (T S_i_T - S_i) + what all have
    Real inverse, kb, kS, k;  // of the second derivatives, see `factors`

    // v: without its shift.
    template <class InX>
    BRIDGE_MEMBER PhaseDerivatives(const Shared& shared, const InX& X, const Real& T,
                                   const Real& v) {
        Real a, a_T, a_TT, cp_ideal, cv_ideal, h_ideal, D, K, b = 0.0;
        prEOSMixAttraction<Real>(shared, X, T, a, a_T, a_TT);
        prEOSIdealMixtureSums<Real>(shared, X, T, cp_ideal, cv_ideal, h_ideal);
        BRIDGE_ROLLED
        for (int i = 0; i < species(shared); ++i) b = b + X[i] * shared.prB[i];
        prEOSLogTerm<Real>(shared, v, b, D, K);
        const CubicConstants c = cubicConstants(shared);
        const Real RT = shared.R * T, invRT = 1.0 / RT, invD = 1.0 / D, invB = 1.0 / b;
        const Real bend = c.halfDb<Real>(v, b) * invD * invD;
        inverse = 1.0 / (v - b);
        P0 = RT * inverse;
        Pb = P0 * inverse + 2.0 * a * bend;
        PS = -2.0 * invD;
        P_v = 2.0 * a * c.halfDv<Real>(v, b) * invD * invD - P0 * inverse;
        P_T = shared.R * inverse - a_T * invD;
        cp = cv_ideal + T * a_TT * K - T * P_T * P_T / P_v;
        const Real K_b = (v * invD - K) * invB;  // of K, at constant v
        TP = T * P_T;
        hb = (T * a_T - a) * K_b;
        hS = 2.0 * K;
        k = 2.0 * K * invRT;
        kS = -2.0 * K_b * invRT;
        kb = inverse * inverse + 2.0 * a * (K_b + v * bend) * invB * invRT;
    }

    BRIDGE_MEMBER Real vbar(double b_i, const Real& S) const {
        return (P0 + Pb * b_i + PS * S) / -P_v;
    }
    // Where `d` moles change, what ln f_i of the phase changes by at constant T and P is, but for
    // d_i/x_i and the attraction -k u_i sum_j (1 - k_ij) u_j d_j, c0 + cb b_i + cS S_i.
    // sum, ofB, ofS: of d, b d and S d.
    BRIDGE_MEMBER void factors(const Real& sum, const Real& ofB, const Real& ofS,
                               const Real& invRT, Real& c0, Real& cb, Real& cS) const {
        const Real pressure = (P0 * sum + Pb * ofB + PS * ofS) * invRT, t = pressure / P_v;
        c0 = inverse * ofB + P0 * t;
        cb = inverse * sum + kb * ofB + kS * ofS + Pb * t;
        cS = kS * ofB + PS * t;
    }
};

}  // namespace BRIDGE_NAMESPACE
