// Viscosity of the dense fluid by the friction theory: what the repulsive and the attractive pressure
// of the cubic add to that of the dilute gas. It takes the place of chungViscosity with viscosity
// FRICTION. docs/physics.md, section 11. Source: Quinones-Cisneros, Zeberg-Mikkelsen and Stenby
// 2001.
//
// In   X (ns), T K, v_pr, b m3/mol, a Pa m6/mol2, D m6/mol2, eta0 Pa s, status
// Out  eta Pa s, status with TRANSPORT_CLAMP (T far below Tc of a species) and CHUNG_SINGULAR (the
//      raw value stays)
#pragma once
#include "../eos/status.h"
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void frictionViscosity(const Shared& shared, const InX& X, const Real& T,
                                 const Real& v_pr, const Real& a, const Real& b, const Real& D,
                                 const Real& eta0, const Bits<Real>& status, Real& eta,
                                 Bits<Real>& status_out) {
    eta = BRIDGE_NAN;
    status_out = status;
    if (!shared.viscosity) return;  // run by its name, without the option: its table is not there
    const Real invT = 1.0 / T;
    const double squareOfE = 7.38905609893065023;
    Real weights = 0.0, repulsive = 0.0, attractive = 0.0, squared = 0.0;
    Mask<Real> clamped = false;
    BRIDGE_ROLLED
    for (int i = 0; i < species(shared); ++i) {
        const double* c = shared.frictionSpecies + static_cast<int64_t>(FRICTION_NUMBERS) * i;
        const Real x = X[i], ratio = c[0] * invT;
        clamped = clamped | ((ratio > shared.frictionMost) & (x > shared.traceMassFraction));
        const Real t = at_most<Real>(ratio, shared.frictionMost) - 1.0;
        const Real e = exp(t), first = e - 1.0, second = e * e - 1.0;
        const Real z = x * c[1];
        weights = weights + z;
        repulsive = repulsive + z * (c[2] + c[3] * t + c[4] * first + c[5] * second);
        attractive = attractive + z * (c[6] + c[7] * t + c[8] * first + c[9] * second);
        squared = squared + z * (c[10] + c[11] * (squareOfE * (second + 1.0) - 1.0) * (t * t));
    }
    const Real repulsion = shared.R * T / (v_pr - b), attraction = a / D;
    const Real friction = (repulsive + squared * repulsion) * repulsion - attractive * attraction;
    eta = eta0 + friction / weights;
    status_out =
        status | flag<Real>(eta <= 0.0, CHUNG_SINGULAR) | flag<Real>(clamped, TRANSPORT_CLAMP);
}

}  // namespace BRIDGE_NAMESPACE
