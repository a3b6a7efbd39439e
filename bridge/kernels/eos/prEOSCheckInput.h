// Input checks of a point: starts the status word, poisons T and P where it is fatal, so that
// every later kernel gives NaN there. Information bits are set at sound points only.
// docs/physics.md, section 3.
//
// In   T K, P Pa, Y (ns) as the caller has them
// Out  status, T and P (NaN at fatal points)
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY>
BRIDGE_FN void prEOSCheckInput(const Shared& shared, const Real& T, const Real& P, const InY& Y,
                               Bits<Real>& status, Real& T_checked, Real& P_checked) {
    const int ns = species(shared);
    Real sum = 0.0, positive = 0.0;
    for (int i = 0; i < ns; ++i) {
        const Real y = Y[i];
        sum = sum + y;  // carries any NaN or infinity
        positive = positive + select(y > 0.0, y, 0.0);
    }
    const Mask<Real> badT = !(isfinite(T) & (T > 0.0));
    const Mask<Real> badP = !(isfinite(P) & (P > 0.0));
    const Mask<Real> badY = !(isfinite(sum) & (positive >= shared.smallSum));
    const Mask<Real> fatal = badT | badP | badY;

    const Real trace = shared.traceMassFraction * positive;
    Mask<Real> outside = false;
    for (int i = 0; i < ns; ++i) {
        const double* record = shared.nasa + 17 * i;
        outside = outside | ((Y[i] > trace) & ((T < record[0]) | (T > record[2])));
    }
    const Mask<Real> renormed = fabs(sum - 1.0) > shared.renormTolerance;
    status = flag<Real>(badT, BAD_T) | flag<Real>(badP, BAD_P) | flag<Real>(badY, BAD_Y) |
             select(fatal, Bits<Real>(0),
                    flag<Real>(renormed, Y_RENORM) | flag<Real>(outside, T_EXTRAP));
    T_checked = select(fatal, Real(BRIDGE_NAN), T);
    P_checked = select(fatal, Real(BRIDGE_NAN), P);
}

}  // namespace BRIDGE_NAMESPACE
