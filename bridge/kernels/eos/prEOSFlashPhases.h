// Density and enthalpy of liquid and vapour in equilibrium, and of both together; of a feed that
// does not split the one phase for all of them. docs/physics.md, section 23.
//
// In   x_i, y_i (ns), vapour_fraction, T K, P Pa, W kg/mol, rho kg/m3, h J/kg of the feed, status
// Out  rho_liquid, rho_vapour, rho_eq kg/m3, h_liquid, h_vapour, h_eq J/kg, vapour_mass_fraction
#pragma once
#include "../point.h"
#include "phaseProperties.h"
#include "stableRoot.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void stablePhase(const Shared& shared, const InX& X, const Real& T, const Real& P,
                           Real& W, Real& v, Real& rho, Real& h) {
    const PhaseProperties<Real> phase(shared, X, T);
    const Real invRT = 1.0 / (shared.R * T);
    const StableRoot<Real> root(shared, phase.a * P * invRT * invRT, phase.b * P * invRT);
    phase.at(shared, T, P, root.Z, v, rho, h);
    W = phase.W;
}

template <class Real, class InX, class InY>
BRIDGE_FN void prEOSFlashPhases(const Shared& shared, const InX& x_i, const InY& y_i,
                                const Real& vapour_fraction, const Real& T, const Real& P,
                                const Real& W, const Real& rho, const Real& h,
                                const Bits<Real>& status, Real& rho_liquid, Real& rho_vapour,
                                Real& h_liquid, Real& h_vapour, Real& rho_eq, Real& h_eq,
                                Real& vapour_mass_fraction) {
    rho_liquid = rho;
    rho_vapour = rho;
    rho_eq = rho;
    h_liquid = h;
    h_vapour = h;
    h_eq = h;
    vapour_mass_fraction = vapour_fraction;
    const Mask<Real> splits = (status & Bits<Real>(TWO_PHASE | NO_CONV)) == Bits<Real>(TWO_PHASE);
    if (!any(splits)) return;
    Real Wx, vx, Wy, vy, rhox, rhoy, hx, hy;
    stablePhase<Real>(shared, x_i, T, P, Wx, vx, rhox, hx);
    stablePhase<Real>(shared, y_i, T, P, Wy, vy, rhoy, hy);
    const Real mass = vapour_fraction * Wy / W;
    const Real volume = vapour_fraction * vy + (1.0 - vapour_fraction) * vx;
    rho_liquid = select(splits, rhox, rho);
    rho_vapour = select(splits, rhoy, rho);
    rho_eq = select(splits, W / volume, rho);
    h_liquid = select(splits, hx, h);
    h_vapour = select(splits, hy, h);
    h_eq = select(splits, mass * hy + (1.0 - mass) * hx, h);
    vapour_mass_fraction = select(splits, mass, vapour_fraction);
}

}  // namespace BRIDGE_NAMESPACE
