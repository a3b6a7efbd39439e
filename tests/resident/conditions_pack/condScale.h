#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void condScale(const Shared&, const Real& given, const Real& T0, const Real& factor,
                       Real& found) {
    found = given + factor * T0;
}

}  // namespace BRIDGE_NAMESPACE
