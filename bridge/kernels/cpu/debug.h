/* One point at a time, for a debugger: how wrappers call kernels under BRIDGE_PACKS_DEBUG.
 *
 * A launch still goes over vectors, as the executor counts them; a kernel is called with numbers of
 * one point (onepoint.h) and ints, once for each point of a vector, so that a debugger stops in a
 * line of a header with the values of one point.
 */
#ifndef BRIDGE_KERNELS_CPU_DEBUG_H
#define BRIDGE_KERNELS_CPU_DEBUG_H

#include "lines.h"

#include <type_traits>
#include <utility>

namespace BRIDGE_NAMESPACE {

/* A number of one point of these vectors. */
#ifdef BRIDGE_SINGLES
using WidePoint = SinglePoint;
#else
using WidePoint = OnePoint;
#endif

inline WidePoint pick(const Wide& vector, int point) {
    alignas(64) double all[BRIDGE_WIDTH];
    store(all, vector);
    return all[point];
}
inline int pick(const WideBits& vector, int point) {
    alignas(64) int64_t all[BRIDGE_WIDTH];
    store(all, vector);
    return static_cast<int>(all[point]);
}
inline void put(Wide& vector, int point, WidePoint value) {
    alignas(64) double all[BRIDGE_WIDTH];
    store(all, vector);
    all[point] = value.v;
    vector = loadWide(all);
}
inline void put(WideBits& vector, int point, int value) {
    alignas(64) int64_t all[BRIDGE_WIDTH];
    store(all, vector);
    all[point] = value;
    vector = loadWide(all);
}

/* What a kernel reads of a quantity of several columns, or around a point. */
template <class In> class OneIn;
template <class In> OneIn<In> pick(const In& in, int point) { return {in, point}; }
template <class In> class OneIn {
public:
    using Value = std::decay_t<decltype(std::declval<const In&>()[0])>;
    using Number = std::conditional_t<std::is_same_v<Value, WideBits>, int, WidePoint>;
    OneIn(const In& from, int number) : in(from), point(number) {}
    Number operator[](int column) const { return pick(in[column], point); } /* by name: for gdb */
    template <int i, int j, int k> auto at() const {
        return pick(in.template at<i, j, k>(), point);
    }

private:
    const In in;
    const int point;
};

/* What a kernel reads at any cell. */
template <class Value, bool several> class OneCells {
public:
    OneCells(const CellsOf<Value, several>& from, int number) : in(from), point(number) {}
    auto at(int i, int j, int k) const {
        return pick(in.at(WideBits(i), WideBits(j), WideBits(k)), point);
    }

private:
    const CellsOf<Value, several> in;
    const int point;
};
template <class Value, bool several>
OneCells<Value, several> pick(const CellsOf<Value, several>& in, int point) {
    return {in, point};
}

/* A place that a kernel assigns a number to, and may read back. */
template <class Value, class Out> class OnePlace {
public:
    using Number = std::conditional_t<std::is_same_v<Value, Wide>, WidePoint, int>;
    OnePlace(Out& to, int c, int number) : out(to), column(c), point(number) {}
    operator Number() const { return pick(Value(out[column]), point); }
    void operator=(const OnePlace& other) const { *this = Number(other); }
    void operator=(Number value) const {
        Value vector(out[column]);
        put(vector, point, value);
        out[column] = vector;
    }
    BRIDGE_COMPOUNDS(Number)

private:
    Out& out;
    const int column, point;
};
template <class Value, class Out> class OneOut {
public:
    OneOut(Out& to, int number) : out(to), point(number) {}
    OnePlace<Value, Out> operator[](int column) { return {out, column, point}; }

private:
    Out& out;
    const int point;
};

/* Types that kernels name. */
using Cells = OneCells<Wide, true>;
using ScalarCells = OneCells<Wide, false>;
using IntegerCells = OneCells<WideBits, true>;
using ScalarIntegerCells = OneCells<WideBits, false>;
using Neighbours = OneIn<NeighboursOf<Wide, true>>;
using ScalarNeighbours = OneIn<NeighboursOf<Wide, false>>;
using IntegerNeighbours = OneIn<NeighboursOf<WideBits, true>>;
using ScalarIntegerNeighbours = OneIn<NeighboursOf<WideBits, false>>;
using Private = OneOut<Wide, PrivateVectors>;

}  // namespace BRIDGE_NAMESPACE

#endif
