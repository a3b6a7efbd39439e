// Square root u_i of the attraction of each species, with its sign, and its temperature
// derivatives. docs/physics.md, section 5. Sources: Peng and Robinson 1976; Robinson and Peng 1978
// (slope).
//
// u_i = q_i (1 + m_i (1 - sqrt(T/Tc_i))) changes sign far above Tc_i. SIGNED keeps the sign, so
// that the mixture attraction stays smooth; ABS takes it away as the textbook cross term does.
//
// In   T K
// Out  u_i, u_i_T, u_i_TT (ns)
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class OutU, class OutUT, class OutUTT>
BRIDGE_FN void prEOSAlphaFunction(const Shared& shared, const Real& T, OutU& u_i, OutUT& u_i_T,
                                  OutUTT& u_i_TT) {
    const int ns = species(shared);
    const Real rootT = sqrt(T);
    const Real slope = -0.5 / rootT;  // of -sqrt(T)
    const Real bend = -0.5 / T;       // u''/u'
    for (int i = 0; i < ns; ++i) {
        const double m = shared.prM[i];
        const double r = m * shared.invSqrtTc[i];
        Real u = shared.prQ[i] * ((1.0 + m) - r * rootT);
        Real u_T = shared.prQ[i] * r * slope;
        if (shared.prCross) {
            const Mask<Real> negative = u < 0.0;
            u = select(negative, -u, u);
            u_T = select(negative, -u_T, u_T);
        }
        u_i[i] = u;
        u_i_T[i] = u_T;
        u_i_TT[i] = u_T * bend;
    }
}

}  // namespace BRIDGE_NAMESPACE
