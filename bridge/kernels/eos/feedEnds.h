// Whether a search of the test of stability leads to the feed, told before it is there. docs/physics.md,
// section 23. Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "phaseCurvature.h"
#include "searchEnds.h"

namespace BRIDGE_NAMESPACE {

// What the distance from the tangent plane has of second order at the feed, along v_i = X_i k(i), whose
// sum is zero; square: the sum of v_i k(i).
template <class Real, class Search, class Ratios>
BRIDGE_FN Real bendAlong(const Search& search, const PhaseCurvature<Real>& feed, const Ratios& k,
                         const Real& square) {
    const auto v = [&](int i) BRIDGE_LAMBDA { return Real(search.X[i] * k(i)); };
    Real db = 0.0, da = 0.0, sum = 0.0, twice = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        db = db + v(i) * search.shared.prB[i];
        sum = sum + v(i) * search.u[i];
    }
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        const Real g = search.u[i] * search.attraction(i, sum, v);
        da = da + search.X[i] * g;
        twice = twice + v(i) * g;
    }
    return square + feed.along(2.0 * da, db, twice);
}

// To the feed, by the next phase: it is near, and the Gibbs energy bends upwards on the way, so much
// that higher terms do not count.
template <class Real, class Search>
BRIDGE_FN Mask<Real> headsForFeed(const Search& search, const PhaseCurvature<Real>& feed) {
    NextDistance<Real> off;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) off.mean = off.mean + search.X[i] * search.k(i);
    const auto k = [&](int i) BRIDGE_LAMBDA { return Real(search.k(i) - off.mean); };
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) off.add(search.there(i), search.X[i], k(i));
    const Mask<Real> near = (off.size < 0.25) & !off.far;
    if (!any(near)) return near;
    const Real bend = bendAlong<Real>(search, feed, k, off.square);
    const Real scaled = off.size * off.square * off.square;
    return near & (bend > 0.0) & (scaled < 0.25 * bend * bend);
}

// To the feed, by the phase itself, which is not far: on the way to it, w_i ~ X_i exp(s q_i), the
// distance rises, as a polynomial s^2 (twice/2 + b s + c s^2) that has its value and its slope at w.
template <class Real, class Search>
BRIDGE_FN Mask<Real> risesFromFeed(const Search& search, const PhaseCurvature<Real>& feed,
                                   const RatioTrial<Real>& trial) {
    const Mask<Real> near = (trial.apart < 1.0) & (trial.distance > 0.0);
    if (!any(near)) return near;
    Real mean = 0.0, square = 0.0, slope = 0.0, middle = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        mean = mean + search.X[i] * search.q(i);
        middle = middle + search.w(i) * search.q(i);
    }
    middle = middle * search.inverse;
    const auto q = [&](int i) BRIDGE_LAMBDA { return Real(search.q(i) - mean); };
    Mask<Real> far = false;
    BRIDGE_ROLLED
    for (int i = 0; i < search.ns; ++i) {
        far = far | (search.there(i) & (fabs(q(i)) > 4.0));
        square = square + search.X[i] * q(i) * q(i);
        slope = slope + search.w(i) * (search.q(i) - middle) * (search.q(i) - search.k(i));
    }
    slope = slope * search.inverse;
    const Real twice = bendAlong<Real>(search, feed, q, square), end = trial.distance;
    const Real b = 4.0 * end - twice - slope, c = slope - 3.0 * end + 0.5 * twice;
    // of the derivative over s: its ends, and its least value where that lies between them
    const Real at1 = twice + 3.0 * b + 4.0 * c, least = 0.3 * twice;
    const Mask<Real> bowl = (c > 0.0) & (b < 0.0) & (-3.0 * b < 8.0 * c);
    const Mask<Real> flat = trial.apart * square * square > 4.0 * twice * twice;
    return near & (!far) & (!flat) & (twice > end) & (at1 > least) &
           ((!bowl) | ((twice - least) * (16.0 * c) > 9.0 * b * b));
}

}  // namespace BRIDGE_NAMESPACE
