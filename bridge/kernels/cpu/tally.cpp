/* Points by bit of status words, counted while the words are in the cache.
 *
 * Nearly always no word of a block has one of the bits that are counted: then all that is done is one
 * look at them, together. Lanes that repeat the last point of a row are no points.
 */
#include "tally.h"

#include "launch.h"

#include <atomic>

namespace BRIDGE_NAMESPACE {
namespace {

constexpr int64_t width = BRIDGE_WIDTH;
std::atomic<int64_t> tallies[BRIDGE_TALLIES][32];

void tally(const void*, const bridge_block* block, const int32_t* arguments, int64_t first,
           int64_t count) {
    /* Integers lie in scratch, where vectors follow each other through all rows. */
    const auto wordsOf = [&](int slot) {
        return reinterpret_cast<const int64_t*>(block->slots[slot].full.address) + first * width;
    };
    const int64_t* const words = wordsOf(arguments[0]);
    const int64_t wanted = arguments[2];
    WideBits together(0);
    for (int64_t v = 0; v < count; ++v) together = together | loadWide(words + v * width);
    if (!any((together & WideBits(wanted)) != WideBits(0))) return;
    const int64_t* const mask = arguments[1] < 0 ? nullptr : wordsOf(arguments[1]);
    int64_t found[32] = {};
    for (int64_t v = 0; v < count; ++v) {
        const bool ends = (first + v) % block->vectors >= block->full;
        const int64_t points = ends ? block->tail : width;
        for (int64_t p = v * width; p < v * width + points; ++p) {
            if (mask && mask[p] == 0) continue;
            for (int64_t bits = words[p] & wanted; bits; bits &= bits - 1)
                ++found[__builtin_ctzll(static_cast<uint64_t>(bits))];
        }
    }
    std::atomic<int64_t>* const mine = tallies[arguments[3]];
    for (int bit = 0; bit < 32; ++bit)
        if (found[bit]) mine[bit].fetch_add(found[bit], std::memory_order_relaxed);
}

}  // namespace
}  // namespace BRIDGE_NAMESPACE

using namespace BRIDGE_NAMESPACE;

#define BRIDGE_EXPORT extern "C" __attribute__((visibility("default")))

BRIDGE_EXPORT bridge_kernel bridge_cpu_tally_step(void) { return tally; }

BRIDGE_EXPORT int64_t* bridge_cpu_tally(int number) {
    static_assert(sizeof(std::atomic<int64_t>) == sizeof(int64_t), "read as numbers");
    return reinterpret_cast<int64_t*>(tallies[number]);
}
