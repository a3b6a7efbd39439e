/* One point as a number: the `Real` of a debugger's build.
 *
 * A debugger prints the double in it. Every operation and function is that of `Lanes` on a vector of
 * this point, so a kernel has the bits of the usual build. Included by point.h only.
 */
#ifndef BRIDGE_KERNELS_CPU_ONEPOINT_H
#define BRIDGE_KERNELS_CPU_ONEPOINT_H

namespace BRIDGE_NAMESPACE {

struct OnePoint {
    double v;
    OnePoint() = default;
    OnePoint(double x) : v(x) {}
    explicit OnePoint(Lanes x) : v(lane(x, 0)) {}
    explicit operator double() const { return v; }
    explicit operator int() const { return lane(LaneBits(Lanes(v)), 0); }
};

template <> struct PointTypes<OnePoint> {
    using Mask = bool;
    using Bits = int;
};

/* ---- Arithmetic, in functions that a debugger does not step into ------------------------------ */

#define BRIDGE_STEPPED_OVER static inline __attribute__((always_inline, artificial))

#define BRIDGE_ARITHMETIC(op)                                                                     \
    BRIDGE_STEPPED_OVER OnePoint operator op(OnePoint a, OnePoint b) {                            \
        return OnePoint(Lanes(a.v) op Lanes(b.v));                                                \
    }                                                                                             \
    BRIDGE_STEPPED_OVER OnePoint& operator op##=(OnePoint& a, OnePoint b) { return a = a op b; }
BRIDGE_ARITHMETIC(+)
BRIDGE_ARITHMETIC(-)
BRIDGE_ARITHMETIC(/)
#undef BRIDGE_ARITHMETIC
BRIDGE_STEPPED_OVER OnePoint operator-(OnePoint a) { return -a.v; }
BRIDGE_STEPPED_OVER OnePoint operator+(OnePoint a) { return a; }

BRIDGE_STEPPED_OVER OnePoint multiplied(OnePoint a, OnePoint b) { return a.v * b.v; }
#define BRIDGE_FUSED(name)                                                                        \
    BRIDGE_STEPPED_OVER OnePoint name(OnePoint a, OnePoint b, OnePoint c) {                       \
        return OnePoint(name(Lanes(a.v), Lanes(b.v), Lanes(c.v)));                                \
    }
BRIDGE_FUSED(multiplyAdd)
BRIDGE_FUSED(multiplySubtract)
BRIDGE_FUSED(subtractProduct)
#undef BRIDGE_FUSED
BRIDGE_PRODUCTS(BRIDGE_STEPPED_OVER, OnePoint)

#define BRIDGE_COMPARE(op)                                                                        \
    BRIDGE_STEPPED_OVER bool operator op(OnePoint a, OnePoint b) { return a.v op b.v; }
BRIDGE_COMPARE(<)
BRIDGE_COMPARE(<=)
BRIDGE_COMPARE(>)
BRIDGE_COMPARE(>=)
BRIDGE_COMPARE(==)
BRIDGE_COMPARE(!=)
#undef BRIDGE_COMPARE

BRIDGE_STEPPED_OVER OnePoint select(bool mask, OnePoint yes, OnePoint no) {
    return mask ? yes : no;
}
BRIDGE_STEPPED_OVER OnePoint select(bool mask, double yes, double no) { return mask ? yes : no; }
BRIDGE_STEPPED_OVER OnePoint select(bool mask, double yes, int no) { return mask ? yes : no; }
BRIDGE_STEPPED_OVER OnePoint select(bool mask, int yes, double no) { return mask ? yes : no; }

/* ---- Functions -------------------------------------------------------------------------------- */

#define BRIDGE_FUNCTION(name)                                                                     \
    BRIDGE_STEPPED_OVER OnePoint name(OnePoint x) { return OnePoint(name(Lanes(x.v))); }
/* clang-format off */
BRIDGE_FUNCTION(fabs) BRIDGE_FUNCTION(abs) BRIDGE_FUNCTION(sqrt) BRIDGE_FUNCTION(cbrt)
BRIDGE_FUNCTION(exp) BRIDGE_FUNCTION(exp2) BRIDGE_FUNCTION(exp2OfNegative)
BRIDGE_FUNCTION(expm1) BRIDGE_FUNCTION(log) BRIDGE_FUNCTION(log2) BRIDGE_FUNCTION(log10)
BRIDGE_FUNCTION(log1p) BRIDGE_FUNCTION(sin) BRIDGE_FUNCTION(cos) BRIDGE_FUNCTION(tan)
BRIDGE_FUNCTION(asin) BRIDGE_FUNCTION(acos) BRIDGE_FUNCTION(atan) BRIDGE_FUNCTION(sinh)
BRIDGE_FUNCTION(cosh) BRIDGE_FUNCTION(tanh) BRIDGE_FUNCTION(erf) BRIDGE_FUNCTION(sinpi)
BRIDGE_FUNCTION(cospi) BRIDGE_FUNCTION(floor) BRIDGE_FUNCTION(ceil) BRIDGE_FUNCTION(rint)
BRIDGE_FUNCTION(aint) BRIDGE_FUNCTION(anint)
/* clang-format on */
#undef BRIDGE_FUNCTION
#define BRIDGE_FUNCTION(name)                                                                     \
    BRIDGE_STEPPED_OVER OnePoint name(OnePoint x, OnePoint y) {                                   \
        return OnePoint(name(Lanes(x.v), Lanes(y.v)));                                            \
    }
/* clang-format off */
BRIDGE_FUNCTION(max) BRIDGE_FUNCTION(min) BRIDGE_FUNCTION(fmax) BRIDGE_FUNCTION(fmin)
BRIDGE_FUNCTION(sign) BRIDGE_FUNCTION(copysign) BRIDGE_FUNCTION(mod) BRIDGE_FUNCTION(modulo)
BRIDGE_FUNCTION(atan2) BRIDGE_FUNCTION(pow) BRIDGE_FUNCTION(log1pOfQuotient)
/* clang-format on */
#undef BRIDGE_FUNCTION
BRIDGE_STEPPED_OVER int nint(OnePoint x) { return lane(nint(Lanes(x.v)), 0); }
BRIDGE_STEPPED_OVER bool isfinite(OnePoint x) { return isfinite(x.v); }
BRIDGE_STEPPED_OVER bool isnan(OnePoint x) { return isnan(x.v); }
BRIDGE_STEPPED_OVER OnePoint pow(OnePoint x, int n) { return OnePoint(pow(Lanes(x.v), n)); }
BRIDGE_STEPPED_OVER OnePoint pow(OnePoint x, double y) { return pow(x, OnePoint(y)); }

#ifdef BRIDGE_TABLE_ROWS
template <int columns>
BRIDGE_STEPPED_OVER void lookupRecord(const double* table, int last, OnePoint place,
                                      OnePoint (&values)[columns]) {
    Lanes found[columns];
    lookupRecord<columns>(table, last, Lanes(place.v), found);
    for (int c = 0; c < columns; ++c) values[c] = OnePoint(found[c]);
}
#endif

#undef BRIDGE_STEPPED_OVER

}  // namespace BRIDGE_NAMESPACE

#endif
