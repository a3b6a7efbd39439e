// Pseudo-critical state of the mixture. docs/physics.md, section 10. Source: Poling, Prausnitz and
// O'Connell 2001 (Kay; Prausnitz and Gunn).
//
// These are constants of experimental type, not the critical point of the cubic.
//
// In   X (ns), T K, P Pa
// Out  Tcm K, Pcm Pa (Prausnitz-Gunn), PcKay Pa, Vcm m3/mol, Zcm, omegam, Tr = T/Tcm, Pr = P/PcKay
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void prEOSCriticalState(const Shared& shared, const InX& X, const Real& T, const Real& P,
                                  Real& Tcm, Real& Pcm, Real& PcKay, Real& Vcm, Real& Zcm,
                                  Real& omegam, Real& Tr, Real& Pr) {
    const int ns = species(shared);
    Real Tc = 0.0, Pc = 0.0, Vc = 0.0, Zc = 0.0, omega = 0.0;
    for (int i = 0; i < ns; ++i) {
        const Real x = X[i];
        Tc = Tc + x * shared.Tc[i];
        Pc = Pc + x * shared.Pc[i];
        Vc = Vc + x * shared.Vc[i];
        Zc = Zc + x * shared.Zc[i];
        omega = omega + x * shared.omega[i];
    }
    Tcm = Tc;
    Pcm = shared.R * Zc * Tc / Vc;
    PcKay = Pc;
    Vcm = Vc;
    Zcm = Zc;
    omegam = omega;
    Tr = T / Tc;
    Pr = P / Pc;
}

}  // namespace BRIDGE_NAMESPACE
