/* Runs a nest: its rows are shared out among threads, and each goes over its own from the first to the
 * last. Internal to a kernel library; the nests are those of kernel packs.
 */
#include "environment.h"
#include "interface.h"
#include "sharing.h"
#include "width.h"

#include <algorithm>

namespace BRIDGE_NAMESPACE {
namespace {

/* Points first .. last-1, row after row; those of rows that begin or end within come by themselves. */
void goOver(const bridge_nest& nest, int64_t first, int64_t last) {
    const int64_t length = nest.extent[0];
    while (first < last) {
        const int64_t row = first / length, i = first - row * length;
        bridge_nest_rows rows{nest.extent[1], row, 1, i, std::min(length - i, last - first),
                              nest.plain};
        if (rows.points == length) rows.rows = (last - first) / length;
        nest.kernel(nest.shared, nest.arrays, nest.tables, &rows);
        first += rows.rows * rows.points;
    }
}

}  // namespace
}  // namespace BRIDGE_NAMESPACE

using namespace BRIDGE_NAMESPACE;

extern "C" __attribute__((visibility("default"))) int bridge_cpu_run_nest(const bridge_nest* nest,
                                                                          int64_t first, int64_t n,
                                                                          int threads) {
    if (n <= 0) return 0;
    threads = static_cast<int>(std::clamp<int64_t>(n / nest->share, 1, std::max(threads, 1)));
    const int64_t row = nest->extent[0];
    Region region(*nest->sharing, n, threads);
    threads = region.count();
    /* whole rows where there are enough of them, else whole registers */
    const int64_t unit = n / row >= 8 * threads ? row : BRIDGE_LANES;
    const int64_t share = ((n + threads - 1) / threads + unit - 1) / unit * unit;
    region.each([&](int t) {
        const DefaultFloatingPoint environment;
        const int64_t begin = std::min(t * share, n), end = std::min(begin + share, n);
        if (begin < end) goOver(*nest, first + begin, first + end);
    });
    return 0;
}
