/* state.h: what the C files of libbridge.so know of a run and of a thread of the host. */
#ifndef BRIDGE_STATE_H
#define BRIDGE_STATE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default) /* the library is built with hidden symbols */
#include "bridge.h"
#include "internal.h"
#pragma GCC visibility pop

enum entry_phase { PHASE_COLD, PHASE_STARTED, PHASE_ENDED, PHASE_FORKED };

struct entry_state {
    enum entry_phase phase;
    int return_only; /* policy "return" */
};

extern struct entry_state entry_state;
extern __thread int entry_status; /* of the thread's latest call: frame_status_() */

/* A number for each thread of the host, never given twice. */
extern __thread int64_t entry_thread_number;
int64_t entry_count_thread(void);

static inline int64_t entry_thread(void)
{
    return entry_thread_number != 0 ? entry_thread_number : entry_count_thread();
}

#endif
