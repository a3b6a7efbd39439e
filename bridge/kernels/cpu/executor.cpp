/* The executor: runs a plan over blocks of points, kernel after kernel.
 *
 * A block's intermediates stay in the thread's own scratch, small enough for the cache. Kernels
 * read and write rows of the caller's arrays in place where they can (block.h); an array may be
 * input and output, because an output is written in place only once nobody reads the old values.
 * Every thread works
 * in the default floating-point environment and gives its own back afterwards; threads that are
 * started here begin with the host's (environment.h).
 */
#include "block.h"
#include "copy.h"
#include "environment.h"
#include "sharing.h"
#include "launch.h"
#include "meter.h"
#include "pieces.h"
#include "scratch.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <omp.h>

namespace BRIDGE_NAMESPACE {

std::atomic<int64_t> allocations{0};

namespace {

class Scratch {
public:
    bool reserve(const bridge_plan& plan) {
        const int64_t slots = plan.n_slots;
        return memory.reserve(plan.scratch) &&
               arguments.reserve(slots * static_cast<int64_t>(sizeof(bridge_argument))) &&
               surroundings.reserve(slots * static_cast<int64_t>(sizeof(bridge_neighbours)));
    }
    char* block() const { return memory.get(); }
    bridge_argument* slots() const { return reinterpret_cast<bridge_argument*>(arguments.get()); }
    bridge_neighbours* neighbours() const {
        return reinterpret_cast<bridge_neighbours*>(surroundings.get());
    }

private:
    Growing memory, arguments, surroundings;

public:
    Growing words, places; /* of a mask; of the points that it leaves */
};
thread_local Scratch threadScratch;
thread_local Sampler threadSampler;

/* Words of a quantity lie in scratch, where vectors follow each other through all rows. */
bool finished(const bridge_argument& done, int64_t vector) {
    const char* place = done.full.address + vector * done.vector_stride;
    return all(loadWide(reinterpret_cast<const int64_t*>(place)) != WideBits(0));
}

void runSteps(const bridge_plan& plan, const bridge_block& block, Look& look, int begin, int end,
              int64_t first, int64_t count);

/* Repeat steps on the vectors that still have an unfinished lane, run by run of neighbours. */
void runLoop(const bridge_plan& plan, const bridge_block& block, Look& look, int at, int64_t first,
             int64_t count) {
    const bridge_step& loop = plan.steps[at];
    const bridge_argument& done = block.slots[loop.done];
    const int64_t last = first + count;
    for (int turn = 0; turn < loop.limit; ++turn) {
        bool busy = false;
        for (int64_t v = first; v < last;) {
            while (v < last && finished(done, v)) ++v;
            int64_t end = v;
            while (end < last && !finished(done, end)) ++end;
            if (end > v) {
                busy = true;
                runSteps(plan, block, look, at + 1, at + 1 + loop.span, v, end - v);
            }
            v = end;
        }
        if (!busy) return;
    }
}

void runSteps(const bridge_plan& plan, const bridge_block& block, Look& look, int begin, int end,
              int64_t first, int64_t count) {
    for (int s = begin; s < end; ++s) {
        const bridge_step& step = plan.steps[s];
        if (step.kernel) {
            step.kernel(plan.shared, &block, step.arguments, first, count);
            look.after(s);
        } else {
            runLoop(plan, block, look, s, first, count);
            s += step.span;
        }
    }
}

/* The place of a slot's block in scratch. */
bridge_argument inScratch(const Scratch& scratch, const bridge_slot& slot,
                          const bridge_block& block) {
    const int64_t column = width * 8, vector = slot.columns * column, row = block.vectors * vector;
    const int64_t plane = block.rows * row;
    char* base = scratch.block() + slot.scratch;
    return {
        {base, plane, row, column}, vector, {base + block.full * vector, plane, row, column}, 1};
}

/* More columns than this, written in place a vector of each in turn, are more than a processor
 * foresees well; then lines are asked for before, column by column. */
constexpr int64_t manyColumns = 32;

/* words: of the plan's mask at the points of the piece, as a block has them; null: not known yet. */
void runBlock(const bridge_plan& plan, const bridge_array* arrays, const Scratch& scratch,
              const Piece& piece, const int64_t* words = nullptr) {
    Look look(plan.meter && threadSampler.due() ? plan.meter : nullptr);
    bridge_argument* slots = scratch.slots();
    int64_t direct = 0; /* columns written in place */
    bridge_neighbours* const neighbours = scratch.neighbours();
    const bridge_block block{slots,       piece.rows, piece.vectors(), piece.fullVectors(),
                             plan.tables, neighbours, piece.tail()};
    const bool tails = block.full < block.vectors;
    const int64_t* mask = nullptr;
    if (plan.mask >= 0 && !piece.list) {
        const bridge_slot& slot = plan.slots[plan.mask];
        char* place = inScratch(scratch, slot, block).full.address;
        const int64_t points = piece.planes * piece.rows * block.vectors * width;
        if (words)
            std::memcpy(place, words, static_cast<size_t>(points) * sizeof *words);
        else
            gatherBlock(arrays[slot.input], slot, piece, place);
        mask = reinterpret_cast<const int64_t*>(place);
        if (std::all_of(mask, mask + points, [](int64_t word) { return word == 0; })) return;
    }
    for (int s = 0; s < plan.n_slots; ++s) {
        const bridge_slot& slot = plan.slots[s];
        bridge_argument& place = slots[s];
        place = inScratch(scratch, slot, block);
        if (slot.zero)
            std::memset(place.full.address, 0,
                        static_cast<size_t>(piece.planes * place.full.plane_stride));
        if (slot.neighbours) neighbours[s] = neighboursOf(arrays[slot.input], piece);
        if (slot.input >= 0 && (s != plan.mask || piece.list)) {
            const bridge_array& array = arrays[slot.input];
            if (slot.neighbours == 2) continue;
            /* what goes from one array to another by itself passes through scratch */
            if (slot.output >= 0 || !inPlace(array, slot, piece, place))
                gatherBlock(array, slot, piece, place.full.address);
            else if (tails)
                gatherTails(slot, piece, place);
        } else if (slot.direct) {
            if (inPlace(arrays[slot.output], slot, piece, place)) direct += slot.columns;
        }
    }
    if (direct > manyColumns)
        for (int s = 0; s < plan.n_slots; ++s)
            if (plan.slots[s].direct) willWriteBlock(plan.slots[s], piece, slots[s]);
    look.atKernels();
    runSteps(plan, block, look, 0, plan.n_steps, 0, piece.planes * piece.rows * block.vectors);
    for (int s = 0; s < plan.n_slots; ++s) {
        const bridge_slot& slot = plan.slots[s];
        if (slot.output < 0) continue;
        const bridge_array& array = arrays[slot.output];
        bridge_argument place;
        if (!slot.direct || !inPlace(array, slot, piece, place))
            scatterBlock(array, slot, piece, slots[s], mask);
        else if (tails)
            scatterTails(slot, piece, slots[s]);
    }
}

void runEach(const bridge_plan& plan, const Scratch& scratch, const Piece& piece,
             const int64_t* words = nullptr) {
    for (int c = 0; c < plan.components; ++c)
        runBlock(plan, plan.arrays + c * plan.n_arrays, scratch, piece, words);
}

/* Whether points may be worked on apart from their neighbours in memory. */
bool mayGather(const bridge_plan& plan) {
    if (plan.mask < 0 || !plan.rows || !plan.sparse) return false;
    const int input = plan.slots[plan.mask].input;
    for (int c = 1; c < plan.components; ++c)
        if (plan.arrays[c * plan.n_arrays + input].address != plan.arrays[input].address)
            return false;
    return std::none_of(plan.slots, plan.slots + plan.n_slots,
                        [](const bridge_slot& slot) { return slot.neighbours; });
}

/* Blocks of the points alone that a mask lets count: vectors without idle lanes. */
class Gathered {
public:
    Gathered(const bridge_plan& p, Scratch& s) : plan(p), scratch(s) {
        words = reinterpret_cast<int64_t*>(scratch.words.get());
        for (int a = 0; a < 3; ++a)
            places[a] = reinterpret_cast<int64_t*>(scratch.places.get()) + a * room(plan);
    }
    static bool reserve(const bridge_plan& plan, Scratch& scratch) {
        return scratch.words.reserve(room(plan) * 8) && scratch.places.reserve(3 * room(plan) * 8);
    }
    /* Of the piece that was taken last. */
    const int64_t* mask() const { return words; }
    /* False: most points of a piece count. */
    bool take(const Piece& piece) {
        const bridge_slot& slot = plan.slots[plan.mask];
        gatherBlock(plan.arrays[slot.input], slot, piece, scratch.words.get());
        const int64_t rows = piece.planes * piece.rows, padded = piece.vectors() * width;
        int64_t active = 0;
        for (int64_t r = 0; r < rows; ++r)
            active += piece.points -
                      std::count(words + r * padded, words + r * padded + piece.points, 0);
        if (active * 100 > rows * piece.points * plan.sparse) return false;
        if (active == 0) return true;
        if (piece.block != block) flush();
        block = piece.block;
        int64_t *x = places[piece.turned], *y = places[!piece.turned], *z = places[2];
        int64_t at = points;
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t plane = r / piece.rows;
            const int64_t j = piece.j + r - plane * piece.rows, k = piece.k + plane;
            const int64_t* row = words + r * padded;
            for (int64_t p = 0; p < piece.points; ++p) { /* no branch: masks have no pattern */
                x[at] = piece.i + p;
                y[at] = j;
                z[at] = k;
                at += row[p] != 0;
            }
        }
        points = at;
        while (points >= plan.block) work(plan.block);
        return true;
    }
    void flush() {
        if (points) work(points);
    }

private:
    const bridge_plan& plan;
    Scratch& scratch;
    int64_t* words;
    int64_t* places[3];
    int64_t points = 0, block = 0;

    /* Points that wait for a block to be full, and those of a piece. */
    static int64_t room(const bridge_plan& plan) { return 2 * plan.block + 8 * width; }

    /* The first n points that wait. */
    void work(int64_t n) {
        const int64_t end = (n + width - 1) / width * width;
        int64_t kept[3][width]; /* behind the last point, for the time that it is repeated */
        for (int a = 0; a < 3; ++a) {
            std::copy_n(places[a] + n, end - n, kept[a]);
            std::fill(places[a] + n, places[a] + end, places[a][n - 1]);
        }
        const Listed list{places[0], places[1], places[2]};
        Piece piece{0, 0, 0, 1, 1, n, true, block, false};
        piece.list = &list;
        runEach(plan, scratch, piece);
        for (int a = 0; a < 3; ++a) {
            std::copy_n(kept[a], end - n, places[a] + n);
            std::copy(places[a] + n, places[a] + points, places[a]);
        }
        points -= n;
    }
};

void runActive(const bridge_plan& plan, Scratch& scratch, int64_t first, int64_t n) {
    Gathered gathered(plan, scratch);
    for (Pieces pieces(plan, first, n); pieces.more();) {
        const Piece piece = pieces.next();
        if (!gathered.take(piece)) runEach(plan, scratch, piece, gathered.mask());
    }
    gathered.flush();
}

void runRange(const bridge_plan& plan, Scratch& scratch, int64_t first, int64_t n) {
    if (mayGather(plan) && Gathered::reserve(plan, scratch))
        return runActive(plan, scratch, first, n);
    for (Pieces pieces(plan, first, n); pieces.more();) runEach(plan, scratch, pieces.next());
}

}  // namespace
}  // namespace BRIDGE_NAMESPACE

using namespace BRIDGE_NAMESPACE;

#define BRIDGE_EXPORT extern "C" __attribute__((visibility("default")))

BRIDGE_EXPORT int bridge_cpu_threads(const bridge_plan* plan, int64_t n, int threads) {
    return static_cast<int>(std::clamp<int64_t>(n / plan->share, 1, std::max(threads, 1)));
}

BRIDGE_EXPORT int bridge_cpu_run(const bridge_plan* plan, int64_t first, int64_t n, int threads) {
    if (n <= 0) return 0;
    threads = bridge_cpu_threads(plan, n, threads);
    if (threads > 1 && shareOf(*plan, n, threads) >= n) threads = 1;
    Region region(*plan->sharing, n, threads);
    const int64_t share = shareOf(*plan, n, region.count());
    std::atomic<int> outcome{0};
    region.each([&](int t) {
        const DefaultFloatingPoint environment;
        const auto from = [&](int64_t begin) {
            if (begin <= 0) return first;
            return begin < n ? std::max(first, rowStart(*plan, first + begin)) : first + n;
        };
        const int64_t begin = from(t * share), end = from((t + 1) * share);
        if (begin >= end) return;
        if (threadScratch.reserve(*plan))
            runRange(*plan, threadScratch, begin, end - begin);
        else
            outcome = BRIDGE_CPU_NO_MEMORY;
    });
    return outcome;
}

BRIDGE_EXPORT int bridge_cpu_lanes(void) { return BRIDGE_LANES; }
BRIDGE_EXPORT int bridge_cpu_width(void) { return BRIDGE_WIDTH; }

BRIDGE_EXPORT const int64_t* bridge_cpu_allocations(void) {
    static_assert(sizeof allocations == sizeof(int64_t), "read as a number");
    return reinterpret_cast<const int64_t*>(&allocations);
}
