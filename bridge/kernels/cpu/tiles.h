/* Lines of a sweep in tiles, [column][position][lane]: what lies apart in memory is copied there by
 * squares and back, and the kernel finds vectors.
 *
 * A sweep along x has lanes whose elements are a row apart; and where lines do not fill a vector,
 * a tile has room for the lanes that are not there. Lines are cut into pieces that fit the cache:
 * a piece finds what the ones before it have written in the array.
 */
#ifndef BRIDGE_KERNELS_CPU_TILES_H
#define BRIDGE_KERNELS_CPU_TILES_H

#include "block.h"
#include "width.h"

#include <algorithm>

namespace BRIDGE_NAMESPACE {

class Tiles {
public:
    static constexpr int64_t lane = 8, position = BRIDGE_WIDTH * lane; /* bytes to the next one */

    explicit Tiles(const bridge_order& o) : order(o) {
        int64_t columns = 0, around = 0;
        for (int t = 0; t < order.n_tiles; ++t) {
            const bridge_tile& tile = order.tiles[t];
            columns += of(tile).columns;
            around += (tile.below + tile.above) * of(tile).columns;
        }
        if (!columns) return;
        const int64_t room = (cache / position - around) / columns / 8 * 8;
        piece = std::min(std::max<int64_t>(room, 8), order.extent[order.along]);
        bytes = (columns * piece + around) * position;
    }
    /* Of one launch: the arguments and all tiles. */
    int64_t size() const {
        return bytes ? bytes + order.n_arguments * int64_t{sizeof(bridge_points)} : 0;
    }
    /* `one` says which lines: at most a vector of them. */
    void run(bridge_lines one, char* memory) const {
        auto* arguments = reinterpret_cast<bridge_points*>(memory + bytes);
        const int64_t n = order.extent[order.along];
        one.arguments = arguments;
        one.padded = order.padded;
        for (int64_t done = 0; done < n; done += one.steps) {
            one.done = done;
            one.steps = std::min(piece, n - done);
            const int64_t begin = order.way > 0 ? done : n - done - one.steps;
            for (int k = 0; k < order.n_arguments; ++k)
                arguments[k] = at(order.arguments[k], one, begin);
            char* place = memory;
            for (int t = 0; t < order.n_tiles; ++t) {
                const bridge_tile& tile = order.tiles[t];
                bridge_points inside = of(tile);
                const int64_t positions = one.steps + tile.below + tile.above;
                if (tile.input >= 0) bring(tile, one, begin, place);
                inside.address = place + tile.below * position;
                inside.stride[0] = inside.stride[1] = inside.stride[2] = 0;
                inside.stride[order.across] = lane;
                inside.stride[order.along] = position;
                inside.column_stride = positions * position;
                inside.scale = 1.0;
                inside.type = BRIDGE_FLOAT64;
                if (tile.input >= 0) arguments[tile.input] = inside;
                if (tile.output >= 0) arguments[tile.output] = inside;
                place += positions * position * inside.columns;
            }
            bridge_lines here = one;
            here.start[0] = here.start[1] = here.start[2] = 0;
            here.start[order.along] = order.way > 0 ? 0 : one.steps - 1;
            order.kernel(order.shared, &here);
            for (int t = 0; t < order.n_tiles; ++t)
                if (order.tiles[t].output >= 0)
                    take(order.tiles[t], one, begin, arguments[order.tiles[t].output]);
        }
    }

private:
    static constexpr int64_t cache = 128 * 1024;

    const bridge_points& of(const bridge_tile& tile) const {
        return order.arguments[tile.input >= 0 ? tile.input : tile.output];
    }
    /* The argument from a position of these lines on. */
    bridge_points at(const bridge_points& points, const bridge_lines& one, int64_t begin) const {
        bridge_points moved = points;
        for (int axis = 0; axis < 3; ++axis)
            moved.address += (axis == order.along ? begin : one.start[axis]) * points.stride[axis];
        return moved;
    }
    /* Lanes as points of a row, positions as its columns. */
    bridge_array array(const bridge_points& from, int64_t points, int64_t column) const {
        const int64_t element = from.type == BRIDGE_FLOAT64 ? 8 : 4;
        bridge_array found{};
        found.address = from.address + column * from.column_stride;
        found.box.extent[0] = points;
        found.box.extent[1] = found.box.extent[2] = 1;
        found.box.stride[0] = from.stride[order.across] / element;
        found.box.data_stride = from.stride[order.along] / element;
        found.scale = from.scale;
        found.type = from.type;
        return found;
    }
    void bring(const bridge_tile& tile, const bridge_lines& one, int64_t begin, char* to) const {
        const int64_t n = order.extent[order.along];
        const int64_t first = std::max<int64_t>(begin - tile.below, -tile.first);
        const int64_t end = std::min(begin + one.steps + tile.above, n + tile.last);
        const bridge_points from = at(of(tile), one, first);
        const int64_t column = (one.steps + tile.below + tile.above) * position;
        to += (first - begin + tile.below) * position;
        bridge_slot slot{};
        slot.columns = static_cast<int32_t>(end - first);
        const Piece piece{0, 0, 0, 1, 1, one.points, false};
        for (int64_t c = 0; c < from.columns; ++c)
            gatherBlock(array(from, one.points, c), slot, piece, to + c * column);
    }
    void take(const bridge_tile& tile, const bridge_lines& one, int64_t begin,
              const bridge_points& inside) const {
        const bridge_points to = at(order.arguments[tile.output], one, begin);
        bridge_slot slot{};
        slot.columns = static_cast<int32_t>(one.steps);
        const Piece piece{0, 0, 0, 1, 1, one.points, false};
        for (int64_t c = 0; c < to.columns; ++c) {
            char* from = inside.address + c * inside.column_stride;
            const bridge_place place{from, 0, 0, position};
            const bridge_argument block{place, one.steps * position, place, 0};
            scatterBlock(array(to, one.points, c), slot, piece, block, nullptr);
        }
    }

    const bridge_order& order;
    int64_t piece = 0; /* positions at a time */
    int64_t bytes = 0;
};

}  // namespace BRIDGE_NAMESPACE

#endif
