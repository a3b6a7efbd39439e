// High-pressure factor of the diffusion coefficients at Kay's reduced state. With takaMode
// PAIRWISE the mixture kernel takes one factor per pair instead. docs/physics.md, section 12.
// Source: Takahashi 1974.
//
// In   Tr, Pr
// Out  takahashi
#pragma once
#include "../point.h"
#include "takahashi.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void chungTakahashiFactor(const Shared& shared, const Real& Tr, const Real& Pr,
                                    Real& factor) {
    factor = takahashi<Real>(shared, Tr, Pr);
}

}  // namespace BRIDGE_NAMESPACE
