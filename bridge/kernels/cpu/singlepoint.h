/* One point of single precision: the `Real` of such kernels where a host computes point by point.
 *
 * Beside a number of doubles, `DoublePoint`: of a host's own check, of a debugger's build, of one
 * that counts. Every operation is that number's, rounded: a sum, a product, a quotient or a root of
 * singles that is rounded to a double first has the same bits. What an operation counts, it counts
 * too. A fused sum alone is made of singles. Included by point.h only.
 */
#ifndef BRIDGE_KERNELS_CPU_SINGLEPOINT_H
#define BRIDGE_KERNELS_CPU_SINGLEPOINT_H

namespace BRIDGE_NAMESPACE {

#if defined(BRIDGE_SCALAR)
using DoublePoint = double;
#elif defined(BRIDGE_COUNTED)
using DoublePoint = Counted;
#else
using DoublePoint = OnePoint;
#endif

struct SinglePoint {
    float v;
    SinglePoint() = default;
    SinglePoint(double x) : v(static_cast<float>(x)) {}
#ifndef BRIDGE_SCALAR /* what a choice of two doubles, or a table, gives */
    SinglePoint(DoublePoint x) : v(static_cast<float>(x.v)) {}
#endif
    explicit operator double() const { return static_cast<double>(v); }
    explicit operator int() const { return static_cast<int>(DoublePoint(v)); }
};

template <> struct PointTypes<SinglePoint> : PointTypes<DoublePoint> {};
template <> inline constexpr bool ofSingles<SinglePoint> = true;

#ifdef BRIDGE_DEBUG /* functions that a debugger does not step into */
#define BRIDGE_POINT static inline __attribute__((always_inline, artificial))
#else
#define BRIDGE_POINT BRIDGE_FN
#endif

BRIDGE_POINT DoublePoint widened(SinglePoint x) { return DoublePoint(static_cast<double>(x.v)); }
BRIDGE_POINT SinglePoint rounded(DoublePoint x) { return SinglePoint(x); }

/* ---- Arithmetic ------------------------------------------------------------------------------ */

#define BRIDGE_ARITHMETIC(op)                                                                     \
    BRIDGE_POINT SinglePoint operator op(SinglePoint x, SinglePoint y) {                          \
        return rounded(widened(x) op widened(y));                                                 \
    }                                                                                             \
    BRIDGE_POINT SinglePoint& operator op##=(SinglePoint& x, SinglePoint y) { return x = x op y; }
BRIDGE_ARITHMETIC(+)
BRIDGE_ARITHMETIC(-)
BRIDGE_ARITHMETIC(/)
#undef BRIDGE_ARITHMETIC
BRIDGE_POINT SinglePoint operator-(SinglePoint x) { return rounded(-widened(x)); }
BRIDGE_POINT SinglePoint operator+(SinglePoint x) { return x; }

BRIDGE_POINT SinglePoint multiplied(SinglePoint x, SinglePoint y) {
    return rounded(widened(x) * widened(y));
}
BRIDGE_POINT SinglePoint multiplyAdd(SinglePoint x, SinglePoint y, SinglePoint z) {
#ifdef BRIDGE_COUNTED
    multiplyAdd(widened(x), widened(y), widened(z));
#endif
#ifdef BRIDGE_DEBUG /* a debugger's build has the bits of the machine's vectors */
    const SingleLanes found = multiplyAdd(SingleLanes(x.v), SingleLanes(y.v), SingleLanes(z.v));
    return SinglePoint(lane(found, 0));
#else
    return SinglePoint(__builtin_fmaf(x.v, y.v, z.v));
#endif
}
BRIDGE_POINT SinglePoint multiplySubtract(SinglePoint x, SinglePoint y, SinglePoint z) {
    return multiplyAdd(x, y, -z);
}
BRIDGE_POINT SinglePoint subtractProduct(SinglePoint z, SinglePoint x, SinglePoint y) {
    return multiplyAdd(-x, y, z);
}
BRIDGE_PRODUCTS(BRIDGE_POINT, SinglePoint)

#define BRIDGE_COMPARE(op)                                                                        \
    BRIDGE_POINT bool operator op(SinglePoint x, SinglePoint y) {                                 \
        return widened(x) op widened(y);                                                          \
    }
BRIDGE_COMPARE(<)
BRIDGE_COMPARE(<=)
BRIDGE_COMPARE(>)
BRIDGE_COMPARE(>=)
BRIDGE_COMPARE(==)
BRIDGE_COMPARE(!=)
#undef BRIDGE_COMPARE
BRIDGE_POINT SinglePoint select(bool mask, SinglePoint yes, SinglePoint no) {
    return rounded(select(mask, widened(yes), widened(no)));
}

/* ---- Functions ------------------------------------------------------------------------------- */

#define BRIDGE_FUNCTION(name)                                                                     \
    BRIDGE_POINT SinglePoint name(SinglePoint x) { return rounded(name(widened(x))); }
/* clang-format off */
BRIDGE_FUNCTION(fabs) BRIDGE_FUNCTION(abs) BRIDGE_FUNCTION(sqrt) BRIDGE_FUNCTION(cbrt)
BRIDGE_FUNCTION(exp) BRIDGE_FUNCTION(exp2) BRIDGE_FUNCTION(expm1) BRIDGE_FUNCTION(log)
BRIDGE_FUNCTION(log2) BRIDGE_FUNCTION(log10) BRIDGE_FUNCTION(log1p) BRIDGE_FUNCTION(sin)
BRIDGE_FUNCTION(cos) BRIDGE_FUNCTION(tan) BRIDGE_FUNCTION(asin) BRIDGE_FUNCTION(acos)
BRIDGE_FUNCTION(atan) BRIDGE_FUNCTION(sinh) BRIDGE_FUNCTION(cosh) BRIDGE_FUNCTION(tanh)
BRIDGE_FUNCTION(erf) BRIDGE_FUNCTION(sinpi) BRIDGE_FUNCTION(cospi) BRIDGE_FUNCTION(floor)
BRIDGE_FUNCTION(ceil) BRIDGE_FUNCTION(rint) BRIDGE_FUNCTION(aint) BRIDGE_FUNCTION(anint)
/* clang-format on */
#undef BRIDGE_FUNCTION
#define BRIDGE_FUNCTION(name)                                                                     \
    BRIDGE_POINT SinglePoint name(SinglePoint x, SinglePoint y) {                                 \
        return rounded(name(widened(x), widened(y)));                                             \
    }
/* clang-format off */
BRIDGE_FUNCTION(max) BRIDGE_FUNCTION(min) BRIDGE_FUNCTION(fmax) BRIDGE_FUNCTION(fmin)
BRIDGE_FUNCTION(sign) BRIDGE_FUNCTION(copysign) BRIDGE_FUNCTION(mod) BRIDGE_FUNCTION(atan2)
BRIDGE_FUNCTION(pow)
/* clang-format on */
#undef BRIDGE_FUNCTION
BRIDGE_POINT SinglePoint modulo(SinglePoint x, SinglePoint y) {
    const SinglePoint r = mod(x, y);
    if (r.v == 0.0f) return SinglePoint(__builtin_copysign(0.0, y.v));
    return (r.v < 0.0f) != (y.v < 0.0f) ? r + y : r;
}
BRIDGE_POINT SinglePoint pow(SinglePoint x, double y) { return pow(x, SinglePoint(y)); }
BRIDGE_POINT SinglePoint pow(SinglePoint x, int n) { return powerByProducts(x, n); }
BRIDGE_POINT int nint(SinglePoint x) { return nint(widened(x)); }
BRIDGE_POINT bool isfinite(SinglePoint x) { return isfinite(widened(x)); }
BRIDGE_POINT bool isnan(SinglePoint x) { return isnan(widened(x)); }

#ifdef BRIDGE_TABLE_ROWS
template <int columns>
BRIDGE_POINT void lookupRecord(const double* table, int last, SinglePoint place,
                               SinglePoint (&values)[columns]) {
    DoublePoint found[columns];
    lookupRecord<columns>(table, last, widened(place), found);
    for (int c = 0; c < columns; ++c) values[c] = rounded(found[c]);
}
#endif
#undef BRIDGE_POINT

}  // namespace BRIDGE_NAMESPACE

#endif
