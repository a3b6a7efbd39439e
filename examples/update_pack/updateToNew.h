// An explicit time step whose result has a name of its own.
//
// In   conserved (5), rhs (5) 1/s, dt s
// Out  conserved_new (5)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In, class InRhs, class Out>
BRIDGE_FN void updateToNew(const Shared&, const In& conserved, const InRhs& rhs, const Real& dt,
                           Out& conserved_new) {
    for (int k = 0; k < 5; ++k) conserved_new[k] = conserved[k] + dt * rhs[k];
}

}  // namespace BRIDGE_NAMESPACE
