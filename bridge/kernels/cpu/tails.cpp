/* Rows of a slot in place: lines that are asked for before, and the last vectors of rows, which are
 * staged in scratch where a row ends within one.
 */
#include "block.h"

#include "copy.h"

namespace BRIDGE_NAMESPACE {

void willWriteBlock(const bridge_slot& slot, const Piece& piece, const bridge_argument& place) {
    const int64_t row = piece.fullVectors() * place.vector_stride;
    if (place.vector_stride != width * 8 || place.full.address == nullptr) return;
    for (int64_t c = 0; c < slot.columns; ++c)
        for (int64_t p = 0; p < piece.planes; ++p)
            for (int64_t r = 0; r < piece.rows; ++r) {
                const char* line = place.full.address + c * place.full.column_stride +
                                   p * place.full.plane_stride + r * place.full.row_stride;
                for (int64_t at = 0; at < row; at += 64) willWrite(line + at, 0);
            }
}

namespace {

/* f(array's and staged address of each row's tail, in each column): rows of a column follow each
 * other, so that they are close in memory. */
template <class F>
void forEachTail(const bridge_slot& slot, const Piece& piece, const bridge_argument& place, F f) {
    const int64_t skipped = piece.fullVectors() * place.vector_stride;
    for (int64_t c = 0; c < slot.columns; ++c)
        for (int64_t p = 0; p < piece.planes; ++p) {
            char* array = place.full.address + skipped + p * place.full.plane_stride +
                          c * place.full.column_stride;
            char* staged =
                place.tail.address + p * place.tail.plane_stride + c * place.tail.column_stride;
            for (int64_t r = 0; r < piece.rows; ++r) {
                f(reinterpret_cast<double*>(array), reinterpret_cast<double*>(staged));
                array += place.full.row_stride;
                staged += place.tail.row_stride;
            }
        }
}

}  // namespace

void gatherTails(const bridge_slot& slot, const Piece& piece, const bridge_argument& place) {
    const int64_t tail = piece.tail();
    const int64_t registers = (tail - 1) / lanes; /* that are full */
    const int64_t inLast = tail - registers * lanes;
    /* The lanes of the last register among those that are loaded: the last ones of the row where
     * it is long enough for a whole register, else its own. */
    const bool whole = piece.points >= lanes;
    const int64_t skipped = whole ? lanes - inLast : 0;
    IntegerVector order;
    for (int64_t l = 0; l < lanes; ++l) order[l] = std::min(l, inLast - 1) + skipped;
    const auto fill = [&](const double* from, double* to, auto full, const Lanes& loaded) {
        for (int64_t r = 0; r < full; ++r) store(to + r * lanes, loadLanes(from + r * lanes));
        const Lanes last(shuffled(loaded.v, order));
        store(to + full * lanes, last);
        for (int64_t r = full + 1; r < BRIDGE_REGISTERS; ++r)
            store(to + r * lanes, Lanes(last.v[lanes - 1]));
    };
    const auto go = [&](auto full) {
        if (whole)
            forEachTail(slot, piece, place, [&](const double* from, double* to) {
                fill(from, to, full, loadLanes(from + tail - lanes));
            });
        else
            forEachTail(slot, piece, place, [&](const double* from, double* to) {
                fill(from, to, full, loadPart(from + full * lanes, inLast));
            });
    };
    if (registers)
        go(Known<BRIDGE_REGISTERS - 1>{});
    else
        go(Known<0>{});
}

void scatterTails(const bridge_slot& slot, const Piece& piece, const bridge_argument& place) {
    const int64_t tail = piece.tail();
    forEachTail(slot, piece, place, [&](double* to, const double* from) {
        for (int64_t p = 0; p < tail; p += lanes)
            movePart(from + p, to + p, std::min(lanes, tail - p), Plain{});
    });
}

}  // namespace BRIDGE_NAMESPACE
