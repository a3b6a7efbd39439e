/* conditions.h: whether what a call relies on is as Python has found it. */
#ifndef BRIDGE_CONDITIONS_H
#define BRIDGE_CONDITIONS_H

#include "interpreter.h"

static inline int conditions_hold(const struct entry_condition* conditions, int n)
{
    for (int i = 0; i < n; ++i) {
        const int64_t *now = (const int64_t*)(intptr_t)conditions[i].now,
                      *then = (const int64_t*)(intptr_t)conditions[i].then;
        if (__atomic_load_n(now, __ATOMIC_ACQUIRE) != __atomic_load_n(then, __ATOMIC_ACQUIRE))
            return 0;
    }
    return 1;
}

/* What a call answers; 0 where it has done its work. */
static inline int call_in_order(const struct entry_call* call)
{
    int (*run)(void*, int);
    *(void**)&run = (void*)(intptr_t)call->function;
    return run((void*)(intptr_t)call->argument, call->threads);
}

#endif
