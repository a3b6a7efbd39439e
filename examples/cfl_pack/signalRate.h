// Rate at which the signals of the Euler equations cross a cell of a Cartesian grid.
//
// In   velocity (3) m/s, c m/s, dx, dy, dz m
// Out  rate 1/s
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In>
BRIDGE_FN void signalRate(const Shared&, const In& velocity, const Real& c, const Real& dx,
                          const Real& dy, const Real& dz, Real& rate) {
    rate = (fabs(velocity[0]) + c) / dx + (fabs(velocity[1]) + c) / dy +
           (fabs(velocity[2]) + c) / dz;
}

}  // namespace BRIDGE_NAMESPACE
