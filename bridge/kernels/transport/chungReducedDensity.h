// Reduced density y = Vcm/(6 v), capped, and its hard-sphere function G1. The true molar density
// counts: the pseudo molar mass M_m is a fit parameter, not a molar mass. docs/physics.md, section
// 11. Source: Chung, Ajlan, Lee and Starling 1988.
//
// In   v m3/mol, Vcm_chung cm3/mol, status
// Out  y, G1, status with TRANSPORT_CLAMP
#pragma once
#include "../point.h"
#include "../eos/status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void chungReducedDensity(const Shared& shared, const Real& v, const Real& Vcm_chung,
                                   const Bits<Real>& status, Real& y, Real& G1,
                                   Bits<Real>& status_out) {
    const Real raw = 1e-6 * Vcm_chung / (6.0 * v);
    y = at_most<Real>(raw, shared.yMax);
    status_out = status | flag<Real>(raw > shared.yMax, TRANSPORT_CLAMP);
    const Real open = 1.0 - y;
    G1 = (1.0 - 0.5 * y) / (open * open * open);
}

}  // namespace BRIDGE_NAMESPACE
