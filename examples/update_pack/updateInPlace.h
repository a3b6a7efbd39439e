// An explicit time step in place: what is read and what is written are two arguments of the
// function and one array of the caller.
//
// In   conserved (5), rhs (5) 1/s, dt s
// Out  conserved (5)
#pragma once
#include "updateToNew.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In, class InRhs, class Out>
BRIDGE_FN void updateInPlace(const Shared& shared, const In& conserved, const InRhs& rhs,
                             const Real& dt, Out& conserved_out) {
    updateToNew<Real>(shared, conserved, rhs, dt, conserved_out);
}

}  // namespace BRIDGE_NAMESPACE
