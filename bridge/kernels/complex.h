// Complex numbers of Fortran: for headers that `bridge port` makes. For every number type.
//
// Arithmetic as gfortran has it (-fcx-fortran-rules, its default): a product is not mended where a
// part is infinite, a quotient is Smith's, a real among complex numbers has an imaginary part of
// +0. Functions have the branch cuts and the signs of zero of C.
#pragma once

#include "point.h"

namespace BRIDGE_NAMESPACE {

// What numbers of two types are together: of one point and of all points, of products and sums.
template <class A, class B>
using Both = decltype(static_cast<const A*>(nullptr)[0] + static_cast<const B*>(nullptr)[0]);

// A choice of numbers of one point, or of all points together.
template <class On, class Yes, class No>
BRIDGE_FN auto either(const On& on, const Yes& yes, const No& no) {
    return select(on, yes, no);
}
template <class Yes, class No>
BRIDGE_FN Both<Yes, No> either(bool on, const Yes& yes, const No& no) {
    return on ? Both<Yes, No>(yes) : Both<Yes, No>(no);
}
template <class Yes, class No>
BRIDGE_FN Both<Yes, No> either(int on, const Yes& yes, const No& no) {
    return on ? Both<Yes, No>(yes) : Both<Yes, No>(no);
}

template <class Part> struct Complex {
    Part re, im;

    Complex() = default;
    constexpr BRIDGE_MEMBER Complex(const Part& real) : re(real), im(0.0) {}
    constexpr BRIDGE_MEMBER Complex(const Part& real, const Part& imaginary)
        : re(real), im(imaginary) {}
    template <class Other>
    constexpr BRIDGE_MEMBER Complex(const Complex<Other>& z) : re(z.re), im(z.im) {}
};

template <class A, class B> using ComplexOf = Complex<Both<A, B>>;

template <class A> BRIDGE_FN Complex<A> operator-(const Complex<A>& z) { return {-z.re, -z.im}; }
template <class A, class B>
BRIDGE_FN ComplexOf<A, B> operator+(const Complex<A>& x, const Complex<B>& y) {
    return {x.re + y.re, x.im + y.im};
}
template <class A, class B>
BRIDGE_FN ComplexOf<A, B> operator-(const Complex<A>& x, const Complex<B>& y) {
    return {x.re - y.re, x.im - y.im};
}
template <class A, class B>
BRIDGE_FN ComplexOf<A, B> operator*(const Complex<A>& x, const Complex<B>& y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
// The larger part of the divisor divides the smaller one, so that no square overflows.
template <class A, class B>
BRIDGE_FN ComplexOf<A, B> operator/(const Complex<A>& x, const Complex<B>& y) {
    const auto turned = fabs(y.re) < fabs(y.im);
    const B large = either(turned, y.im, y.re), small = either(turned, y.re, y.im);
    const B ratio = small / large;
    const B size = small * ratio + large;
    const auto a = either(turned, x.re * ratio + x.im, x.im * ratio + x.re);
    const auto b = either(turned, x.im * ratio - x.re, x.im - x.re * ratio);
    return {a / size, b / size};
}
template <class A, class B> BRIDGE_FN auto operator==(const Complex<A>& x, const Complex<B>& y) {
    return (x.re == y.re) & (x.im == y.im);
}
template <class A, class B> BRIDGE_FN auto operator!=(const Complex<A>& x, const Complex<B>& y) {
    return (x.re != y.re) | (x.im != y.im);
}
template <class On, class Part>
BRIDGE_FN Complex<Part> select(const On& on, const Complex<Part>& yes, const Complex<Part>& no) {
    return {either(on, yes.re, no.re), either(on, yes.im, no.im)};
}

// Of singles the functions below are those of doubles, rounded.
template <class Part> BRIDGE_FN auto widened(const Complex<Part>& z) {
    return Complex<decltype(widened(z.re))>(widened(z.re), widened(z.im));
}
template <class Part> BRIDGE_FN auto rounded(const Complex<Part>& z) {
    return Complex<decltype(rounded(z.re))>(rounded(z.re), rounded(z.im));
}

template <class Part> BRIDGE_FN Complex<Part> conjg(const Complex<Part>& z) {
    return {z.re, -z.im};
}

template <class Part> BRIDGE_FN Part infinity() { return Part(1.7976931348623157e308) * 2.0; }

// sqrt(x**2 + y**2) without overflow, within an ulp; infinite where one of them is. C. F. Borges, An
// improved algorithm for hypot(a, b), 2019.
template <class Part> BRIDGE_FN Part hypot(const Part& x, const Part& y) {
    if constexpr (ofSingles<Part>) return rounded(hypot(widened(x), widened(y)));
    const Part a = fabs(x), b = fabs(y);
    const auto less = a < b;
    const Part most = either(less, b, a), least = either(less, a, b);
    // Squares neither overflow nor lose digits between these bounds.
    const auto huge = most > 1e150, tiny = most < 1e-140;
    const Part scale = either(huge, Part(2.4099198651028841e-181),
                              either(tiny, Part(4.149515568880993e180), Part(1.0)));
    const Part back = either(huge, Part(4.149515568880993e180),
                             either(tiny, Part(2.4099198651028841e-181), Part(1.0)));
    const Part large = most * scale, small = least * scale;
    const Part root = sqrt(large * large + small * small);
    const auto near = root <= 2.0 * small;
    const Part step = root - either(near, small, large);
    const Part first =
        either(near, large * (2.0 * step - large), 2.0 * step * (large - 2.0 * small));
    const Part second = either(near, (step - 2.0 * (large - small)) * step,
                               (4.0 * step - small) * small + step * step);
    const Part better = root - (first + second) / (2.0 * root);
    const Part size = either(most == Part(0.0), most, better * back);
    const auto infinite = (a > 1.7976931348623157e308) | (b > 1.7976931348623157e308);
    return either(infinite, infinity<Part>(), either(isnan(a), a, either(isnan(b), b, size)));
}
BRIDGE_OF_PRODUCTS(hypot)
template <class Part> BRIDGE_FN Part abs(const Complex<Part>& z) { return hypot(z.re, z.im); }

template <class Part> BRIDGE_FN Complex<Part> exp(const Complex<Part>& z) {
    if constexpr (ofSingles<Part>) return rounded(exp(widened(z)));
    const Part size = exp(z.re);
    // 0 times what is not finite, and what is infinite times sin(0), are 0.
    const auto plain = z.im == Part(0.0);
    const auto none = size == Part(0.0);
    const Part im = either(none & !isfinite(z.im), Part(0.0), z.im);
    return {either(plain, size, size * cos(im)), either(plain, z.im, size * sin(im))};
}
template <class Part> BRIDGE_FN Complex<Part> log(const Complex<Part>& z) {
    if constexpr (ofSingles<Part>) return rounded(log(widened(z)));
    // Half of parts whose absolute value would overflow.
    const auto large = (fabs(z.re) > 8e307) | (fabs(z.im) > 8e307);
    const Part half = either(large, Part(0.5), Part(1.0));
    const Part added = either(large, Part(0.69314718055994531), Part(0.0));
    return {log(hypot(z.re * half, z.im * half)) + added, atan2(z.im, z.re)};
}
template <class Part> BRIDGE_FN Complex<Part> sqrt(const Complex<Part>& z) {
    if constexpr (ofSingles<Part>) return rounded(sqrt(widened(z)));
    // Parts are scaled by a power of 4 where they are too large to be added, or subnormal.
    const Part a = fabs(z.re), b = fabs(z.im);
    const auto large = (a > 4e307) | (b > 4e307);
    const auto tiny = (a < 4e-292) & (b < 4e-292);
    const Part scale =
        either(large, Part(0.0625), either(tiny, Part(1.2676506002282294e30), Part(1.0)));
    const Part back =
        either(large, Part(4.0), either(tiny, Part(8.881784197001252e-16), Part(1.0)));
    const Part re = z.re * scale, im = z.im * scale;
    const Part size = sqrt(0.5 * (hypot(re, im) + fabs(re)));
    const Part other = either(size == Part(0.0), Part(0.0), 0.5 * fabs(im) / size);
    const auto right = (z.re >= Part(0.0)) | isnan(z.re);
    const Part x = either(right, size, other) * back, y = either(right, other, size) * back;
    const auto infinite = b > 1.7976931348623157e308;
    const auto left = z.re < Part(-1.7976931348623157e308);
    const Part endless = infinity<Part>();
    const Part real = either(infinite | (z.re > 1.7976931348623157e308), endless,
                             either(left & !isnan(z.im), Part(0.0), x));
    const Part imaginary =
        either(infinite | left, endless,
               either((z.re > 1.7976931348623157e308) & !isnan(z.im), Part(0.0), y));
    return {real, copysign(imaginary, z.im)};
}
template <class Part> BRIDGE_FN Complex<Part> sin(const Complex<Part>& z) {
    if constexpr (ofSingles<Part>) return rounded(sin(widened(z)));
    return {either(z.re == Part(0.0), z.re, sin(z.re) * cosh(z.im)), cos(z.re) * sinh(z.im)};
}
template <class Part> BRIDGE_FN Complex<Part> cos(const Complex<Part>& z) {
    if constexpr (ofSingles<Part>) return rounded(cos(widened(z)));
    const Part im =
        either(z.re == Part(0.0), z.re * copysign(Part(1.0), z.im), sin(z.re) * sinh(z.im));
    return {cos(z.re) * cosh(z.im), -im};
}

template <class Part> BRIDGE_FN Complex<Part> sinh(const Complex<Part>& z) {
    if constexpr (ofSingles<Part>) return rounded(sinh(widened(z)));
    return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)};
}
template <class Part> BRIDGE_FN Complex<Part> cosh(const Complex<Part>& z) {
    if constexpr (ofSingles<Part>) return rounded(cosh(widened(z)));
    return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)};
}
// W. Kahan, Branch cuts for complex elementary functions, 1987.
template <class Part> BRIDGE_FN Complex<Part> tanh(const Complex<Part>& z) {
    if constexpr (ofSingles<Part>) return rounded(tanh(widened(z)));
    const auto far = fabs(z.re) > 20.0;
    const Part held = either(far, Part(0.0), z.re);
    const Part t = tan(z.im), s = sinh(held), beta = 1.0 + t * t;
    const Part size = 1.0 + beta * s * s;
    const Part rest = 4.0 * sin(z.im) * cos(z.im) * exp(-2.0 * fabs(z.re));
    return {either(far, copysign(Part(1.0), z.re), beta * sqrt(1.0 + s * s) * s / size),
            either(far, rest, t / size)};
}
template <class Part> BRIDGE_FN Complex<Part> tan(const Complex<Part>& z) {
    if constexpr (ofSingles<Part>) return rounded(tan(widened(z)));
    const Complex<Part> turned = tanh(Complex<Part>(-z.im, z.re));
    return {turned.im, -turned.re};
}

// z**n by repeated squaring, z**w by logarithms.
template <class Part> BRIDGE_FN Complex<Part> pow(const Complex<Part>& z, int n) {
    if (n == 0) return {Part(1.0), Part(0.0)};
    unsigned left = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
    Complex<Part> x = z, result(Part(1.0), Part(0.0));
    if (n < 0) x = result / x;
    while (true) {
        if (left & 1) result = result * x;
        left >>= 1;
        if (left == 0) return result;
        x = x * x;
    }
}
// The exponents differ between points.
template <class Part, class Integer>
BRIDGE_FN Complex<Part> powerOfEach(const Complex<Part>& z, const Integer& n) {
    const Integer zero(0), one(1);
    const auto below = n < zero;
    const Complex<Part> unit(Part(1.0), Part(0.0));
    Complex<Part> x = select(below, unit / z, z), result = unit;
    Integer left = select(below, Integer(-n), n) & Integer(2147483647);
    while (any(left != zero)) {
        result = select((left & one) != zero, result * x, result);
        x = x * x;
        left = left >> one;
    }
    return result;
}
template <class Part> BRIDGE_FN Complex<Part> pow(const Complex<Part>& z, const Complex<Part>& w) {
    if constexpr (ofSingles<Part>) return rounded(pow(widened(z), widened(w)));
    return exp(w * log(z));
}

}  // namespace BRIDGE_NAMESPACE
