// Bits of the temperature search into the status word of the evaluation at the final temperature.
// A fatal point carries its fatal bits alone. docs/physics.md, section 3.
//
// In   status, status_newton
// Out  status
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void mergeStatus(const Shared&, const Bits<Real>& status,
                           const Bits<Real>& status_newton, Bits<Real>& status_out) {
    status_out = select(has_any<Real>(status, FATAL), status, status | status_newton);
}

}  // namespace BRIDGE_NAMESPACE
