// A product of two numbers, not rounded yet: what `a * b` is where `Real` is a type of its own.
//
// A product that is added or subtracted becomes one fused multiply-add, everything else takes it
// as a number, and rounds it. So the types of an expression say which products and sums are one
// instruction. A compiler that chose by itself (-ffp-contract, which the build turns off) would
// choose otherwise in another wrapper, at the end of a row, or without optimisation, and a point
// would not have the same bits at any place. Where a machine has no such instruction the product
// is rounded first. On a GPU `a * b` is a number, and the compiler fuses.
//
//   Real e = a * b + c;         // one rounding: e is fma(a, b, c)
//   Real e = a * b - c * d;     // the second product is rounded, then fma(a, b, -(c * d))
//   const Real p = a * b;       // a number: p + c has two roundings
//
// A template that takes any `Real` gets its type, as in `helper<Real>(a * b)`: from the product
// alone a compiler would make it Product<Real>.
#pragma once

#ifndef BRIDGE_MEMBER
#define BRIDGE_MEMBER inline __attribute__((always_inline))
#endif

namespace BRIDGE_NAMESPACE {

template <class Number> struct Product {
    Number a, b;
    BRIDGE_MEMBER operator Number() const { return multiplied(a, b); }
};

// The operators of a number type that has
//   multiplied(a, b)    multiplyAdd(a, b, c): a b + c    multiplySubtract(a, b, c): a b - c
//   subtractProduct(c, a, b): c - a b
#define BRIDGE_PRODUCTS(Function, Number)                                                         \
    Function Product<Number> operator*(const Number& a, const Number& b) { return {a, b}; }       \
    Function Product<Number> operator-(const Product<Number>& p) { return {-p.a, p.b}; }          \
    Function Product<Number> operator+(const Product<Number>& p) { return p; }                    \
    Function Number operator+(const Product<Number>& p, const Number& c) {                        \
        return multiplyAdd(p.a, p.b, c);                                                          \
    }                                                                                             \
    Function Number operator+(const Number& c, const Product<Number>& p) {                        \
        return multiplyAdd(p.a, p.b, c);                                                          \
    }                                                                                             \
    Function Number operator+(const Product<Number>& p, const Product<Number>& q) {               \
        return multiplyAdd(p.a, p.b, multiplied(q.a, q.b));                                       \
    }                                                                                             \
    Function Number operator-(const Product<Number>& p, const Number& c) {                        \
        return multiplySubtract(p.a, p.b, c);                                                     \
    }                                                                                             \
    Function Number operator-(const Number& c, const Product<Number>& p) {                        \
        return subtractProduct(c, p.a, p.b);                                                      \
    }                                                                                             \
    Function Number operator-(const Product<Number>& p, const Product<Number>& q) {               \
        return multiplySubtract(p.a, p.b, multiplied(q.a, q.b));                                  \
    }                                                                                             \
    Function Number& operator*=(Number& a, const Number& b) { return a = multiplied(a, b); }      \
    Function Number& operator+=(Number& c, const Product<Number>& p) {                            \
        return c = multiplyAdd(p.a, p.b, c);                                                      \
    }                                                                                             \
    Function Number& operator-=(Number& c, const Product<Number>& p) {                            \
        return c = subtractProduct(c, p.a, p.b);                                                  \
    }

// A function that is a template of its number type, of products: they are rounded first.
#define BRIDGE_OF_PRODUCT(name)                                                                   \
    template <class Number> BRIDGE_FN Number name(const Product<Number>& x) {                     \
        return name(Number(x));                                                                   \
    }
#define BRIDGE_OF_PRODUCTS(name)                                                                  \
    template <class Number>                                                                       \
    BRIDGE_FN Number name(const Product<Number>& x, const Product<Number>& y) {                   \
        return name(Number(x), Number(y));                                                        \
    }                                                                                             \
    template <class Number> BRIDGE_FN Number name(const Product<Number>& x, const Number& y) {    \
        return name(Number(x), y);                                                                \
    }                                                                                             \
    template <class Number> BRIDGE_FN Number name(const Number& x, const Product<Number>& y) {    \
        return name(x, Number(y));                                                                \
    }

}  // namespace BRIDGE_NAMESPACE
