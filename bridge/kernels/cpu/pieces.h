/* How points of a plan become blocks: pieces of whole rows where they fit, and what each thread gets.
 *
 * Between the executor, which asks for one piece after the other, and block.h, which copies its values.
 */
#ifndef BRIDGE_KERNELS_CPU_PIECES_H
#define BRIDGE_KERNELS_CPU_PIECES_H

#include "block.h"
#include "copy.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace BRIDGE_NAMESPACE {

/* Points first .. first+n-1 of a plan, block after block: whole rows together where they fit. Of many
 * blocks one after the other, each a box of its own. */
class Pieces {
public:
    Pieces(const bridge_plan& p, int64_t first, int64_t n) : plan(p), at(first), last(first + n) {
        extent = plan.extent;
        if (!plan.rows) return;
        if (plan.blocks.count) {
            block = blockOf(plan.blocks, first) - 1;
            enter();
        } else {
            measure();
        }
    }
    bool more() const { return at < last || ends.points; }
    Piece next() {
        if (ends.points) return std::exchange(ends, Piece{});
        Piece piece{at, 0, 0, 1, 1, std::min(plan.block, last - at), true, 0, false};
        if (plan.rows) {
            if (at == end) enter();
            const int64_t length = extent[0], row = (at - begin) / length;
            const int64_t i = at - begin - row * length, k = row / extent[1];
            const int64_t j = row - k * extent[1];
            const int64_t points = std::min({longest + few, length - i, last - at});
            piece = {i, j, k, 1, 1, points, false, block, false};
            if (points == length) {
                const int64_t whole = std::min(rows, (last - at) / length);
                piece.rows = std::min(whole, extent[1] - j);
                if (piece.rows == extent[1])
                    piece.planes = std::min(whole / piece.rows, extent[2] - k);
                if (few) {
                    piece.points = longest;
                    ends = {j, longest, k, piece.planes, few, piece.rows, false, block, true};
                    at += piece.planes * piece.rows * few;
                }
            }
        }
        at += piece.planes * piece.rows * piece.points;
        return piece;
    }

private:
    const bridge_plan& plan;
    const int64_t* extent; /* of the box, or of the block */
    int64_t at, last;
    Piece ends{};        /* of the rows of the piece before, if it has points */
    int64_t few = 0;     /* last points of each row that are such ends */
    int64_t longest = 0; /* points of a row that one block takes, whole vectors unless all */
    int64_t rows = 0;    /* that fit into a block */
    int64_t block = 0, begin = 0, end = -1; /* of many blocks: which one, its points */

    /* The next block that has points. */
    void enter() {
        do ++block;
        while (plan.blocks.first[block + 1] == plan.blocks.first[block]);
        begin = plan.blocks.first[block];
        end = plan.blocks.first[block + 1];
        extent = plan.blocks.boxes[block].extent;
        measure();
    }
    void measure() {
        const int64_t row = extent[0], pieces = (row + plan.block - 1) / plan.block;
        const int64_t even = (row + pieces - 1) / pieces;
        longest = (even + width - 1) / width * width;
        rows = std::max<int64_t>(1, plan.block / longest);
        /* A vector for so few points of each row is dear; that of the points of several rows has to
         * be gathered, so a block has to have some. */
        const int64_t tail = row % width, whole = row - tail;
        few = plan.ends && whole && tail && tail <= width / 4 && extent[1] >= width / 2 &&
                      plan.block >= whole * width / 2
                  ? tail
                  : 0;
        if (few) {
            longest = whole;
            rows = plan.block / whole;
        }
    }
};

/* Where a thread begins that would begin at a point: of many blocks at the start of a row. */
inline int64_t rowStart(const bridge_plan& plan, int64_t point) {
    const bridge_blocks& blocks = plan.blocks;
    if (!blocks.count || point >= blocks.first[blocks.count]) return point;
    const int64_t block = blockOf(blocks, point), inside = point - blocks.first[block];
    return point - inside % blocks.boxes[block].extent[0];
}

/* Points of each thread, in whole rows where there are enough of them, else in whole vectors. */
inline int64_t shareOf(const bridge_plan& plan, int64_t n, int threads) {
    const int64_t row = plan.rows && !plan.blocks.count ? plan.extent[0] : 1;
    const int64_t unit = n / row >= 8 * threads && row > width ? row : width;
    const int64_t share = (n + threads - 1) / threads;
    return (share + unit - 1) / unit * unit;
}

}  // namespace BRIDGE_NAMESPACE

#endif
