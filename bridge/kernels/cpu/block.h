/* The values of a block's points: where they lie in the caller's arrays, and copies of them.
 *
 * A block is a piece of the plan's box: some rows of equally many points, or, where the plan packs
 * points across rows, a run of points that counts as one row. The ends of rows may be a piece of their
 * own, whose rows go across them. A piece may be points from here and there, as a mask leaves them.
 */
#ifndef BRIDGE_KERNELS_CPU_BLOCK_H
#define BRIDGE_KERNELS_CPU_BLOCK_H

#include "interface.h"

namespace BRIDGE_NAMESPACE {

/* Points by their places in a box; whole vectors of them, the last of which repeat the last point. */
struct Listed {
    const int64_t *x, *y, *z;
};

/* Points (i .. i+points-1, j .. j+rows-1, k .. k+planes-1) of the box, or of one of many blocks;
 * where points are packed, `points` of them from the i-th on, counted through all rows of the box,
 * or of all blocks; with a list, `points` of it. */
struct Piece {
    int64_t i, j, k;
    int64_t planes, rows, points;
    bool packed;
    int64_t block = 0; /* where there are many, and points are not packed */
    bool turned =
        false; /* x and y have changed places: i and `points` count along y, j and `rows` along x */
    const Listed* list = nullptr;
    int64_t vectors() const;     /* of a row */
    int64_t fullVectors() const; /* of these, without padding */
    int64_t tail() const;        /* points of the vector after them */
};

/* Whether kernels may work on a slot where it lies in the array; then `place` says where the whole
 * vectors are. The rest of `place` is its place in scratch. */
bool inPlace(const bridge_array& array, const bridge_slot& slot, const Piece& piece,
             bridge_argument& place);

/* Where kernels find the neighbours of a piece's points: in the array itself. */
bridge_neighbours neighboursOf(const bridge_array& array, const Piece& piece);

/* Points of the array into a slot's block in scratch, padded; and back, without the padding and
 * without the points where the mask is 0; null: there is none. */
void gatherBlock(const bridge_array& array, const bridge_slot& slot, const Piece& piece,
                 char* block);
void scatterBlock(const bridge_array& array, const bridge_slot& slot, const Piece& piece,
                  const bridge_argument& block, const int64_t* mask);

/* Ask for the lines of a slot that kernels will write in place. */
void willWriteBlock(const bridge_slot& slot, const Piece& piece, const bridge_argument& place);

/* The last vector of each row, where the slot is in place and the row ends within it; and back. */
void gatherTails(const bridge_slot& slot, const Piece& piece, const bridge_argument& place);
void scatterTails(const bridge_slot& slot, const Piece& piece, const bridge_argument& place);

}  // namespace BRIDGE_NAMESPACE

#endif
