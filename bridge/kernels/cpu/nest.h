/* A loop nest around kernels: rows of the caller's arrays, one register of lanes at a time.
 *
 * Kernels read and write arrays where they lie, and hand values on in registers; plan/nests.py
 * writes the loops. Whole registers of a row come first, what is left of it last, with lanes past
 * the end that repeat the last point and are not stored. All values of a register of points are
 * read before one of them is written: what an output has in the place of an input is its old value.
 */
#ifndef BRIDGE_KERNELS_CPU_NEST_H
#define BRIDGE_KERNELS_CPU_NEST_H

#ifndef BRIDGE_NEST
#error "BRIDGE_NEST comes first: the width of a number depends on it (width.h)"
#endif

#include "lines.h"

#include <limits>

namespace BRIDGE_NAMESPACE {

/* ---- What one evaluation takes ---------------------------------------------------------------- */

/* A register of points of plain arrays; or any points: what is left of a row, and all of it where arrays
 * are not plain. The first has no branches for what the second may meet. */
struct WholePart {
    static constexpr bool whole = true;
    static constexpr int points = BRIDGE_LANES;
};
struct AnyPart {
    static constexpr bool whole = false;
    int points;
};
BRIDGE_INLINE AnyPart someOf(int64_t left) {
    return {static_cast<int>(std::min<int64_t>(left, BRIDGE_LANES))};
}

/* How the arrays of a nest lie, a BRIDGE_NEST_... of interface.h. */
template <int layout> struct NestLayout {
    static constexpr bool records = layout == BRIDGE_NEST_RECORDS;
};

/* Where the points of an evaluation lie in an array. All but addresses and distances is known to the
 * compiler, but in an AnyPart. */
struct NestPoints {
    char* place;
    int64_t column;
    int64_t axis[3];
    int columns; /* of records that follow each other; 1: of anything else */
    int points;
    bool single;        /* real(4) */
    bool whole, spread; /* a register of them; one value for all */
    bool taken;         /* whether there is an array */
};

/* word: of integers; columns: of records, 1 of anything else. */
template <class Layout, class Part>
BRIDGE_INLINE NestPoints pointsOf(const bridge_nest_array& array, char* row, int64_t i, Part part,
                                  bool word, int columns = 1) {
    const int together = Layout::records && !word ? columns : 1;
    const bool single = !Part::whole && !word && array.type == BRIDGE_FLOAT32;
    const bool spread = !Part::whole && array.stride[0] == 0;
    const int64_t step = (word || single ? 4 : 8) * together;
    return {spread ? row : row + i * step,
            array.column_stride,
            {array.axis[0], array.axis[1], array.axis[2]},
            together,
            part.points,
            single,
            Part::whole,
            spread,
            array.address != nullptr};
}

/* Where a constant lies. */
BRIDGE_INLINE NestPoints everywhere(const bridge_nest_array& array) {
    return {array.address, array.column_stride, {}, 1, BRIDGE_LANES, false, false, true, true};
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

typedef float LooseSingles __attribute__((vector_size(BRIDGE_LANES * 4), aligned(4)));
typedef int32_t Integers __attribute__((vector_size(BRIDGE_LANES * 4)));
typedef int32_t LooseIntegers __attribute__((vector_size(BRIDGE_LANES * 4), aligned(4)));

/* A register of elements of 4 bytes. (The attributes of their types are lost in templates.) */
BRIDGE_INLINE SingleVector loadWhole(const float* place) {
    return SingleVector(*reinterpret_cast<const LooseSingles*>(place));
}
BRIDGE_INLINE Integers loadWhole(const int32_t* place) {
    return Integers(*reinterpret_cast<const LooseIntegers*>(place));
}
/* The same, of which lanes past `points` repeat the last one. */
template <class Element> BRIDGE_INLINE auto loadSmall(const Element* place, int points) {
    using Vector = decltype(loadWhole(place));
    if (points == BRIDGE_LANES) return loadWhole(place);
    Vector found;
    for (int l = 0; l < BRIDGE_LANES; ++l) found[l] = place[l < points ? l : points - 1];
    return found;
}

BRIDGE_INLINE Lanes loadRow(const NestPoints& at, const char* place, Lanes*) {
    if (at.single) {
        const auto* from = reinterpret_cast<const float*>(place);
        if (at.spread) return Lanes(static_cast<double>(*from));
        return Lanes(__builtin_convertvector(loadSmall(from, at.points), DoubleVector));
    }
    const auto* from = reinterpret_cast<const double*>(place);
    if (at.spread) return Lanes(*from);
    if (at.whole || (BRIDGE_LANES == 2 && at.points == 2)) return loadLanes(from);
    return loadEnd(from, at.points);
}
BRIDGE_INLINE LaneBits loadRow(const NestPoints& at, const char* place, LaneBits*) {
    const auto* from = reinterpret_cast<const int32_t*>(place);
    if (at.spread) return LaneBits(static_cast<int>(*from));
    return LaneBits(__builtin_convertvector(loadSmall(from, at.points), IntegerVector));
}
template <class Value> BRIDGE_INLINE Value loadRow(const NestPoints& at, const char* place) {
    return loadRow(at, place, static_cast<Value*>(nullptr));
}
template <class Value> BRIDGE_INLINE Value loadRow(const NestPoints& at) {
    return loadRow<Value>(at, at.place);
}

/* As element() makes them of doubles. */
BRIDGE_INLINE void storeSingles(float* place, Lanes x, int points) {
    const DoubleVector first = DoubleVector{} + 0x1.ffffffp+127,
                       largest = DoubleVector{} + std::numeric_limits<double>::max(),
                       size = x.v < 0.0 ? -x.v : x.v;
    const IntegerVector beyond = (size >= first) & (size <= largest);
    const DoubleVector fits =
        beyond ? DoubleVector{} + std::numeric_limits<double>::quiet_NaN() : x.v;
    const SingleVector singles = __builtin_convertvector(fits, SingleVector);
    if (points == BRIDGE_LANES)
        *reinterpret_cast<LooseSingles*>(place) = singles;
    else
        for (int l = 0; l < BRIDGE_LANES; ++l)
            if (l < points) place[l] = singles[l];
}
BRIDGE_INLINE void saveRow(const NestPoints& at, char* place, Lanes x) {
    if (at.single) return storeSingles(reinterpret_cast<float*>(place), x, at.points);
    storePart(reinterpret_cast<double*>(place), x, at.points);
}
BRIDGE_INLINE void saveRow(const NestPoints& at, char* place, LaneBits x) {
    auto* to = reinterpret_cast<int32_t*>(place);
    const Integers cut = __builtin_convertvector(x.v, Integers);
    if (at.points == BRIDGE_LANES)
        *reinterpret_cast<LooseIntegers*>(to) = cut;
    else
        for (int l = 0; l < BRIDGE_LANES; ++l)
            if (l < at.points) to[l] = cut[l];
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
template <int columns> struct NestMade<Wide, columns> : Tile<columns> {
    BRIDGE_INLINE Wide& operator[](int column) { return this->value[column]; }
    BRIDGE_INLINE const Wide& operator[](int column) const { return this->value[column]; }
};
template <class Value, int columns>
BRIDGE_INLINE void saveColumns(const NestPoints& at, const NestMade<Value, columns>& made) {
    if (!at.taken) return;
    if constexpr (columns > 1 && std::is_same_v<Value, Wide>)
        if (at.columns > 1) {
            constexpr std::integral_constant<int64_t, columns> along{};
            auto* to = reinterpret_cast<double*>(at.place);
            if (!at.whole) return saveTail(to, along, at.points, made);
            return saveTile(Apart<double, decltype(along)>{to, along}, made);
        }
    for (int c = 0; c < columns; ++c) saveRow(at, at.place + c * at.column, made[c]);
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
        : at(points), place(where), turned(points.columns > 1 && !points.spread) {
        if constexpr (std::is_same_v<Value, Wide>)
            if (turned) turnRecords(place, at.columns, at.points, tile);
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

/* What the generated table holds: the nest for each layout, null where it has none. */
struct NamedNest {
    const char* name;
    bridge_nest_kernel nest[BRIDGE_NEST_LAYOUTS];
};

}  // namespace BRIDGE_NAMESPACE

#endif
