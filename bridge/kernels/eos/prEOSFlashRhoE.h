// Temperature, pressure and phases of a density and an internal energy in equilibrium, the state of a
// conservative solver. docs/physics.md, section 26. Source: Michelsen 1999.
//
// One phase first; where that is unstable, the split of largest entropy. Where its liquid is unstable
// too, two more attempts put the phase that would form in the place of either.
//
// In   rho_target kg/m3, e_target J/kg (heats of formation included), Y (ns), T0 K
// Out  status, T K, P Pa, X (ns), W kg/mol, vapour_fraction, vapour_mass_fraction, x_i, y_i, u_i (ns),
//      rho_liquid, rho_vapour, rho_eq kg/m3, h_liquid, h_vapour, h_eq J/kg, c m/s and p_rhoe of one
//      phase, iterations, flash_iterations, density_work (15 ns)
#pragma once
#include "../point.h"
#include "densityFlash.h"
#include "phaseProperties.h"
#include "prEOSCalcPRhoE.h"
#include "prEOSCv.h"
#include "prEOSPressureDerivatives.h"
#include "prEOSSoundSpeedAtVolume.h"
#include "prEOSTemperatureFromRhoE.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY, class OutX, class OutXi, class OutYi, class OutU, class OutW>
BRIDGE_FN void prEOSFlashRhoE(const Shared& shared, const Real& rho_target, const Real& e_target,
                              const InY& Y, const Real& T0, Bits<Real>& status, Real& T, Real& P,
                              OutX& X, Real& W, Real& vapour_fraction, Real& vapour_mass_fraction,
                              OutXi& x_i, OutYi& y_i, OutU& u_i, Real& rho_liquid,
                              Real& rho_vapour, Real& rho_eq, Real& h_liquid, Real& h_vapour,
                              Real& h_eq, Real& c, Real& p_rhoe, Bits<Real>& iterations,
                              Bits<Real>& flash_iterations, OutW& density_work) {
    const int ns = ofTheRun(species(shared));
    Real b, v_pr, v, Z_pr, Z, D, K, a, a_T, a_TT, cp_ideal, cv_ideal, h_ideal, P_v, P_T, cv;
    Bits<Real> one;
    prEOSTemperatureFromRhoE<Real>(shared, rho_target, e_target, Y, T0, one, T, P, X, W, b, v_pr,
                                   v, rho_eq, Z_pr, Z, D, K, a, a_T, a_TT, cp_ideal, cv_ideal,
                                   h_ideal, iterations);
    const Mask<Real> fatal = has_any<Real>(one, FATAL), cold = has_any<Real>(one, H_BELOW);
    const Bits<Real> input = one & Bits<Real>(Y_CLIPPED | Y_RENORM);
    prEOSPressureDerivatives<Real>(shared, T, v_pr, a, a_T, b, D, one, P_v, P_T, one);
    prEOSCv<Real>(shared, cv_ideal, T, a_TT, K, W, one, cv, one);
    prEOSSoundSpeedAtVolume<Real>(shared, T, v, P_v, P_T, cv, W, one, c, one);
    prEOSCalcPRhoE<Real>(shared, P_T, rho_eq, cv, p_rhoe);
    const Real single = select(v_pr > cubicConstants(shared).bulk * b, Real(1.0), Real(0.0));
    DensityPhases<Real, OutX, OutXi, OutYi, OutU, OutW> phases = {
        shared, X, x_i, y_i, u_i, density_work, ns, T, P, select(fatal, Real(BRIDGE_NAN), single)};
    DensitySplit<Real, OutX, OutU, OutW> split = {shared, X, u_i,          density_work,
                                                  v_pr,   b, e_target * W, ns};
    const Real guess = select(isfinite(T0), clamp<Real>(T0, shared.TloH, shared.ThiH), 300.0);
    densityFlash<Real>(phases, split, guess, !fatal, cold);
    const Mask<Real> two = phases.known;
    T = phases.T;
    P = phases.P;
    vapour_fraction = phases.beta;
    vapour_mass_fraction = vapour_fraction;
    flash_iterations = phases.iterations;
    rho_liquid = rho_eq;
    rho_vapour = rho_eq;
    h_eq = e_target + P / rho_eq;
    h_liquid = h_eq;
    h_vapour = h_eq;
    if (any(two)) {
        const PhaseProperties<Real> x(shared, x_i, T), y(shared, y_i, T);
        const Real perRT = P / (shared.R * T);
        Real volume, rho, h;
        x.at(shared, T, P, phases.vx * perRT, volume, rho, h);
        rho_liquid = select(two, rho, rho_eq);
        h_liquid = select(two, h, h_eq);
        y.at(shared, T, P, phases.vy * perRT, volume, rho, h);
        rho_vapour = select(two, rho, rho_eq);
        h_vapour = select(two, h, h_eq);
        vapour_mass_fraction = select(two, vapour_fraction * y.W / W, vapour_fraction);
    }
    pullsOfSpecies<Real>(shared, T, u_i);
    MassFractionSums<Real> sums;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) sums.add(Y[i]);
    const Mask<Real> outside = outsideFits<Real>(shared, T, Y, sums.positive);
    status = select(two, input | phases.bits | flag<Real>(outside, T_EXTRAP), one) | phases.told;
    const Real none = select(fatal, Real(BRIDGE_NAN), 0.0);  // what is left there means nothing
    BRIDGE_ROLLED
    for (int i = 0; i < 15 * ns; ++i) density_work[i] = none;
}

}  // namespace BRIDGE_NAMESPACE
