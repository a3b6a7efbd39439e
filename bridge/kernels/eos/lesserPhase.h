// Amounts of two phases whose mole fractions have given ratios. docs/physics.md, section 23.
// Sources: Rachford and Rice 1952; Whitson and Michelsen 1989 (bounds).
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

// s, the amount of the lesser of both, from sum X (k - 1)/(1 + s (k - 1)) = 0: it is small where
// the other is nearly all, and keeps its digits. Column F of the work has K = y/x before and k
// after: K, or 1/K where the liquid is the lesser. Zero where that phase has vanished. Newton's
// method in bounds. s and liquidLess of before are the first guess; of points that are not active
// they stay.
template <class Real, class InX, class OutW>
BRIDGE_FN void lesserPhase(const InX& X, OutW& work, int F, int ns, const Mask<Real>& active,
                           Real& lesser, Mask<Real>& liquidLess) {
    Real middle = 0.0, first = 0.0, lo = 0.0, hi = 0.5;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real K = work[F + i];
        middle = middle + X[i] * ((K - 1.0) / (K + 1.0));
    }
    const Mask<Real> before = liquidLess;
    liquidLess = select(active, middle > 0.0, liquidLess);
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real K = work[F + i], k = select(liquidLess, 1.0 / K, K), x = X[i];
        const Mask<Real> rich = k > 1.0;
        const Real bound =
            select(rich, x * k - 1.0, 1.0 - x) / select(k == 1.0, 1.0, fabs(k - 1.0));
        work[F + i] = k;
        first = first + x * (k - 1.0);
        lo = select(rich & (bound > lo), bound, lo);
        hi = select((k < 1.0) & (bound < hi), bound, hi);
    }
    Real s = select(before == liquidLess, lesser, 0.5 * (lo + hi));
    s = select((s > lo) & (s < hi), s, 0.5 * (lo + hi));
    Mask<Real> moving = active & (first > 0.0);
    s = select(first > 0.0, s, 0.0);
    BRIDGE_ROLLED
    for (int turn = 0; turn < 100 && any(moving); ++turn) {
        Real value = 0.0, slope = 0.0, size = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real k = Real(work[F + i]) - 1.0, part = k / (1.0 + s * k);
            const Real term = X[i] * part;
            value = value + term;
            size = size + fabs(term);
            slope = slope + term * part;
        }
        lo = select(moving & (value > 0.0), s, lo);
        hi = select(moving & (value <= 0.0), s, hi);
        const Real newton = s + value / slope;
        const Real next = select((newton > lo) & (newton < hi), newton, 0.5 * (lo + hi));
        moving = moving & (fabs(value) > 4e-16 * size);
        const Mask<Real> far = fabs(next - s) > 2e-16 * next;
        s = select(moving, next, s);
        moving = moving & far;
    }
    lesser = select(active, s, lesser);
}

}  // namespace BRIDGE_NAMESPACE
