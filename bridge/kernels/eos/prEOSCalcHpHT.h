// Enthalpy derivatives h_p = (dh/dP)_T and h_T = (dh/dT)_P = cp. docs/physics.md, section 8.
//
// In   P_v, P_T, v, T, cp J/(kg K), W
// Out  h_p m3/kg, h_T J/(kg K)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSCalcHpHT(const Shared&, const Real& P_v, const Real& P_T, const Real& v,
                             const Real& T, const Real& cp, const Real& W, Real& h_p, Real& h_T) {
    h_p = (v * P_v + T * P_T) / (P_v * W);
    h_T = cp;
}

}  // namespace BRIDGE_NAMESPACE
