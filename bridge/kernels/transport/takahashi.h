// Takahashi's high-pressure factor of diffusion at one reduced state. docs/physics.md, section 12.
// Source: Takahashi 1974.
//
// Linear in Pr between rows; row 0 is Pr = 0 with factor 1, beyond the last row its value stays.
// Powers are taken for the two rows a point needs. Tr below 1 counts as 1: there the table's two
// brackets turn negative and their product grows without bound.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

// Columns of the table, each padded to TAKAHASHI_ROWS.
enum TakahashiColumn : int { PR, INVERSE_STEP, DP, A, B, C, E };

template <class Real> struct TakahashiRows {  // the two around a point's Pr
    Real v[12];                               // PR and INVERSE_STEP; DP to E of either row

    BRIDGE_MEMBER Real factor(int row, const Real& lnTr) const {
        const Real* c = v + 2 + 5 * row;
        return c[0] * (1.0 - c[1] * exp2OfNegative(-c[2] * lnTr)) *
               (1.0 - c[3] * exp2OfNegative(-c[4] * lnTr));
    }
};

template <class Real>
BRIDGE_FN TakahashiRows<Real> takahashiRows(const Shared& shared, const Real& Pr) {
    TakahashiRows<Real> rows;
#ifdef BRIDGE_TABLE_ROWS
    lookupRecord<12>(shared.takahashiSteps, TAKAHASHI_STEPS - 1, 10.0 * Pr, rows.v);
#else
    Bits<Real> below = Bits<Real>(0);
    for (int k = 1; k < 17; ++k) below = below + flag<Real>(Pr >= shared.takahashi[k], 1);
    const Bits<Real> above = below + Bits<Real>(1);
    const auto entry = [&](int column, const Bits<Real>& row) {
        return lookup<TAKAHASHI_ROWS>(shared.takahashi + TAKAHASHI_ROWS * column, row);
    };
    rows.v[0] = entry(PR, below);
    rows.v[1] = entry(INVERSE_STEP, below);
    for (int k = 0; k < 5; ++k) {
        rows.v[2 + k] = entry(DP + k, below);
        rows.v[7 + k] = entry(DP + k, above);
    }
#endif
    return rows;
}

template <class Real>
BRIDGE_FN Real takahashi(const Shared& shared, const Real& Tr, const Real& Pr) {
    const TakahashiRows<Real> rows = takahashiRows<Real>(shared, Pr);
    const Real lnTr = log(at_least<Real>(Tr, shared.takahashiTrMin));
    const Real weight = (at_most<Real>(Pr, shared.takahashi[17]) - rows.v[0]) * rows.v[1];
    const Real low = rows.factor(0, lnTr);
    return low + weight * (rows.factor(1, lnTr) - low);
}

}  // namespace BRIDGE_NAMESPACE
