// Temperature at which two phases of given volumes have a given internal energy together: the search
// of section 9 for two. docs/physics.md, section 26.
#pragma once
#include "../point.h"
#include "bracketedNewton.h"
#include "idealPolynomial.h"
#include "mixtureAttraction.h"
#include "phaseDerivatives.h"

namespace BRIDGE_NAMESPACE {

// Of the points `active`; bx, by: covolumes of the phases. Fills T, bits, cv and both phases.
template <class Real, class Split>
BRIDGE_APART void densityTemperature(Split& split, Mask<Real> active, const Real& bx,
                                     const Real& by) {
    const Shared& shared = split.shared;
    const auto x = split.column(split.LIQUID), y = split.column(split.VAPOUR);
    Real& T = split.T;
    Bits<Real>& bits = split.bits;
    Real DX, KX, DY, KY;
    prEOSLogTerm<Real>(shared, split.vx, bx, DX, KX);
    prEOSLogTerm<Real>(shared, split.vy, by, DY, KY);
    const Real perX = split.ofX * KX, perY = split.ofY * KY;
    Real lo = shared.TloH, hi = shared.ThiH, change = hi - lo, changeLast = change;
    Real from = BRIDGE_INFINITY, to = 0.0, root = 0.0;
    bits = select(active, Bits<Real>(0), bits);
    MixtureAttraction<Real> pullX, pullY;
    IdealPolynomial<Real> ideal;
    BRIDGE_ROLLED
    for (int turn = 0;; ++turn) {
        root = sqrt(T);
        if (turn == 0 || shared.prCross) {
            pullX = MixtureAttraction<Real>(shared, x, root);
            pullY = MixtureAttraction<Real>(shared, y, root);
        }
        if (any((T <= from) | (T >= to))) {
            ideal = IdealPolynomial<Real>(shared, split.X, T);
            sameRanges<Real>(shared, T, from, to);
        }
        if (turn == shared.newtonLimit || !any(active)) break;
        const Real cc = perX * pullX.sums.cc + perY * pullY.sums.cc;
        const Real cd = perX * pullX.sums.cd + perY * pullY.sums.cd;
        const Real f = shared.R * (ideal.h(T) - T) + root * cd - cc - split.target;
        const Real dT = newtonStep<Real>(f, shared.R * (ideal.cp(T) - 1.0) + 0.5 * cd / root);
        const NewtonStep<Real> now(shared, f, dT, T, lo, hi, changeLast);
        const Real next = select(now.converged & (!now.halve), T - dT, now.next);
        lo = select(active, now.low, lo);
        hi = select(active, now.high, hi);
        changeLast = select(active, change, changeLast);
        change = select(active, select(now.halve, now.half, dT), change);
        bits = bits | select(active, now.bits, Bits<Real>(0));
        T = select(active, next, T);
        active = active & (!(now.converged | now.collapsed));
    }
    Real a, a_T, a_TT;
    pullX.at(root, a, a_T, a_TT);
    split.liquid = PhaseDerivatives<Real>(shared, T, split.vx, bx, a, a_T, a_TT, 0.0);
    pullY.at(root, a, a_T, a_TT);
    split.vapour = PhaseDerivatives<Real>(shared, T, split.vy, by, a, a_T, a_TT, 0.0);
    split.cv =
        shared.R * (ideal.cp(T) - 1.0) + split.ofX * split.liquid.cv + split.ofY * split.vapour.cv;
}

}  // namespace BRIDGE_NAMESPACE
