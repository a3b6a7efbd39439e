/* A number that counts what is done with it: the `Real` of `bridge advise`.
 *
 * One grid point of doubles. An operation adds one to its counter, and so does an addition that is
 * fused with a product (product.h: the two are one instruction where the machine has it).
 * Arithmetic of plain doubles and of integers counts nothing: all points share it, or it is
 * cheap. What a kernel repeats counts again, though a compiler may keep it.
 */
#ifndef BRIDGE_KERNELS_CPU_COUNTED_H
#define BRIDGE_KERNELS_CPU_COUNTED_H

#include "../product.h"
#include "followed.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

// clang-format off
#define BRIDGE_OPERATIONS(X)                                                                     \
    X(add) X(multiply) X(fused) X(divide) X(choose) X(sqrt) X(exp) X(log) X(exp2) X(log1p)        \
    X(expm1) X(cbrt) X(acos) X(sinpi) X(cospi) X(log2) X(log10) X(sin) X(cos) X(tan) X(asin)      \
    X(atan) X(sinh) X(cosh) X(tanh) X(erf) X(pow) X(atan2) X(round) X(mod) X(lookup)
// clang-format on

namespace BRIDGE_NAMESPACE {

// clang-format off
enum Operation {
#define BRIDGE_OPERATION(name) operation_##name,
    BRIDGE_OPERATIONS(BRIDGE_OPERATION)
#undef BRIDGE_OPERATION
    operations
};
// clang-format on
static int64_t counts[operations];

struct Counted {
    double v;
    Counted() = default;
    Counted(double x) : v(x) {}
    explicit operator double() const { return v; }
    explicit operator int() const { return static_cast<int>(v); }
};

static inline double count(Operation operation, double value) {
    ++counts[operation];
    return value;
}

template <class Real> struct PointTypes;
template <> struct PointTypes<Counted> {
    using Mask = bool;
#ifdef BRIDGE_FOLLOWED
    using Bits = FollowedBits;
#else
    using Bits = int;
#endif
};

/* ---- Arithmetic ---------------------------------------------------------------------------- */

static inline Counted operator+(Counted a, Counted b) { return count(operation_add, a.v + b.v); }
static inline Counted operator-(Counted a, Counted b) { return count(operation_add, a.v - b.v); }
static inline Counted operator/(Counted a, Counted b) {
    return count(operation_divide, a.v / b.v);
}
static inline Counted operator-(Counted a) { return -a.v; }
static inline Counted operator+(Counted a) { return a; }
static inline Counted& operator/=(Counted& a, Counted b) { return a = a / b; }
static inline Counted& operator+=(Counted& a, Counted b) { return a = a + b; }
static inline Counted& operator-=(Counted& a, Counted b) { return a = a - b; }

static inline Counted multiplied(Counted a, Counted b) {
    return count(operation_multiply, a.v * b.v);
}
static inline Counted multiplyAdd(Counted a, Counted b, Counted c) {
    ++counts[operation_multiply], ++counts[operation_fused];
    return count(operation_add, std::fma(a.v, b.v, c.v));
}
static inline Counted multiplySubtract(Counted a, Counted b, Counted c) {
    return multiplyAdd(a, b, -c);
}
static inline Counted subtractProduct(Counted c, Counted a, Counted b) {
    return multiplyAdd(-a, b, c);
}
BRIDGE_PRODUCTS(static inline, Counted)

#define BRIDGE_COMPARE(op)                                                                        \
    static inline bool operator op(Counted a, Counted b) {                                        \
        ++counts[operation_choose];                                                               \
        return a.v op b.v;                                                                        \
    }
// clang-format off
BRIDGE_COMPARE(<)
BRIDGE_COMPARE(<=)
BRIDGE_COMPARE(>)
BRIDGE_COMPARE(>=)
BRIDGE_COMPARE(==)
BRIDGE_COMPARE(!=)
// clang-format on
#undef BRIDGE_COMPARE

/* Of integers and truth values nothing is counted. A double is as good as a number here, where
 * the compiler would make an integer of it. */
static inline Counted select(bool mask, Counted yes, Counted no) {
    return count(operation_choose, mask ? yes.v : no.v);
}
static inline Counted select(bool mask, double yes, double no) {
    return select(mask, Counted(yes), Counted(no));
}
static inline Counted select(bool mask, double yes, int no) {
    return select(mask, Counted(yes), Counted(no));
}
static inline Counted select(bool mask, int yes, double no) {
    return select(mask, Counted(yes), Counted(no));
}
static inline int select(bool mask, int yes, int no) { return mask ? yes : no; }
static inline bool select(bool mask, bool yes, bool no) { return mask ? yes : no; }
static inline bool all(bool mask) { return mask; }
static inline bool any(bool mask) { return mask; }

/* ---- Functions ----------------------------------------------------------------------------- */

#define BRIDGE_COUNT(name, operation, value)                                                      \
    static inline Counted name(Counted a) {                                                       \
        const double x = a.v;                                                                     \
        return count(operation_##operation, value);                                               \
    }
#define BRIDGE_SAME(name) BRIDGE_COUNT(name, name, std::name(x))
// clang-format off
BRIDGE_SAME(sqrt) BRIDGE_SAME(exp) BRIDGE_SAME(log) BRIDGE_SAME(exp2) BRIDGE_SAME(log1p)
BRIDGE_SAME(expm1) BRIDGE_SAME(cbrt) BRIDGE_SAME(acos) BRIDGE_SAME(log2) BRIDGE_SAME(log10)
BRIDGE_SAME(sin) BRIDGE_SAME(cos) BRIDGE_SAME(tan) BRIDGE_SAME(asin) BRIDGE_SAME(atan)
BRIDGE_SAME(sinh) BRIDGE_SAME(cosh) BRIDGE_SAME(tanh) BRIDGE_SAME(erf)
// clang-format on
#undef BRIDGE_SAME
BRIDGE_COUNT(sinpi, sinpi, std::sin(3.141592653589793 * x))
BRIDGE_COUNT(cospi, cospi, std::cos(3.141592653589793 * x))
BRIDGE_COUNT(fabs, choose, std::fabs(x))
BRIDGE_COUNT(abs, choose, std::fabs(x))
BRIDGE_COUNT(floor, round, std::floor(x))
BRIDGE_COUNT(ceil, round, std::ceil(x))
BRIDGE_COUNT(rint, round, std::rint(x))
BRIDGE_COUNT(aint, round, std::trunc(x))
BRIDGE_COUNT(anint, round, std::round(x))
#undef BRIDGE_COUNT
static inline int nint(Counted a) {
    return static_cast<int>(count(operation_round, std::round(a.v)));
}
static inline bool isfinite(Counted a) { return count(operation_choose, std::isfinite(a.v)); }
static inline bool isnan(Counted a) { return a != a; }

#define BRIDGE_COUNT(name, operation, value)                                                      \
    static inline Counted name(Counted a, Counted b) {                                            \
        const double x = a.v, y = b.v;                                                            \
        return count(operation_##operation, value);                                               \
    }
// clang-format off
BRIDGE_COUNT(max, choose, x >= y || x != x ? x : y)
BRIDGE_COUNT(min, choose, x <= y || x != x ? x : y)
// clang-format on
BRIDGE_COUNT(fmax, choose, std::fmax(x, y))
BRIDGE_COUNT(fmin, choose, std::fmin(x, y))
BRIDGE_COUNT(sign, choose, std::copysign(x, y))
BRIDGE_COUNT(copysign, choose, std::copysign(x, y))
BRIDGE_COUNT(mod, mod, std::fmod(x, y))
BRIDGE_COUNT(modulo, mod, x - y * std::floor(x / y))
BRIDGE_COUNT(pow, pow, std::pow(x, y))
BRIDGE_COUNT(atan2, atan2, std::atan2(x, y))
#undef BRIDGE_COUNT

static inline Counted pow(Counted x, double y) { return pow(x, Counted(y)); }
/* By repeated multiplication, as the machines do it. */
static inline Counted pow(Counted x, int n) {
    unsigned left = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
    Counted result = left & 1 ? x : Counted(1.0);
    while (left >>= 1) {
        x = x * x;
        if (left & 1) result = result * x;
    }
    return n < 0 ? Counted(1.0) / result : result;
}

template <int entries> static inline Counted lookup(const double* table, int index) {
    return count(operation_lookup, table[index]);
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

/* Argument and offset of every neighbour that was read, each once. */
static std::vector<std::array<int, 4>> recordedOffsets;

/* What a kernel reads around a point: other values than the point's own, and a note of where. */
template <class Number, bool several> class RecordedNeighbours {
public:
    RecordedNeighbours(int n, const Number* p) : argument(n), place(p) {}
    template <int i, int j, int k> auto at() const {
        record({argument, i, j, k});
        if constexpr (several)
            return Column{place, 0.01 * i + 0.02 * j + 0.03 * k};
        else
            return moved(*place, 0.01 * i + 0.02 * j + 0.03 * k);
    }
    Number operator[](int column) const {
        record({argument, 0, 0, 0});
        return place[column];
    }

private:
    struct Column {
        const Number* place;
        double by;
        Number operator[](int column) const { return moved(place[column], by); }
    };
    static Counted moved(const Counted& x, double by) { return Counted(x.v + by); }
    static int moved(int x, double) { return x; }
    static void record(const std::array<int, 4>& offset) {
        for (const auto& known : recordedOffsets)
            if (known == offset) return;
        recordedOffsets.push_back(offset);
    }
    int argument;
    const Number* place;
};

/* What a kernel reads at any cell of an array. */
template <class Number, bool several> class RecordedCells {
public:
    RecordedCells(int n, const Number* p) : argument(n), place(p) {}
    auto at(int i, int j, int k) const {
        recordedOffsets.push_back({argument, 0, 0, 0});
        (void)i, (void)j, (void)k;
        if constexpr (several)
            return place;
        else
            return *place;
    }

private:
    int argument;
    const Number* place;
};

/* Numbers that a line of a sweep keeps. */
class Private {
public:
    explicit Private(Counted* p) : numbers(p) {}
    Counted& operator[](int number) { return numbers[number]; }
    const Counted& operator[](int number) const { return numbers[number]; }

private:
    Counted* numbers;
};

using Neighbours = RecordedNeighbours<Counted, true>;
using ScalarNeighbours = RecordedNeighbours<Counted, false>;
using IntegerNeighbours = RecordedNeighbours<int, true>;
using ScalarIntegerNeighbours = RecordedNeighbours<int, false>;
using Cells = RecordedCells<Counted, true>;
using ScalarCells = RecordedCells<Counted, false>;
using IntegerCells = RecordedCells<int, true>;
using ScalarIntegerCells = RecordedCells<int, false>;

}  // namespace BRIDGE_NAMESPACE

#endif
