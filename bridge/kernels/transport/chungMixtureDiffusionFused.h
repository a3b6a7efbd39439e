// Mixture-averaged diffusion coefficients with the pair values formed on the way: nothing of size
// ns^2 is stored per point. docs/physics.md, section 12. Source: Poling, Prausnitz and O'Connell 2001.
//
// In   T K, P Pa, X (ns), W kg/mol, takahashi
// Out  D_im (ns) m2/s
#pragma once
#include "../point.h"
#include "binaryDiffusion.h"
#include "mixtureDiffusion.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class OutD>
BRIDGE_FN void chungMixtureDiffusionFused(const Shared& shared, const Real& T, const Real& P,
                                          const InX& X, const Real& W, const Real& factor,
                                          OutD& D_im) {
    const BinaryDiffusion<Real> point = BinaryDiffusion<Real>::at(shared, T, P);
    point.withResistance(shared, [&](const auto& resistance) {
        mixtureDiffusion<Real>(shared, resistance, point.scale, X, W, T, P, factor, D_im);
    });
}

}  // namespace BRIDGE_NAMESPACE
