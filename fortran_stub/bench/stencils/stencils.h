// A field scaled; a field smoothed by its six neighbours; diffusion of five components.
//
// In   field, conserved (5)
// Out  scaled, smooth, rate (5)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real> BRIDGE_FN void stencilScale(const Shared&, const Real& field, Real& scaled) {
    scaled = 1.0009765625 * field;
}

template <class Real>
BRIDGE_FN void stencilSmooth(const Shared&, const ScalarNeighbours& u, Real& smooth) {
    const Real around = (u.at<-1, 0, 0>() + u.at<1, 0, 0>()) +
                        (u.at<0, -1, 0>() + u.at<0, 1, 0>()) +
                        (u.at<0, 0, -1>() + u.at<0, 0, 1>());
    smooth = 0.4 * u.at<0, 0, 0>() + 0.1 * around;
}

template <class Real, class Out>
BRIDGE_FN void stencilDiffusion(const Shared&, const Neighbours& u, Out& rate) {
    for (int m = 0; m < 5; ++m) {
        const Real around = (u.at<-1, 0, 0>()[m] + u.at<1, 0, 0>()[m]) +
                            (u.at<0, -1, 0>()[m] + u.at<0, 1, 0>()[m]) +
                            (u.at<0, 0, -1>()[m] + u.at<0, 0, 1>()[m]);
        rate[m] = around - 6.0 * u.at<0, 0, 0>()[m];
    }
}

}  // namespace BRIDGE_NAMESPACE
