// The status word of a grid point (docs/physics.md, section 3). Bits 0 to 2 and 18 are fatal: every
// floating output of the point is NaN. All others are information.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

enum StatusBit : int {
    BAD_T = 1 << 0,
    BAD_P = 1 << 1,
    BAD_Y = 1 << 2,
    Y_CLIPPED = 1 << 3,
    Y_RENORM = 1 << 4,
    T_EXTRAP = 1 << 5,
    MULTI_ROOT = 1 << 6,
    NEAR_CRITICAL = 1 << 7,
    H_GAP = 1 << 8,
    H_BELOW = 1 << 9,
    H_ABOVE = 1 << 10,
    NO_CONV = 1 << 11,
    CHUNG_SINGULAR = 1 << 12,
    TRANSPORT_CLAMP = 1 << 13,
    UNSTABLE = 1 << 14,
    TWO_PHASE = 1 << 15,
    STABILITY_OPEN = 1 << 16,
    DIFF_RANGE = 1 << 17,
    BAD_RHO = 1 << 18,  // bits 19 to 30 are of kernel packs
    FATAL = BAD_T | BAD_P | BAD_Y | BAD_RHO,
};

}  // namespace BRIDGE_NAMESPACE
