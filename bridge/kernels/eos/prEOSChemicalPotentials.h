// Chemical potentials; a species that is absent counts as X = 1e-300. docs/physics.md, section 7.
//
// In   T, P, X (ns), h0_i (ns), s0_i (ns), lnphi_i (ns)
// Out  mu_i (ns) J/mol
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InH, class InS, class InF, class OutMu>
BRIDGE_FN void prEOSChemicalPotentials(const Shared& shared, const Real& T, const Real& P,
                                       const InX& X, const InH& h0_i, const InS& s0_i,
                                       const InF& lnphi_i, OutMu& mu_i) {
    const int ns = species(shared);
    const Real RT = shared.R * T;
    const Real lnP = log(P / shared.P0);
    for (int i = 0; i < ns; ++i) {
        const Real x = X[i];
        const Real lnx = log(at_least<Real>(x, 1e-300));
        mu_i[i] = (h0_i[i] - T * s0_i[i]) + RT * (lnx + lnP + lnphi_i[i]);
    }
}

}  // namespace BRIDGE_NAMESPACE
