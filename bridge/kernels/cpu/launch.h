/* How a launch wrapper sees the slots of a block: one vector of points at a time.
 *
 * A vector is BRIDGE_WIDTH points: one register of lanes or, where there are registers enough, two.
 * The wrappers themselves are written by generate_launchers.py from the catalogue. Species arrays
 * are handed to a kernel as views of the scratch (nothing is copied), scalars by value.
 */
#ifndef BRIDGE_KERNELS_CPU_LAUNCH_H
#define BRIDGE_KERNELS_CPU_LAUNCH_H

#include "../point.h"
#include "interface.h"
#include "width.h"

namespace BRIDGE_NAMESPACE {

/* A vector as a block has it: doubles, and integers in as many bits. */
#if BRIDGE_REGISTERS == 2
using WideDoubles = Twice;
using WideWords = TwiceBits;
BRIDGE_INLINE WideDoubles loadDoubles(const double* p) {
    return {loadLanes(p), loadLanes(p + BRIDGE_LANES)};
}
BRIDGE_INLINE WideWords loadWords(const int64_t* p) {
    return {loadBits(p), loadBits(p + BRIDGE_LANES)};
}
BRIDGE_INLINE void store(double* p, WideDoubles x) {
    store(p, x.a);
    store(p + BRIDGE_LANES, x.b);
}
BRIDGE_INLINE void store(int64_t* p, WideWords x) {
    store(p, x.a);
    store(p + BRIDGE_LANES, x.b);
}
#else
using WideDoubles = Lanes;
using WideWords = LaneBits;
BRIDGE_INLINE WideDoubles loadDoubles(const double* p) { return loadLanes(p); }
BRIDGE_INLINE WideWords loadWords(const int64_t* p) { return loadBits(p); }
#endif

/* What kernels compute with here: the same, or single precision. */
#ifdef BRIDGE_SINGLES
using Wide = SingleLanes;
using WideBits = SingleBits;
#if BRIDGE_REGISTERS == 2
BRIDGE_INLINE Wide wide(Twice x) { return rounded(x); }
BRIDGE_INLINE WideBits wide(TwiceBits n) { return narrowed(n); }
BRIDGE_INLINE WideDoubles doublesOf(Wide x) { return widened(x); }
BRIDGE_INLINE WideWords wordsOf(WideBits n) { return widened(n); }
#else /* half of its lanes repeat the others */
BRIDGE_INLINE Wide wide(Lanes x) { return rounded(Twice(x, x)); }
BRIDGE_INLINE WideBits wide(LaneBits n) { return narrowed(TwiceBits(n, n)); }
BRIDGE_INLINE WideDoubles doublesOf(Wide x) { return widened(x).a; }
BRIDGE_INLINE WideWords wordsOf(WideBits n) { return widened(n).a; }
#endif
BRIDGE_INLINE void store(double* p, Wide x) { store(p, doublesOf(x)); }
BRIDGE_INLINE void store(int64_t* p, WideBits n) { store(p, wordsOf(n)); }
#else
using Wide = WideDoubles;
using WideBits = WideWords;
BRIDGE_INLINE Wide wide(WideDoubles x) { return x; }
BRIDGE_INLINE WideBits wide(WideWords n) { return n; }
BRIDGE_INLINE WideDoubles doublesOf(Wide x) { return x; }
#endif
BRIDGE_INLINE Wide loadWide(const double* p) { return wide(loadDoubles(p)); }
BRIDGE_INLINE WideBits loadWide(const int64_t* p) { return wide(loadWords(p)); }

/* ---- Which vectors a launch goes over ------------------------------------------------------ */

/* Vectors first .. first+count-1 of a block, row after row: `begin` to `end` of row `row`. Where
 * all slots are flat they are one row, without a tail. */
class Rows {
public:
    BRIDGE_INLINE Rows(const bridge_block& block, int64_t first, int64_t count, bool flat = false)
        : begin(first), full(block.full), vectors(block.vectors), rows(block.rows), left(count) {
        if (flat) {
            vectors = first + count;
            full = vectors;
        } else if (first) {
            row = first / vectors;
            begin = first - row * vectors;
            plane = row / rows;
            row -= plane * rows;
        }
        end = vectors < begin + left ? vectors : begin + left;
    }
    BRIDGE_INLINE explicit operator bool() const { return left > 0; }
    BRIDGE_INLINE void operator++() {
        left -= end - begin;
        if (++row == rows) {
            row = 0;
            ++plane;
        }
        begin = 0;
        end = vectors < left ? vectors : left;
    }
    BRIDGE_INLINE char* of(const bridge_place& place) const {
        return place.address + plane * place.plane_stride + row * place.row_stride;
    }
    int64_t begin, end, full;

private:
    int64_t plane = 0, row = 0;
    int64_t vectors, rows, left;
};

/* ---- A slot along a row: the wrapper calls enterTail at the row's last vector, if not full ---- */

/* One column: its vectors follow each other wherever it lies. */
template <class T, class Number> class Scalar {
public:
    BRIDGE_INLINE Scalar(const bridge_argument& slot, const Rows& rows)
        : place(reinterpret_cast<T*>(rows.of(slot.full))) {}
    BRIDGE_INLINE void enterTail(const bridge_argument& slot, const Rows& rows) {
        place = reinterpret_cast<T*>(rows.of(slot.tail)) - rows.full * BRIDGE_WIDTH;
    }
    BRIDGE_INLINE Number load(int64_t vector) const {
        return loadWide(place + vector * BRIDGE_WIDTH);
    }
    BRIDGE_INLINE void save(int64_t vector, Number value) const {
        store(place + vector * BRIDGE_WIDTH, value);
    }

private:
    T* place;
};
using RealScalar = Scalar<double, Wide>;
using WordScalar = Scalar<int64_t, WideBits>;

/* += and the like of a place that is assigned a number and may be read back: by a number of its own, which
 * fuses a product that is added. */
#define BRIDGE_COMPOUND(Number, op)                                                               \
    template <class T> BRIDGE_INLINE void operator op##=(const T& value) const {                  \
        Number now = *this;                                                                       \
        now op## = value;                                                                         \
        *this = now;                                                                              \
    }
#define BRIDGE_COMPOUNDS(Number)                                                                  \
    BRIDGE_COMPOUND(Number, +)                                                                    \
    BRIDGE_COMPOUND(Number, -)                                                                    \
    BRIDGE_COMPOUND(Number, *)                                                                    \
    BRIDGE_COMPOUND(Number, /)                                                                    \
    BRIDGE_COMPOUND(Number, %) /* and below: of integers */                                       \
    BRIDGE_COMPOUND(Number, &)                                                                    \
    BRIDGE_COMPOUND(Number, |)                                                                    \
    BRIDGE_COMPOUND(Number, ^)                                                                    \
    BRIDGE_COMPOUND(Number, <<)                                                                   \
    BRIDGE_COMPOUND(Number, >>)

/* A place that a kernel assigns a number to, and may read back. */
template <class Value, class Element> class OutColumnOf {
public:
    BRIDGE_INLINE explicit OutColumnOf(Element* p) : place(p) {}
    BRIDGE_INLINE void operator=(const OutColumnOf& other) const { store(place, Value(other)); }
    BRIDGE_INLINE void operator=(Value value) const { store(place, value); }
    BRIDGE_INLINE operator Value() const { return loadWide(place); }

    BRIDGE_COMPOUNDS(Value)

private:
    Element* place;
};

/* Column c of a quantity at one vector of points: of numbers, or of integers as words of 64 bits. */
template <class Value, class Element> class InColumnsOf {
public:
    BRIDGE_INLINE InColumnsOf(const char* p, int64_t columnStride)
        : base(p), stride(columnStride) {}
    BRIDGE_INLINE Value operator[](int column) const {
        return loadWide(reinterpret_cast<const Element*>(base + column * stride));
    }

private:
    const char* base;
    int64_t stride;
};
template <class Value, class Element> class OutColumnsOf {
public:
    BRIDGE_INLINE OutColumnsOf(char* p, int64_t columnStride) : base(p), stride(columnStride) {}
    BRIDGE_INLINE OutColumnOf<Value, Element> operator[](int column) const {
        return OutColumnOf<Value, Element>(reinterpret_cast<Element*>(base + column * stride));
    }

private:
    char* base;
    int64_t stride;
};

/* Several columns. */
template <class Value, class Element> class ColumnsOf {
public:
    using In = InColumnsOf<Value, Element>;
    using Out = OutColumnsOf<Value, Element>;
    BRIDGE_INLINE ColumnsOf(const bridge_argument& slot, const Rows& rows)
        : base(rows.of(slot.full)),
          vectorStride(slot.vector_stride),
          columnStride(slot.full.column_stride) {}
    BRIDGE_INLINE void enterTail(const bridge_argument& slot, const Rows& rows) {
        base = rows.of(slot.tail) - rows.full * vectorStride;
        columnStride = slot.tail.column_stride;
    }
    BRIDGE_INLINE In in(int64_t vector) const {
        return {base + vector * vectorStride, columnStride};
    }
    BRIDGE_INLINE Out out(int64_t vector) const {
        return {base + vector * vectorStride, columnStride};
    }

private:
    char* base;
    int64_t vectorStride, columnStride;
};
using Columns = ColumnsOf<Wide, double>;
using Words = ColumnsOf<WideBits, int64_t>;

/* The outputs of a kernel that gives a quantity of a few columns a new value: kept until it has
 * read all of the old one, which may lie in the same place. */
template <class Value, int columns> class Held {
public:
    BRIDGE_INLINE Value& operator[](int column) { return value[column]; }
    template <class Out> BRIDGE_INLINE void save(const Out& place) const {
        for (int c = 0; c < columns; ++c) place[c] = value[c];
    }

private:
    Value value[columns];
};

/* What the generated table holds: a kernel has the one wrapper, or the other where its points follow
 * each other. */
struct NamedKernel {
    const char* name;
    bridge_kernel launch;
    bridge_line_kernel lines;
    int arguments;
};
/* Lists of kernels, each with an end that has no name; after the last one nullptr. */
extern const NamedKernel* const kernelParts[];

}  // namespace BRIDGE_NAMESPACE

#endif
