// Temperature of a mixture from its density and pressure, as a pressure-based solver or an inlet
// has them. docs/physics.md, section 9.
//
// At a known volume P is a quadratic in sqrt(T), solved for its smaller positive root, where P
// rises with T. With ABS its coefficients change where the attraction of a species changes its
// sign: the solution is then the start of a safeguarded Newton search.
//
// In   rho_target kg/m3, P Pa, Y (ns)
// Out  status, T K, P, X (ns), W kg/mol, b, v_pr, v m3/mol, rho kg/m3, Z_pr, Z
#pragma once
#include "../point.h"
#include "bracketedNewton.h"
#include "densityInput.h"
#include "mixtureAttraction.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY, class OutX>
BRIDGE_FN void prEOSTemperatureFromRhoP(const Shared& shared, const Real& rho_target,
                                        const Real& P, const InY& Y, Bits<Real>& status, Real& T,
                                        Real& P_checked, OutX& X, Real& W, Real& b, Real& v_pr,
                                        Real& v, Real& rho, Real& Z_pr, Real& Z) {
    const Mask<Real> soundP = (P >= shared.Pleast) & (P <= shared.Pmost);
    const DensityInput<Real> mixture(shared, rho_target, Y, flag<Real>(!soundP, BAD_P), X);
    W = mixture.W;
    b = mixture.b;
    v_pr = mixture.v_pr;
    v = mixture.v;
    rho = mixture.rho;
    P_checked = select(mixture.fatal, Real(BRIDGE_NAN), P);

    // P = ideal T - (cc - 2 cd sqrt(T) + dd T)/D
    const Real ideal = shared.R / (v_pr - b), invD = 1.0 / mixture.D;
    Real root = sqrt(Real(shared.TloH));
    MixtureAttraction<Real> pull(shared, X, root);
    const Real square = ideal - pull.sums.dd * invD, linear = pull.sums.cd * invD;
    const Real constant = P_checked + pull.sums.cc * invD;
    const Real inside = linear * linear + square * constant;
    const Real divisor = linear + sqrt(at_least<Real>(inside, 0.0));
    const Mask<Real> solved =
        (inside >= 0.0) & (divisor > 0.0);  // else P has its largest value below
    const Real solution = constant / select(solved, divisor, Real(1.0));
    root = select(solved, at_least<Real>(solution, 0.0), Real(BRIDGE_INFINITY));
    root = select(mixture.fatal, Real(BRIDGE_NAN), root);
    Bits<Real> found = flag<Real>(root * root < shared.TloH, H_BELOW) |
                       flag<Real>(root * root > shared.ThiH, H_ABOVE);
    T = clamp<Real>(root * root, shared.TloH, shared.ThiH);
    root = sqrt(T);
    if (shared.prCross) {
        Real lo = shared.TloH, hi = shared.ThiH;
        Real step = shared.ThiH - shared.TloH, stepOld = step;
        Mask<Real> active = !mixture.fatal;
        found = Bits<Real>(0);
        BRIDGE_ROLLED
        for (int turn = 0; turn < shared.newtonLimit && any(active); ++turn) {
            pull = MixtureAttraction<Real>(shared, X, root);
            Real a, a_T, a_TT;
            pull.at(root, a, a_T, a_TT);
            const Real f = (ideal * T - a * invD) - P_checked;
            const Real dT = newtonStep<Real>(f, ideal - a_T * invD);
            const NewtonStep<Real> now(shared, f, dT, T, lo, hi, stepOld);
            lo = select(active, now.low, lo);
            hi = select(active, now.high, hi);
            stepOld = select(active, step, stepOld);
            step = select(active, select(now.halve, now.half, dT), step);
            found = found | select(active, now.bits, Bits<Real>(0));
            T = select(active, now.next, T);
            root = sqrt(T);
            active = active & (!(now.converged | now.collapsed));
        }
        found = found | flag<Real>(active, NO_CONV);
        pull = MixtureAttraction<Real>(shared, X, root);
    }
    Real a, a_T, a_TT;
    pull.at(root, a, a_T, a_TT);
    Z_pr = P_checked * v_pr / (shared.R * T);
    Z = P_checked * v / (shared.R * T);
    status = mixture.status | found |
             select(mixture.fatal, Bits<Real>(0), mixture.of(shared, Y, T, P_checked, a));
}

}  // namespace BRIDGE_NAMESPACE
