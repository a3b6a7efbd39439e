// Arithmetic of integers, several per point, and their conversions.
//
// In   language_pair (2), language_x
// Out  language_integers (28)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In, class Out>
BRIDGE_FN void everyInteger(const Shared&, const In& pair, const Real& x, Out& n) {
    const Bits<Real> a = pair[0], b = pair[1];
    n[0] = a + b;
    n[1] = a - b;
    n[2] = a % 1000 * (b % 1000);
    n[3] = a / b;
    n[4] = a % b;
    n[5] = modulo(a, b);
    n[6] = min(a, b);
    n[7] = max(a, b);
    n[8] = abs(a);
    n[9] = sign(a, b);
    n[10] = (a & b) | (a ^ 255);
    n[11] = ~a;
    n[12] = a >> 3;
    n[13] = (b & 1023) << 5;
    n[14] = select(a < b, -a, b);
    n[15] = select((a <= b) == (a > 7) || a != b, a, b);
    n[16] = pow(a % 100, 3);
    n[17] = Bits<Real>(x);
    n[18] = nint(x);
    n[19] = Bits<Real>(floor(x));
    n[20] = nint(Real(a) / 3.0 + x);
    n[21] = a;
    n[21] += 7;
    n[21] -= b;
    n[22] = n[21];
    n[22] /= 3;
    n[23] = n[22];
    n[23] %= 10;
    n[23] |= 16;
    const Bits<Real> within = max(min(a, Bits<Real>(5)), Bits<Real>(0));
    n[24] = within;
    n[25] = select(within == 5, 1, 0);
    Bits<Real> inside = select(a > 6, Bits<Real>(6), a);
    inside = select(inside < 0, Bits<Real>(0), inside);
    n[26] = inside;
    n[27] = select(inside != 6, 1, 0);
}

}  // namespace BRIDGE_NAMESPACE
