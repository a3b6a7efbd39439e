// Friction velocity of a wall function: u/u_tau = log(y u_tau/nu)/kappa + B, by Newton's method.
//
// In   wall_velocity m/s, wall_distance m, wall_nu m2/s
// Out  wall_friction m/s, wall_turns (0: no answer)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void frictionVelocity(const Shared&, const Real& u, const Real& y, const Real& nu,
                                Real& friction, Bits<Real>& turns) {
    const double kappa = 0.41, B = 5.2;
    friction = sqrt(u * nu / y);  // of the viscous sublayer
    turns = 0;
    const Mask<Real> found = iterate<Real>(40, [&](Real& friction, Bits<Real>& turns) {
        const Real profile = log(y * friction / nu) / kappa + B;
        const Real step = (u - friction * profile) / (profile + 1.0 / kappa);
        friction = max(friction + step, 0.1 * friction);
        turns += 1;
        return abs(step) > 1e-13 * friction;
    }, friction, turns);
    turns = select(found, turns, 0);
}

}  // namespace BRIDGE_NAMESPACE
