/* records.h: what the records of runs.c, constants.c and viewcalls.c have in common. */
#ifndef BRIDGE_RECORDS_H
#define BRIDGE_RECORDS_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interpreter.h"

static inline void of_lock(const struct entry_lock* lock, int64_t function)
{
    void (*call)(void*);
    *(void**)&call = (void*)(intptr_t)function;
    if (call != NULL)
        call((void*)(intptr_t)lock->argument);
}

static inline int conditions_hold(const struct entry_run* run)
{
    for (int i = 0; i < run->n_conditions; ++i) {
        const int64_t *now = (const int64_t*)(intptr_t)run->conditions[i].now,
                      *then = (const int64_t*)(intptr_t)run->conditions[i].then;
        if (__atomic_load_n(now, __ATOMIC_ACQUIRE) != __atomic_load_n(then, __ATOMIC_ACQUIRE))
            return 0;
    }
    return 1;
}

/* Give the lock of calls back, after the last one of them. */
static inline void end_calls(const struct entry_run* run)
{
    of_lock(&run->lock, run->lock.give);
}

/* Whether what calls rely on is as Python has found it. Then it stays so until `end_calls`. */
static inline int begin_calls(const struct entry_run* run)
{
    of_lock(&run->lock, run->lock.take);
    if (conditions_hold(run))
        return 1;
    end_calls(run);
    return 0;
}

/* Do a call that is `in_order`; 0 where it has done its work. */
static inline int call_in_order(const struct entry_call* call)
{
    int (*run)(void*, int);
    *(void**)&run = (void*)(intptr_t)call->function;
    return run((void*)(intptr_t)call->argument, call->threads);
}

static inline int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One more call, which took so many nanoseconds. */
static inline void count_call(struct entry_count* counts, int64_t elapsed)
{
    if (counts->calls == 0 || elapsed < counts->shortest)
        counts->shortest = elapsed;
    if (elapsed > counts->longest)
        counts->longest = elapsed;
    counts->total += elapsed;
    ++counts->calls;
}

/* Where the backend's numbers stand, if anybody counts. */
struct numbers {
    int64_t each[ENTRY_NUMBERS];
};
static inline struct numbers numbers_now(const struct entry_accounts* accounts)
{
    struct numbers now = {{0}};
    const int64_t* (*place)(void);
    *(void**)&place = (void*)(intptr_t)accounts->numbers;
    if (accounts->of != NULL)
        for (int i = 0; i < accounts->n; ++i)
            now.each[i] = __atomic_load_n(place() + i, __ATOMIC_RELAXED);
    return now;
}

/* One more call of a kind, and what a number grew by meanwhile. */
static inline void account_call(const struct entry_accounts* accounts, int kind)
{
    if (accounts->of != NULL)
        __atomic_add_fetch(&accounts->of[kind].calls, 1, __ATOMIC_RELAXED);
}
static inline void account_grown(const struct entry_accounts* accounts, int kind, int number,
                                 int64_t grown)
{
    if (accounts->of != NULL && grown != 0)
        __atomic_add_fetch(&accounts->of[kind].grown[number], grown, __ATOMIC_RELAXED);
}

/* One more call of a kind, before which the numbers were these. */
static inline void account_numbers(const struct entry_accounts* accounts, int kind,
                                   const struct numbers* before)
{
    struct numbers now = numbers_now(accounts);
    account_call(accounts, kind);
    for (int i = 0; i < accounts->n; ++i)
        account_grown(accounts, kind, i, now.each[i] - before->each[i]);
}

/* Null where there is no memory; not null for nothing. */
static inline void* copied(const void* from, size_t size)
{
    void* to = malloc(size + 1);
    if (to != NULL && size > 0)
        memcpy(to, from, size);
    return to;
}

/* What Python gave, with copies of its calls and conditions; 0 where there is no memory. Free it in
 * either case. */
static inline int run_copied(struct entry_run* to, const struct entry_run* from)
{
    *to = *from;
    to->calls = copied(from->calls, (size_t)from->n_calls * sizeof *from->calls);
    to->conditions =
        copied(from->conditions, (size_t)from->n_conditions * sizeof *from->conditions);
    return to->calls != NULL && to->conditions != NULL;
}

static inline void run_freed(const struct entry_run* run)
{
    free((void*)run->calls);
    free((void*)run->conditions);
}

#endif
