// Input checks, cleaned mole fractions, molar mass and covolume in one: the caller's Y is read
// once. docs/physics.md, sections 3 and 5.
//
// In   T K, P Pa, Y (ns) as the caller has them
// Out  status, T and P (NaN at fatal points), X (ns), W kg/mol, b m3/mol
#pragma once
#include "../point.h"
#include "inputChecks.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY, class OutX>
BRIDGE_FN void prEOSMixtureInput(const Shared& shared, const Real& T, const Real& P, const InY& Y,
                                 Bits<Real>& status, Real& T_checked, Real& P_checked, OutX& X,
                                 Real& W, Real& b) {
    const int ns = species(shared);
    MassFractionSums<Real> sums;
    Real moles = 0.0, covolume = 0.0;
    for (int i = 0; i < ns; ++i) {
        const Real n = sums.add(Y[i]) * shared.invW[i];
        moles = moles + n;
        covolume = covolume + n * shared.prB[i];
        X[i] = n;
    }
    const Bits<Real> bits = inputStatus<Real>(shared, T, P, Y, sums);
    const Mask<Real> fatal = has_any<Real>(bits, FATAL);
    const Real scale = select(fatal, Real(BRIDGE_NAN), 1.0 / moles);
    for (int i = 0; i < ns; ++i) X[i] = Real(X[i]) * scale;
    W = sums.positive * scale;
    b = covolume * scale;
    T_checked = select(fatal, Real(BRIDGE_NAN), T);
    P_checked = select(fatal, Real(BRIDGE_NAN), P);
    status = bits | flag<Real>((!fatal) & (sums.least < -shared.clipTolerance), Y_CLIPPED);
}

}  // namespace BRIDGE_NAMESPACE
