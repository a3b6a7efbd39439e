// Logarithms of the fugacity coefficients; no division by a. docs/physics.md, section 7. Source:
// Peng and Robinson 1976.
//
// In   Z, B, T, a, b, S_i (ns), K
// Out  lnphi_i (ns)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InS, class OutF>
BRIDGE_FN void prEOSFugacityCoefficients(const Shared& shared, const Real& Z, const Real& B,
                                         const Real& T, const Real& a, const Real& b,
                                         const InS& S_i, const Real& K, OutF& lnphi_i) {
    const int ns = species(shared);
    const Real common = log(Z - B);
    const Real attraction = K / (shared.R * T);
    const Real perB = ((Z - 1.0) + attraction * a) / b;
    for (int i = 0; i < ns; ++i) {
        lnphi_i[i] = perB * shared.prB[i] - common - 2.0 * attraction * S_i[i];
    }
}

}  // namespace BRIDGE_NAMESPACE
