// The divergence of the fluxes, the update of a stage, and the rate that limits the time step.
#pragma once
#include "gas.h"

namespace BRIDGE_NAMESPACE {

// In   fluxes (5) through the faces at the lower side of each cell; spacing (3) m
// Out  change (5) per second
template <class Real, class In, class Out>
BRIDGE_FN void divergence(const Shared&, const Neighbours& x, const Neighbours& y,
                          const Neighbours& z, const In& spacing, Out& change) {
    const Real perX = 1.0 / spacing[0], perY = 1.0 / spacing[1], perZ = 1.0 / spacing[2];
    for (int m = 0; m < 5; ++m)
        change[m] = perX * (x.at<0, 0, 0>()[m] - x.at<1, 0, 0>()[m]) +
                    perY * (y.at<0, 0, 0>()[m] - y.at<0, 1, 0>()[m]) +
                    perZ * (z.at<0, 0, 0>()[m] - z.at<0, 0, 1>()[m]);
}

template <class Real, class In, class Out>
BRIDGE_FN void startStep(const Shared&, const In& Q, Out& start) {
    for (int m = 0; m < 5; ++m) start[m] = Q[m];
}

template <class Real, class In, class Change, class Out>
BRIDGE_FN void rkUpdate(const Shared&, const In& start, const Change& change, const Real& a,
                        const Real& dt, Out& Q) {
    for (int m = 0; m < 5; ++m) Q[m] = start[m] + a * dt * change[m];
}

// Out  rate 1/s: its reciprocal is the longest stable step, but for a factor of the scheme
template <class Real, class In, class Found, class Spacing>
BRIDGE_FN void signalRate3(const Shared&, const In& Q, const Found& found, const Spacing& spacing,
                           Real& rate) {
    const Real sound = sqrt(flowGamma * found[3] / Q[0]), spread = 2.0 * found[5] / Q[0];
    rate = 0.0;
    for (int m = 0; m < 3; ++m)
        rate = rate + (fabs(found[m]) + sound) / spacing[m] + spread / (spacing[m] * spacing[m]);
}

}  // namespace BRIDGE_NAMESPACE
