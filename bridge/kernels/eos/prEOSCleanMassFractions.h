// Cleaned mass fractions: negatives count as zero, the sum becomes one. The caller's Y is never
// written. NaN where the point is fatal, so that outputs of composition alone are NaN there too.
// docs/physics.md, section 3.
//
// In   Y (ns), status
// Out  Yc (ns), status with Y_CLIPPED
#pragma once
#include "../point.h"
#include "inputChecks.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY, class OutYc>
BRIDGE_FN void prEOSCleanMassFractions(const Shared& shared, const InY& Y,
                                       const Bits<Real>& status, OutYc& Yc,
                                       Bits<Real>& status_out) {
    const int ns = species(shared);
    MassFractionSums<Real> sums;
    for (int i = 0; i < ns; ++i) Yc[i] = sums.add(Y[i]);
    const Mask<Real> sound = (!has_any<Real>(status, FATAL)) & sums.sound(shared);
    const Real scale = select(sound, 1.0 / sums.positive, Real(BRIDGE_NAN));
    for (int i = 0; i < ns; ++i) Yc[i] = Real(Yc[i]) * scale;
    status_out = status | flag<Real>(sound & (sums.least < -shared.clipTolerance), Y_CLIPPED);
}

}  // namespace BRIDGE_NAMESPACE
