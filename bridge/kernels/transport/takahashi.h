// Takahashi's high-pressure factor of diffusion at one reduced state. docs/physics.md, section 12.
// Source: Takahashi 1974.
//
// Linear in Pr between rows; row 0 is Pr = 0 with factor 1, beyond the last row its value stays.
// Powers are taken for the two rows a point needs. Tr below 1 counts as 1: there the table's two
// brackets turn negative and their product grows without bound.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN Real takahashiRow(const Shared& shared, const Bits<Real>& row, const Real& lnTr) {
    const double* table = shared.takahashi;  // columns of 18: Pr DP A B C E
    const Real DP = lookup(table + 18, row), A = lookup(table + 36, row);
    const Real B = lookup(table + 54, row), C = lookup(table + 72, row);
    const Real E = lookup(table + 90, row);
    return DP * (1.0 - A * exp(-B * lnTr)) * (1.0 - C * exp(-E * lnTr));
}

template <class Real>
BRIDGE_FN Real takahashi(const Shared& shared, const Real& Tr, const Real& Pr) {
    const double* rows = shared.takahashi;
    Bits<Real> below = Bits<Real>(0);
    for (int k = 1; k < 17; ++k) below = below + flag<Real>(Pr >= rows[k], 1);
    const Bits<Real> above = below + Bits<Real>(1);
    const Real lnTr = log(at_least<Real>(Tr, shared.takahashiTrMin));
    const Real left = lookup(rows, below), right = lookup(rows, above);
    const Real weight = (at_most<Real>(Pr, rows[17]) - left) / (right - left);
    return (1.0 - weight) * takahashiRow<Real>(shared, below, lnTr) +
           weight * takahashiRow<Real>(shared, above, lnTr);
}

}  // namespace BRIDGE_NAMESPACE
