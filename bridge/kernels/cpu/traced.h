/* A number that knows what it was made of: the `Real` of plan/uniform.py, which asks whether a
 * kernel does the same to every component.
 *
 * It has no value but its expression, and the columns that went into that. Two numbers with the same
 * expression were made by the same operations of the same arguments, whichever columns of these.
 * Nothing can be asked of a value, so the path through a kernel depends on no point: a header that
 * takes one (`any`, `static_cast<int>`, options of `Shared`) does not compile.
 */
#ifndef BRIDGE_KERNELS_CPU_TRACED_H
#define BRIDGE_KERNELS_CPU_TRACED_H

#include "../product.h"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace BRIDGE_NAMESPACE {

/* expression: its number among all; columns: a bit for each. */
struct Origin {
    int expression;
    uint64_t columns;
};

static inline Origin made(const std::string& operation, std::initializer_list<Origin> parts = {},
                          uint64_t columns = 0) {
    static std::map<std::pair<std::string, std::vector<int>>, int> known;
    std::vector<int> expressions;
    for (const Origin& part : parts) {
        expressions.push_back(part.expression);
        columns |= part.columns;
    }
    const int next = static_cast<int>(known.size());
    return {known.emplace(std::make_pair(operation, expressions), next).first->second, columns};
}
template <class Number> static inline Origin constant(const char* type, Number value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    return made(type + std::string(bytes, sizeof value));
}
/* What was never set may be anything: it counts as made of all columns. */
static inline Origin nothing() { return made("nothing", {}, ~uint64_t(0)); }

struct TracedMask {
    Origin from;
    TracedMask() : from(nothing()) {}
    TracedMask(bool value) : from(constant("bool ", value)) {}
    explicit TracedMask(Origin origin) : from(origin) {}
};
struct Traced;
struct TracedBits {
    Origin from;
    TracedBits() : from(nothing()) {}
    TracedBits(int value) : from(constant("int ", value)) {}
    explicit TracedBits(const Traced& x);
    explicit TracedBits(Origin origin) : from(origin) {}
};
struct Traced {
    Origin from;
    Traced() : from(nothing()) {}
    Traced(double value) : from(constant("double ", value)) {}
    explicit Traced(const TracedBits& x) : from(made("double", {x.from})) {}
    explicit Traced(Origin origin) : from(origin) {}
};
inline TracedBits::TracedBits(const Traced& x) : from(made("int", {x.from})) {}

template <class Real> struct PointTypes;
template <> struct PointTypes<Traced> {
    using Mask = TracedMask;
    using Bits = TracedBits;
};

/* ---- Operators and functions ------------------------------------------------------------------ */

#define BRIDGE_ONE(Result, name, Type)                                                            \
    static inline Result name(Type a) { return Result(made(#name, {a.from})); }
#define BRIDGE_TWO(Result, name, Type)                                                            \
    static inline Result name(Type a, Type b) { return Result(made(#name, {a.from, b.from})); }
#define BRIDGE_THREE(name)                                                                        \
    static inline Traced name(Traced a, Traced b, Traced c) {                                     \
        return Traced(made(#name, {a.from, b.from, c.from}));                                     \
    }
#define BRIDGE_ASSIGN(op, Type)                                                                   \
    static inline Type& operator op##=(Type& a, Type b) { return a = a op b; }
#define BRIDGE_COMPARE(Type)                                                                      \
    BRIDGE_TWO(TracedMask, operator<, Type)                                                       \
    BRIDGE_TWO(TracedMask, operator<=, Type)                                                      \
    BRIDGE_TWO(TracedMask, operator>, Type)                                                       \
    BRIDGE_TWO(TracedMask, operator>=, Type)                                                      \
    BRIDGE_TWO(TracedMask, operator==, Type)                                                      \
    BRIDGE_TWO(TracedMask, operator!=, Type)
#define BRIDGE_INTEGER(op)                                                                        \
    BRIDGE_TWO(TracedBits, operator op, TracedBits)                                               \
    BRIDGE_ASSIGN(op, TracedBits)

// clang-format off
BRIDGE_ONE(Traced, operator+, Traced)
BRIDGE_ONE(Traced, operator-, Traced)
BRIDGE_TWO(Traced, operator+, Traced)
BRIDGE_TWO(Traced, operator-, Traced)
BRIDGE_TWO(Traced, operator/, Traced)
BRIDGE_ASSIGN(+, Traced) BRIDGE_ASSIGN(-, Traced) BRIDGE_ASSIGN(/, Traced)
BRIDGE_TWO(Traced, multiplied, Traced)
BRIDGE_THREE(multiplyAdd)
BRIDGE_THREE(multiplySubtract)
BRIDGE_THREE(subtractProduct)
BRIDGE_PRODUCTS(static inline, Traced)
BRIDGE_COMPARE(Traced)

BRIDGE_ONE(TracedBits, operator+, TracedBits)
BRIDGE_ONE(TracedBits, operator-, TracedBits)
BRIDGE_ONE(TracedBits, operator~, TracedBits)
BRIDGE_INTEGER(+) BRIDGE_INTEGER(-) BRIDGE_INTEGER(*) BRIDGE_INTEGER(/) BRIDGE_INTEGER(%)
BRIDGE_INTEGER(&) BRIDGE_INTEGER(|) BRIDGE_INTEGER(^) BRIDGE_INTEGER(<<) BRIDGE_INTEGER(>>)
BRIDGE_COMPARE(TracedBits)

BRIDGE_ONE(TracedMask, operator!, TracedMask)
BRIDGE_ONE(TracedMask, operator~, TracedMask)
BRIDGE_TWO(TracedMask, operator&, TracedMask) BRIDGE_ASSIGN(&, TracedMask)
BRIDGE_TWO(TracedMask, operator|, TracedMask) BRIDGE_ASSIGN(|, TracedMask)
BRIDGE_TWO(TracedMask, operator^, TracedMask) BRIDGE_ASSIGN(^, TracedMask)
BRIDGE_TWO(TracedMask, operator&&, TracedMask)
BRIDGE_TWO(TracedMask, operator||, TracedMask)
BRIDGE_TWO(TracedMask, operator==, TracedMask)
BRIDGE_TWO(TracedMask, operator!=, TracedMask)

#define BRIDGE_FUNCTION(name) BRIDGE_ONE(Traced, name, Traced)
BRIDGE_FUNCTION(fabs) BRIDGE_FUNCTION(sqrt) BRIDGE_FUNCTION(cbrt) BRIDGE_FUNCTION(exp)
BRIDGE_FUNCTION(exp2) BRIDGE_FUNCTION(expm1) BRIDGE_FUNCTION(log) BRIDGE_FUNCTION(log2)
BRIDGE_FUNCTION(log10) BRIDGE_FUNCTION(log1p) BRIDGE_FUNCTION(sin) BRIDGE_FUNCTION(cos)
BRIDGE_FUNCTION(tan) BRIDGE_FUNCTION(asin) BRIDGE_FUNCTION(acos) BRIDGE_FUNCTION(atan)
BRIDGE_FUNCTION(sinh) BRIDGE_FUNCTION(cosh) BRIDGE_FUNCTION(tanh) BRIDGE_FUNCTION(erf)
BRIDGE_FUNCTION(sinpi) BRIDGE_FUNCTION(cospi) BRIDGE_FUNCTION(floor) BRIDGE_FUNCTION(ceil)
BRIDGE_FUNCTION(rint) BRIDGE_FUNCTION(aint) BRIDGE_FUNCTION(anint) BRIDGE_FUNCTION(abs)
#undef BRIDGE_FUNCTION
BRIDGE_ONE(TracedBits, nint, Traced) BRIDGE_ONE(TracedBits, abs, TracedBits)
BRIDGE_ONE(TracedMask, isfinite, Traced) BRIDGE_ONE(TracedMask, isnan, Traced)
#define BRIDGE_FUNCTION(name) BRIDGE_TWO(Traced, name, Traced)
BRIDGE_FUNCTION(max) BRIDGE_FUNCTION(min) BRIDGE_FUNCTION(sign) BRIDGE_FUNCTION(mod)
BRIDGE_FUNCTION(modulo) BRIDGE_FUNCTION(atan2) BRIDGE_FUNCTION(pow) BRIDGE_FUNCTION(fmax)
BRIDGE_FUNCTION(fmin) BRIDGE_FUNCTION(copysign)
#undef BRIDGE_FUNCTION
#define BRIDGE_FUNCTION(name) BRIDGE_TWO(TracedBits, name, TracedBits)
BRIDGE_FUNCTION(max) BRIDGE_FUNCTION(min) BRIDGE_FUNCTION(sign) BRIDGE_FUNCTION(mod)
BRIDGE_FUNCTION(modulo)
#undef BRIDGE_FUNCTION
// clang-format on
#undef BRIDGE_ONE
#undef BRIDGE_TWO
#undef BRIDGE_THREE
#undef BRIDGE_ASSIGN
#undef BRIDGE_COMPARE
#undef BRIDGE_INTEGER

static inline Traced pow(Traced x, double y) { return pow(x, Traced(y)); }
static inline Traced pow(Traced x, int n) {
    return Traced(made("power", {x.from, TracedBits(n).from}));
}
static inline Traced pow(Traced x, TracedBits n) { return pow(x, Traced(n)); }
static inline TracedBits pow(TracedBits x, int n) {
    return TracedBits(made("power", {x.from, TracedBits(n).from}));
}

/* By what is in the table: an array within a loop lies where it lay in the round before. Of one of
 * unknown length nothing is known. */
template <int entries> static inline Traced lookup(const double* table, TracedBits index) {
    if (entries == 0) return Traced();
    const auto* bytes = reinterpret_cast<const char*>(table);
    const std::string contents(bytes, entries * sizeof(double));
    return Traced(made("lookup " + contents, {index.from}));
}

#define BRIDGE_SELECT(Result, Yes, No)                                                            \
    static inline Result select(TracedMask mask, Yes yes, No no) {                                \
        return Result(made("select", {mask.from, Result(yes).from, Result(no).from}));            \
    }
BRIDGE_SELECT(Traced, Traced, Traced)
BRIDGE_SELECT(Traced, double, double)
BRIDGE_SELECT(Traced, double, int)
BRIDGE_SELECT(Traced, int, double)
BRIDGE_SELECT(TracedBits, TracedBits, TracedBits)
BRIDGE_SELECT(TracedBits, int, int)
BRIDGE_SELECT(TracedMask, TracedMask, TracedMask)
BRIDGE_SELECT(TracedMask, bool, bool)
#undef BRIDGE_SELECT

/* ---- Arguments of a kernel -------------------------------------------------------------------- */

static inline Origin argument(int number, uint64_t columns = 0) {
    return made("argument " + std::to_string(number), {}, columns);
}

/* Columns that a kernel reads, or makes. A place that is none of these is nothing. */
template <int columns> class TracedColumns {
public:
    TracedColumns() = default;
    explicit TracedColumns(int number) {
        for (int c = 0; c < columns; ++c) value[c] = Traced(argument(number, uint64_t(1) << c));
    }
    const Traced& operator[](int column) const { return value[inside(column)]; }
    Traced& operator[](int column) { return value[inside(column)]; }
    /* Whether each was made of the same column of all arguments, in the same way. */
    bool uniform() const {
        for (int c = 0; c < columns; ++c) {
            const Origin from = value[c].from;
            if (from.expression != value[0].from.expression) return false;
            if (from.columns & ~(uint64_t(1) << c)) return false;
        }
        return true;
    }

private:
    static int inside(int column) { return 0 <= column && column < columns ? column : columns; }
    Traced value[columns + 1];
};

/* What kernels read around a point: at each place an argument of its own. */
class TracedNeighbours {
public:
    TracedNeighbours(int number, int columns) : argumentOf(number), count(columns) {}
    template <int i, int j, int k> TracedNeighbours at() const {
        TracedNeighbours found = *this;
        for (int place : {i, j, k}) found.where += ' ' + std::to_string(place);
        return found;
    }
    Traced operator[](int column) const {
        if (column < 0 || column >= count) return Traced();
        const uint64_t bit = count == 1 ? 0 : uint64_t(1) << column;
        return Traced(made("argument " + std::to_string(argumentOf) + where, {}, bit));
    }

private:
    int argumentOf, count;
    std::string where;
};
using Neighbours = TracedNeighbours;
struct ScalarNeighbours : TracedNeighbours {
    explicit ScalarNeighbours(int number) : TracedNeighbours(number, 1) {}
    template <int i, int j, int k> Traced at() const { return TracedNeighbours::at<i, j, k>()[0]; }
};

/* What kernels of other forms read: they stand in headers beside those that are asked about. */
template <class Number> struct TracedElsewhere {
    template <int i, int j, int k> Number at() const;
    Number at(TracedBits i, TracedBits j, TracedBits k) const;
    TracedBits operator[](int column) const;
};
using IntegerNeighbours = TracedElsewhere<const TracedBits*>;
using ScalarIntegerNeighbours = TracedElsewhere<TracedBits>;
using Cells = TracedElsewhere<const Traced*>;
using ScalarCells = TracedElsewhere<Traced>;
using IntegerCells = IntegerNeighbours;
using ScalarIntegerCells = ScalarIntegerNeighbours;
using Private = TracedColumns<1>;

}  // namespace BRIDGE_NAMESPACE

#endif
