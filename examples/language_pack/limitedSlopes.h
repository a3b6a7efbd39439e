// Slopes of five variables: half a limited one (minmod) and half of the mean.
//
// In   slope_left (5), slope_right (5)
// Out  slope (5), slope_steepest (index of the steepest, its sign)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class Left, class Right, class Out, class OutWords>
BRIDGE_FN void limitedSlopes(const Shared&, const Left& left, const Right& right, Out& slope,
                               OutWords& steepest) {
    Real pair[2][5];
    for (int c = 0; c < 5; ++c) {
        pair[0][c] = left[c];
        pair[1][c] = right[c];
    }
    Real most = -1.0;
    steepest[0] = 0;
    for (int c = 0; c < 5; ++c) {
        const Real least = min(abs(pair[0][c]), abs(pair[1][c]));
        slope[c] = select(pair[0][c] * pair[1][c] > 0.0, sign(least, pair[0][c]), 0.0);
        slope[c] *= 0.5;
        slope[c] += 0.25 * (pair[0][c] + pair[1][c]);
        const Mask<Real> steeper = abs(slope[c]) > most;
        steepest[0] = select(steeper, c, steepest[0]);
        most = max(most, abs(slope[c]));
    }
    steepest[1] = select(slope[0] < 0.0, -1, 1);
}

}  // namespace BRIDGE_NAMESPACE
