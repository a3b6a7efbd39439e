// The first q of each trial phase of the test of stability, and the next one. docs/physics.md,
// sections 6 and 23. Sources: Michelsen 1982; Anderson 1965 (acceleration).
#pragma once
#include "../point.h"
#include "ratioSearch.h"

namespace BRIDGE_NAMESPACE {

// The points `starts` go on to their next trial phase: the vapour and the liquid of Wilson's equation,
// an ideal gas, then each species nearly pure. Returns which of them have had the last.
template <class Real, class Search>
BRIDGE_FN Mask<Real> nextStart(Search& search, const Mask<Real>& starts, Bits<Real>& number) {
    const int ns = search.ns;
    Bits<Real> next = Bits<Real>(ns + 3);
    BRIDGE_ROLLED
    for (int i = ns - 1; i >= 0; --i)
        next = select(search.there(i) & (number < Bits<Real>(i + 3)), Bits<Real>(i + 3), next);
    next = select(number < Bits<Real>(2), number + Bits<Real>(1), next);
    number = select(starts, next, number);
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real lnK = search.work[search.WILSON + i], pure = search.work[search.PURE + i];
        Real q = select(number == Bits<Real>(i + 3), pure, 0.0);
        q = select(number == Bits<Real>(2), search.lnphiOfFeed(i), q);
        q = select(number == Bits<Real>(1), -lnK, select(number == Bits<Real>(0), lnK, q));
        search.work[search.Q + i] = select(starts, q, search.q(i));
    }
    return number == Bits<Real>(ns + 3);
}

// The next q: an accelerated step from the last two residuals where both trials are good; else one
// step of substitution, or a part of it. Returns which points took the accelerated step.
template <class Real, class Search>
BRIDGE_FN Mask<Real> nextRatio(Search& search, const Mask<Real>& known, const Mask<Real>& worse,
                               const Real& factor) {
    const int Q = search.Q, QLAST = search.QLAST, RLAST = search.RLAST;
    auto& work = search.work;
    Real cross = 0.0, square = 0.0, longest = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        const Real r = search.k(i) - search.q(i), change = r - Real(work[RLAST + i]);
        const Real part = search.w(i) * change;
        cross = cross + part * r;
        square = square + part * change;
    }
    const Real share = select(square > 0.0, cross / square, 0.0);
    const auto next = [&](int i) BRIDGE_LAMBDA {
        const Real change = search.k(i) - Real(work[QLAST + i]) - Real(work[RLAST + i]);
        return Real(search.k(i) - share * change);
    };
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i)
        longest = max(longest, select(search.there(i), fabs(next(i) - search.q(i)), 0.0));
    const Mask<Real> accelerated = known & (!worse) & (longest < 5.0);
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        const Real q = search.q(i), r = search.k(i) - q, step = next(i);
        const Real from = select(worse, Real(work[QLAST + i]), q);
        const Real along = select(worse, Real(work[RLAST + i]), r);
        work[Q + i] = select(accelerated, step, from + factor * along);
        work[QLAST + i] = from;
        work[RLAST + i] = along;
    }
    return accelerated;
}

}  // namespace BRIDGE_NAMESPACE
