// The heat-capacity factor with which Chung's dense correction takes a conductivity of the dilute
// gas that kinetic theory gives. docs/physics.md, section 11.
//
// In   lambda0 W/(m K), eta0 Pa s, M_m g/mol
// Out  psi
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void kineticPsi(const Shared& shared, const Real& lambda0, const Real& eta0,
                          const Real& M_m, Real& psi) {
    const double factor = 1e3 * shared.chungLambdaDilute * shared.chungDiluteRatio;
    psi = lambda0 * M_m / (factor * eta0);
}

}  // namespace BRIDGE_NAMESPACE
