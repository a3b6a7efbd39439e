// gradient: solvemodule.f90:89, made by bridge port from subroutine gradient.
#pragma once
#include "fortran.h"

namespace BRIDGE_NAMESPACE {

namespace fluids_gradient_parts {

// Data of modules and COMMON blocks.
template <class Real> struct Host {
    const Bits<Real> n;
};

// solvemodule.f90:89, subroutine gradient
template <class Real>
BRIDGE_FN void gradient(Host<Real>& host, Real& u, const Real& p_ip1, const Real& p_im1,
        const Real& p_jp1, const Real& p_jm1, Real& v) {
    u = u - 0.5 * Real(host.n) * (p_ip1 - p_im1);  // solvemodule.f90:91
    v = v - 0.5 * Real(host.n) * (p_jp1 - p_jm1);  // solvemodule.f90:92
}

}  // namespace fluids_gradient_parts

template <class Real>
BRIDGE_FN void fluids_gradient(const Shared& shared, const Real& u_in, const ScalarNeighbours& p,
        const Real& v_in, const Bits<Real>& n, Real& u, Real& v) {
    (void)shared;
    using namespace fluids_gradient_parts;
    Host<Real> host{n};
    u = u_in;
    const Real p_ip1 = p.at<1, 0, 0>();
    const Real p_im1 = p.at<-1, 0, 0>();
    const Real p_jp1 = p.at<0, 1, 0>();
    const Real p_jm1 = p.at<0, -1, 0>();
    v = v_in;
    gradient<Real>(host, u, p_ip1, p_im1, p_jp1, p_jm1, v);
}

}  // namespace BRIDGE_NAMESPACE
