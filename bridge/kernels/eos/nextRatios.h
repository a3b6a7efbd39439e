// The next trial ratios of a split into two phases: a step of substitution, accelerated by the last
// three. docs/physics.md, section 23. Sources: Anderson 1965; Walker and Ni 2011.
#pragma once
#include "../point.h"
#include "phaseSplit.h"

namespace BRIDGE_NAMESPACE {

// Shares of the last three changes, newest first, that leave the least of the residual: the normal
// equations of least squares. A change that says nothing new has no share.
template <class Real> struct Shares {
    Real share[3];

    // g: products of the changes 00 01 02 11 12 22; r: of each with the residual.
    BRIDGE_MEMBER Shares(const Real (&g)[6], const Real (&r)[3]) {
        const auto inverse = [](const Real& pivot, const Real& whole) BRIDGE_LAMBDA {
            const Mask<Real> sound = pivot > 1e-10 * whole;
            return select(sound, 1.0 / select(sound, pivot, 1.0), 0.0);
        };
        const Real i0 = inverse(g[0], g[0]);
        const Real l1 = g[1] * i0, l2 = g[2] * i0;
        const Real i1 = inverse(g[3] - l1 * g[1], g[3]);
        const Real rest = g[4] - l1 * g[2], l12 = rest * i1;
        const Real i2 = inverse(g[5] - l2 * g[2] - l12 * rest, g[5]);
        const Real c1 = r[1] - l1 * r[0], c2 = r[2] - l2 * r[0] - l12 * c1;
        share[2] = c2 * i2;
        share[1] = c1 * i1 - l12 * share[2];
        share[0] = r[0] * i0 - l1 * share[1] - l2 * share[2];
    }
};

// worse: the step before is taken back, and a part `factor` of the one from there is next. Returns
// which points took an accelerated step.
template <class Real, class Split>
BRIDGE_FN Mask<Real> nextRatios(Split& split, int turn, const Mask<Real>& worse,
                                const Real& factor) {
    const int ns = split.ns, now = turn % 3;
    auto& work = split.work;
    const int at[3] = {now * ns, (turn + 2) % 3 * ns, (turn + 1) % 3 * ns};
    Real g[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, r[3] = {0.0, 0.0, 0.0};
    const Mask<Real> known = (!worse) & (turn > 0);
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real R = work[split.R + i], lnK = work[split.LNK + i];
        const Real d0 = select(known, R - Real(work[split.RLAST + i]), 0.0);
        work[split.DK + at[0] + i] = select(known, lnK - Real(work[split.LNKLAST + i]), 0.0);
        work[split.DR + at[0] + i] = d0;
        const Real d1 = work[split.DR + at[1] + i], d2 = work[split.DR + at[2] + i];
        const Real x = split.X[i];
        const Real weight =
            Real(work[split.W + i]) * Real(work[split.W + ns + i]) / select(x > 0.0, x, 1.0);
        const Real w0 = weight * d0, w1 = weight * d1, w2 = weight * d2;
        g[0] = g[0] + w0 * d0;
        g[1] = g[1] + w0 * d1;
        g[2] = g[2] + w0 * d2;
        g[3] = g[3] + w1 * d1;
        g[4] = g[4] + w1 * d2;
        g[5] = g[5] + w2 * d2;
        r[0] = r[0] + w0 * R;
        r[1] = r[1] + w1 * R;
        r[2] = r[2] + w2 * R;
    }
    const Shares<Real> shares(g, r);
    const auto step = [&](int i) BRIDGE_LAMBDA {
        Real taken = work[split.R + i];
        BRIDGE_UNROLL
        for (int k = 0; k < 3; ++k) {
            const Real moved = Real(work[split.DK + at[k] + i]) + Real(work[split.DR + at[k] + i]);
            taken = taken - shares.share[k] * moved;
        }
        return taken;
    };
    Real longest = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i)
        longest = max(longest, select(split.X[i] > 0.0, fabs(step(i)), 0.0));
    const Mask<Real> fast = known & (longest < 5.0);
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real lnK = work[split.LNK + i], R = work[split.R + i];
        const Real from = select(worse, Real(work[split.LNKLAST + i]), lnK);
        const Real along = select(worse, Real(work[split.RLAST + i]), R);
        work[split.LNK + i] = select(fast, lnK + step(i), from + factor * along);
        work[split.LNKLAST + i] = from;
        work[split.RLAST + i] = along;
    }
    return fast;
}

}  // namespace BRIDGE_NAMESPACE
