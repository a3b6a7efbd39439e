// Partial molar volumes, -P_i/P_v. docs/physics.md, section 7.
//
// In   P_i (ns) Pa, P_v
// Out  vbar_i (ns) m3/mol
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InP, class OutV>
BRIDGE_FN void prEOSPartialMolarVolume(const Shared& shared, const InP& P_i, const Real& P_v,
                                       OutV& vbar_i) {
    const int ns = species(shared);
    const Real scale = -1.0 / P_v;
    for (int i = 0; i < ns; ++i) vbar_i[i] = P_i[i] * scale;
}

}  // namespace BRIDGE_NAMESPACE
