// Cleaned mass fractions: negatives count as zero, the sum becomes one. The caller's Y is never
// written. NaN where the point is fatal, so that outputs of composition alone are NaN there too.
// docs/physics.md, section 3.
//
// In   Y (ns), status
// Out  Yc (ns), status with Y_CLIPPED
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY, class OutYc>
BRIDGE_FN void prEOSCleanMassFractions(const Shared& shared, const InY& Y,
                                       const Bits<Real>& status, OutYc& Yc,
                                       Bits<Real>& status_out) {
    const int ns = species(shared);
    Real sum = 0.0, positive = 0.0, least = 0.0;
    for (int i = 0; i < ns; ++i) {
        const Real y = Y[i];
        sum = sum + y;  // carries any NaN or infinity
        positive = positive + select(y > 0.0, y, 0.0);
        least = select(y < least, y, least);
    }
    const Mask<Real> sound =
        (!has_any<Real>(status, FATAL)) & isfinite(sum) & (positive >= shared.smallSum);
    const Real scale = select(sound, 1.0 / positive, Real(BRIDGE_NAN));
    for (int i = 0; i < ns; ++i) {
        const Real y = Y[i];
        Yc[i] = select(y > 0.0, y, 0.0) * scale;
    }
    status_out = status | flag<Real>(sound & (least < -shared.clipTolerance), Y_CLIPPED);
}

}  // namespace BRIDGE_NAMESPACE
