// Entropy: ideal gas at the same T and P plus departure R ln(Z_pr - B) + a' K. docs/physics.md,
// section 7.
//
// In   s_ideal J/(mol K), Z_pr, B, a_T, K, W
// Out  s J/(kg K)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSEntropy(const Shared& shared, const Real& s_ideal, const Real& Z_pr,
                            const Real& B, const Real& a_T, const Real& K, const Real& W,
                            Real& s) {
    s = (s_ideal + shared.R * log(Z_pr - B) + a_T * K) / W;
}

}  // namespace BRIDGE_NAMESPACE
