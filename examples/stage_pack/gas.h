// The gas of the stage pack: a perfect one, in SI.
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

constexpr double flowGamma = 1.4, flowR = 287.0, flowPrandtl = 0.72;
constexpr double flowCp = flowGamma * flowR / (flowGamma - 1.0);

}  // namespace BRIDGE_NAMESPACE
