// Binary diffusion coefficients at low pressure, all pairs i <= j, row by row. docs/physics.md,
// section 12. Sources: Neufeld, Janzen and Aziz 1972; Fuller, Schettler and Giddings 1966.
//
// In   T K, P Pa
// Out  D0_ij (ns(ns+1)/2) m2/s
#pragma once
#include "../point.h"
#include "binaryDiffusion.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class OutD>
BRIDGE_FN void chungBinaryDiffusion(const Shared& shared, const Real& T, const Real& P,
                                    OutD& D0_ij) {
    const int ns = species(shared);
    const int pairs = ns * (ns + 1) / 2;
    const BinaryDiffusion<Real> point = BinaryDiffusion<Real>::at(shared, T, P);
    point.withResistance(shared, [&](const auto& resistance) {
        for (int k = 0; k < pairs; ++k) D0_ij[k] = point.scale / resistance(k);
    });
}

}  // namespace BRIDGE_NAMESPACE
