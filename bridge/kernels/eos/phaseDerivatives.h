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
    Real P, P_v, P_T, cv;
    Real P0, Pb, PS;          // P_i = P0 + Pb b_i + PS S_i
    Real ub, uS;              // ubar_i = ub b_i + uS (T S_i_T - S_i) + what all phases have
    Real fb;                  // ln f_i = ln X_i - ln(v - b) + fb b_i - k S_i + ln(R T)
    Real inverse, kb, kS, k;  // of the second derivatives, see `factors`

    BRIDGE_MEMBER PhaseDerivatives() {}  // of no phase
    // v: without its shift.
    template <class InX>
    BRIDGE_MEMBER PhaseDerivatives(const Shared& shared, const InX& X, const Real& T,
                                   const Real& v) {
        Real a, a_T, a_TT, cp_ideal, cv_ideal, h_ideal, b = 0.0;
        prEOSMixAttraction<Real>(shared, X, T, a, a_T, a_TT);
        prEOSIdealMixtureSums<Real>(shared, X, T, cp_ideal, cv_ideal, h_ideal);
        BRIDGE_ROLLED
        for (int i = 0; i < species(shared); ++i) b = b + X[i] * shared.prB[i];
        *this = PhaseDerivatives(shared, T, v, b, a, a_T, a_TT, cv_ideal);
    }
    BRIDGE_MEMBER PhaseDerivatives(const Shared& shared, const Real& T, const Real& v,
                                   const Real& b, const Real& a, const Real& a_T, const Real& a_TT,
                                   const Real& cv_ideal) {
        Real D, K;
        prEOSLogTerm<Real>(shared, v, b, D, K);
        const CubicConstants c = cubicConstants(shared);
        const Real RT = shared.R * T, invRT = 1.0 / RT, invD = 1.0 / D, invB = 1.0 / b;
        const Real bend = c.halfDb<Real>(v, b) * invD * invD;
        inverse = 1.0 / (v - b);
        P0 = RT * inverse;
        Pb = P0 * inverse + 2.0 * a * bend;
        PS = -2.0 * invD;
        P = P0 - a * invD;
        P_v = 2.0 * a * c.halfDv<Real>(v, b) * invD * invD - P0 * inverse;
        P_T = shared.R * inverse - a_T * invD;
        cv = cv_ideal + T * a_TT * K;
        const Real K_b = (v * invD - K) * invB;  // of K, at constant v
        ub = (T * a_T - a) * K_b;
        uS = 2.0 * K;
        fb = inverse - a * K_b * invRT;
        k = 2.0 * K * invRT;
        kS = -2.0 * K_b * invRT;
        kb = inverse * inverse + 2.0 * a * (K_b + v * bend) * invB * invRT;
    }

    BRIDGE_MEMBER Real cp(const Real& T) const { return cv - T * P_T * P_T / P_v; }
    BRIDGE_MEMBER Real ubar(double b_i, const Real& TS_TlessS) const {
        return ub * b_i + uS * TS_TlessS;
    }
    BRIDGE_MEMBER Real Pbar(double b_i, const Real& S) const { return P0 + Pb * b_i + PS * S; }
    // Where `d` moles change, what ln f_i of the phase changes by at constant T and V, but for
    // d_i/x_i and the attraction -k u_i sum_j (1 - k_ij) u_j d_j, c0 + cb b_i + cS S_i; at constant
    // P with `atPressure`, 1/(R T P_v), else that is zero. sum, ofB, ofS: of d, b d and S d.
    BRIDGE_MEMBER void factors(const Real& sum, const Real& ofB, const Real& ofS,
                               const Real& atPressure, Real& c0, Real& cb, Real& cS) const {
        const Real t = (P0 * sum + Pb * ofB + PS * ofS) * atPressure;
        c0 = inverse * ofB + P0 * t;
        cb = inverse * sum + kb * ofB + kS * ofS + Pb * t;
        cS = kS * ofB + PS * t;
    }
};

}  // namespace BRIDGE_NAMESPACE
