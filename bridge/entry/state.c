/* state.c: the phase of the library, the status and the number of a thread. */
#include "state.h"

struct entry_state entry_state;
__thread int entry_status;
__thread int64_t entry_thread_number;

int64_t entry_count_thread(void)
{
    static int64_t threads;
    return entry_thread_number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
}
