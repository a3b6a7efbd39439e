// Which block of many, and which of its points, a thread works on, and where its arrays lie there.
//
// Points of a launch are numbered through its blocks, in their order. Pointwise kernels take points
// one after another: `starts` says in which block the first point of each group of threads lies, and
// the others look for theirs from there on, so that no thread is idle however small blocks are.
// Kernels that read neighbours take tiles of one block each, which `tiles` says.
#pragma once
#include "neighbours.h"

namespace BRIDGE_NAMESPACE {
namespace boxes {

struct Block {
    int first;      // number of its first point
    int extent[3];  // points along x, y, z
    Divisor by[2];  // to divide by those along x and y
};
// How an array lies in a block: its first point, and elements from point to point and column to
// column.
struct Lie {
    long long offset, x, y, z, column;
};
struct Tile {
    int block, i, j, k;  // and its first point there
};
struct Many {
    const Block* blocks;
    const Lie* lies;    // of each block as many as there are shapes
    const int* starts;  // of pointwise launches: a block for each group of threads, and one behind
    const Tile* tiles;  // of the others: one for each group of threads
    int points;         // all of them
    int bits[2];        // logarithms of a tile's points along x and y
    int planes;         // of a tile
};

// The block that has a point; group: of threads.
BRIDGE_FN int blockOf(int point, int group, const Many& many) {
    int low = many.starts[group], high = many.starts[group + 1];
    while (low < high) {
        const int middle = (low + high + 1) >> 1;
        if (many.blocks[middle].first <= point)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
// The cell of a point of a block.
BRIDGE_FN Cell cellOf(int point, const Block& block) {
    const int number = point - block.first;
    const int row = divided(number, block.by[0]), k = divided(row, block.by[1]);
    return {number - row * block.extent[0], row - k * block.extent[1], k};
}
// The first point of a thread of a tile.
BRIDGE_FN Cell cellOf(const Tile& tile, int thread, const Many& many) {
    const int along = thread & ((1 << many.bits[0]) - 1);
    return {tile.i + along, tile.j + (thread >> many.bits[0]), tile.k};
}

}  // namespace boxes
}  // namespace BRIDGE_NAMESPACE
