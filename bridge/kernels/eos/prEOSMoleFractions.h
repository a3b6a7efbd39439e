// Mole fractions X_i = (Yc_i/W_i) W and molar mass W = 1/sum(Yc_i/W_i). docs/physics.md, section
// 3.
//
// In   Yc (ns)
// Out  X (ns), W kg/mol
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY, class OutX>
BRIDGE_FN void prEOSMoleFractions(const Shared& shared, const InY& Yc, OutX& X, Real& W) {
    const int ns = species(shared);
    Real moles = 0.0;  // per kg
    for (int i = 0; i < ns; ++i) {
        const Real n = Yc[i] * shared.invW[i];
        moles = moles + n;
        X[i] = n;
    }
    W = 1.0 / moles;
    for (int i = 0; i < ns; ++i) X[i] = Real(X[i]) * W;
}

}  // namespace BRIDGE_NAMESPACE
