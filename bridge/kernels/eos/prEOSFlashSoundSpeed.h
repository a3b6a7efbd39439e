// Speed of sound of liquid and vapour that stay in equilibrium, and by what their pressure rises with
// the internal energy of a volume; of one phase its own. docs/physics.md, section 25. Source:
// Michelsen and Mollerup 2007.
//
// Species that cross between the phases make the volume of both softer than it is at constant
// compositions.
//
// In   x_i, y_i, u_i (ns), vapour_fraction, T K, W kg/mol, rho_liquid, rho_vapour, rho_eq kg/m3,
//      c m/s and p_rhoe of one phase, status
// Out  c_eq m/s (NaN where c^2 <= 0), p_rhoe_eq, crossing_work (6 ns), status with UNSTABLE there
#pragma once
#include "../point.h"
#include "conjugateGradients.h"
#include "crossing.h"
#include "phaseDerivatives.h"
#include "speciesAttraction.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

// Molar volume without its shift of a phase of this density.
template <class Real, class InX>
BRIDGE_FN Real volumeOfRoot(const Shared& shared, const InX& X, const Real& rho) {
    Real W = 0.0, shift = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < species(shared); ++i) {
        W = W + X[i] * shared.W[i];
        if (shared.volumeShift) shift = shift + X[i] * shared.cShift[i];
    }
    return W / rho - shift;
}

template <class Real, class InX, class InY, class InU, class OutW>
BRIDGE_FN void prEOSFlashSoundSpeed(const Shared& shared, const InX& x_i, const InY& y_i,
                                    const InU& u_i, const Real& vapour_fraction, const Real& T,
                                    const Real& W, const Real& rho_liquid, const Real& rho_vapour,
                                    const Real& rho_eq, const Real& c, const Real& p_rhoe,
                                    const Bits<Real>& status, Real& c_eq, Real& p_rhoe_eq,
                                    OutW& crossing_work, Bits<Real>& status_out) {
    const int ns = ofTheRun(species(shared));
    const Mask<Real> splits = (vapour_fraction > 0.0) & (vapour_fraction < 1.0);
    c_eq = c;
    p_rhoe_eq = p_rhoe;
    status_out = status;
    const Real none = select(has_any<Real>(status, FATAL), Real(BRIDGE_NAN), 0.0);
    if (any(splits)) {
        const PhaseDerivatives<Real> liquid(shared, x_i, T,
                                            volumeOfRoot<Real>(shared, x_i, rho_liquid));
        const PhaseDerivatives<Real> vapour(shared, y_i, T,
                                            volumeOfRoot<Real>(shared, y_i, rho_vapour));
        const Real l = 1.0 - vapour_fraction, g = vapour_fraction;
        const Real v_P = l / liquid.P_v + g / vapour.P_v;
        const Real v_T = -(l * liquid.P_T / liquid.P_v + g * vapour.P_T / vapour.P_v);
        const Real cp = l * liquid.cp(T) + g * vapour.cp(T);
        const Real invRT = 1.0 / (shared.R * T), perHeat = v_T / cp;
        Crossing<Real, InX, InY, InU, OutW, 1> crossing = {
            shared, x_i, y_i, u_i, crossing_work, liquid, vapour, l,      g,
            invRT,  ns,  0,   ns,  2 * ns,        3 * ns, 4 * ns, 5 * ns, {invRT / (T * cp)},
            {0.0}};
        const int R = crossing.R, C = crossing.C;
        const auto add = [&](const auto& composition, const PhaseDerivatives<Real>& phase,
                             int column, double sign) BRIDGE_LAMBDA {
            eachAttraction<Real>(
                shared, composition, T, [&](int i, const Real& S, const Real& S_T) {
                    const double b = shared.prB[i];
                    const Real volume = phase.Pbar(b, S) / -phase.P_v;
                    const Real h = T * phase.P_T * volume + phase.ubar(b, T * S_T - S);
                    const Real dh = sign * h, w = sign * volume - perHeat * dh;
                    crossing_work[column + i] = S;
                    crossing_work[C + i] = sign > 0.0 ? Real(crossing_work[C + i]) + dh : dh;
                    crossing_work[R + i] = sign > 0.0 ? Real(crossing_work[R + i]) + w : w;
                });
        };
        add(x_i, liquid, crossing.SX, -1.0);
        add(y_i, vapour, crossing.SY, 1.0);
        Real own = 0.0, cross = 0.0;  // w H^-1 w, C H^-1 w
        const auto taken = [&](const Real& step, const Real& square) BRIDGE_LAMBDA {
            own = own + step * square;
            cross = cross + step * crossing.along[0];
        };
        conjugateGradients<Real>(crossing, splits, taken);
        const Real v = W / rho_eq, v_s = invRT * own - (v_P + T * v_T * perHeat);
        const Real T_s =
            T * perHeat + invRT * cross / cp;  // dT/dP at constant entropy, -v_s dv/dP
        const Mask<Real> sound = v_s > 0.0;
        status_out = status_out | flag<Real>(splits & !sound, UNSTABLE);
        const Real inverse = select(sound, 1.0 / select(sound, v_s, 1.0), Real(BRIDGE_NAN));
        p_rhoe_eq = select(splits, v * T_s * inverse / T, p_rhoe);
        const Real both = v * sqrt(inverse / W);
        c_eq = select(splits, both, c);
    }
    BRIDGE_ROLLED
    for (int i = 0; i < 6 * ns; ++i) crossing_work[i] = none;  // means nothing
}

}  // namespace BRIDGE_NAMESPACE
