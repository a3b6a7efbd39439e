/* Two vectors of points as one number: the instructions of the one fill the waits of the other.
 *
 * `Twice` is to kernels what `Lanes` is, twice as wide. Kernels are long chains of dependent
 * operations, and what a kernel reads of the shared data is loaded once for both vectors.
 */
#ifndef BRIDGE_KERNELS_CPU_TWICE_H
#define BRIDGE_KERNELS_CPU_TWICE_H

#include "lanes.h"

namespace BRIDGE_NAMESPACE {

struct TwiceMask {
    LaneMask a, b;
    TwiceMask() = default;
    BRIDGE_INLINE TwiceMask(LaneMask x, LaneMask y) : a(x), b(y) {}
    BRIDGE_INLINE TwiceMask(bool x) : a(x), b(x) {}
};

struct Twice;

struct TwiceBits {
    LaneBits a, b;
    TwiceBits() = default;
    BRIDGE_INLINE TwiceBits(LaneBits x, LaneBits y) : a(x), b(y) {}
    BRIDGE_INLINE explicit TwiceBits(const Twice& x);
    BRIDGE_INLINE TwiceBits(int x) : a(x), b(x) {}
    BRIDGE_INLINE TwiceBits(long x) : a(x), b(x) {}
    TwiceBits(double) = delete;
};

struct Twice {
    Lanes a, b;
    Twice() = default;
    BRIDGE_INLINE Twice(Lanes x, Lanes y) : a(x), b(y) {}
    BRIDGE_INLINE explicit Twice(TwiceBits n) : a(n.a), b(n.b) {}
    BRIDGE_INLINE Twice(double x) : a(x), b(x) {}
};

BRIDGE_INLINE TwiceBits::TwiceBits(const Twice& x) : a(x.a), b(x.b) {}

template <> struct PointTypes<Twice> {
    using Mask = TwiceMask;
    using Bits = TwiceBits;
};

/* ---- Operators ------------------------------------------------------------------------------ */

#define BRIDGE_PAIRWISE(Result, op, Argument)                                                     \
    BRIDGE_INLINE Result operator op(Argument x, Argument y) {                                    \
        return Result(x.a op y.a, x.b op y.b);                                                    \
    }
#define BRIDGE_ARITHMETIC(Type, op)                                                               \
    BRIDGE_PAIRWISE(Type, op, Type)                                                               \
    BRIDGE_INLINE Type& operator op##=(Type& x, Type y) { return x = x op y; }
#define BRIDGE_COMPARE(op)                                                                        \
    BRIDGE_PAIRWISE(TwiceMask, op, Twice)                                                         \
    BRIDGE_PAIRWISE(TwiceMask, op, TwiceBits)
BRIDGE_ARITHMETIC(Twice, +)
BRIDGE_ARITHMETIC(Twice, -)
BRIDGE_ARITHMETIC(Twice, /)
BRIDGE_ARITHMETIC(TwiceBits, +)
BRIDGE_ARITHMETIC(TwiceBits, -)
BRIDGE_ARITHMETIC(TwiceBits, *)
BRIDGE_ARITHMETIC(TwiceBits, /)
BRIDGE_ARITHMETIC(TwiceBits, %)
BRIDGE_ARITHMETIC(TwiceBits, &)
BRIDGE_ARITHMETIC(TwiceBits, |)
BRIDGE_ARITHMETIC(TwiceBits, ^)
BRIDGE_ARITHMETIC(TwiceBits, <<)
BRIDGE_ARITHMETIC(TwiceBits, >>)
BRIDGE_ARITHMETIC(TwiceMask, &)
BRIDGE_ARITHMETIC(TwiceMask, |)
BRIDGE_PAIRWISE(TwiceMask, ^, TwiceMask)
BRIDGE_PAIRWISE(TwiceMask, ==, TwiceMask)
BRIDGE_PAIRWISE(TwiceMask, !=, TwiceMask)
BRIDGE_PAIRWISE(TwiceMask, &&, TwiceMask)
BRIDGE_PAIRWISE(TwiceMask, ||, TwiceMask)
BRIDGE_COMPARE(<)
BRIDGE_COMPARE(<=)
BRIDGE_COMPARE(>)
BRIDGE_COMPARE(>=)
BRIDGE_COMPARE(==)
BRIDGE_COMPARE(!=)
#undef BRIDGE_COMPARE
#undef BRIDGE_ARITHMETIC
#undef BRIDGE_PAIRWISE
BRIDGE_INLINE Twice operator-(Twice x) { return Twice(-x.a, -x.b); }
BRIDGE_INLINE Twice operator+(Twice x) { return x; }
BRIDGE_INLINE Twice multiplied(Twice x, Twice y) {
    return Twice(multiplied(x.a, y.a), multiplied(x.b, y.b));
}
BRIDGE_INLINE Twice multiplyAdd(Twice x, Twice y, Twice z) {
    return Twice(multiplyAdd(x.a, y.a, z.a), multiplyAdd(x.b, y.b, z.b));
}
BRIDGE_INLINE Twice multiplySubtract(Twice x, Twice y, Twice z) {
    return Twice(multiplySubtract(x.a, y.a, z.a), multiplySubtract(x.b, y.b, z.b));
}
BRIDGE_INLINE Twice subtractProduct(Twice z, Twice x, Twice y) {
    return Twice(subtractProduct(z.a, x.a, y.a), subtractProduct(z.b, x.b, y.b));
}
BRIDGE_PRODUCTS(BRIDGE_INLINE, Twice)
BRIDGE_INLINE TwiceBits operator-(TwiceBits x) { return TwiceBits(-x.a, -x.b); }
BRIDGE_INLINE TwiceBits operator+(TwiceBits x) { return x; }
BRIDGE_INLINE TwiceBits operator~(TwiceBits x) { return TwiceBits(~x.a, ~x.b); }
BRIDGE_INLINE TwiceMask operator!(TwiceMask x) { return TwiceMask(!x.a, !x.b); }

/* ---- Choice --------------------------------------------------------------------------------- */

BRIDGE_INLINE bool any(TwiceMask m) { return any(m.a | m.b); }
BRIDGE_INLINE bool all(TwiceMask m) { return all(m.a & m.b); }

BRIDGE_INLINE Twice select(TwiceMask m, Twice x, Twice y) {
    return Twice(select(m.a, x.a, y.a), select(m.b, x.b, y.b));
}
BRIDGE_INLINE Twice select(TwiceMask m, double x, double y) {
    return select(m, Twice(x), Twice(y));
}
BRIDGE_INLINE TwiceBits select(TwiceMask m, TwiceBits x, TwiceBits y) {
    return TwiceBits(select(m.a, x.a, y.a), select(m.b, x.b, y.b));
}

BRIDGE_INLINE Twice select(TwiceMask m, double x, int y) { return select(m, x, double(y)); }
BRIDGE_INLINE Twice select(TwiceMask m, int x, double y) { return select(m, double(x), y); }
BRIDGE_INLINE TwiceBits select(TwiceMask m, int x, int y) {
    return select(m, TwiceBits(x), TwiceBits(y));
}
BRIDGE_INLINE TwiceMask select(TwiceMask m, TwiceMask x, TwiceMask y) {
    return TwiceMask(select(m.a, x.a, y.a), select(m.b, x.b, y.b));
}

/* ---- Functions ------------------------------------------------------------------------------ */

#define BRIDGE_EACH(Result, name, Argument)                                                       \
    BRIDGE_INLINE Result name(Argument x) { return Result(name(x.a), name(x.b)); }
#define BRIDGE_FUNCTION(name) BRIDGE_EACH(Twice, name, Twice)
/* clang-format off */
BRIDGE_FUNCTION(fabs) BRIDGE_FUNCTION(sqrt)
BRIDGE_FUNCTION(exp2) BRIDGE_FUNCTION(exp2OfNegative)
BRIDGE_FUNCTION(log2) BRIDGE_FUNCTION(log10) BRIDGE_FUNCTION(log1p)
BRIDGE_FUNCTION(sin) BRIDGE_FUNCTION(cos) BRIDGE_FUNCTION(tan)
BRIDGE_FUNCTION(asin) BRIDGE_FUNCTION(acos) BRIDGE_FUNCTION(atan)
BRIDGE_FUNCTION(sinh) BRIDGE_FUNCTION(cosh) BRIDGE_FUNCTION(tanh) BRIDGE_FUNCTION(erf)
BRIDGE_FUNCTION(cospi) BRIDGE_FUNCTION(sinpi) BRIDGE_FUNCTION(abs)
BRIDGE_FUNCTION(floor) BRIDGE_FUNCTION(ceil) BRIDGE_FUNCTION(rint)
BRIDGE_FUNCTION(aint) BRIDGE_FUNCTION(anint)
/* clang-format on */
#undef BRIDGE_FUNCTION
BRIDGE_EACH(TwiceBits, nint, Twice)
BRIDGE_EACH(TwiceBits, abs, TwiceBits)
BRIDGE_EACH(TwiceMask, isfinite, Twice)
BRIDGE_EACH(TwiceMask, isnan, Twice)
#undef BRIDGE_EACH

/* Both vectors are looked at together for numbers out of the common way. */
#if BRIDGE_LANES == 8
BRIDGE_INLINE Twice exp(Twice x) { return Twice(exp(x.a), exp(x.b)); }
BRIDGE_INLINE Twice expm1(Twice x) { return Twice(expm1(x.a), expm1(x.b)); }
BRIDGE_INLINE Twice log(Twice x) { return Twice(log(x.a), log(x.b)); }
BRIDGE_INLINE Twice cbrt(Twice x) { return Twice(cbrt(x.a), cbrt(x.b)); }
#else
#define BRIDGE_MODEST(name)                                                                       \
    BRIDGE_INLINE Twice name(Twice x) {                                                           \
        if (__builtin_expect(!all(modest(x.a) & modest(x.b)), 0))                                 \
            return Twice(name##OfAny(x.a), name##OfAny(x.b));                                     \
        return Twice(name##OfModest(x.a), name##OfModest(x.b));                                   \
    }
BRIDGE_MODEST(exp)
BRIDGE_MODEST(expm1)
#undef BRIDGE_MODEST
struct TwiceBinary {
    Binary a, b;
};
BRIDGE_INLINE TwiceBinary binary(Twice x) {
    if (__builtin_expect(!all(normal(x.a) & normal(x.b)), 0))
        return {binaryOfAny(x.a), binaryOfAny(x.b)};
    return {binaryOfNormal(x.a), binaryOfNormal(x.b)};
}
BRIDGE_INLINE Twice log(Twice x) {
    const TwiceBinary part = binary(x);
    return Twice(log(part.a), log(part.b));
}
BRIDGE_INLINE Twice cbrt(Twice x) {
    const TwiceBinary part = binary(fabs(x));
    return Twice(cbrt(x.a, part.a), cbrt(x.b, part.b));
}
#endif

#define BRIDGE_BOTH(name, Type)                                                                   \
    BRIDGE_INLINE Type name(Type x, Type y) { return Type(name(x.a, y.a), name(x.b, y.b)); }
/* clang-format off */
BRIDGE_BOTH(max, Twice) BRIDGE_BOTH(min, Twice) BRIDGE_BOTH(sign, Twice)
BRIDGE_BOTH(mod, Twice) BRIDGE_BOTH(modulo, Twice) BRIDGE_BOTH(atan2, Twice)
BRIDGE_BOTH(pow, Twice) BRIDGE_BOTH(fmax, Twice) BRIDGE_BOTH(fmin, Twice)
BRIDGE_BOTH(copysign, Twice) BRIDGE_BOTH(log1pOfQuotient, Twice)
BRIDGE_BOTH(notBelow, Twice) BRIDGE_BOTH(notAbove, Twice)
BRIDGE_BOTH(max, TwiceBits) BRIDGE_BOTH(min, TwiceBits) BRIDGE_BOTH(sign, TwiceBits)
BRIDGE_BOTH(mod, TwiceBits) BRIDGE_BOTH(modulo, TwiceBits)
/* clang-format on */
#undef BRIDGE_BOTH
BRIDGE_INLINE Twice pow(Twice x, int n) { return powerByProducts(x, n); }
BRIDGE_INLINE Twice pow(Twice x, double y) { return pow(x, Twice(y)); }
BRIDGE_INLINE Twice pow(Twice x, TwiceBits n) { return pow(x, Twice(n)); }
BRIDGE_INLINE TwiceBits pow(TwiceBits x, int n) { return powerByProducts(x, n); }

#ifdef BRIDGE_TABLE_ROWS
template <int columns>
BRIDGE_INLINE void lookupRecord(const double* table, int last, Twice place,
                                Twice (&values)[columns]) {
    Lanes a[columns], b[columns];
    lookupRecord<columns>(table, last, place.a, a);
    lookupRecord<columns>(table, last, place.b, b);
    for (int c = 0; c < columns; ++c) values[c] = Twice(a[c], b[c]);
}
#endif
template <int entries> BRIDGE_INLINE Twice lookup(const double* table, TwiceBits index) {
    return Twice(lookup<entries>(table, index.a), lookup<entries>(table, index.b));
}

}  // namespace BRIDGE_NAMESPACE

#endif
