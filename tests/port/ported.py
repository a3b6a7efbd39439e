"""A pack whose kernel runs in place of a shipped composite: an ideal gas, in its own names."""

from __future__ import annotations

QUANTITIES = """
[quantity.rp_T]
unit = "K"
[quantity.rp_P]
unit = "Pa"
[quantity.rp_Y]
unit = "1"
columns = "ns"
[quantity.rp_rho]
unit = "kg/m3"
[quantity.rp_h]
unit = "J/kg"
[quantity.rp_status]
unit = "1"
type = "int32"
[constant.rp_R]
unit = "J/(kg K)"
value = 300.0

[[kernel]]
name = "rpPoint"
header = "point_rp.h"
inputs = ["rp_T", "rp_P", "rp_Y", "rp_R"]
outputs = ["rp_rho", "rp_h", "rp_status"]
planned = false
[[kernel]]
name = "rpTwice"
header = "point_rp.h"
inputs = ["rp_h"]
outputs = ["rp_h"]
planned = false
[[composite]]
name = "rpSteps"
inputs = ["rp_T", "rp_P", "rp_Y"]
outputs = ["rp_rho", "rp_h", "rp_status"]
steps = ["rpPoint", "rpTwice"]
[[composite]]
name = "rpPlanned"
inputs = ["T", "P", "Y"]
outputs = ["rho"]
"""

NAMES = """
[replace.names]
rp_T = "T"
rp_P = "P"
rp_Y = "Y"
rp_rho = "rho"
rp_h = "h"
rp_status = "status"
"""

REPLACE = '\n[replace]\neosRhohFromTPprop = "rpPoint"\nprEOSRhohFromTPprop = "rpSteps"\n'

HEADER = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class Fractions>
BRIDGE_FN void rpPoint(const Shared& shared, const Real& T, const Real& P, const Fractions& Y,
                       const Real& R, Real& rho, Real& h, Bits<Real>& status) {
    Real sum = 0.0;
    for (int s = 0; s < species(shared); ++s) sum = sum + (s + 1.0) * Y[s];
    rho = P / (R * sum * T);
    h = 1000.0 * T * sum;
    status = Bits<Real>(4096);
}
template <class Real>
BRIDGE_FN void rpTwice(const Shared&, const Real& h, Real& next) {
    next = 2.0 * h;
}
}
"""
