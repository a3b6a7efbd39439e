// Sources of a step, and what decides whether there are any.
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void fluids_speed(const Shared&, const Real& u, const Real& v, Real& speed2) {
    speed2 = u * u + v * v;
}

template <class Real>
BRIDGE_FN void fluids_react(const Shared&, const Real& force, const Real& source,
                            const Bits<Real>& n, const Bits<Real>& i, const Bits<Real>& j, Real& u,
                            Real& v, Real& d) {
    const Bits<Real> half = n / 2;
    const Mask<Real> middle = (i == half) & (j == half);
    const Mask<Real> point = (i % 64 == 0) & (j % 64 == 0) & (i > 0) & (j > 0) & (i < n) & (j < n);
    const Real strong = force * 1000.0;
    u = select(point, strong * Real(half - j) / Real(half), select(middle, force * 10.0, 0.0));
    v = select(point, strong * Real(half - i) / Real(half), select(middle, force * 10.0, 0.0));
    d = select(point, source * 1000.0, select(middle, source * 10.0, 0.0));
}

}  // namespace BRIDGE_NAMESPACE
