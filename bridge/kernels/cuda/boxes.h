// Which point of a box a thread works on, and how far that is from the first one.
//
// Pointwise kernels take points one after another, x fastest, so that no thread is idle whatever
// the length of a row. Kernels that read neighbours take tiles of rows: a block of threads stands
// on a tile of x and y and goes through some planes of it, so that most of what its points share is
// still in the multiprocessor's cache. Quotients of a divisor that is known beforehand: a product
// and a shift, where a division takes twenty instructions.
#pragma once
#include "columns.h"

namespace BRIDGE_NAMESPACE {
namespace boxes {

// n / d for 0 <= n < 2^31 is (high half of n factor, plus n) >> shift.
struct Divisor {
    unsigned factor;
    int shift;
};
BRIDGE_FN int divided(int n, const Divisor& by) {
    const unsigned long long product = static_cast<unsigned long long>(n) * by.factor;
    return static_cast<int>((static_cast<unsigned>(product >> 32) + n) >> by.shift);
}

struct Grid {
    int extent[3];  // points of the box
    int points;     // all of them
    int sizes[2];   // along x and y: points, or tiles of 2^bits points
    Divisor by[2];  // the same to divide by
    int bits[2];
    int planes;  // of a tile
};
struct Cell {
    int i, j, k;
};
// From a number to the cell of a box that has it, of so many along x and y.
BRIDGE_FN Cell cellOf(int number, const Grid& grid) {
    const int row = divided(number, grid.by[0]), k = divided(row, grid.by[1]);
    return {number - row * grid.sizes[0], row - k * grid.sizes[1], k};
}
// The first point of a thread of a tile.
BRIDGE_FN Cell tileOf(int block, int thread, const Grid& grid) {
    const Cell tile = cellOf(block, grid);
    const int along = thread & ((1 << grid.bits[0]) - 1);
    return {(tile.i << grid.bits[0]) + along, (tile.j << grid.bits[1]) + (thread >> grid.bits[0]),
            tile.k * grid.planes};
}

// Elements from the box's first point to a point; strides are ints where those of all arrays fit.
template <class X, class Y, class Z>
BRIDGE_FN long long distance(const Cell& cell, X x, Y y, Z z) {
    return static_cast<long long>(cell.i) * x + static_cast<long long>(cell.j) * y +
           static_cast<long long>(cell.k) * z;
}

}  // namespace boxes
}  // namespace BRIDGE_NAMESPACE
