// Molar volume of the root, the one that is shifted by sum_i X_i c_i with volumeShift, and density.
// Without a shift both volumes are one, bit for bit. docs/physics.md, section 6. Source of the
// shift: Peneloux, Rauzy and Freze 1982.
//
// In   Z_pr, T K, P Pa, W kg/mol, X (ns)
// Out  v_pr, v m3/mol, rho kg/m3, Z
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void prEOSDensity(const Shared& shared, const Real& Z_pr, const Real& T, const Real& P,
                            const Real& W, const InX& X, Real& v_pr, Real& v, Real& rho, Real& Z) {
    const Real RT = shared.R * T;
    v_pr = Z_pr * RT / P;
    v = v_pr;
    Z = Z_pr;
    if (shared.volumeShift) {
        Real shift = 0.0;
        for (int i = 0; i < species(shared); ++i) shift = shift + X[i] * shared.cShift[i];
        v = v_pr + shift;
        Z = Z_pr + shift * P / RT;
    }
    rho = W / v;
}

}  // namespace BRIDGE_NAMESPACE
