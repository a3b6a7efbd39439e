// Whether a feed splits, for a flash. docs/physics.md, section 23. Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "lowestDistance.h"
#include "quickStability.h"

namespace BRIDGE_NAMESPACE {

// Some columns of a work.
template <class OutW> struct ColumnsFrom {
    Passed<OutW> work;
    const int first;
    BRIDGE_MEMBER decltype(auto) operator[](int i) const { return work[first + i]; }
};

// Of the points `tested`; Z: the root of the feed; the phase of lowest distance goes to `trial`. Few
// points need the searches of section 6, which go on to their ends.
template <class Real, class InX, class InU, class InF, class OutTrial, class OutW>
BRIDGE_CALLED LowestDistance<Real> splitOfFeed(const Shared& shared, Passed<const InX> X,
                                               Passed<const Real> T, Passed<const Real> P,
                                               Passed<const InU> u, Passed<const InF> lnphi,
                                               Passed<const Real> Z,
                                               Passed<const Mask<Real>> tested,
                                               Passed<OutTrial> trial, Passed<OutW> work) {
    const int ns = ofTheRun(species(shared));
    Real total = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) total = total + X[i] * lnphi[i];
    const Mask<Real> sound = isfinite(total) & tested;
    RatioSearch<Real, InX, InU, InF, OutW> quick = {
        shared, X, u, lnphi, work, T, P, 1.0 / (shared.R * T), ns};
    const QuickStability<Real> told = quickStability<Real>(quick, sound, Z, trial);
    LowestDistance<Real> found = {told.lowest, false};
    if (any(told.open)) {
        TangentPlane<Real, InX, InU, InF, OutW> plane = {shared, X, u, lnphi, work, T, P, ns};
        const Mask<Real> all = plane.feed() & told.open;
        ColumnsFrom<OutW> lowest = {work, 6 * ns};
        const LowestDistance<Real> slow = lowestDistance<Real>(plane, all, lowest);
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) trial[i] = select(told.open, Real(lowest[i]), Real(trial[i]));
        found.lowest = select(told.open, slow.lowest, told.lowest);
        found.open = slow.open & told.open;
    }
    found.open = found.open | (tested & !sound);
    return found;
}

}  // namespace BRIDGE_NAMESPACE
