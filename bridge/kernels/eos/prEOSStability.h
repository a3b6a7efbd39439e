// Is the mixture stable as one phase? Minima of the tangent-plane distance. docs/physics.md,
// section 6. Sources: Michelsen 1982; Orbach and Crowe 1971 (acceleration).
//
// A trial phase of composition w that forms from the feed changes the Gibbs energy by
// tpd(w) = sum_i w_i (ln w_i + ln phi_i(w) - d_i), d_i = ln X_i + ln phi_i(X), in units of R T. If
// some w makes it negative the feed splits. Its stationary points are fixed points of
// y_i = d_i - ln phi_i(w), w_i ~ exp(y_i): successive substitution, from the vapour and the liquid
// of Wilson's equation, from an ideal gas, and from each species nearly pure. A step is
// accelerated along the last two; one that climbs is taken back, and shorter ones are tried. So
// tpd falls with every step that counts. A search that ends at the feed itself has found nothing.
//
// The trial phase has the root of lowest Gibbs energy, whatever root the feed has: a feed on a
// metastable root is unstable against its own composition.
//
// In   X (ns), T K, P Pa, u_i (ns), lnphi_i (ns) of the feed, status
// Out  tpd (lowest stationary value, 0 where the feed is the only one), stability_work (6 ns),
//      status with TWO_PHASE, STABILITY_OPEN
#pragma once
#include "../point.h"
#include "prEOSSelectRoot.h"
#include "prEOSSolveCubic.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

// What a trial phase is: its distance, how far it is from a stationary point, and from the feed.
template <class Real> struct TrialPhase { Real tpd, residual, apart; };

// Departure of the root of lowest Gibbs energy: Z, ln(Z - B), and the logarithm of the attraction.
template <class Real> struct StableRoot {
    Real Z, logZB, L;

    BRIDGE_MEMBER void take(const Mask<Real>& there, const Real& z, const Real& A, const Real& B) {
        const Real twoRoot2B = 2.8284271247461903 * B;
        const Real log1 = log1p(twoRoot2B / (z - 0.41421356237309503 * B)), log2 = log(z - B);
        const Mask<Real> lower =
            there & ((z - log2) - A / twoRoot2B * log1 < (Z - logZB) - A / twoRoot2B * L);
        Z = select(lower, z, Z);
        logZB = select(lower, log2, logZB);
        L = select(lower, log1, L);
    }
    static BRIDGE_MEMBER StableRoot of(const Shared& shared, const Real& A, const Real& B) {
        Real Zmax, Zmin;
        Bits<Real> roots;
        prEOSSolveCubic<Real>(shared, A, B, Zmax, Zmin, roots);
        const Real twoRoot2B = 2.8284271247461903 * B;
        StableRoot root = {Zmax, log(Zmax - B),
                           log1p(twoRoot2B / (Zmax - 0.41421356237309503 * B))};
        const Mask<Real> three = roots == Bits<Real>(3);
        if (any(three)) root.take(three, Zmin, A, B);
        return root;
    }
};

template <class Real, class InX, class InU, class InF, class OutW>
BRIDGE_FN void prEOSStability(const Shared& shared, const InX& X, const Real& T, const Real& P,
                              const InU& u_i, const InF& lnphi_i, const Bits<Real>& status,
                              Real& tpd, OutW& stability_work, Bits<Real>& status_out) {
    const int ns = ofTheRun(species(shared));
    // Columns of the work: d; y, the trial, and w of it; its residual; the last trial and its
    // residual, from which the next step comes.
    const int D = 0, Y = ns, W = 2 * ns, R = 3 * ns, YLAST = 4 * ns, RLAST = 5 * ns;
    const Real invRT = 1.0 / (shared.R * T);
    OutW& work = stability_work;

    Real total = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Mask<Real> there = X[i] > 0.0;
        const Real lnX = select(there, log(select(there, X[i], 1.0)), shared.lnAbsent);
        const Real d = lnX + lnphi_i[i];
        work[D + i] = d;
        total = total + d;
    }
    const Mask<Real> sound = isfinite(total);

    const auto evaluate = [&]() BRIDGE_LAMBDA {
        Real top = work[Y];
        BRIDGE_ROLLED
        for (int i = 1; i < ns; ++i) top = max(top, Real(work[Y + i]));
        Real sum = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real e = exp(Real(work[Y + i]) - top);
            work[W + i] = e;
            sum = sum + e;
        }
        const Real inverse = 1.0 / sum, lnSum = top + log(sum);
        Real b = 0.0, G = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real w = Real(work[W + i]) * inverse;
            work[W + i] = w;
            b = b + w * shared.prB[i];
            G = G + w * u_i[i];
        }
        Real a = G * G;
        if (shared.anyKij) {
            a = 0.0;
            BRIDGE_ROLLED
            for (int i = 0; i < ns; ++i) {
                const double* k = shared.oneMinusKij + int64_t(i) * ns;
                Real g = 0.0;
                BRIDGE_ROLLED
                for (int j = 0; j < ns; ++j) g = g + k[j] * (Real(work[W + j]) * u_i[j]);
                work[R + i] = g;
                a = a + (Real(work[W + i]) * u_i[i]) * g;
            }
        }
        const Real bRT = b * invRT, A = a * P * invRT * invRT, B = bRT * P;
        const StableRoot<Real> root = StableRoot<Real>::of(shared, A, B);
        // K of prEOSLogTerm over R T
        const Real attraction = root.L / (2.8284271247461903 * b) * invRT;
        const Real perB = ((root.Z - 1.0) + attraction * a) / b;
        TrialPhase<Real> phase = {0.0, 0.0, 0.0};
        Real mean = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real g = shared.anyKij ? Real(work[R + i]) : G;
            const Real lnphi = perB * shared.prB[i] - root.logZB - 2.0 * attraction * (u_i[i] * g);
            const Real y = work[Y + i], w = work[W + i];
            const Real r = select(X[i] > 0.0, Real(work[D + i]) - lnphi - y, 0.0);
            const Real z = (y - lnSum) - (Real(work[D + i]) - lnphi_i[i]);
            work[R + i] = r;
            mean = mean + w * r;
            phase.residual = phase.residual + w * r * r;
            phase.apart = phase.apart + w * z * z;
        }
        phase.tpd = -mean - lnSum;
        return phase;
    };

    Real lowest = BRIDGE_INFINITY;
    Mask<Real> open = false;
    BRIDGE_ROLLED
    for (int trial = 0; trial < ns + 3; ++trial) {
        Mask<Real> active = sound;
        const int pure = trial - 3;
        if (pure >= 0) active = active & (X[pure] > 0.0);
        if (!any(active)) continue;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real d = work[D + i];
            const Real lnX = d - lnphi_i[i];
            Real y = trial == 2 ? d : lnX + shared.lnTraceOfPure;
            if (trial < 2) {
                const Real lnK = log(shared.Pc[i] / P) +
                                 5.373 * (1.0 + shared.omega[i]) * (1.0 - shared.Tc[i] / T);
                y = lnX + (trial == 0 ? lnK : -lnK);
            }
            work[Y + i] = i == pure ? Real(0.0) : y;
        }
        Real value = 0.0, before = 1e300, factor = 1.0;
        Mask<Real> fast = false, known = false, feed = false;
        BRIDGE_ROLLED
        for (int turn = 0; turn < shared.stabilityLimit && any(active); ++turn) {
            const TrialPhase<Real> phase = evaluate();
            const Mask<Real> worse = !(phase.tpd <= before + 1e-13 * (1.0 + fabs(before)));
            const Mask<Real> near = phase.apart < shared.feedDistance;
            value = select(active, phase.tpd, value);
            feed = select(active, near & (phase.tpd >= -shared.tpdTolerance), feed);
            active = active & !(near | (phase.residual < shared.stabilityTolerance));
            if (!any(active)) break;

            // the step that would have ended where the last two residuals point
            Real cross = 0.0, square = 0.0;
            BRIDGE_ROLLED
            for (int i = 0; i < ns; ++i) {
                const Real r = work[R + i], change = r - Real(work[RLAST + i]);
                const Real weighted = Real(work[W + i]) * change;
                cross = cross + weighted * r;
                square = square + weighted * change;
            }
            const Real share = select(square > 0.0, cross / square, 0.0);
            Real longest = 0.0;
            BRIDGE_ROLLED
            for (int i = 0; i < ns; ++i) {
                const Real r = work[R + i];
                const Real moved =
                    (Real(work[Y + i]) - Real(work[YLAST + i])) + (r - Real(work[RLAST + i]));
                longest = max(longest, fabs(r - share * moved));
            }
            const Mask<Real> accelerated = known & (!worse) & (longest < 5.0);
            factor = select(worse, select(fast, factor, 0.5 * factor),
                            at_most<Real>(2.0 * factor, 1.0));
            BRIDGE_ROLLED
            for (int i = 0; i < ns; ++i) {
                const Real y = work[Y + i], r = work[R + i];
                const Real last = work[YLAST + i], rLast = work[RLAST + i];
                const Real from = select(worse, last, y), along = select(worse, rLast, r);
                const Real next = y + (r - share * ((y - last) + (r - rLast)));
                work[Y + i] = select(accelerated, next, from + factor * along);
                work[YLAST + i] = from;
                work[RLAST + i] = along;
            }
            before = select(worse, before, phase.tpd);
            fast = accelerated;
            known = !worse;
        }
        open = open | active;
        const Mask<Real> tried = pure >= 0 ? sound & (X[pure < 0 ? 0 : pure] > 0.0) : sound;
        lowest = select(tried & (!feed) & (value < lowest), value, lowest);
    }
    // what is left in the work means nothing
    const Real none = select(sound, 0.0, Real(BRIDGE_NAN));
    BRIDGE_ROLLED
    for (int i = 0; i < 6 * ns; ++i) work[i] = none;
    const Mask<Real> splits = sound & (lowest < -shared.tpdTolerance);
    const Mask<Real> fatal = (status & Bits<Real>(FATAL)) != Bits<Real>(0);
    tpd = select(sound, select(lowest == BRIDGE_INFINITY, 0.0, lowest), none);
    status_out = status | flag<Real>(splits, TWO_PHASE) |
                 flag<Real>((!fatal) & (!splits) & (open | !sound), STABILITY_OPEN);
}

}  // namespace BRIDGE_NAMESPACE
