/* The executor of kernels whose points follow each other: a colour of a box, or a sweep along each
 * line of one of its axes.
 *
 * Threads share lines, or rows of a colour, none of which reads what another one writes meanwhile:
 * so results do not depend on how many they are.
 */
#include "sharing.h"
#include "interface.h"
#include "scratch.h"
#include "tiles.h"
#include "width.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <omp.h>

namespace BRIDGE_NAMESPACE {
namespace {

constexpr int64_t width = BRIDGE_WIDTH;
thread_local Growing threadLines;

/* The launches of a box, by number: some lines side by side of a sweep, some rows of a colour. */
class Launches {
public:
    const Tiles tiles;
    Launches(const bridge_order& o, int threads) : tiles(o), order(o), sweeps(o.along >= 0) {
        const int third = sweeps ? 3 - o.across - o.along : (o.across + 1) % 3;
        other[0] = third;
        other[1] = sweeps ? -1 : 3 - o.across - third;
        if (!sweeps) {
            together = rowsTogether;
            while (threads > 1 && together > 1 && count() < 4 * threads) together /= 2;
            return;
        }
        together = o.together;
        while (threads > 1 && together > width && count() < 4 * threads)
            together = (together / 2 + width - 1) / width * width;
    }
    int64_t count() const {
        const int64_t last = order.extent[sweeps ? other[0] : other[1]];
        return groups(order.extent[sweeps ? order.across : other[0]]) * last;
    }
    void run(int64_t number, char* outputs, char* lines, char* copies) const {
        bridge_lines one{};
        one.arguments = order.arguments;
        one.tables = order.tables;
        one.mask = order.mask;
        one.outputs = outputs;
        one.lines = lines;
        one.across = order.across;
        if (sweeps) {
            const int64_t side = groups(order.extent[order.across]);
            const int64_t row = number / side, first = number % side * together;
            one.start[order.across] = first;
            one.start[other[0]] = row;
            one.steps = order.extent[order.along];
            one.start[order.along] = order.way > 0 ? 0 : one.steps - 1;
            one.points = std::min(together, order.extent[order.across] - first);
            one.apart = 1;
            one.along = order.along;
            one.way = order.way;
            one.length = one.steps;
            const int64_t vectors = (one.points + width - 1) / width;
            std::memset(lines, 0, static_cast<size_t>(vectors * order.line));
            const int64_t apart = !order.n_tiles ? 0
                                  : order.tiled  ? one.points
                                                 : one.points % width;
            if (one.points > apart) {
                bridge_lines whole = one;
                whole.points -= apart;
                order.kernel(order.shared, &whole);
            }
            if (apart) {
                one.start[order.across] += one.points - apart;
                one.lines += (one.points - apart) / width * order.line;
                one.points = apart;
                tiles.run(one, copies);
            }
            return;
        }
        const int64_t rows = order.extent[other[0]], side = groups(rows);
        const int64_t first = number % side * together, last = number / side;
        const int64_t begin = (first + last + order.parity) % 2, n = order.extent[order.across];
        one.start[other[0]] = first;
        one.start[other[1]] = last;
        one.start[order.across] = begin;
        one.points = (n + 1 - begin) / 2;
        one.odd_points = (n + begin) / 2;
        one.odd = begin ? -1 : 1;
        one.steps = one.length = std::min(together, rows - first);
        one.apart = 2;
        one.along = other[0];
        one.way = 1;
        order.kernel(order.shared, &one);
    }

private:
    /* Of a colour in one launch. */
    static constexpr int64_t rowsTogether = 64;
    int64_t groups(int64_t points) const { return (points + together - 1) / together; }
    const bridge_order& order;
    const bool sweeps;
    int other[2];
    int64_t together; /* lines of a sweep, rows of a colour */
};

int runLaunches(const bridge_order& order, const Launches& launches, int64_t first, int64_t end) {
    const DefaultFloatingPoint environment;
    const int64_t outputs = (order.outputs + 63) / 64 * 64;
    const int64_t vectors = (order.together + width - 1) / width;
    const int64_t lines = outputs + (vectors * order.line + 63) / 64 * 64;
    if (!threadLines.reserve(lines + launches.tiles.size())) return BRIDGE_CPU_NO_MEMORY;
    char* room = threadLines.get();
    for (int64_t number = first; number < end; ++number)
        launches.run(number, room, room + outputs, room + lines);
    return 0;
}

}  // namespace
}  // namespace BRIDGE_NAMESPACE

using namespace BRIDGE_NAMESPACE;

extern "C" __attribute__((visibility("default"))) int bridge_cpu_run_order(
    const bridge_order* order, int threads) {
    const int64_t points = order->extent[0] * order->extent[1] * order->extent[2];
    if (points <= 0) return 0;
    threads =
        static_cast<int>(std::clamp<int64_t>(points / order->share, 1, std::max(threads, 1)));
    Region region(*order->sharing, points, threads);
    const Launches launches(*order, region.count());
    const int64_t count = launches.count();
    std::atomic<int> outcome{0};
    region.limit(count);
    threads = region.count();
    region.each([&](int t) {
        const int failed =
            runLaunches(*order, launches, count * t / threads, count * (t + 1) / threads);
        if (failed) outcome = failed;
    });
    return outcome;
}
