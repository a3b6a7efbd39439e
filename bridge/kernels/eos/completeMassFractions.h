// The last mass fraction, for callers that carry only the others. docs/physics.md, section 3.
//
// In   Y_leading (ns-1)
// Out  Y (ns)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InY, class OutY>
BRIDGE_FN void completeMassFractions(const Shared& shared, const InY& Y_leading, OutY& Y) {
    const int last = species(shared) - 1;
    Real sum = 0.0;
    for (int i = 0; i < last; ++i) {
        const Real y = Y_leading[i];
        sum = sum + y;
        Y[i] = y;
    }
    Y[last] = 1.0 - sum;
}

}  // namespace BRIDGE_NAMESPACE
