// Half a sweep of Gauss-Seidel. The border is the cell beside it, with its sign or against it: a
// cell at a wall takes itself there, so that no boundary has to be set between the sweeps.
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

// across, along: the border over the cell beside it, at walls across x and across y.
template <class Real, int across, int along>
BRIDGE_FN Real fluidsNeighbours(const ScalarNeighbours& x, const Bits<Real>& n,
                                const Bits<Real>& i, const Bits<Real>& j) {
    const Real own = x.at<0, 0, 0>();
    const Real left = select(i == 1, across * own, x.at<-1, 0, 0>());
    const Real right = select(i == n, across * own, x.at<1, 0, 0>());
    const Real below = select(j == 1, along * own, x.at<0, -1, 0>());
    const Real above = select(j == n, along * own, x.at<0, 1, 0>());
    return left + right + below + above;
}

template <class Real>
BRIDGE_FN void fluids_relax_u(const Shared&, const ScalarNeighbours& x, const Real& rhs,
                              const Real& a, const Real& c, const Bits<Real>& n,
                              const Bits<Real>& i, const Bits<Real>& j, Real& next) {
    next = (rhs + a * fluidsNeighbours<Real, -1, 1>(x, n, i, j)) / c;
}
template <class Real>
BRIDGE_FN void fluids_relax_v(const Shared&, const ScalarNeighbours& x, const Real& rhs,
                              const Real& a, const Real& c, const Bits<Real>& n,
                              const Bits<Real>& i, const Bits<Real>& j, Real& next) {
    next = (rhs + a * fluidsNeighbours<Real, 1, -1>(x, n, i, j)) / c;
}
template <class Real>
BRIDGE_FN void fluids_relax_d(const Shared&, const ScalarNeighbours& x, const Real& rhs,
                              const Real& a, const Real& c, const Bits<Real>& n,
                              const Bits<Real>& i, const Bits<Real>& j, Real& next) {
    next = (rhs + a * fluidsNeighbours<Real, 1, 1>(x, n, i, j)) / c;
}
template <class Real>
BRIDGE_FN void fluids_relax_p(const Shared&, const ScalarNeighbours& x, const Real& rhs,
                              const Bits<Real>& n, const Bits<Real>& i, const Bits<Real>& j,
                              Real& next) {
    next = (rhs + fluidsNeighbours<Real, 1, 1>(x, n, i, j)) / 4.0;
}

}  // namespace BRIDGE_NAMESPACE
