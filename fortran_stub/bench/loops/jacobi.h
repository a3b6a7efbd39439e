// One Jacobi iteration of a pressure equation in general coordinates, 19 points.
//
// In   p, a (4), b (3), c (3), bnd, source
// Out  next
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InA, class InB, class InC>
BRIDGE_FN void loopJacobi(const Shared&, const ScalarNeighbours& p, const InA& a, const InB& b,
                          const InC& c, const Real& bnd, const Real& source, Real& next) {
    const Real here = p.at<0, 0, 0>();
    const Real xy = p.at<1, 1, 0>() - p.at<1, -1, 0>() - p.at<-1, 1, 0>() + p.at<-1, -1, 0>();
    const Real yz = p.at<0, 1, 1>() - p.at<0, -1, 1>() - p.at<0, 1, -1>() + p.at<0, -1, -1>();
    const Real xz = p.at<1, 0, 1>() - p.at<-1, 0, 1>() - p.at<1, 0, -1>() + p.at<-1, 0, -1>();
    const Real s0 = a[0] * p.at<1, 0, 0>() + a[1] * p.at<0, 1, 0>() + a[2] * p.at<0, 0, 1>() +
                    b[0] * xy + b[1] * yz + b[2] * xz + c[0] * p.at<-1, 0, 0>() +
                    c[1] * p.at<0, -1, 0>() + c[2] * p.at<0, 0, -1>() + source;
    next = here + 0.8 * ((s0 * a[3] - here) * bnd);
}

}  // namespace BRIDGE_NAMESPACE
