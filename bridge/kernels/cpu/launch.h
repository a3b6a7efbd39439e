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

/* What kernels compute with here. */
#if BRIDGE_REGISTERS == 2
using Wide = Twice;
using WideBits = TwiceBits;
BRIDGE_INLINE Wide loadWide(const double* p) {
    return {loadLanes(p), loadLanes(p + BRIDGE_LANES)};
}
BRIDGE_INLINE WideBits loadWide(const int64_t* p) {
    return {loadBits(p), loadBits(p + BRIDGE_LANES)};
}
BRIDGE_INLINE void store(double* p, Wide x) {
    store(p, x.a);
    store(p + BRIDGE_LANES, x.b);
}
BRIDGE_INLINE void store(int64_t* p, WideBits x) {
    store(p, x.a);
    store(p + BRIDGE_LANES, x.b);
}
#else
using Wide = Lanes;
using WideBits = LaneBits;
BRIDGE_INLINE Wide loadWide(const double* p) { return loadLanes(p); }
BRIDGE_INLINE WideBits loadWide(const int64_t* p) { return loadBits(p); }
#endif

/* ---- Which vectors a launch goes over ------------------------------------------------------ */

/* Vectors first .. first+count-1 of a block, row after row: `begin` to `end` of row `row`. */
class Rows {
public:
    BRIDGE_INLINE Rows(const bridge_block& block, int64_t first, int64_t count)
        : row(first ? first / block.vectors : 0), begin(first - row * block.vectors),
          vectors(block.vectors), full(block.full), left(count) {
        end = vectors < begin + left ? vectors : begin + left;
    }
    BRIDGE_INLINE explicit operator bool() const { return left > 0; }
    BRIDGE_INLINE void operator++() {
        left -= end - begin;
        ++row;
        begin = 0;
        end = vectors < left ? vectors : left;
    }
    int64_t row, begin, end;
    int64_t vectors, full;

private:
    int64_t left;
};

/* ---- A slot along a row: the wrapper calls enterTail at the row's last vector, if not full ---- */

/* One column: its vectors follow each other wherever it lies. */
template <class T, class Number> class Scalar {
public:
    BRIDGE_INLINE Scalar(const bridge_argument& slot, const Rows& rows)
        : place(reinterpret_cast<T*>(slot.base + rows.row * slot.row_stride)) {}
    BRIDGE_INLINE void enterTail(const bridge_argument& slot, const Rows& rows) {
        place = reinterpret_cast<T*>(slot.tail + rows.row * slot.tail_row_stride) -
                rows.full * BRIDGE_WIDTH;
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

/* A place that a kernel assigns a Real to, and may read back. */
class OutColumn {
public:
    BRIDGE_INLINE explicit OutColumn(double* p) : place(p) {}
    BRIDGE_INLINE void operator=(const OutColumn& other) const { store(place, Wide(other)); }
    BRIDGE_INLINE void operator=(Wide value) const { store(place, value); }
    BRIDGE_INLINE operator Wide() const { return loadWide(place); }

private:
    double* place;
};

/* Column c of a quantity at one vector of points. */
class InColumns {
public:
    BRIDGE_INLINE InColumns(const char* p, int64_t columnStride) : base(p), stride(columnStride) {}
    BRIDGE_INLINE Wide operator[](int column) const {
        return loadWide(reinterpret_cast<const double*>(base + column * stride));
    }

private:
    const char* base;
    int64_t stride;
};
class OutColumns {
public:
    BRIDGE_INLINE OutColumns(char* p, int64_t columnStride) : base(p), stride(columnStride) {}
    BRIDGE_INLINE OutColumn operator[](int column) const {
        return OutColumn(reinterpret_cast<double*>(base + column * stride));
    }

private:
    char* base;
    int64_t stride;
};

/* Several columns. */
class Columns {
public:
    BRIDGE_INLINE Columns(const bridge_argument& slot, const Rows& rows)
        : base(slot.base + rows.row * slot.row_stride), vectorStride(slot.vector_stride),
          columnStride(slot.column_stride) {}
    BRIDGE_INLINE void enterTail(const bridge_argument& slot, const Rows& rows) {
        base = slot.tail + rows.row * slot.tail_row_stride - rows.full * vectorStride;
        columnStride = slot.tail_column_stride;
    }
    BRIDGE_INLINE InColumns in(int64_t vector) const {
        return {base + vector * vectorStride, columnStride};
    }
    BRIDGE_INLINE OutColumns out(int64_t vector) const {
        return {base + vector * vectorStride, columnStride};
    }

private:
    char* base;
    int64_t vectorStride, columnStride;
};

/* The outputs of a kernel that gives a quantity of a few columns a new value: kept until it has
 * read all of the old one, which may lie in the same place. */
template <int columns> class Held {
public:
    BRIDGE_INLINE Wide& operator[](int column) { return value[column]; }
    BRIDGE_INLINE void save(const OutColumns& place) const {
        for (int c = 0; c < columns; ++c) place[c] = value[c];
    }

private:
    Wide value[columns];
};

/* What the generated table holds. */
struct NamedKernel {
    const char* name;
    bridge_kernel launch;
    int arguments;
};
extern const NamedKernel namedKernels[];
extern const int numberOfKernels;

}  // namespace BRIDGE_NAMESPACE

#endif
