// Temperature and pressure of a mixture from its density and internal energy, the state that a
// conservative solver has. docs/physics.md, section 9.
//
// The volume is known, so no cubic is solved: u(T, v) rises with T by cv, and P follows. Of the
// attraction and the ideal gas only sqrt(T) and a polynomial in T change from step to step; the
// sums over species are made once, those of the ideal gas again where a point crosses into another
// range of a fit.
//
// In   rho_target kg/m3, e_target J/kg (heats of formation included), Y (ns), T0 K
// Out  status, T K, P Pa, X (ns), W kg/mol, b, v_pr, v m3/mol, rho kg/m3, Z_pr, Z, D, K, a,
//      a_T, a_TT, cp_ideal, cv_ideal J/(mol K), h_ideal J/mol, iterations
#pragma once
#include "../point.h"
#include "bracketedNewton.h"
#include "densityInput.h"
#include "idealPolynomial.h"
#include "mixtureAttraction.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY, class OutX>
BRIDGE_FN void prEOSTemperatureFromRhoE(const Shared& shared, const Real& rho_target,
                                        const Real& e_target, const InY& Y, const Real& T0,
                                        Bits<Real>& status, Real& T, Real& P, OutX& X, Real& W,
                                        Real& b, Real& v_pr, Real& v, Real& rho, Real& Z_pr,
                                        Real& Z, Real& D, Real& K, Real& a, Real& a_T, Real& a_TT,
                                        Real& cp_ideal, Real& cv_ideal, Real& h_ideal,
                                        Bits<Real>& iterations) {
    const DensityInput<Real> mixture(shared, rho_target, Y, flag<Real>(!isfinite(e_target), BAD_T),
                                     X);
    W = mixture.W;
    b = mixture.b;
    v_pr = mixture.v_pr;
    v = mixture.v;
    rho = mixture.rho;
    D = mixture.D;
    K = mixture.K;
    const Real target = e_target * W;
    T = select(isfinite(T0), clamp<Real>(T0, shared.TloH, shared.ThiH), 300.0);
    T = select(mixture.fatal, Real(BRIDGE_NAN), T);
    Real lo = shared.TloH, hi = shared.ThiH;
    Real step = shared.ThiH - shared.TloH, stepOld = step;
    iterations = Bits<Real>(0);
    Bits<Real> found = Bits<Real>(0);
    Mask<Real> active = !mixture.fatal;

    MixtureAttraction<Real> pull;
    IdealPolynomial<Real> ideal;
    Real root = 0.0, from = BRIDGE_INFINITY, to = 0.0;  // where the sums hold: nowhere yet
    BRIDGE_ROLLED
    for (int turn = 0;; ++turn) {
        root = sqrt(T);
        if (turn == 0 || shared.prCross) pull = MixtureAttraction<Real>(shared, X, root);
        if (any((T <= from) | (T >= to))) {
            ideal = IdealPolynomial<Real>(shared, X, T);
            sameRanges<Real>(shared, T, from, to);
        }
        if (turn == shared.newtonLimit || !any(active)) break;
        const Real u = shared.R * (ideal.h(T) - T) + K * (root * pull.sums.cd - pull.sums.cc);
        const Real slope = shared.R * (ideal.cp(T) - 1.0) + K * (0.5 * pull.sums.cd / root);
        const Real f = u - target, dT = newtonStep<Real>(f, slope);
        const NewtonStep<Real> now(shared, f, dT, T, lo, hi, stepOld);
        // the last step counts as well: it doubles the digits that are right
        const Real next = select(now.converged & (!now.halve), T - dT, now.next);
        lo = select(active, now.low, lo);
        hi = select(active, now.high, hi);
        stepOld = select(active, step, stepOld);
        step = select(active, select(now.halve, now.half, dT), step);
        iterations = iterations + flag<Real>(active, 1);
        found = found | select(active, now.bits, Bits<Real>(0));
        T = select(active, next, T);
        active = active & (!(now.converged | now.collapsed));
    }
    pull.at(root, a, a_T, a_TT);
    cp_ideal = shared.R * ideal.cp(T);
    cv_ideal = cp_ideal - shared.R;
    h_ideal = shared.R * ideal.h(T);
    P = shared.R * T / (v_pr - b) - a / D;
    Z_pr = P * v_pr / (shared.R * T);
    Z = P * v / (shared.R * T);
    status = mixture.status | found | flag<Real>(active, NO_CONV) |
             select(mixture.fatal, Bits<Real>(0), mixture.of(shared, Y, T, P, a));
}

}  // namespace BRIDGE_NAMESPACE
