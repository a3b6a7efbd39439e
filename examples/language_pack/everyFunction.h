// Every function of the language once, of the same two numbers: what docs/functions.py measures.
//
// In   language_x, language_y
// Out  language_values (39)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class Out>
BRIDGE_FN void everyFunction(const Shared&, const Real& x, const Real& y, Out& values) {
    values[0] = x / y;
    values[1] = sqrt(x);
    values[2] = cbrt(x);
    values[3] = exp(x);
    values[4] = exp2(x);
    values[5] = expm1(x);
    values[6] = log(x);
    values[7] = log2(x);
    values[8] = log10(x);
    values[9] = log1p(x);
    values[10] = pow(x, y);
    values[11] = pow(x, 2);
    values[12] = pow(x, 3);
    values[13] = pow(x, 7);
    values[14] = pow(x, -2);
    values[15] = sin(x);
    values[16] = cos(x);
    values[17] = tan(x);
    values[18] = asin(x);
    values[19] = acos(x);
    values[20] = atan(x);
    values[21] = atan2(y, x);
    values[22] = sinpi(x);
    values[23] = cospi(x);
    values[24] = sinh(x);
    values[25] = cosh(x);
    values[26] = tanh(x);
    values[27] = erf(x);
    values[28] = mod(x, y);
    values[29] = modulo(x, y);
    values[30] = abs(x);
    values[31] = sign(x, y);
    values[32] = min(x, y);
    values[33] = max(x, y);
    values[34] = floor(x);
    values[35] = ceil(x);
    values[36] = aint(x);
    values[37] = anint(x);
    values[38] = rint(x);
}

}  // namespace BRIDGE_NAMESPACE
