/* Copies between the caller's arrays and blocks of slots, [vector][column][lane].
 *
 * An array whose rows are contiguous doubles is not copied: kernels work on it in place, and only
 * the last vector of a row that ends within it is staged in scratch.
 */
#include "block.h"

#include "copy.h"

namespace BRIDGE_NAMESPACE {

int64_t Piece::vectors() const { return (points + width - 1) / width; }
int64_t Piece::fullVectors() const { return points / width; }
int64_t Piece::tail() const { return points % width; }

namespace {

/* The box that a piece is of. An array of one box is the same for all blocks. */
const bridge_box& boxOf(const bridge_array& array, const Piece& piece) {
    return array.blocks.count ? array.blocks.boxes[piece.block] : array.box;
}

/* The same as the piece sees it. */
bridge_box seen(const bridge_box& box, const Piece& piece) {
    bridge_box found = box;
    if (piece.turned) std::swap(found.stride[0], found.stride[1]);
    return found;
}

/* f(box, offset of a row's first point in the array, its number in the block, its length, rows,
 * points from row to row of the block): of rows that lie equally far apart, one call. */
template <class F> void forEachRowsIn(const bridge_array& array, const Piece& piece, F f) {
    if (piece.packed)
        return forEachRowsOf(
            array, piece.i, piece.points,
            [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length,
                int64_t rows) { f(box, offset, point, length, rows, length); });
    const bridge_box& straight = boxOf(array, piece);
    const bridge_box turned = piece.turned ? seen(straight, piece) : bridge_box{};
    const bridge_box& box = piece.turned ? turned : straight;
    const int64_t padded = piece.vectors() * width;
    for (int64_t p = 0; p < piece.planes; ++p)
        f(box, offsetOf(box, piece.i, piece.j, piece.k + p), p * piece.rows * padded, piece.points,
          piece.rows, padded);
}

/* f(box, offset of a row's first point in the array, its number in the block, its length) */
template <class F> void forEachRowOf(const bridge_array& array, const Piece& piece, F f) {
    forEachRowsIn(array, piece,
                  [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length,
                      int64_t rows, int64_t step) {
                      for (int64_t r = 0; r < rows; ++r)
                          f(box, offset + r * box.stride[1], point + r * step, length);
                  });
}

/* Where a block of doubles lies in scratch: elements from vector to vector, from column to column. */
template <class V> struct Vectors {
    V* base;
    int64_t vector, column;
    V* at(int64_t point) const { return base + point / width * vector + point % width; }
};

/* Elements from a box to what is copied after it, so that it can be asked for: rows are too short
 * for the processor to foresee. */
template <class M> int64_t nextOf(const bridge_array& array, const bridge_box& box) {
    const bridge_blocks& blocks = array.blocks;
    if (blocks.count == 0) return ahead / static_cast<int64_t>(sizeof(M));
    return &box + 1 < blocks.boxes + blocks.count ? (&box + 1)->offset - box.offset : 0;
}

/* Rows of whole registers at places of whole registers, whose points or components are neighbours
 * in memory; false: these are others. What many short rows need: a row of eight points is one
 * register, and deciding costs more than copying it. */
template <bool inward, class A, class V, class Op>
bool copyRegisters(A* array, const bridge_box& box, int64_t next, const Vectors<V>& block,
                   int64_t columns, int64_t point, int64_t length, int64_t rows, int64_t step,
                   Op op) {
    const int64_t along = box.stride[0], across = box.data_stride;
    if ((point | length | step) % lanes || (along != 1 && across != 1) || along == 0) return false;
    if (along == 1) {
        for (int64_t c = 0; c < columns; ++c)
            for (int64_t r = 0; r < rows; ++r) {
                A* outer = array + c * across + r * box.stride[1];
                for (int64_t p = 0; p < length; p += lanes) {
                    V* inner = block.at(point + r * step + p) + c * block.column;
                    if constexpr (inward) {
                        willRead(outer + p + next, 0);
                        willRead(outer + p + next + lanes - 1, 0);
                        store(inner, op.all(loadLanes(outer + p)));
                    } else {
                        willWrite(outer + p + next, 0);
                        willWrite(outer + p + next + lanes - 1, 0);
                        store(outer + p, op.all(loadLanes(inner)));
                    }
                }
            }
        return true;
    }
    withRemainder(columns, [&](auto rest) {
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t p = 0; p < length; p += lanes)
                turnRegister<inward>(array + r * box.stride[1] + p * along, along,
                                     block.at(point + r * step + p), block.column, columns, rest,
                                     Known<lanes>{}, op);
    });
    return true;
}

/* f(point of the run, vector and lane of the block, points): one call for each register that a
 * run meets; between its ragged ends the number of points is known to the compiler. */
template <class F> void forEachRegister(int64_t point, int64_t length, F f) {
    const auto call = [&](int64_t p, auto count) {
        f(p, (point + p) / width, (point + p) % width, count);
    };
    int64_t p = std::min((lanes - point % lanes) % lanes, length);
    if (p) call(0, p);
    for (; p + lanes <= length; p += lanes) call(p, Known<lanes>{});
    if (p < length) call(p, length - p);
}

/* There is no scalar tail anywhere: a row's last vector repeats its last point. */
template <class S> void pad(S* block, int64_t columns, const Piece& piece) {
    const int64_t tail = piece.tail();
    if (tail == 0) return;
    S* last = block + piece.fullVectors() * columns * width;
    const int64_t rows = piece.planes * piece.rows;
    for (int64_t r = 0; r < rows; ++r, last += piece.vectors() * columns * width)
        for (int64_t c = 0; c < columns; ++c) {
            S* column = last + c * width;
            const S value = column[tail - 1];
            for (int64_t l = tail; l < width; ++l) column[l] = value;
        }
}

/* A row of points whose components are neighbours, to or from a row of a block. */
template <bool inward, class A, class V, class Op>
void turnRow(A* array, int64_t along, V* block, int64_t columns, int64_t points, Op op) {
    withRemainder(columns, [&](auto rest) {
        int64_t p = 0;
        const auto call = [&](auto count) BRIDGE_INLINED {
            turnRegister<inward>(array + p * along, along,
                                 block + p / width * columns * width + p % width, width, columns,
                                 rest, count, op);
        };
        for (; p + lanes <= points; p += lanes) call(Known<lanes>{});
        if (p < points) call(points - p);
    });
}

/* f(vector, offsets of its points in the array) */
template <class F> void forEachListed(const bridge_array& array, const Piece& piece, F f) {
    const bridge_box& box = boxOf(array, piece);
    const Listed& list = *piece.list;
    for (int64_t v = 0; v < piece.vectors(); ++v) {
        int64_t offsets[width];
        for (int64_t l = 0; l < width; ++l)
            offsets[l] =
                offsetOf(box, list.x[v * width + l], list.y[v * width + l], list.z[v * width + l]);
        f(v, offsets);
    }
}

template <class M, class S, class Op>
__attribute__((noinline)) void gatherListed(const bridge_array& array, const Piece& piece,
                                            S* block, int64_t columns, Op op) {
    const M* base = static_cast<const M*>(array.address);
    const int64_t across = boxOf(array, piece).data_stride;
    forEachListed(array, piece, [&](int64_t v, const int64_t* offsets) {
        S* vector = block + v * columns * width;
        for (int64_t c = 0; c < columns; ++c)
            for (int64_t l = 0; l < width; ++l)
                vector[c * width + l] = op.template one<S>(base[offsets[l] + c * across]);
    });
}

template <class M, class S, class Op>
__attribute__((noinline)) void scatterListed(const bridge_array& array, const Piece& piece,
                                             const bridge_argument& block, int64_t columns,
                                             Op op) {
    M* base = static_cast<M*>(array.address);
    const auto* values = reinterpret_cast<const S*>(block.full.address);
    const int64_t across = boxOf(array, piece).data_stride;
    forEachListed(array, piece, [&](int64_t v, const int64_t* offsets) {
        const S* vector = values + v * columns * width;
        const int64_t points = std::min(width, piece.points - v * width);
        for (int64_t c = 0; c < columns; ++c)
            for (int64_t l = 0; l < points; ++l)
                base[offsets[l] + c * across] = op.template one<M>(vector[c * width + l]);
    });
}

template <class M, class S, class Op>
void gather(const bridge_array& array, const Piece& piece, S* block, int64_t columns, Op op) {
    const M* base = static_cast<const M*>(array.address);
    const bridge_box& all = array.box;
    if (!array.blocks.count && !all.stride[0] && !all.stride[1] && !all.stride[2]) {
        const int64_t vectors = piece.planes * piece.rows * piece.vectors(); /* of a constant */
        for (int64_t v = 0; v < vectors; ++v)
            for (int64_t c = 0; c < columns; ++c, block += width)
                std::fill_n(block, width,
                            op.template one<S>(base[all.offset + c * all.data_stride]));
        return;
    }
    /* Of both kinds of pieces, compiled once. */
    const auto row = [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length)
        __attribute__((noinline)) {
        const int64_t along = box.stride[0], across = box.data_stride;
        const M* source = base + offset;
        if (along == 0) { /* one value for all points */
            for (int64_t c = 0; c < columns; ++c) {
                const S value = op.template one<S>(source[c * across]);
                for (int64_t p = point; p < point + length; ++p)
                    block[(p / width * columns + c) * width + p % width] = value;
            }
            return;
        }
        if (along == 1) {
            for (int64_t c = 0; c < columns; ++c)
                forEachRegister(point, length,
                                [&](int64_t p, int64_t v, int64_t lane, auto count) {
                                    movePart(source + c * across + p,
                                             block + (v * columns + c) * width + lane, count, op);
                                });
            return;
        }
        if constexpr (isDouble<M> && isDouble<S>) {
            if (across == 1 && !piece.packed)
                return turnRow<true>(source, along, block + point * columns, columns, length, op);
        }
        forEachRegister(point, length, [&](int64_t p, int64_t v, int64_t lane, auto count) {
            turn<true>(source + p * along, along, across, block + v * columns * width + lane,
                       width, count, columns, op);
        });
    };
    forEachRowsIn(
        array, piece,
        [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length, int64_t rows,
            int64_t points) {
            if constexpr (isDouble<M> && isDouble<S>) {
                if (!piece.turned && copyRegisters<true>(base + offset, box, nextOf<M>(array, box),
                                                         Vectors<S>{block, columns * width, width},
                                                         columns, point, length, rows, points, op))
                    return;
            }
            for (int64_t r = 0; r < rows; ++r)
                row(box, offset + r * box.stride[1], point + r * points, length);
        });
    pad(block, columns, piece);
}

template <class M, class S, class Op>
void scatter(const bridge_array& array, const Piece& piece, const bridge_argument& block,
             int64_t columns, Op op) {
    M* base = static_cast<M*>(array.address);
    const int64_t step = block.full.column_stride / static_cast<int64_t>(sizeof(S));
    const Vectors<const S> vectors{reinterpret_cast<const S*>(block.full.address),
                                   block.vector_stride / static_cast<int64_t>(sizeof(S)), step};
    /* in scratch, where vectors of all rows follow each other */
    const auto vector = [&](int64_t v) {
        return reinterpret_cast<const S*>(block.full.address + v * block.vector_stride);
    };
    const auto row = [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length)
        __attribute__((noinline)) {
        const int64_t along = box.stride[0], across = box.data_stride;
        M* target = base + offset;
        if (along == 1) {
            for (int64_t c = 0; c < columns; ++c)
                forEachRegister(
                    point, length, [&](int64_t p, int64_t v, int64_t lane, auto count) {
                        movePart(vector(v) + c * step + lane, target + c * across + p, count, op);
                    });
            return;
        }
        if constexpr (isDouble<M> && isDouble<S>) {
            if (across == 1 && !piece.packed)
                return turnRow<false>(target, along, vector(point / width), columns, length, op);
        }
        forEachRegister(point, length, [&](int64_t p, int64_t v, int64_t lane, auto count) {
            turn<false>(target + p * along, along, across, vector(v) + lane, step, count, columns,
                        op);
        });
    };
    forEachRowsIn(
        array, piece,
        [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length, int64_t rows,
            int64_t points) {
            if constexpr (isDouble<M> && isDouble<S>) {
                if (!piece.turned &&
                    copyRegisters<false>(base + offset, box, nextOf<M>(array, box), vectors,
                                         columns, point, length, rows, points, op))
                    return;
            }
            for (int64_t r = 0; r < rows; ++r)
                row(box, offset + r * box.stride[1], point + r * points, length);
        });
}

/* A mask is a block of one column, where points have their own numbers. */
template <class M, class S, class Op>
void scatterWhere(const int64_t* mask, const bridge_array& array, const Piece& piece,
                  const bridge_argument& block, int64_t columns, Op op) {
    M* base = static_cast<M*>(array.address);
    const auto* values = reinterpret_cast<const S*>(block.full.address);
    forEachRowOf(
        array, piece, [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length) {
            const int64_t along = box.stride[0], across = box.data_stride;
            for (int64_t p = 0; p < length; ++p) {
                const int64_t at = point + p, lane = at % width;
                if (mask[at] == 0) continue;
                for (int64_t c = 0; c < columns; ++c)
                    base[offset + p * along + c * across] =
                        op.template one<M>(values[(at / width * columns + c) * width + lane]);
            }
        });
}

void gatherPositions(const bridge_array& array, const Piece& piece, int64_t* block) {
    if (piece.list)
        return forEachListed(array, piece, [&](int64_t v, const int64_t* numbers) {
            std::copy_n(numbers, width, block + v * width);
        });
    forEachRowOf(array, piece,
                 [&](const bridge_box& box, int64_t number, int64_t point, int64_t length) {
                     for (int64_t p = 0; p < length; ++p)
                         block[point + p] = number + p * box.stride[0];
                 });
    pad(block, 1, piece);
}

bool scaled(const bridge_array& array) { return array.scale != 1.0; }

}  // namespace

bool inPlace(const bridge_array& array, const bridge_slot& slot, const Piece& piece,
             bridge_argument& place) {
    const bridge_box box = seen(boxOf(array, piece), piece);
    if (piece.packed || slot.is_int32 || array.type != BRIDGE_FLOAT64 || scaled(array) ||
        box.stride[0] != 1)
        return false;
    auto* base = static_cast<double*>(array.address);
    place.full = {reinterpret_cast<char*>(base + offsetOf(box, piece.i, piece.j, piece.k)),
                  box.stride[2] * 8, box.stride[1] * 8, box.data_stride * 8};
    place.vector_stride = width * 8;
    place.flat = 0;
    return true;
}

bridge_neighbours neighboursOf(const bridge_array& array, const Piece& piece) {
    const bridge_box box = seen(boxOf(array, piece), piece);
    /* of positions the number itself stands for the address */
    const int64_t size = array.type == BRIDGE_POSITION ? 1 : array.type == BRIDGE_FLOAT64 ? 8 : 4;
    auto* base = static_cast<char*>(array.address);
    bridge_neighbours found{};
    found.row = {base + size * offsetOf(box, piece.i, piece.j, piece.k), box.stride[2] * size,
                 box.stride[1] * size, box.data_stride * size};
    found.point_stride = box.stride[0] * size;
    for (int a = 0; a < 3; ++a) found.axis[a] = box.axis[a] * size;
    found.scale = array.scale;
    found.type = array.type;
    found.cells = array.cells;
    if (array.type == BRIDGE_FLOAT64 && !scaled(array))
        found.plain = box.stride[0] == 1     ? BRIDGE_NEAR_ROWS
                      : box.data_stride == 1 ? BRIDGE_NEAR_RECORDS
                                             : BRIDGE_NEAR_APART;
    return found;
}

void gatherBlock(const bridge_array& array, const bridge_slot& slot, const Piece& piece,
                 char* block) {
    auto* reals = reinterpret_cast<double*>(block);
    auto* integers = reinterpret_cast<int64_t*>(block);
    const int64_t columns = slot.columns;
    const auto go = [&](auto element) {
        using M = decltype(element);
        if (piece.list) {
            if (slot.is_int32)
                gatherListed<M>(array, piece, integers, columns, Plain{});
            else
                gatherListed<M>(array, piece, reals, columns, Times{array.scale});
        } else if (slot.is_int32)
            gather<M>(array, piece, integers, columns, Plain{});
        else if (scaled(array))
            gather<M>(array, piece, reals, columns, Times{array.scale});
        else
            gather<M>(array, piece, reals, columns, Plain{});
    };
    if (array.type == BRIDGE_POSITION)
        gatherPositions(array, piece, integers);
    else if (array.type == BRIDGE_INT32)
        go(int32_t{});
    else if (array.type == BRIDGE_FLOAT32)
        go(float{});
    else
        go(double{});
}

void scatterBlock(const bridge_array& array, const bridge_slot& slot, const Piece& piece,
                  const bridge_argument& block, const int64_t* mask) {
    const int64_t columns = slot.columns;
    const auto goAs = [&](auto element, auto value, auto op) {
        using M = decltype(element);
        using S = decltype(value);
        if (piece.list)
            scatterListed<M, S>(array, piece, block, columns, op);
        else if (mask)
            scatterWhere<M, S>(mask, array, piece, block, columns, op);
        else
            scatter<M, S>(array, piece, block, columns, op);
    };
    const auto go = [&](auto element) {
        if (slot.is_int32)
            goAs(element, int64_t{}, Plain{});
        else if (scaled(array))
            goAs(element, double{}, Over{array.scale});
        else
            goAs(element, double{}, Plain{});
    };
    if (array.type == BRIDGE_INT32)
        go(int32_t{});
    else if (array.type == BRIDGE_FLOAT32)
        go(float{});
    else
        go(double{});
}

}  // namespace BRIDGE_NAMESPACE
