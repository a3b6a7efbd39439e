// addsource: solvemodule.f90:16, made by bridge port from subroutine addsource.
#pragma once
#include "fortran.h"

namespace BRIDGE_NAMESPACE {

namespace fluids_addsource_parts {

// Data of modules and COMMON blocks.
template <class Real> struct Host {
    const Real dt;
};

// solvemodule.f90:16, subroutine addsource
template <class Real>
BRIDGE_FN void addsource(Host<Real>& host, Real& x, const Real& s) {
    x = x + host.dt * s;  // solvemodule.f90:18
}

}  // namespace fluids_addsource_parts

template <class Real>
BRIDGE_FN void fluids_addsource(const Shared& shared, const Real& x_in, const Real& s,
        const Real& dt, Real& x) {
    (void)shared;
    using namespace fluids_addsource_parts;
    Host<Real> host{dt};
    x = x_in;
    addsource<Real>(host, x, s);
}

}  // namespace BRIDGE_NAMESPACE
