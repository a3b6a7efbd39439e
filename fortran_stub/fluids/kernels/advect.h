// Semi-Lagrangian advection: a cell gets what was where its path began, between four cells.
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void fluids_advect(const Shared&, const ScalarCells& q, const Real& u, const Real& v,
                             const Real& cellsOfAStep, const Bits<Real>& n, const Bits<Real>& i,
                             const Bits<Real>& j, Real& arrived) {
    const Real last = Real(n) + 0.5;
    const Real x = min(max(Real(i) - cellsOfAStep * u, Real(0.5)), last);
    const Real y = min(max(Real(j) - cellsOfAStep * v, Real(0.5)), last);
    const Bits<Real> i0 = Bits<Real>(x), j0 = Bits<Real>(y);
    const Real right = x - Real(i0), upper = y - Real(j0);
    arrived = (1.0 - right) * ((1.0 - upper) * q.at(i0, j0, 1) + upper * q.at(i0, j0 + 1, 1)) +
              right * ((1.0 - upper) * q.at(i0 + 1, j0, 1) + upper * q.at(i0 + 1, j0 + 1, 1));
}

}  // namespace BRIDGE_NAMESPACE
