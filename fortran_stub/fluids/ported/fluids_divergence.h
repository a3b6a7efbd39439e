// divergence: solvemodule.f90:78, made by bridge port from subroutine divergence.
#pragma once
#include "fortran.h"

namespace BRIDGE_NAMESPACE {

namespace fluids_divergence_parts {

// Data of modules and COMMON blocks.
template <class Real> struct Host {
    const Bits<Real> n;
};

// solvemodule.f90:78, subroutine divergence
template <class Real>
BRIDGE_FN void divergence(Host<Real>& host, const Real& u_ip1, const Real& u_im1,
        const Real& v_jp1, const Real& v_jm1, Real& div_, Real& p) {
    div_ = -(0.5 * (u_ip1 - u_im1 + v_jp1 - v_jm1) / Real(host.n));  // solvemodule.f90:80
    p = 0.0;  // solvemodule.f90:81
}

}  // namespace fluids_divergence_parts

template <class Real>
BRIDGE_FN void fluids_divergence(const Shared& shared, const ScalarNeighbours& u,
        const ScalarNeighbours& v, const Bits<Real>& n, Real& div_, Real& p) {
    (void)shared;
    using namespace fluids_divergence_parts;
    Host<Real> host{n};
    const Real u_ip1 = u.at<1, 0, 0>();
    const Real u_im1 = u.at<-1, 0, 0>();
    const Real v_jp1 = v.at<0, 1, 0>();
    const Real v_jm1 = v.at<0, -1, 0>();
    div_ = 0.0;
    p = 0.0;
    divergence<Real>(host, u_ip1, u_im1, v_jp1, v_jm1, div_, p);
}

}  // namespace BRIDGE_NAMESPACE
