// A central flux through a face with scalar dissipation, of two states and their properties.
//
// In   left (5), right (5), normal (3), leftState (4), rightState (4), sensor
// Out  flux (5)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In1, class In2, class In3, class In4, class In5, class Out>
BRIDGE_FN void loopFlux(const Shared&, const In1& left, const In2& right, const In3& normal,
                        const In4& leftState, const In5& rightState, Real sensor, Out& flux) {
    const Real nx = normal[0], ny = normal[1], nz = normal[2];
    const Real area = sqrt(nx * nx + ny * ny + nz * nz);
    const Real rhoL = left[0], rhoR = right[0];
    const Real velocityL = (left[1] * nx + left[2] * ny + left[3] * nz) / rhoL;
    const Real velocityR = (right[1] * nx + right[2] * ny + right[3] * nz) / rhoR;
    const Real pL = leftState[0], pR = rightState[0];
    const Real radiusL = fabs(velocityL) + leftState[2] * area;
    const Real radiusR = fabs(velocityR) + rightState[2] * area;
    const Real limiter = 0.5 * (leftState[3] + rightState[3]);
    const Real dissipation = 0.5 * sensor * limiter * select(radiusL > radiusR, radiusL, radiusR);
    const Real p = 0.5 * (pL + pR);
    flux[0] = 0.5 * (rhoL * velocityL + rhoR * velocityR) - dissipation * (rhoR - rhoL);
    flux[1] = 0.5 * (left[1] * velocityL + right[1] * velocityR) + p * nx -
              dissipation * (right[1] - left[1]);
    flux[2] = 0.5 * (left[2] * velocityL + right[2] * velocityR) + p * ny -
              dissipation * (right[2] - left[2]);
    flux[3] = 0.5 * (left[3] * velocityL + right[3] * velocityR) + p * nz -
              dissipation * (right[3] - left[3]);
    flux[4] = 0.5 * (rhoL * leftState[1] * velocityL + rhoR * rightState[1] * velocityR) -
              dissipation * (right[4] - left[4]);
}

}  // namespace BRIDGE_NAMESPACE
