// Mixture-averaged diffusion coefficients from stored pair values. docs/physics.md, section 12.
// Source: Poling, Prausnitz and O'Connell 2001.
//
// In   X (ns), W kg/mol, T K, P Pa, D0_ij (ns(ns+1)/2) m2/s, takahashi
// Out  D_im (ns) m2/s
#pragma once
#include "../point.h"
#include "mixtureDiffusion.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InD, class OutD>
BRIDGE_FN void chungMixtureDiffusion(const Shared& shared, const InX& X, const Real& W,
                                     const Real& T, const Real& P, const InD& D0_ij,
                                     const Real& factor, OutD& D_im) {
    const auto resistance = [&](int64_t k) { return 1.0 / Real(D0_ij[static_cast<int>(k)]); };
    mixtureDiffusion<Real>(shared, resistance, Real(1.0), X, W, T, P, factor, D_im);
}

}  // namespace BRIDGE_NAMESPACE
