// Flux of a gas through a face along x: central, with scalar dissipation.
//
// In   left (5), right (5): density, momentum, energy per volume; gamma
// Out  flux (5)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class Left, class Right, class Out>
BRIDGE_FN void faceFlux(const Shared&, const Left& left, const Right& right, const Real& gamma,
                        Out& flux) {
    Real l[5], r[5];
    for (int m = 0; m < 5; ++m) {
        l[m] = left[m];
        r[m] = right[m];
    }
    const Real ul = l[1] / l[0], ur = r[1] / r[0];
    const Real pl = (gamma - 1.0) * (l[4] - 0.5 * (l[1] * l[1] + l[2] * l[2] + l[3] * l[3]) / l[0]);
    const Real pr = (gamma - 1.0) * (r[4] - 0.5 * (r[1] * r[1] + r[2] * r[2] + r[3] * r[3]) / r[0]);
    const Real al = fabs(ul) + sqrt(gamma * pl / l[0]), ar = fabs(ur) + sqrt(gamma * pr / r[0]);
    const Real a = select(al > ar, al, ar);
    Real sum[5];
    for (int m = 0; m < 5; ++m) sum[m] = 0.5 * (ul * l[m] + ur * r[m] - a * (r[m] - l[m]));
    flux[0] = sum[0];
    flux[1] = sum[1] + 0.5 * (pl + pr);
    flux[2] = sum[2];
    flux[3] = sum[3];
    flux[4] = sum[4] + 0.5 * (ul * pl + ur * pr);
}

}  // namespace BRIDGE_NAMESPACE
