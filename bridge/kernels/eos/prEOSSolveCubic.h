// Outer roots of the cubic above B, fixed work. docs/physics.md, section 6. Sources: Peng and
// Robinson 1976, Soave 1972; closed form after Cardano and Viete, polished by Newton.
//
// F(Z) = Z^3 + c2 Z^2 + c1 Z + c0 has F(B) < 0, hence one or three roots above B. The smallest
// comes from the quadratic that is left when the largest is divided out, not from the third
// cosine: in a thin gas the two lower roots are 1e-8 and less, and the closed form of the cubic is
// then neither sure of their number nor of their digits. The middle root is never formed. Without
// the polish liquid roots at low pressure lose 4 to 8 digits.
//
// In   A, B
// Out  Zmax, Zmin (= Zmax where there is one root), nRoots 1 or 3 (0 at fatal points)
#pragma once
#include "../point.h"
#include "cubic.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct Cubic {
    Real c2, c1, c0;
    BRIDGE_MEMBER Real operator()(const Real& Z) const { return ((Z + c2) * Z + c1) * Z + c0; }
    BRIDGE_MEMBER Real slope(const Real& Z) const { return (3.0 * Z + 2.0 * c2) * Z + c1; }
};

// The largest root, not yet polished: to all digits where it is the only one, to six of them
// where there are three.
template <class Real> BRIDGE_FN Real largestRoot(const Cubic<Real>& F) {
    const Real third = F.c2 * (1.0 / 3.0);
    const Real p = F.c1 - F.c2 * third;
    const Real q = third * (2.0 * third * third - F.c1) + F.c0;
    const Real d = 0.25 * q * q + p * p * p * (1.0 / 27.0);
    const Mask<Real> one = d > 0.0;
    Real Z = 0.0;
    if (any(one)) {
        const Real root = sqrt(select(one, d, 0.0));
        const Real w = -cbrt(0.5 * q + select(q >= 0.0, root, -root));
        Z = w - select(w == 0.0, 0.0, p / (3.0 * w));
    }
    if (!all(one)) {
        // 2 r cos(acos(c)/3), c the cosine of Viete; in w = sqrt((1 + c)/2) it is a smooth
        // function, 2 cos(2/3 acos(w)), and a polynomial gives it to 3e-6
        const Real r = sqrt(at_least<Real>(p * (-1.0 / 3.0), 0.0));
        const Real c = clamp<Real>(-q / (2.0 * r * r * r), -1.0, 1.0);
        const Real w = sqrt(select(r > 0.0, 0.5 * c + 0.5, 1.0));
        // clang-format off
        const Real y = ((((0.008241606598559869 * w - 0.03824365707158031) * w +
                          0.09526901392318401) * w - 0.21976891968017537) * w +
                        1.1545008100152343) * w + 1.0000027460163197;
        // clang-format on
        Z = select(one, Z, r * y);
    }
    return Z - third;
}

// At most 4 Newton steps, each kept only while it stays above B and reduces |F|; after a step of
// less than 1e-9 the next would change nothing.
template <class Real>
BRIDGE_FN Real polishRoot(const Cubic<Real>& F, const Real& start, const Real& B) {
    Real Z = at_least<Real>(start, B * (1.0 + 1e-10));
    Real value = F(Z);
    Mask<Real> moving = Z == Z;
    for (int step = 0; step < 4 && any(moving); ++step) {
        const Real next = Z - value / F.slope(Z);
        const Real nextValue = F(next);
        moving = moving & (next > B) & (fabs(nextValue) < fabs(value));
        const Mask<Real> far = fabs(next - Z) > 1e-9 * Z;
        Z = select(moving, next, Z);
        value = select(moving, nextValue, value);
        moving = moving & far;
    }
    return Z;
}

template <class Real>
BRIDGE_FN void prEOSSolveCubic(const Shared& shared, const Real& A, const Real& B, Real& Zmax,
                               Real& Zmin, Bits<Real>& nRoots) {
    const CubicConstants c = cubicConstants(shared);
    const Cubic<Real> F = {(c.sum - 1.0) * B - 1.0, A - ((c.sum + c.product) * B + c.sum) * B,
                           (c.product * (1.0 + B) * B - A) * B};
    Zmax = polishRoot<Real>(F, largestRoot<Real>(F), B);
    Zmin = Zmax;

    // the other two: t^2 - 2 mean t + product = 0
    const Real inverse = 1.0 / Zmax;
    const Real product = -F.c0 * inverse;
    const Real mean = 0.5 * (F.c1 - product) * inverse;
    const Real square = mean * mean - product;
    Mask<Real> three = (square >= 0.0) & (mean > B);
    if (any(three)) {
        const Real start = product / (mean + sqrt(select(three, square, 0.0)));
        const Real Z = polishRoot<Real>(F, start, B);
        three = three & (Z > B * (1.0 + 1e-9)) & (Z < Zmax);
        Zmin = select(three, Z, Zmax);
    }
    nRoots = select(Zmax == Zmax, select(three, Bits<Real>(3), Bits<Real>(1)), Bits<Real>(0));
}

}  // namespace BRIDGE_NAMESPACE
