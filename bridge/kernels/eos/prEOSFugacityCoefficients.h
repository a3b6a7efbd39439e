// Logarithms of the fugacity coefficients; no division by a. docs/physics.md, section 7. Source:
// Peng and Robinson 1976.
//
// In   Z_pr, B, T, a, b, S_i (ns), K, P
// Out  lnphi_i (ns)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InS, class OutF>
BRIDGE_FN void prEOSFugacityCoefficients(const Shared& shared, const Real& Z_pr, const Real& B,
                                         const Real& T, const Real& a, const Real& b,
                                         const InS& S_i, const Real& K, const Real& P,
                                         OutF& lnphi_i) {
    const int ns = species(shared);
    const Real common = log(Z_pr - B);
    const Real attraction = K / (shared.R * T);
    const Real perB = ((Z_pr - 1.0) + attraction * a) / b;
    for (int i = 0; i < ns; ++i) {
        lnphi_i[i] = perB * shared.prB[i] - common - 2.0 * attraction * S_i[i];
    }
    if (!shared.volumeShift) return;
    const Real perShift = P / (shared.R * T);
    for (int i = 0; i < ns; ++i) lnphi_i[i] = Real(lnphi_i[i]) + perShift * shared.cShift[i];
}

}  // namespace BRIDGE_NAMESPACE
