// Takahashi's high-pressure factor of diffusion at one reduced state. docs/physics.md, section 12.
// Source: Takahashi 1974.
//
// Linear in Pr between rows; row 0 is Pr = 0 with factor 1, beyond the last row its value stays.
// Powers are taken for the two rows a point needs. Tr below 1 counts as 1: there the table's two
// brackets turn negative and their product grows without bound.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

// The table's columns, each padded to TAKAHASHI_ROWS.
enum TakahashiColumn : int { PR, INVERSE_STEP, DP, A, B, C, E };

template <class Real>
BRIDGE_FN Real takahashiEntry(const Shared& shared, TakahashiColumn column,
                              const Bits<Real>& row) {
    return lookup<TAKAHASHI_ROWS>(shared.takahashi + TAKAHASHI_ROWS * column, row);
}

template <class Real>
BRIDGE_FN Real takahashiRow(const Shared& shared, const Bits<Real>& row, const Real& lnTr) {
    const auto entry = [&](TakahashiColumn column) {
        return takahashiEntry<Real>(shared, column, row);
    };
    return entry(DP) * (1.0 - entry(A) * exp(-entry(B) * lnTr)) *
           (1.0 - entry(C) * exp(-entry(E) * lnTr));
}

template <class Real>
BRIDGE_FN Real takahashi(const Shared& shared, const Real& Tr, const Real& Pr) {
    Bits<Real> below = Bits<Real>(0);
    for (int k = 1; k < 17; ++k) below = below + flag<Real>(Pr >= shared.takahashi[k], 1);
    const Bits<Real> above = below + Bits<Real>(1);
    const Real lnTr = log(at_least<Real>(Tr, shared.takahashiTrMin));
    const Real weight =
        (at_most<Real>(Pr, shared.takahashi[17]) - takahashiEntry<Real>(shared, PR, below)) *
        takahashiEntry<Real>(shared, INVERSE_STEP, below);
    const Real low = takahashiRow<Real>(shared, below, lnTr);
    return low + weight * (takahashiRow<Real>(shared, above, lnTr) - low);
}

}  // namespace BRIDGE_NAMESPACE
