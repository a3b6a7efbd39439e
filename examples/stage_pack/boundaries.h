// Layers beside a boundary, made from the cells beside them.
//
// In   Q (5) of the cell inside
// Out  ghost (5)
#pragma once
#include "gas.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class Cell> BRIDGE_FN Real insidePressure(const Cell& Q) {
    return (flowGamma - 1.0) * (Q[4] - 0.5 * (Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]) / Q[0]);
}

template <class Real, class Out>
BRIDGE_FN void inflow(const Shared&, const Neighbours& Q, Out& ghost) {
    const double u = 60.0, T = 310.0;
    const Real p = insidePressure<Real>(Q.at<1, 0, 0>()), density = p / (flowR * T);
    ghost[0] = density;
    ghost[1] = density * u;
    ghost[2] = 0.0;
    ghost[3] = 0.0;
    ghost[4] = p / (flowGamma - 1.0) + 0.5 * density * (u * u);
}

template <int normal, class Cell, class Out>
BRIDGE_FN void mirror(const Cell& inside, Out& ghost) {
    for (int m = 0; m < 5; ++m) ghost[m] = inside[m];
    ghost[normal + 1] = -inside[normal + 1];
}

template <class Real, class Out>
BRIDGE_FN void wallLowY(const Shared&, const Neighbours& Q, Out& ghost) {
    mirror<1>(Q.at<0, 1, 0>(), ghost);
}
template <class Real, class Out>
BRIDGE_FN void wallHighY(const Shared&, const Neighbours& Q, Out& ghost) {
    mirror<1>(Q.at<0, -1, 0>(), ghost);
}
template <class Real, class Out>
BRIDGE_FN void wallLowZ(const Shared&, const Neighbours& Q, Out& ghost) {
    mirror<2>(Q.at<0, 0, 1>(), ghost);
}
template <class Real, class Out>
BRIDGE_FN void wallHighZ(const Shared&, const Neighbours& Q, Out& ghost) {
    mirror<2>(Q.at<0, 0, -1>(), ghost);
}

}  // namespace BRIDGE_NAMESPACE
