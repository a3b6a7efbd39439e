// What a number is on the GPU: `Number<P>`, P grid points of one thread side by side; of single
// precision `Number<P, float>`.
//
// With P = 1 it is a double whose division and functions are those of mathematics.h. With P = 2 a
// thread carries two points: what it reads of the shared data serves both, and the instructions
// of the one fill the waits of the other. No operation mixes points except any() and all().
//
// Functions are friends, found by the type of an argument that only converts to a number too (a
// place in memory).
#pragma once
#include "mathematics.h"

#define BRIDGE_EACH_POINT _Pragma("unroll") for (int p = 0; p < P; ++p)

namespace BRIDGE_NAMESPACE {

template <int P> struct Truth;
template <int P> struct Word;

template <int P, class Element = double> struct Number {
    enum { points = P };
    Element v[P];
    Number() = default;
    BRIDGE_MEMBER Number(double x) { BRIDGE_EACH_POINT v[p] = static_cast<Element>(x); }
    // Of doubles where floats are wanted, and of no other kind: the array has a size.
    template <class Wider, class = char[sizeof(Wider) > sizeof(Element) ? 1 : -1]>
    BRIDGE_MEMBER Number(const Number<P, Wider>& x) {
        BRIDGE_EACH_POINT v[p] = static_cast<Element>(x.v[p]);
    }
    BRIDGE_MEMBER explicit Number(const Word<P>& n);  // Fortran's real

#define BRIDGE_ARITHMETIC(op, expression)                                                         \
    friend BRIDGE_MEMBER Number operator op(const Number& x, const Number& y) {                   \
        Number r;                                                                                 \
        BRIDGE_EACH_POINT r.v[p] = expression;                                                    \
        return r;                                                                                 \
    }                                                                                             \
    friend BRIDGE_MEMBER Number& operator op##=(Number& x, const Number& y) { return x = x op y; }
    // clang-format off
    BRIDGE_ARITHMETIC(+, x.v[p] + y.v[p])
    BRIDGE_ARITHMETIC(-, x.v[p] - y.v[p])
    BRIDGE_ARITHMETIC(*, x.v[p] * y.v[p])
    BRIDGE_ARITHMETIC(/, mathematics::quotient(x.v[p], y.v[p]))
// clang-format on
#undef BRIDGE_ARITHMETIC
    friend BRIDGE_MEMBER Number operator-(const Number& x) {
        Number r;
        BRIDGE_EACH_POINT r.v[p] = -x.v[p];
        return r;
    }
    friend BRIDGE_MEMBER Number operator+(const Number& x) { return x; }

#define BRIDGE_COMPARE(op)                                                                        \
    friend BRIDGE_MEMBER Truth<P> operator op(const Number& x, const Number& y) {                 \
        Truth<P> r;                                                                               \
        BRIDGE_EACH_POINT r.v[p] = x.v[p] op y.v[p];                                              \
        return r;                                                                                 \
    }
    // clang-format off
    BRIDGE_COMPARE(<) BRIDGE_COMPARE(<=) BRIDGE_COMPARE(>)
    BRIDGE_COMPARE(>=) BRIDGE_COMPARE(==) BRIDGE_COMPARE(!=)
// clang-format on
#undef BRIDGE_COMPARE

#define BRIDGE_FUNCTION(name)                                                                     \
    friend BRIDGE_MEMBER Number name(const Number& x) {                                           \
        Number r;                                                                                 \
        BRIDGE_EACH_POINT r.v[p] = static_cast<Element>(mathematics::name(x.v[p]));               \
        return r;                                                                                 \
    }
    // clang-format off
    BRIDGE_FUNCTION(fabs) BRIDGE_FUNCTION(sqrt) BRIDGE_FUNCTION(cbrt) BRIDGE_FUNCTION(exp)
    BRIDGE_FUNCTION(exp2) BRIDGE_FUNCTION(expm1) BRIDGE_FUNCTION(log) BRIDGE_FUNCTION(log2)
    BRIDGE_FUNCTION(log10) BRIDGE_FUNCTION(log1p) BRIDGE_FUNCTION(sin) BRIDGE_FUNCTION(cos)
    BRIDGE_FUNCTION(tan) BRIDGE_FUNCTION(asin) BRIDGE_FUNCTION(acos) BRIDGE_FUNCTION(atan)
    BRIDGE_FUNCTION(sinh) BRIDGE_FUNCTION(cosh) BRIDGE_FUNCTION(tanh) BRIDGE_FUNCTION(erf)
    BRIDGE_FUNCTION(cospi) BRIDGE_FUNCTION(sinpi) BRIDGE_FUNCTION(abs)
    BRIDGE_FUNCTION(floor) BRIDGE_FUNCTION(ceil) BRIDGE_FUNCTION(rint)
    BRIDGE_FUNCTION(aint) BRIDGE_FUNCTION(anint)
// clang-format on
#undef BRIDGE_FUNCTION
#define BRIDGE_FUNCTION(name)                                                                     \
    friend BRIDGE_MEMBER Number name(const Number& x, const Number& y) {                          \
        Number r;                                                                                 \
        BRIDGE_EACH_POINT r.v[p] = static_cast<Element>(mathematics::name(x.v[p], y.v[p]));       \
        return r;                                                                                 \
    }
    // clang-format off
    BRIDGE_FUNCTION(max) BRIDGE_FUNCTION(min) BRIDGE_FUNCTION(sign) BRIDGE_FUNCTION(mod)
    BRIDGE_FUNCTION(modulo) BRIDGE_FUNCTION(atan2) BRIDGE_FUNCTION(pow) BRIDGE_FUNCTION(fmax)
    BRIDGE_FUNCTION(fmin) BRIDGE_FUNCTION(copysign)
// clang-format on
#undef BRIDGE_FUNCTION
    friend BRIDGE_MEMBER Number pow(const Number& x, int n) { return powerByProducts(x, n); }
    friend BRIDGE_MEMBER Number pow(const Number& x, double y) { return pow(x, Number(y)); }
    friend BRIDGE_MEMBER Number pow(const Number& x, const Word<P>& n) {
        Number r;
        BRIDGE_EACH_POINT r.v[p] =
            static_cast<Element>(mathematics::pow(x.v[p], static_cast<double>(n.v[p])));
        return r;
    }
    friend BRIDGE_MEMBER Word<P> nint(const Number& x) { return Word<P>(anint(x)); }
    friend BRIDGE_MEMBER Truth<P> isfinite(const Number& x) {
        Truth<P> r;
        BRIDGE_EACH_POINT r.v[p] = mathematics::isfinite(x.v[p]);
        return r;
    }
    friend BRIDGE_MEMBER Truth<P> isnan(const Number& x) { return x != x; }
    friend BRIDGE_MEMBER Number select(const Truth<P>& m, const Number& x, const Number& y) {
        Number r;
        BRIDGE_EACH_POINT r.v[p] = m.v[p] ? x.v[p] : y.v[p];
        return r;
    }
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
    BRIDGE_LOGIC(&) BRIDGE_LOGIC(|) BRIDGE_LOGIC(&&) BRIDGE_LOGIC(||) BRIDGE_LOGIC(^)
    BRIDGE_LOGIC(==) BRIDGE_LOGIC(!=)
// clang-format on
#undef BRIDGE_LOGIC
    friend BRIDGE_MEMBER Truth& operator&=(Truth& x, const Truth& y) { return x = x & y; }
    friend BRIDGE_MEMBER Truth& operator|=(Truth& x, const Truth& y) { return x = x | y; }
    friend BRIDGE_MEMBER Truth operator!(const Truth& x) {
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
    friend BRIDGE_MEMBER Number<P> select(const Truth& m, double x, double y) {
        return select(m, Number<P>(x), Number<P>(y));
    }
    friend BRIDGE_MEMBER Number<P> select(const Truth& m, double x, int y) {
        return select(m, Number<P>(x), Number<P>(y));
    }
    friend BRIDGE_MEMBER Number<P> select(const Truth& m, int x, double y) {
        return select(m, Number<P>(x), Number<P>(y));
    }
    friend BRIDGE_MEMBER Word<P> select(const Truth& m, int x, int y) {
        return select(m, Word<P>(x), Word<P>(y));
    }
    friend BRIDGE_MEMBER Word<P> select(const Truth& m, const Word<P>& x, const Word<P>& y) {
        Word<P> r;
        BRIDGE_EACH_POINT r.v[p] = m.v[p] ? x.v[p] : y.v[p];
        return r;
    }
    friend BRIDGE_MEMBER Truth select(const Truth& m, const Truth& x, const Truth& y) {
        Truth r;
        BRIDGE_EACH_POINT r.v[p] = m.v[p] ? x.v[p] : y.v[p];
        return r;
    }
};

// Whether two integers are equal. From sm_90 on ptxas 13.0 takes max(min(x, 5), 0) == 5 for true
// where x is 0 to 4, and for false above 5: the comparison has to be one that it does not join with
// the limits before it.
BRIDGE_FN bool equal(int x, int y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    int r;
    asm("{\n\t.reg .pred p;\n\t.reg .b32 d;\n\t"
        "sub.s32 d, %1, %2;\n\tsetp.eq.s32 p, d, 0;\n\tselp.s32 %0, 1, 0, p;\n\t}"
        : "=r"(r)
        : "r"(x), "r"(y));
    return r;
#else
    return x == y;
#endif
}

// One integer of each point. By zero: 0, as on the CPU.
template <int P> struct Word {
    enum { points = P };
    int v[P];
    Word() = default;
    BRIDGE_MEMBER Word(int x) { BRIDGE_EACH_POINT v[p] = x; }
    BRIDGE_MEMBER Word(long x) { BRIDGE_EACH_POINT v[p] = static_cast<int>(x); }
    Word(double) = delete;                             // n + 0.5 is no integer
    BRIDGE_MEMBER explicit Word(const Number<P>& x) {  // Fortran's int: the fraction is cut off
        BRIDGE_EACH_POINT v[p] = static_cast<int>(x.v[p]);
    }
    BRIDGE_MEMBER explicit Word(const Number<P, float>& x) {
        BRIDGE_EACH_POINT v[p] = static_cast<int>(x.v[p]);
    }

#define BRIDGE_INTEGER(Result, op, expression)                                                    \
    friend BRIDGE_MEMBER Result operator op(const Word& x, const Word& y) {                       \
        Result r;                                                                                 \
        BRIDGE_EACH_POINT r.v[p] = expression;                                                    \
        return r;                                                                                 \
    }
#define BRIDGE_ARITHMETIC(op, expression)                                                         \
    BRIDGE_INTEGER(Word, op, expression)                                                          \
    friend BRIDGE_MEMBER Word& operator op##=(Word& x, const Word& y) { return x = x op y; }
#define BRIDGE_COMPARE(op) BRIDGE_INTEGER(Truth<P>, op, x.v[p] op y.v[p])
    // clang-format off
    BRIDGE_ARITHMETIC(+, x.v[p] + y.v[p])
    BRIDGE_ARITHMETIC(-, x.v[p] - y.v[p])
    BRIDGE_ARITHMETIC(*, x.v[p] * y.v[p])
    BRIDGE_ARITHMETIC(/, y.v[p] == 0 ? 0 : x.v[p] / y.v[p])
    BRIDGE_ARITHMETIC(%, y.v[p] == 0 ? x.v[p] : x.v[p] % y.v[p])
    BRIDGE_ARITHMETIC(&, x.v[p] & y.v[p])
    BRIDGE_ARITHMETIC(|, x.v[p] | y.v[p])
    BRIDGE_ARITHMETIC(^, x.v[p] ^ y.v[p])
    BRIDGE_ARITHMETIC(<<, x.v[p] << y.v[p])
    BRIDGE_ARITHMETIC(>>, x.v[p] >> y.v[p])
    BRIDGE_COMPARE(<) BRIDGE_COMPARE(<=) BRIDGE_COMPARE(>) BRIDGE_COMPARE(>=)
    BRIDGE_INTEGER(Truth<P>, ==, equal(x.v[p], y.v[p]))
    BRIDGE_INTEGER(Truth<P>, !=, !equal(x.v[p], y.v[p]))
// clang-format on
#undef BRIDGE_COMPARE
#undef BRIDGE_ARITHMETIC
#undef BRIDGE_INTEGER
    friend BRIDGE_MEMBER Word operator-(const Word& x) { return Word(0) - x; }
    friend BRIDGE_MEMBER Word operator+(const Word& x) { return x; }
    friend BRIDGE_MEMBER Word operator~(const Word& x) { return Word(-1) - x; }

    friend BRIDGE_MEMBER Word mod(const Word& x, const Word& y) { return x % y; }
    friend BRIDGE_MEMBER Word abs(const Word& x) { return select(x < Word(0), -x, x); }
    friend BRIDGE_MEMBER Word max(const Word& x, const Word& y) { return select(x < y, y, x); }
    friend BRIDGE_MEMBER Word min(const Word& x, const Word& y) { return select(y < x, y, x); }
    friend BRIDGE_MEMBER Word sign(const Word& x, const Word& y) {
        return select(y < Word(0), -abs(x), abs(x));
    }
    friend BRIDGE_MEMBER Word modulo(const Word& x, const Word& y) {
        const Word r = x % y;
        return select((r != Word(0)) & ((r < Word(0)) != (y < Word(0))), r + y, r);
    }
    friend BRIDGE_MEMBER Word pow(const Word& x, int n) { return powerByProducts(x, n); }
};

template <int P, class Element> BRIDGE_MEMBER Number<P, Element>::Number(const Word<P>& n) {
    BRIDGE_EACH_POINT v[p] = static_cast<Element>(n.v[p]);
}

template <int P, class Element> struct PointTypes<Number<P, Element>> {
    using Mask = Truth<P>;
    using Bits = Word<P>;
};

// What kernels of a launch compute with.
#ifdef BRIDGE_SINGLES
template <int P> using Numbers = Number<P, float>;
#else
template <int P> using Numbers = Number<P>;
#endif

template <int P> inline constexpr bool ofSingles<Number<P, float>> = true;
template <int P> BRIDGE_FN Number<P> widened(const Number<P, float>& x) {
    Number<P> r;
    BRIDGE_EACH_POINT r.v[p] = x.v[p];
    return r;
}
template <int P> BRIDGE_FN Number<P, float> rounded(const Number<P>& x) { return x; }

template <int entries, int P> BRIDGE_FN Number<P> lookup(const double* table, const Word<P>& at) {
    Number<P> r;
    BRIDGE_EACH_POINT r.v[p] = table[at.v[p]];
    return r;
}

}  // namespace BRIDGE_NAMESPACE
