// Next to nothing: a run of it over many small arrays costs what the run itself does.
//
// In   e01 .. e21
// Out  e22 = e01
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void loopEmpty(const Shared&, const Real& e01, const Real&, const Real&, const Real&,
                         const Real&, const Real&, const Real&, const Real&, const Real&,
                         const Real&, const Real&, const Real&, const Real&, const Real&,
                         const Real&, const Real&, const Real&, const Real&, const Real&,
                         const Real&, const Real&, Real& e22) {
    e22 = e01;
}

}  // namespace BRIDGE_NAMESPACE
