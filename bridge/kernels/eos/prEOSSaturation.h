// Vapour pressure of a pure species, its liquid and its vapour there. docs/physics.md, section 23.
// Source: Michelsen and Mollerup 2007.
//
// a/(b R T) alone decides B = b P/(R T). Newton's method for ln B, on the difference of the Gibbs
// energies of both roots, whose slope is the difference of both Z. Where a pressure has one root,
// its kind tells on which side the vapour pressure is.
//
// In   T K, Y (ns), all of one species
// Out  X (ns), P_sat Pa, rho_liquid, rho_vapour kg/m3, h_liquid, h_vapour J/kg, status with NO_CONV
//      where there is none: above the critical temperature, of a mixture, below Pleast
#pragma once
#include "../point.h"
#include "cubic.h"
#include "inputChecks.h"
#include "phaseProperties.h"
#include "prEOSSelectRoot.h"
#include "prEOSSolveCubic.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

// ln B over that at the critical point; t is a/(b R T) over that at the critical point. A fit with
// the exact slope at t = 1, to 0.014 min(t - 1, 1)^1.5 for t < 80.
template <class Real> BRIDGE_FN Real guessedSaturation(const CubicConstants& c, const Real& t) {
    const Real far = t - 1.0, u = far / t;
    const Real bend = u * (c.fit0 + u * (c.fit1 + c.fit2 * u));
    return far * (bend - c.slope) + c.fit3 * (log(t) - far);
}

// P kappaT of a root; q is a/(b R T).
template <class Real>
BRIDGE_FN Real rootCondition(const CubicConstants& c, const Real& Z, const Real& B,
                             const Real& q) {
    const Real x = Z / B, D = c.D<Real>(x, 1.0), halfDv = c.halfDv<Real>(x, 1.0);
    return B / (x * fabs(1.0 / ((x - 1.0) * (x - 1.0)) - 2.0 * q * halfDv / (D * D)));
}

template <class Real, class InY, class OutX>
BRIDGE_FN void prEOSSaturation(const Shared& shared, const Real& T, const InY& Y, OutX& X,
                               Real& P_sat, Real& rho_liquid, Real& rho_vapour, Real& h_liquid,
                               Real& h_vapour, Bits<Real>& status) {
    const int ns = species(shared);
    MassFractionSums<Real> sums;
    Real moles = 0.0, most = 0.0;
    for (int i = 0; i < ns; ++i) {
        const Real kept = sums.add(Y[i]), n = kept * shared.invW[i];
        moles = moles + n;
        most = max(most, kept);
        X[i] = n;
    }
    const Bits<Real> bits = inputStatus<Real>(shared, T, Real(shared.P0), Y, sums);
    const Mask<Real> sound = !has_any<Real>(bits, FATAL);
    for (int i = 0; i < ns; ++i) X[i] = select(sound, Real(X[i]) / moles, Real(BRIDGE_NAN));
    const PhaseProperties<Real> phase(shared, X, T);
    const CubicConstants c = cubicConstants(shared);
    const Real q = phase.a / (phase.b * shared.R * T), t = q * (1.0 / c.pull);
    const Mask<Real> pure = sound & (most >= (1.0 - 1e-12) * sums.positive);
    Mask<Real> active = pure & (t > 1.0);
    const Mask<Real> below = active;
    const Real tBelow = select(below, t, 2.0), narrow = at_most<Real>(tBelow - 1.0, 1.0);
    Real lnB = c.lnB + guessedSaturation<Real>(c, tBelow);
    const Real width = 0.05 * narrow * sqrt(narrow) + 1e-13;
    Real lo = lnB - width, hi = lnB + width, B = 0.0, Zmax = 1.0, Zmin = 1.0;
    Bits<Real> roots;
    BRIDGE_ROLLED
    for (int turn = 0; turn < shared.newtonLimit && any(active); ++turn) {
        B = exp(lnB);
        const Real A = q * B;
        prEOSSolveCubic<Real>(shared, A, B, Zmax, Zmin, roots);
        const Mask<Real> three = roots == Bits<Real>(3);
        const Real apart = Zmax - Zmin;
        const Real f = rootGibbs<Real>(c, Zmax, A, B) - rootGibbs<Real>(c, Zmin, A, B);
        const Mask<Real> high = select(three, f > 0.0, Zmax < c.bulk * B);
        const Real step = select(three, f / select(three, apart, 1.0), 1.0);
        hi = select(active & high, lnB, hi);
        lo = select(active & !high, lnB, lo);
        const Mask<Real> inside = three & (lnB - step >= lo) & (lnB - step <= hi);
        lnB = select(active, select(inside, lnB - step, 0.5 * (lo + hi)), lnB);
        const Mask<Real> close =
            fabs(step) < 1e-15 * fabs(lnB) + 4e-16 / at_least<Real>(apart, 1e-16);
        active = active & !((three & close) | (hi - lo < 4e-16 * fabs(lo)));
    }
    B = exp(lnB);
    prEOSSolveCubic<Real>(shared, q * B, B, Zmax, Zmin, roots);
    // no liquid beside a vapour this near to the critical point: digits are too few
    const Mask<Real> found = below & ((roots == Bits<Real>(3)) | (narrow < 1e-8)) & !active;
    const Real P = B * shared.R * T / phase.b;
    const Mask<Real> told = found & (P >= shared.Pleast);
    P_sat = select(told, P, Real(BRIDGE_NAN));
    Real v;
    phase.at(shared, T, P_sat, Zmin, v, rho_liquid, h_liquid);
    phase.at(shared, T, P_sat, Zmax, v, rho_vapour, h_vapour);
    const Mask<Real> steep = (rootCondition<Real>(c, Zmin, B, q) < shared.nearCritical) &
                             (rootCondition<Real>(c, Zmax, B, q) < shared.nearCritical);
    status = bits | flag<Real>(sound & !told, NO_CONV) | flag<Real>(told & !steep, NEAR_CRITICAL) |
             flag<Real>(sound & (sums.least < -shared.clipTolerance), Y_CLIPPED);
}

}  // namespace BRIDGE_NAMESPACE
