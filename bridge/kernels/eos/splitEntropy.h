// Entropy of a split of given volume and internal energy. docs/physics.md, section 26.
#pragma once
#include "../point.h"
#include "densitySplit.h"
#include "prEOSIdealSpeciesEntropy.h"

namespace BRIDGE_NAMESPACE {

// Over R, per mole of feed.
template <class Real, class Split> BRIDGE_FN Real splitEntropy(Split& split) {
    const Shared& shared = split.shared;
    auto& work = split.work;
    auto s0 = split.column(split.R);
    prEOSIdealSpeciesEntropy<Real>(shared, split.T, s0);
    Real ideal = 0.0, mixing = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < split.ns; ++i) {
        const Real wx = work[split.LIQUID + i], wy = work[split.VAPOUR + i];
        ideal = ideal + split.X[i] * s0[i];
        mixing = mixing + split.ofX * wx * log(at_least<Real>(wx, 1e-300)) +
                 split.ofY * wy * log(at_least<Real>(wy, 1e-300));
    }
    const auto of = [&](const PhaseDerivatives<Real>& phase) BRIDGE_LAMBDA {
        const Real a_TK = (phase.P_T - shared.R * phase.inverse) * phase.uS / phase.PS;
        return Real(a_TK / shared.R - log(phase.P0 * (1.0 / shared.P0)));
    };
    return ideal / shared.R - mixing + split.ofX * of(split.liquid) + split.ofY * of(split.vapour);
}

}  // namespace BRIDGE_NAMESPACE
