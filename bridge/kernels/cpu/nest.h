/* A loop nest around kernels: rows of the caller's arrays, one register of lanes at a time.
 *
 * Kernels read and write arrays where they lie, and hand values on in registers; plan/nests.py
 * writes the loops. What is left behind a row's whole registers is evaluated in one that ends with the
 * row: its first points have been evaluated before, repeat the last point where they may have changed
 * since, and are not stored again. So one text of the kernels does for all points; another one is for
 * rows of fewer points than a register. All values of a register of points are read before one of them is
 * written: what an output has in the place of an input is its old value.
 *
 * With BRIDGE_SINGLES kernels compute in single precision, and arrays are real(4): a register has twice
 * as many points.
 */
#ifndef BRIDGE_KERNELS_CPU_NEST_H
#define BRIDGE_KERNELS_CPU_NEST_H

#ifndef BRIDGE_NEST
#error "BRIDGE_NEST comes first: the width of a number depends on it (width.h)"
#endif

#include "lines.h"

namespace BRIDGE_NAMESPACE {

/* ---- Registers -------------------------------------------------------------------------------- */

#ifdef BRIDGE_SINGLES
using NestReal = float;
using NestVector = FloatVector;
using NestOrder = WordVector;
constexpr int nestLanes = 2 * BRIDGE_LANES;
#else
using NestReal = double;
using NestVector = DoubleVector;
using NestOrder = IntegerVector; /* of as many bits as a real */
constexpr int nestLanes = BRIDGE_LANES;
#endif
constexpr int64_t nestBytes = nestLanes * int64_t{sizeof(NestReal)};

/* ---- What one evaluation takes ---------------------------------------------------------------- */

/* A register of points of a row from the i-th on, of which the first `known` have been evaluated; or,
 * if not 0, so `few` points. */
struct NestPart {
    int64_t i;
    int known, few;
    BRIDGE_INLINE NestOrder before() const {
        NestOrder lane;
        for (int l = 0; l < nestLanes; ++l) lane[l] = l;
        return lane < known;
    }
};

/* How the arrays of a nest lie, a BRIDGE_NEST_... of interface.h. */
template <int layout> struct NestLayout {
    static constexpr bool records = layout == BRIDGE_NEST_RECORDS;
    static constexpr bool few = layout == BRIDGE_NEST_FEW;
};
/* Behind `done` points of a row, of which `again` are evaluated once more by the second register. */
template <class Layout>
BRIDGE_INLINE NestPart partBehind(int64_t done, int64_t points, int64_t again) {
    if (Layout::few) return {0, 0, static_cast<int>(points)};
    const int64_t begin = std::min(done == nestLanes ? done - again : done, points - nestLanes);
    int known = static_cast<int>(done - begin);
    asm("" : "+r"(known)); /* else compilers make a second text for the ends of rows */
    return {begin, known, 0};
}
/* How many points the second register of a row evaluates again, so that it and those behind it begin at
 * lines of the cache in one array; together: numbers of a point that follow each other there. None where
 * the row is short: one more register would cost as much. */
BRIDGE_INLINE int64_t pointsAgain(const char* row, int64_t points, int together) {
    constexpr int64_t bytes = sizeof(NestReal);
    if (points < 32 * nestLanes) return 0;
    for (int64_t m = nestLanes; m > 0; --m)
        if ((reinterpret_cast<uintptr_t>(row) + static_cast<uintptr_t>(m * bytes * together)) %
                nestBytes ==
            0)
            return nestLanes - m;
    return 0;
}

/* Where the points of an evaluation lie in an array. All but addresses, distances and `known` is
 * known to the compiler. */
struct NestPoints {
    char* place;
    int64_t column;
    int64_t axis[3];
    NestPart part;
    int columns; /* of records; 0: of records whose numbers are all alike, see numbersOf; else 1 */
    int each;    /* of such records: components of a point, which one value serves; else 0 */
    int number;  /* which register of them this is, of a register of points */
    bool changes; /* whether a kernel may have written in their place what is known */
    bool spread;  /* one value for all */
    bool taken;   /* whether there is an array */
};

/* word: of integers; columns: of records, 1 of anything else. */
template <class Layout>
BRIDGE_INLINE NestPoints pointsOf(const bridge_nest_array& array, char* row, NestPart part,
                                  bool word, bool changes, int columns = 1) {
    const int together = Layout::records ? columns : 1;
    return {
        row + part.i * static_cast<int64_t>(word ? sizeof(int32_t) : sizeof(NestReal)) * together,
        array.column_stride,
        {array.axis[0], array.axis[1], array.axis[2]},
        part,
        together,
        0,
        0,
        changes,
        false,
        array.address != nullptr};
}

/* Of kernels that do the same to all components: a register of numbers as they lie in records, which is
 * the number-th one of a register of points, in place of each component; or what their points have
 * once. */
template <int components, int number>
BRIDGE_INLINE NestPoints numbersOf(const NestPoints& points) {
    const bool once = points.columns == 1;
    const NestPart& part = points.part;
    const int known = std::max(part.known * components - number * nestLanes, 0);
    return {once ? points.place : points.place + number * nestBytes,
            0,
            {points.axis[0], points.axis[1], points.axis[2]},
            {part.i, once ? part.known : known, 0},
            once ? 1 : 0,
            once ? components : 0,
            number,
            points.changes,
            false,
            points.taken};
}

/* Where a constant lies. */
BRIDGE_INLINE NestPoints everywhere(const bridge_nest_array& array) {
    return {array.address, array.column_stride, {}, {}, 1, 0, 0, false, true, true};
}

/* The rows of a call: of each the address in an array. */
class NestRows {
public:
    BRIDGE_INLINE explicit NestRows(const bridge_nest_rows& rows)
        : first(rows.first),
          plane(rows.row / rows.of_plane),
          row(rows.row - plane * rows.of_plane),
          ofPlane(rows.of_plane),
          left(rows.rows) {}
    BRIDGE_INLINE explicit operator bool() const { return left > 0; }
    BRIDGE_INLINE void operator++() {
        --left;
        if (++row < ofPlane) return;
        row = 0;
        ++plane;
    }
    BRIDGE_INLINE char* of(const bridge_nest_array& array) const {
        return array.address + first * array.stride[0] + row * array.stride[1] +
               plane * array.stride[2];
    }

private:
    int64_t first, plane, row, ofPlane, left;
};

/* ---- Values of a row -------------------------------------------------------------------------- */

typedef int32_t Integers __attribute__((vector_size(nestLanes * 4)));
typedef int32_t LooseIntegers __attribute__((vector_size(nestLanes * 4), aligned(4)));

/* The last lane in the lanes `before`. */
BRIDGE_INLINE Wide repeated(Wide x, NestOrder before) {
    return Wide(NestVector(before ? NestVector{} + x.v[nestLanes - 1] : x.v));
}
BRIDGE_INLINE WideBits repeated(WideBits x, NestOrder before) {
    return WideBits(NestOrder(before ? NestOrder{} + x.v[nestLanes - 1] : x.v));
}
BRIDGE_INLINE Wide ordered(Wide x, NestOrder order) { return Wide(shuffled(x.v, order)); }
BRIDGE_INLINE WideBits ordered(WideBits x, NestOrder order) {
    return WideBits(NestOrder(shuffled(NestVector(x.v), order)));
}
/* Values of a register from memory as kernels take them. */
template <class Value> BRIDGE_INLINE Value taken(const NestPoints& at, Value x) {
    if (at.changes) x = repeated(x, at.part.before());
    if (!at.each) return x;
    NestOrder order;
    for (int l = 0; l < nestLanes; ++l) order[l] = (at.number * nestLanes + l) / at.each;
    return ordered(x, order);
}
BRIDGE_INLINE Wide loadRow(const NestPoints& at, const char* place, Wide*) {
    if (at.spread) return Wide(*reinterpret_cast<const double*>(place)); /* a constant */
    const auto* from = reinterpret_cast<const NestReal*>(place);
    if (const int few = at.part.few) return loadBelow(from, few, Wide(from[few - 1]));
    return taken(at, loadLanes(from));
}
BRIDGE_INLINE WideBits loadRow(const NestPoints& at, const char* place, WideBits*) {
    const auto* from = reinterpret_cast<const int32_t*>(place);
    if (at.spread) return WideBits(static_cast<int>(*from));
    if (const int few = at.part.few) {
        NestOrder found;
        for (int l = 0; l < nestLanes; ++l) found[l] = from[l < few ? l : few - 1];
        return WideBits(found);
    }
    const auto integers = Integers(*reinterpret_cast<const LooseIntegers*>(place));
    return taken(at, WideBits(__builtin_convertvector(integers, NestOrder)));
}
template <class Value> BRIDGE_INLINE Value loadRow(const NestPoints& at, const char* place) {
    return loadRow(at, place, static_cast<Value*>(nullptr));
}
template <class Value> BRIDGE_INLINE Value loadRow(const NestPoints& at) {
    return loadRow<Value>(at, at.place);
}

BRIDGE_INLINE void saveRow(const NestPoints& at, char* place, Wide x) {
    auto* to = reinterpret_cast<NestReal*>(place);
    if (at.part.few) return storePart(to, x, at.part.few);
    storeFrom(to, x, at.part.known);
}
BRIDGE_INLINE void saveRow(const NestPoints& at, char* place, WideBits x) {
    const Integers cut = __builtin_convertvector(x.v, Integers);
    const int known = at.part.known, end = at.part.few ? at.part.few : nestLanes;
    if (end - known == nestLanes)
        *reinterpret_cast<LooseIntegers*>(place) = cut;
    else
        for (int l = 0; l < nestLanes; ++l)
            if (l >= known && l < end) reinterpret_cast<int32_t*>(place)[l] = cut[l];
}
template <class Value> BRIDGE_INLINE void saveRow(const NestPoints& at, const Value& x) {
    if (at.taken) saveRow(at, at.place, x);
}

/* ---- Arguments of a kernel -------------------------------------------------------------------- */

/* Components that a kernel makes, in registers where there are enough: the next kernels read them,
 * and they are stored when all is read. */
template <class Value, int columns> struct NestMade {
    Value value[columns];
    BRIDGE_INLINE Value& operator[](int column) { return value[column]; }
    BRIDGE_INLINE const Value& operator[](int column) const { return value[column]; }
};
template <class Value, int columns>
BRIDGE_INLINE void saveColumns(const NestPoints& at, const NestMade<Value, columns>& made) {
    if (!at.taken) return;
    if constexpr (columns > 1 && std::is_same_v<Value, Wide>)
        if (at.columns > 1)
            return saveRecords(reinterpret_cast<NestReal*>(at.place), at.part.known, made.value);
    for (int c = 0; c < (at.columns ? columns : 1); ++c)
        saveRow(at, at.place + c * at.column, made[c]);
}

/* These as a kernel fills them: one type for any number. */
template <class Value> class NestTile {
public:
    template <int columns>
    BRIDGE_INLINE explicit NestTile(NestMade<Value, columns>& made) : value(made.value) {}
    BRIDGE_INLINE Value& operator[](int column) const { return value[column]; }

private:
    Value* value;
};

/* Components at a point, or at one of its neighbours. */
template <class Value> class NestColumns {
public:
    BRIDGE_INLINE NestColumns(const NestPoints& points, const char* where)
        : at(points), place(where), turned(points.columns > 1) {
        if constexpr (std::is_same_v<Value, Wide>)
            if (turned) {
#ifdef BRIDGE_SINGLES
                turnSingles(reinterpret_cast<const float*>(place), at.columns, tile);
#else
                turnRecords(place, at.columns, nestLanes, tile);
#endif
                for (int c = 0; c < at.columns; ++c) tile[c] = taken(at, tile[c]);
            }
    }
    BRIDGE_INLINE explicit NestColumns(const NestPoints& points)
        : NestColumns(points, points.place) {}
    /* What a kernel before has made. */
    template <int columns>
    BRIDGE_INLINE explicit NestColumns(const NestMade<Value, columns>& made)
        : at(), place(nullptr), turned(true) {
        for (int c = 0; c < columns; ++c) tile[c] = made[c];
    }
    /* The same values at every point. */
    BRIDGE_INLINE explicit NestColumns(const bridge_nest_array& array)
        : NestColumns(everywhere(array)) {}
    BRIDGE_INLINE Value operator[](int column) const {
        if (turned) return tile[column];
        return loadRow<Value>(at, place + column * at.column);
    }

private:
    const NestPoints at;
    const char* place;
    const bool turned;
    Value tile[mostRecordColumns];
};

/* A quantity around the points of an evaluation. */
template <class Value, bool several> class NestAround {
public:
    BRIDGE_INLINE explicit NestAround(const NestPoints& points) : around(points) {}
    template <int i, int j, int k> BRIDGE_INLINE auto at() const {
        const char* there =
            around.place + i * around.axis[0] + j * around.axis[1] + k * around.axis[2];
        if constexpr (several)
            return NestColumns<Value>(around, there);
        else
            return loadRow<Value>(around, there);
    }
    BRIDGE_INLINE Value operator[](int column) const { return NestColumns<Value>(around)[column]; }

private:
    const NestPoints around;
};
using Neighbours = NestAround<Wide, true>;
using ScalarNeighbours = NestAround<Wide, false>;
using IntegerNeighbours = NestAround<WideBits, true>;
using ScalarIntegerNeighbours = NestAround<WideBits, false>;

/* Many components, which go to memory at once. */
template <class Value> class NestOut {
public:
    BRIDGE_INLINE explicit NestOut(const NestPoints& points) : at(points) {}
    class Column {
    public:
        BRIDGE_INLINE Column(const NestPoints& points, char* where) : at(points), place(where) {}
        BRIDGE_INLINE void operator=(const Column& other) const { *this = Value(other); }
        BRIDGE_INLINE void operator=(Value value) const { saveRow(at, place, value); }
        BRIDGE_INLINE operator Value() const { return loadRow<Value>(at, place); }
        BRIDGE_COMPOUNDS(Value)

    private:
        const NestPoints& at;
        char* place;
    };
    BRIDGE_INLINE Column operator[](int column) const {
        return Column(at, at.place + column * at.column);
    }

private:
    const NestPoints at;
};

/* Such of reals, as many as records may have: of these a register of points is turned when a kernel
 * has made all. */
template <class Layout, int columns> class NestMany : public NestOut<Wide> {
public:
    using NestOut<Wide>::NestOut;
    BRIDGE_INLINE void save(const NestPoints&) const {}
};
template <int columns>
class NestMany<NestLayout<BRIDGE_NEST_RECORDS>, columns> : public NestMade<Wide, columns> {
public:
    BRIDGE_INLINE explicit NestMany(const NestPoints&) {}
    /* Rows of points are stored side by side, and a processor does not foresee that these are one
     * stream: its lines are asked for, into the second-level cache. */
    BRIDGE_INLINE void save(const NestPoints& at) const {
        constexpr int64_t ahead = 8192, line = 64;
        for (int64_t b = 0; b < nestBytes * columns; b += line)
            asm volatile("prefetcht1 %0" : : "m"(*(at.place + ahead + b)));
        saveColumns(at, *this);
    }
};

/* What the generated table holds: the nest for each layout, null where it has none. */
struct NamedNest {
    const char* name;
    bridge_nest_kernel nest[BRIDGE_NEST_LAYOUTS];
};

}  // namespace BRIDGE_NAMESPACE

#endif
