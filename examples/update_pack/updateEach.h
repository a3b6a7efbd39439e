// The same time step of one number: of each component of an array by itself.
//
// In   field, rate 1/s, dt s
// Out  field
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void updateEach(const Shared&, const Real& field, const Real& rate, const Real& dt,
                          Real& field_out) {
    field_out = field + dt * rate;
}

}  // namespace BRIDGE_NAMESPACE
