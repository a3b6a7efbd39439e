// Ideal-gas entropy of the mixture at T and P, per mole. docs/physics.md, section 4. x ln x is 0
// at x = 0.
//
// In   X (ns), P Pa, s0_i (ns) J/(mol K)
// Out  s_ideal J/(mol K)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InS>
BRIDGE_FN void prEOSIdealMixtureEntropy(const Shared& shared, const InX& X, const Real& P,
                                        const InS& s0_i, Real& s_ideal) {
    const int ns = species(shared);
    Real s = 0.0, mixing = 0.0;
    for (int i = 0; i < ns; ++i) {
        const Real x = X[i];
        s = s + x * s0_i[i];
        mixing = mixing + x * log(at_least<Real>(x, 1e-300));
    }
    s_ideal = s - shared.R * (mixing + log(P / shared.P0));
}

}  // namespace BRIDGE_NAMESPACE
