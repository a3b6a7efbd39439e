/* Values of arrays of the host for constants that are reductions (kernels/gpu/constants.h): keys of
 * extremes, numbers, and parts of sums, by the reductions of reduce.cpp.
 */
#include "../exact.h"
#include "interface.h"

#include <algorithm>
#include <xmmintrin.h>

namespace {

/* The results of columns of an array, which are there already where it has no source. */
void reduced(const bridge_constant_array& array, int operation, const bridge_measure& measure,
             int threads) {
    if (array.source)
        bridge_cpu_reduce(array.source, array.mask, operation, &measure, array.partials,
                          array.results, threads);
}

/* sign: -1 of the least; apart: keys of columns, 0 for one of all. */
void keyed(const bridge_constant_array& array, double sign, int64_t* key, int apart) {
    for (int c = 0; c < array.columns; ++c) {
        if (array.results[c].point < 0) continue;
        int64_t& mine = key[c * apart];
        mine = std::max<int64_t>(mine, bridge_key(sign * array.results[c].value));
    }
}

void partsOf(const bridge_constant_array& array, const bridge_grains* all, int64_t* words,
             int threads) {
    for (int c = 0; c < array.columns; ++c, words += BRIDGE_EXACT_PARTS) {
        const bridge_grains& grains = all[c];
        if (!bridge_has_parts(&grains)) continue;
        bridge_measure measure{array.measure, 0, {}};
        std::copy_n(grains.grain, BRIDGE_EXACT_PARTS, measure.grain);
        const int square = array.measure == BRIDGE_SQUARE;
        bridge_array column = array.column[c];
        column.scale *= bridge_exact_factor(&grains, square);
        for (int i = 0; i < BRIDGE_EXACT_PARTS; ++i) {
            measure.part = i + 1;
            bridge_cpu_reduce(&column, array.mask, BRIDGE_SUM, &measure, array.partials,
                              array.results, threads);
            words[i] += static_cast<int64_t>(ldexp(array.results->value, -grains.last[i]));
        }
    }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int bridge_cpu_constant_values(
    void* argument, int second, const void* grains, int64_t* words, int threads) {
    const auto& array = *static_cast<const bridge_constant_array*>(argument);
    const unsigned control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    bridge_measure measure{array.measure, 0, {}};
    if (second) {
        partsOf(array, static_cast<const bridge_grains*>(grains), words, threads);
    } else if (array.added) { /* sums: of the values themselves, whose signs count */
        measure.of = BRIDGE_VALUE;
        reduced(array, BRIDGE_MAX, measure, threads);
        keyed(array, 1.0, words, 2);
        reduced(array, BRIDGE_MIN, measure, threads);
        keyed(array, -1.0, words + 1, 2);
    } else {
        reduced(array, array.operation, measure, threads);
        if (array.operation == BRIDGE_SUM)
            for (int c = 0; c < array.columns; ++c)
                words[0] += static_cast<int64_t>(array.results[c].value);
        else
            keyed(array, array.operation == BRIDGE_MIN ? -1.0 : 1.0, words, 0);
    }
    _mm_setcsr(control);
    return 0;
}
