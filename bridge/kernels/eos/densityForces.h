// What drives a split of given volume and internal energy to larger entropy. docs/physics.md, section
// 26. Source: Michelsen 1999.
#pragma once
#include "../point.h"
#include "phaseDerivatives.h"
#include "speciesAttraction.h"

namespace BRIDGE_NAMESPACE {

// u_i of section 5.
template <class Real, class OutU>
BRIDGE_FN void pullsOfSpecies(const Shared& shared, const Real& T, OutU& u) {
    const Real root = sqrt(T);
    BRIDGE_ROLLED
    for (int i = 0; i < species(shared); ++i) {
        const Real one = shared.prU0[i] - shared.prU1[i] * root;
        u[i] = shared.prCross ? Real(fabs(one)) : one;
    }
}

// Fills u, and what the next step is made of: G, p; C, energies of evaporation, and dp/dn_i.
template <class Real, class Split> BRIDGE_APART void densityForces(Split& split) {
    const Shared& shared = split.shared;
    auto& work = split.work;
    const Real& T = split.T;
    const int ns = split.ns, G = split.G, C = split.C;
    const Real invRT = 1.0 / (shared.R * T);
    pullsOfSpecies<Real>(shared, T, split.u);
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) work[G + i] = Real(work[split.THETA + i]) - split.phi;
    const auto add = [&](int composition, int pulls, const PhaseDerivatives<Real>& phase,
                         const Real& per, double sign) BRIDGE_LAMBDA {
        const auto w = split.column(composition);
        eachAttraction<Real>(shared, w, T, [&](int i, const Real& S, const Real& S_T) {
            const double bi = shared.prB[i];
            const Real energy = sign * phase.ubar(bi, T * S_T - S);
            const Real push = per * phase.Pbar(bi, S);
            work[pulls + i] = S;
            work[G + i] = Real(work[G + i]) + sign * (phase.fb * bi - phase.k * S);
            work[C + i] = sign > 0.0 ? Real(work[C + i]) + energy : energy;
            work[C + ns + i] = sign > 0.0 ? Real(work[C + ns + i]) + push : push;
        });
    };
    add(split.LIQUID, split.SX, split.liquid, invRT / split.ofX, -1.0);
    add(split.VAPOUR, split.SY, split.vapour, invRT / split.ofY, 1.0);
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) work[G + i] = select(split.X[i] > 0.0, Real(work[G + i]), 0.0);
    split.p = (split.vapour.P - split.liquid.P) * invRT;
}

}  // namespace BRIDGE_NAMESPACE
