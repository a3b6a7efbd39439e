// Conductivity of the dilute gas by kinetic theory. docs/physics.md, section 11. Sources: Mason and
// Monchick 1962, Parker 1959 (species); Mason and Saxena 1958 (mixture).
//
// In   T K, X (ns), cp0_i (ns) J/(mol K), eta0_i (ns) Pa s, wilke_i (ns)
// Out  lambda0 W/(m K)
#pragma once
#include "../point.h"
#include "kineticSpecies.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InCp, class InEta, class InSums>
BRIDGE_FN void kineticConductivity(const Shared& shared, const Real& T, const InX& X,
                                   const InCp& cp0_i, const InEta& eta0_i, const InSums& wilke_i,
                                   Real& lambda0) {
    lambda0 = BRIDGE_NAN;
    if (!shared.dilute) return;  // run by its name, without the option: its tables are not there
    const int ns = species(shared);
    const double pi = 3.14159265358979324, pi15 = 5.5683279968317079;  // pi^1.5
    const Real lnT = log(T), invT = 1.0 / T;
    const double most = 1.0 / shared.tStarMin;
    Real total = 0.0;
    for (int i = 0; i < ns; ++i) {
        const KineticSpecies one = KineticSpecies::at(shared, i);
        const double rotation = one.rotation();
        const Real inner = 1.2 * one.fit<1>(shared, lnT);  // rho D_ii/eta
        const Real t = at_most<Real>(invT / one.invDepth(), most), root = sqrt(t);
        const Real rotor = 1.0 + root * (0.5 * pi15 + root * (0.25 * pi * pi + 2.0 + root * pi15));
        const Real exchange =
            (2.0 / pi) * (2.5 - inner) /
            (one.relaxation() / rotor + (2.0 / pi) * (5.0 / 3.0 * rotation + inner));
        const Real vibration = Real(cp0_i[i]) / shared.R - (2.5 + rotation);
        const Real capacity =
            2.5 * (1.5 - exchange * rotation) + inner * ((1.0 + exchange) * rotation + vibration);
        const Real x = X[i];
        const Real weight = x + shared.kineticInner * (Real(wilke_i[i]) - x);
        total = total + x * capacity * Real(eta0_i[i]) * shared.invW[i] / weight;
    }
    lambda0 = shared.R * total;
}

}  // namespace BRIDGE_NAMESPACE
