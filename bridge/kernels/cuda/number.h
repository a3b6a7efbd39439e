// What a number is on the GPU: `Number<P>`, P grid points of one thread side by side.
//
// With P = 1 it is a double whose division and functions are those of mathematics.h. With P = 2 a
// thread carries two points: what it reads of the shared data serves both, and the instructions
// of the one fill the waits of the other. No operation mixes points except any() and all().
#pragma once
#include "mathematics.h"

#define BRIDGE_EACH_POINT _Pragma("unroll") for (int p = 0; p < P; ++p)

namespace BRIDGE_NAMESPACE {

template <int P> struct Truth;
template <int P> struct Word;

template <int P> struct Number {
    double v[P];
    Number() = default;
    BRIDGE_MEMBER Number(double x) { BRIDGE_EACH_POINT v[p] = x; }

#define BRIDGE_ARITHMETIC(op, expression)                                                         \
    friend BRIDGE_MEMBER Number operator op(const Number& x, const Number& y) {                   \
        Number r;                                                                                 \
        BRIDGE_EACH_POINT r.v[p] = expression;                                                    \
        return r;                                                                                 \
    }
    // clang-format off
    BRIDGE_ARITHMETIC(+, x.v[p] + y.v[p])
    BRIDGE_ARITHMETIC(-, x.v[p] - y.v[p])
    BRIDGE_ARITHMETIC(*, x.v[p] * y.v[p])
    BRIDGE_ARITHMETIC(/, mathematics::quotient(x.v[p], y.v[p]))
#undef BRIDGE_ARITHMETIC
    // clang-format on
    friend BRIDGE_MEMBER Number operator-(const Number& x) {
        Number r;
        BRIDGE_EACH_POINT r.v[p] = -x.v[p];
        return r;
    }

#define BRIDGE_COMPARE(op)                                                                        \
    friend BRIDGE_MEMBER Truth<P> operator op(const Number& x, const Number& y) {                 \
        Truth<P> r;                                                                               \
        BRIDGE_EACH_POINT r.v[p] = x.v[p] op y.v[p];                                              \
        return r;                                                                                 \
    }
    // clang-format off
    BRIDGE_COMPARE(<) BRIDGE_COMPARE(<=) BRIDGE_COMPARE(>)
    BRIDGE_COMPARE(>=) BRIDGE_COMPARE(==) BRIDGE_COMPARE(!=)
#undef BRIDGE_COMPARE
    // clang-format on
};

template <int P> struct Truth {
    bool v[P];
    Truth() = default;
    BRIDGE_MEMBER Truth(bool x) { BRIDGE_EACH_POINT v[p] = x; }

#define BRIDGE_LOGIC(op)                                                                          \
    friend BRIDGE_MEMBER Truth operator op(const Truth& x, const Truth& y) {                      \
        Truth r;                                                                                  \
        BRIDGE_EACH_POINT r.v[p] = bool(x.v[p] op y.v[p]);                                        \
        return r;                                                                                 \
    }
    // clang-format off
    BRIDGE_LOGIC(&) BRIDGE_LOGIC(|)
#undef BRIDGE_LOGIC
        // clang-format on
        friend BRIDGE_MEMBER Truth
        operator!(const Truth& x) {
        Truth r;
        BRIDGE_EACH_POINT r.v[p] = !x.v[p];
        return r;
    }
    friend BRIDGE_MEMBER bool any(const Truth& x) {
        bool r = false;
        BRIDGE_EACH_POINT r = r | x.v[p];
        return r;
    }
    friend BRIDGE_MEMBER bool all(const Truth& x) {
        bool r = true;
        BRIDGE_EACH_POINT r = r & x.v[p];
        return r;
    }
    friend BRIDGE_MEMBER Number<P> select(const Truth& m, const Number<P>& x, const Number<P>& y) {
        Number<P> r;
        BRIDGE_EACH_POINT r.v[p] = m.v[p] ? x.v[p] : y.v[p];
        return r;
    }
    friend BRIDGE_MEMBER Number<P> select(const Truth& m, double x, double y) {
        return select(m, Number<P>(x), Number<P>(y));
    }
    friend BRIDGE_MEMBER Word<P> select(const Truth& m, const Word<P>& x, const Word<P>& y) {
        Word<P> r;
        BRIDGE_EACH_POINT r.v[p] = m.v[p] ? x.v[p] : y.v[p];
        return r;
    }
};

// One integer of each point.
template <int P> struct Word {
    int v[P];
    Word() = default;
    BRIDGE_MEMBER Word(int x) { BRIDGE_EACH_POINT v[p] = x; }

#define BRIDGE_INTEGER(Result, op)                                                                \
    friend BRIDGE_MEMBER Result operator op(const Word& x, const Word& y) {                       \
        Result r;                                                                                 \
        BRIDGE_EACH_POINT r.v[p] = x.v[p] op y.v[p];                                              \
        return r;                                                                                 \
    }
    // clang-format off
    BRIDGE_INTEGER(Word, &) BRIDGE_INTEGER(Word, |) BRIDGE_INTEGER(Word, +)
    BRIDGE_INTEGER(Truth<P>, <) BRIDGE_INTEGER(Truth<P>, >=)
    BRIDGE_INTEGER(Truth<P>, ==) BRIDGE_INTEGER(Truth<P>, !=)
#undef BRIDGE_INTEGER
    // clang-format on
};

template <int P> struct PointTypes<Number<P>> {
    using Mask = Truth<P>;
    using Bits = Word<P>;
};

#define BRIDGE_FUNCTION(name)                                                                     \
    template <int P> BRIDGE_FN Number<P> name(const Number<P>& x) {                               \
        Number<P> r;                                                                              \
        BRIDGE_EACH_POINT r.v[p] = mathematics::name(x.v[p]);                                     \
        return r;                                                                                 \
    }
// clang-format off
BRIDGE_FUNCTION(fabs) BRIDGE_FUNCTION(sqrt) BRIDGE_FUNCTION(cbrt) BRIDGE_FUNCTION(exp)
BRIDGE_FUNCTION(exp2) BRIDGE_FUNCTION(expm1) BRIDGE_FUNCTION(log) BRIDGE_FUNCTION(log1p)
BRIDGE_FUNCTION(acos) BRIDGE_FUNCTION(cospi) BRIDGE_FUNCTION(sinpi)
#undef BRIDGE_FUNCTION
    // clang-format on

    template <int P>
    BRIDGE_FN Truth<P> isfinite(const Number<P>& x) {
    Truth<P> r;
    BRIDGE_EACH_POINT r.v[p] = ::fabs(x.v[p]) <= 1.7976931348623157e308;
    return r;
}

template <int entries, int P> BRIDGE_FN Number<P> lookup(const double* table, const Word<P>& at) {
    Number<P> r;
    BRIDGE_EACH_POINT r.v[p] = table[at.v[p]];
    return r;
}

}  // namespace BRIDGE_NAMESPACE
