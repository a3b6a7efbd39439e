/* Memory of a thread that runs plans: it grows to the largest of them, and stays. */
#ifndef BRIDGE_KERNELS_CPU_SCRATCH_H
#define BRIDGE_KERNELS_CPU_SCRATCH_H

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace BRIDGE_NAMESPACE {

/* How often it grew, over all threads. */
extern std::atomic<int64_t> allocations;

class Growing {
public:
    Growing() = default;
    ~Growing() { std::free(place); }
    Growing(const Growing&) = delete;
    Growing& operator=(const Growing&) = delete;
    bool reserve(int64_t wanted) {
        wanted = wanted > 4096 ? (wanted + 4095) / 4096 * 4096 : 4096;
        if (wanted <= size) return true;
        std::free(place);
        place = std::aligned_alloc(4096, static_cast<size_t>(wanted));
        size = place ? wanted : 0;
        allocations += 1;
        return place != nullptr;
    }
    char* get() const { return static_cast<char*>(place); }

private:
    void* place = nullptr;
    int64_t size = 0;
};

}  // namespace BRIDGE_NAMESPACE

#endif
