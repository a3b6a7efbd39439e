// The root of lowest Gibbs energy at the same T and P, or always one side by the option
// rootPolicy. docs/physics.md, section 6.
//
// In   Zmax, Zmin, nRoots, A, B, status
// Out  Z_pr, status with MULTI_ROOT
#pragma once
#include "../point.h"
#include "cubic.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

// Gibbs energy over R T, departure part.
template <class Real>
BRIDGE_FN Real rootGibbs(const CubicConstants& c, const Real& Z, const Real& A, const Real& B) {
    const Real width = c.difference * B;
    const Real L = log1p(width / (Z - c.lower * B));
    return Z - 1.0 - log(Z - B) - A / width * L;
}

template <class Real>
BRIDGE_FN void prEOSSelectRoot(const Shared& shared, const Real& Zmax, const Real& Zmin,
                               const Bits<Real>& nRoots, const Real& A, const Real& B,
                               const Bits<Real>& status, Real& Z_pr, Bits<Real>& status_out) {
    const Mask<Real> three = nRoots == Bits<Real>(3);
    status_out = status | flag<Real>(three, MULTI_ROOT);
    if (shared.rootPolicy == 1) {
        Z_pr = Zmax;
    } else if (shared.rootPolicy == 2) {
        Z_pr = Zmin;
    } else if (any(three)) {
        const CubicConstants c = cubicConstants(shared);
        const Mask<Real> lower = rootGibbs<Real>(c, Zmin, A, B) < rootGibbs<Real>(c, Zmax, A, B);
        Z_pr = select(three & lower, Zmin, Zmax);
    } else {
        Z_pr = Zmax;
    }
}

}  // namespace BRIDGE_NAMESPACE
