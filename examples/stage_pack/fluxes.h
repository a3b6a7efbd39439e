// Fluxes through the faces of cells: a face lies between the cell before it and its own.
//
// In   Q (5), properties (6) of the cells; spacing (3) m
// Out  flux (5)
#pragma once
#include "gas.h"

namespace BRIDGE_NAMESPACE {

// low, high: Q of the cells beside the face; a, b: their properties; normal: 0 x, 1 y, 2 z.
template <class Real, int normal, class Cell, class State, class Out>
BRIDGE_FN void faceFlux(const Cell& low, const Cell& high, const State& a, const State& b,
                        const Real& spacing, Out& flux) {
    const Real soundLow = sqrt(flowGamma * a[3] / low[0]);
    const Real soundHigh = sqrt(flowGamma * b[3] / high[0]);
    const Real fastest = max(fabs(a[normal]) + soundLow, fabs(b[normal]) + soundHigh);
    const Real perSpacing = 1.0 / spacing, mu = 0.5 * (a[5] + b[5]);
    Real work = mu * (flowCp / flowPrandtl) * (b[4] - a[4]) * perSpacing;
    flux[0] = 0.5 * (low[0] * a[normal] + high[0] * b[normal] - fastest * (high[0] - low[0]));
    for (int m = 0; m < 3; ++m) {
        const Real stress = mu * (m == normal ? 4.0 / 3.0 : 1.0) * (b[m] - a[m]) * perSpacing;
        work = work + 0.5 * (a[m] + b[m]) * stress;
        Real carried = low[m + 1] * a[normal] + high[m + 1] * b[normal];
        if (m == normal) carried = carried + a[3] + b[3];
        flux[m + 1] = 0.5 * (carried - fastest * (high[m + 1] - low[m + 1])) - stress;
    }
    flux[4] = 0.5 * ((low[4] + a[3]) * a[normal] + (high[4] + b[3]) * b[normal] -
                     fastest * (high[4] - low[4])) -
              work;
}

template <class Real, class In, class Out>
BRIDGE_FN void fluxX(const Shared&, const Neighbours& Q, const Neighbours& found,
                     const In& spacing, Out& flux) {
    faceFlux<Real, 0>(Q.at<-1, 0, 0>(), Q.at<0, 0, 0>(), found.at<-1, 0, 0>(), found.at<0, 0, 0>(),
                      Real(spacing[0]), flux);
}

template <class Real, class In, class Out>
BRIDGE_FN void fluxY(const Shared&, const Neighbours& Q, const Neighbours& found,
                     const In& spacing, Out& flux) {
    faceFlux<Real, 1>(Q.at<0, -1, 0>(), Q.at<0, 0, 0>(), found.at<0, -1, 0>(), found.at<0, 0, 0>(),
                      Real(spacing[1]), flux);
}

template <class Real, class In, class Out>
BRIDGE_FN void fluxZ(const Shared&, const Neighbours& Q, const Neighbours& found,
                     const In& spacing, Out& flux) {
    faceFlux<Real, 2>(Q.at<0, 0, -1>(), Q.at<0, 0, 0>(), found.at<0, 0, -1>(), found.at<0, 0, 0>(),
                      Real(spacing[2]), flux);
}

}  // namespace BRIDGE_NAMESPACE
