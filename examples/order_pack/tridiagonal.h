// Thomas' algorithm along y: the elimination, and the way back.
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void eliminate(const Shared&, const Real& lower, const Real& diagonal, const Real& upper,
                         const ScalarNeighbours& x, Real& factor, Real& next, Private& line) {
    const Real pivot = 1.0 / (diagonal - lower * line[0]);
    factor = upper * pivot;
    line[0] = factor;
    next = (x.at<0, 0, 0>() - lower * x.at<0, -1, 0>()) * pivot;
}
template <class Real>
BRIDGE_FN void eliminateFirst(const Shared&, const Real&, const Real& diagonal, const Real& upper,
                              const ScalarNeighbours& x, Real& factor, Real& next, Private& line) {
    factor = upper / diagonal;
    line[0] = factor;
    next = x.at<0, 0, 0>() / diagonal;
}
template <class Real>
BRIDGE_FN void substitute(const Shared&, const Real& factor, const ScalarNeighbours& x,
                          Real& next) {
    next = x.at<0, 0, 0>() - factor * x.at<0, 1, 0>();
}
template <class Real>
BRIDGE_FN void substituteFirst(const Shared&, const Real&, const ScalarNeighbours& x, Real& next) {
    next = x.at<0, 0, 0>();
}

}  // namespace BRIDGE_NAMESPACE
