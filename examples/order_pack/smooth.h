// A smoother of Gauss and Seidel for the Laplacian on a grid of spacing 1.
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void smooth(const Shared&, const ScalarNeighbours& p, const Real& source, Real& next) {
    next = (p.at<1, 0, 0>() + p.at<-1, 0, 0>() + p.at<0, 1, 0>() + p.at<0, -1, 0>() +
            p.at<0, 0, 1>() + p.at<0, 0, -1>() - source) / 6.0;
}

}  // namespace BRIDGE_NAMESPACE
