// Whether a search of the test of stability leads to a minimum that is known, told before it is there.
// docs/physics.md, section 23. Source: Michelsen 1982.
#pragma once
#include "../point.h"
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

// To the minimum of those points that know one.
template <class Real, class Search>
BRIDGE_FN Mask<Real> headsForKnown(const Search& search, const Mask<Real>& knows) {
    if (!any(knows)) return knows;
    NextDistance<Real> off;
    const auto share = [&](int i) BRIDGE_LAMBDA { return Real(search.work[search.SHARE + i]); };
    const auto k = [&](int i)
                       BRIDGE_LAMBDA { return Real(search.k(i) - search.work[search.KNOWN + i]); };
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) off.mean = off.mean + share(i) * k(i);
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) off.add(search.there(i), share(i), k(i) - off.mean);
    return knows & (off.size < 0.005) & !off.far;
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
