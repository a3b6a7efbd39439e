// One NASA-7 record at one temperature, for the three ideal-gas species kernels. docs/physics.md,
// section 4.
//
// Outside [Tlow, Thigh] the heat capacity stays that of the end (CONST_CP) or the polynomial runs
// on (POLYNOMIAL). The tie t = Tmid belongs to the low range. Source: McBride, Gordon and Reno
// 1993.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct Nasa7 {
    const double* record;  // Tlow, Tmid, Thigh, a1..a7 low, a1..a7 high
    Real t;                // temperature handed to the polynomials
    Mask<Real> low;

    static BRIDGE_MEMBER Nasa7 at(const Shared& shared, int i, const Real& T) {
        const double* record = shared.nasa + 17 * i;
        const Real t = shared.thermoExtrap ? T : clamp<Real>(T, record[0], record[2]);
        return {record, t, t <= record[1]};
    }
    BRIDGE_MEMBER Real a(int k) const {
        return select(low, Real(record[2 + k]), Real(record[9 + k]));
    }

    BRIDGE_MEMBER Real cp() const {  // cp/R
        return a(1) + t * (a(2) + t * (a(3) + t * (a(4) + t * a(5))));
    }
    BRIDGE_MEMBER Real h() const {  // h/R, K
        return a(6) + t * (a(1) + t * (a(2) * 0.5 + t * (a(3) * (1.0 / 3.0) +
                                                         t * (a(4) * 0.25 + t * (a(5) * 0.2)))));
    }
    BRIDGE_MEMBER Real s(const Real& lnt) const {  // s/R at the reference pressure
        return a(7) + a(1) * lnt +
               t * (a(2) + t * (a(3) * 0.5 + t * (a(4) * (1.0 / 3.0) + t * (a(5) * 0.25))));
    }
};

}  // namespace BRIDGE_NAMESPACE
