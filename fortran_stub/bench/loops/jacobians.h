// Jacobians of the three inviscid fluxes of an ideal gas by the conserved variables.
//
// In   conserved (5)
// Out  x (25), y (25), z (25): row + 5 column
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class Out>
BRIDGE_FN void loopJacobian(int axis, const Real (&velocity)[3], Real kinetic, Real enthalpy,
                            Out& matrix) {
    const Real normal = velocity[axis];
    const Real force = 0.4 * kinetic;
    matrix[0] = 0.0;
    for (int m = 0; m < 3; ++m) {
        matrix[1 + m] = (m == axis ? force : Real(0.0)) - velocity[m] * normal;
        matrix[5 * (1 + m)] = m == axis ? 1.0 : 0.0;
        for (int n = 0; n < 3; ++n) {
            Real entry = 0.0;
            if (n == axis) entry = entry + velocity[m];
            if (m == axis) entry = entry - 0.4 * velocity[n];
            if (m == n) entry = entry + normal;
            matrix[1 + m + 5 * (1 + n)] = entry;
        }
        matrix[21 + m] = m == axis ? 0.4 : 0.0;
        matrix[4 + 5 * (1 + m)] = (m == axis ? enthalpy : Real(0.0)) - 0.4 * velocity[m] * normal;
    }
    matrix[20] = 0.0;
    matrix[4] = normal * (force - enthalpy);
    matrix[24] = 1.4 * normal;
}

template <class Real, class In, class OutX, class OutY, class OutZ>
BRIDGE_FN void loopJacobians(const Shared&, const In& conserved, OutX& x, OutY& y, OutZ& z) {
    const Real inverse = 1.0 / conserved[0];
    const Real velocity[3] = {conserved[1] * inverse, conserved[2] * inverse,
                              conserved[3] * inverse};
    const Real kinetic = 0.5 * (velocity[0] * velocity[0] + velocity[1] * velocity[1] +
                                velocity[2] * velocity[2]);
    const Real enthalpy = 1.4 * conserved[4] * inverse - 0.4 * kinetic;
    loopJacobian(0, velocity, kinetic, enthalpy, x);
    loopJacobian(1, velocity, kinetic, enthalpy, y);
    loopJacobian(2, velocity, kinetic, enthalpy, z);
}

}  // namespace BRIDGE_NAMESPACE
