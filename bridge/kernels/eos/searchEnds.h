// Where a search of the test of stability leads to, told before it is there. docs/physics.md, section
// 23. Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "phaseCurvature.h"
#include "ratioSearch.h"

namespace BRIDGE_NAMESPACE {

// How far the next trial phase, of K, is from another, of K0 and mole fractions w0: more than the sum
// of w k^2, k = K - K0 but for its mean. far: a k is so large that this does not hold.
template <class Real> struct NextDistance {
    Real mean = 0.0, square = 0.0, size = 0.0;
    Mask<Real> far = false;

    BRIDGE_MEMBER void add(const Mask<Real>& there, const Real& w0, const Real& k) {
        const Real part = k * k, more = 1.0 + part;
        far = far | (there & (part > 64.0));
        square = square + w0 * part;
        size = size + w0 * part * (more * more);
    }
};

// To the feed: the next phase is near it, and its Gibbs energy bends upwards on the way, so much that
// higher terms do not count.
template <class Real, class Search>
BRIDGE_FN Mask<Real> headsForFeed(const Search& search, const PhaseCurvature<Real>& feed) {
    const Shared& shared = search.shared;
    NextDistance<Real> off;
    Real db = 0.0, da = 0.0, sum = 0.0, twice = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) off.mean = off.mean + search.X[i] * search.k(i);
    const auto v = [&](int i)
                       BRIDGE_LAMBDA { return Real(search.X[i] * (search.k(i) - off.mean)); };
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        off.add(search.there(i), search.X[i], search.k(i) - off.mean);
        db = db + v(i) * shared.prB[i];
        sum = sum + v(i) * search.u[i];
    }
    const Mask<Real> near = (off.size < 0.25) & !off.far;
    if (!any(near)) return near;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        const Real g = search.u[i] * search.attraction(i, sum, v);
        da = da + search.X[i] * g;
        twice = twice + v(i) * g;
    }
    const Real bend = off.square + feed.along(2.0 * da, db, twice);
    const Real scaled = off.size * off.square * off.square;
    return near & (bend > 0.0) & (scaled < 0.25 * bend * bend);
}

// To the minimum that is known.
template <class Real, class Search> BRIDGE_FN Mask<Real> headsForKnown(const Search& search) {
    NextDistance<Real> off;
    const auto share = [&](int i) BRIDGE_LAMBDA { return Real(search.work[search.SHARE + i]); };
    const auto k = [&](int i)
                       BRIDGE_LAMBDA { return Real(search.k(i) - search.work[search.KNOWN + i]); };
    Real all = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        all = all + share(i);
        off.mean = off.mean + share(i) * k(i);
    }
    if (!any(all > 0.0)) return all > 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) off.add(search.there(i), share(i), k(i) - off.mean);
    return (all > 0.0) & (off.size < 0.03) & !off.far;
}

// The trial phase becomes the known minimum.
template <class Real, class Search>
BRIDGE_FN void knowMinimum(Search& search, const Mask<Real>& found) {
    auto& work = search.work;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        const Real k = work[search.KNOWN + i], w = work[search.SHARE + i];
        work[search.KNOWN + i] = select(found, search.k(i), k);
        work[search.SHARE + i] = select(found, search.w(i) * search.inverse, w);
    }
}

}  // namespace BRIDGE_NAMESPACE
