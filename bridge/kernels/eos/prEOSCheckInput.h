// Input checks of a point: starts the status word, poisons T and P where it is fatal, so that
// every later kernel gives NaN there. Information bits are set at sound points only.
// docs/physics.md, section 3.
//
// In   T K, P Pa, Y (ns) as the caller has them
// Out  status, T and P (NaN at fatal points)
#pragma once
#include "../point.h"
#include "inputChecks.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY>
BRIDGE_FN void prEOSCheckInput(const Shared& shared, const Real& T, const Real& P, const InY& Y,
                               Bits<Real>& status, Real& T_checked, Real& P_checked) {
    MassFractionSums<Real> sums;
    for (int i = 0; i < species(shared); ++i) sums.add(Y[i]);
    status = inputStatus<Real>(shared, T, P, Y, sums);
    const Mask<Real> fatal = has_any<Real>(status, FATAL);
    T_checked = select(fatal, Real(BRIDGE_NAN), T);
    P_checked = select(fatal, Real(BRIDGE_NAN), P);
}

}  // namespace BRIDGE_NAMESPACE
