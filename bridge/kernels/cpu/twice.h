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

struct TwiceBits {
    LaneBits a, b;
    TwiceBits() = default;
    BRIDGE_INLINE TwiceBits(LaneBits x, LaneBits y) : a(x), b(y) {}
    BRIDGE_INLINE TwiceBits(int x) : a(x), b(x) {}
};

struct Twice {
    Lanes a, b;
    Twice() = default;
    BRIDGE_INLINE Twice(Lanes x, Lanes y) : a(x), b(y) {}
    BRIDGE_INLINE Twice(double x) : a(x), b(x) {}
};

template <> struct PointTypes<Twice> {
    using Mask = TwiceMask;
    using Bits = TwiceBits;
};

#define BRIDGE_PAIRWISE(Result, op, Argument)                                                    \
    BRIDGE_INLINE Result operator op(Argument x, Argument y) {                                   \
        return Result(x.a op y.a, x.b op y.b);                                                   \
    }
BRIDGE_PAIRWISE(Twice, +, Twice)
BRIDGE_PAIRWISE(Twice, -, Twice)
BRIDGE_PAIRWISE(Twice, *, Twice)
BRIDGE_PAIRWISE(Twice, /, Twice)
BRIDGE_PAIRWISE(TwiceMask, <, Twice)
BRIDGE_PAIRWISE(TwiceMask, <=, Twice)
BRIDGE_PAIRWISE(TwiceMask, >, Twice)
BRIDGE_PAIRWISE(TwiceMask, >=, Twice)
BRIDGE_PAIRWISE(TwiceMask, ==, Twice)
BRIDGE_PAIRWISE(TwiceMask, !=, Twice)
BRIDGE_PAIRWISE(TwiceMask, <, TwiceBits)
BRIDGE_PAIRWISE(TwiceMask, >=, TwiceBits)
BRIDGE_PAIRWISE(TwiceMask, ==, TwiceBits)
BRIDGE_PAIRWISE(TwiceMask, !=, TwiceBits)
BRIDGE_PAIRWISE(TwiceMask, &, TwiceMask)
BRIDGE_PAIRWISE(TwiceMask, |, TwiceMask)
BRIDGE_PAIRWISE(TwiceBits, &, TwiceBits)
BRIDGE_PAIRWISE(TwiceBits, |, TwiceBits)
BRIDGE_PAIRWISE(TwiceBits, +, TwiceBits)
#undef BRIDGE_PAIRWISE
BRIDGE_INLINE Twice operator-(Twice x) { return Twice(-x.a, -x.b); }
BRIDGE_INLINE TwiceMask operator!(TwiceMask x) { return TwiceMask(!x.a, !x.b); }

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

#define BRIDGE_EACH(name)                                                                        \
    BRIDGE_INLINE Twice name(Twice x) { return Twice(name(x.a), name(x.b)); }
BRIDGE_EACH(fabs)
BRIDGE_EACH(sqrt)
BRIDGE_EACH(exp)
BRIDGE_EACH(exp2)
BRIDGE_EACH(expm1)
BRIDGE_EACH(log)
BRIDGE_EACH(log1p)
BRIDGE_EACH(cbrt)
BRIDGE_EACH(acos)
BRIDGE_EACH(cospi)
BRIDGE_EACH(sinpi)
#undef BRIDGE_EACH
BRIDGE_INLINE TwiceMask isfinite(Twice x) { return TwiceMask(isfinite(x.a), isfinite(x.b)); }

template <int entries> BRIDGE_INLINE Twice lookup(const double* table, TwiceBits index) {
    return Twice(lookup<entries>(table, index.a), lookup<entries>(table, index.b));
}

}  // namespace BRIDGE_NAMESPACE

#endif
