// Ideal-gas entropy of each species at the reference pressure. docs/physics.md, section 4. Source:
// McBride, Gordon and Reno 1993.
//
// One logarithm per point: those of the range ends are per-run data.
//
// In   T K
// Out  s0_i (ns) J/(mol K)
#pragma once
#include "../point.h"
#include "nasa7.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class OutS>
BRIDGE_FN void prEOSIdealSpeciesEntropy(const Shared& shared, const Real& T, OutS& s0_i) {
    const int ns = species(shared);
    const Real lnT = log(T);
    for (int i = 0; i < ns; ++i) {
        const Nasa7<Real> fit = Nasa7<Real>::at(shared, i, T);
        Real lnt = select(fit.t < T, Real(shared.lnThigh[i]), lnT);
        lnt = select(fit.t > T, Real(shared.lnTlow[i]), lnt);
        s0_i[i] = shared.R * (fit.s(lnt) + fit.cp() * (lnT - lnt));
    }
}

}  // namespace BRIDGE_NAMESPACE
