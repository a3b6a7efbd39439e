/* viewcalls.c: the records of viewcalls.h, and who has the views. */
#include "viewcalls.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hash.h"
#include "libpython.h"
#include "state.h"

enum { BUCKETS = 1024 };

/* thread: of the host; writer: the number that Python has for it; call: for messages; state: words
 * of the Frame; count: of the calls that Python has not been told of. */
struct record {
    struct record* next;
    uint64_t hash;
    char* name;
    int64_t thread, writer, call;
    const int64_t* state;
    struct entry_launch launch;
    struct entry_count count;
};

static struct record* table[BUCKETS];
static int records; /* so many; calls of a Frame without any need not look */
static int64_t latest_stamp;

/* ---- Who has the views ------------------------------------------------------------------------ */

/* 0 for nobody, the call of a record, minus its number for a thread that is in Python, or: */
#define LOOKING INT64_MIN /* for a moment, at what is kept */
static int64_t holder;

/* 0 where they went from nobody to `to`, else who has them. */
static int64_t passed(int64_t to)
{
    int64_t from = 0;
    __atomic_compare_exchange_n(&holder, &from, to, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    return from;
}

void views_give(void)
{
    __atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
}

int64_t views_take(void)
{
    int64_t who;
    while ((who = passed(-entry_thread())) == LOOKING)
        sched_yield();
    return who;
}

/* Wait until nobody else has them: 1, or 0 where the calling thread had them before. */
static int waited(void)
{
    int64_t who;
    while ((who = passed(LOOKING)) != 0) {
        if (who == -entry_thread())
            return 0;
        sched_yield();
    }
    return 1;
}

int64_t views_stamp(void)
{
    return __atomic_add_fetch(&latest_stamp, 1, __ATOMIC_RELAXED);
}

/* ---- A call ----------------------------------------------------------------------------------- */

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t hash_of(const char* name)
{
    return hash_bytes(hash_text(HASH_BEGIN, name), &entry_thread_number,
                      sizeof entry_thread_number);
}

static struct record* found(const char* name)
{
    int64_t thread = entry_thread();
    uint64_t hash = hash_of(name);
    struct record* one = table[hash % BUCKETS];
    while (one != NULL &&
           !(one->hash == hash && one->thread == thread && strcmp(one->name, name) == 0))
        one = one->next;
    return one;
}

/* Whether Python would find the same inputs, filled for n points, and no values of another thread
 * (`PreparedLaunch.valid`). Writer 0: what nobody wrote, a constant's value by default. */
static int same_inputs(const struct record* one, int n)
{
    const struct entry_launch* launch = &one->launch;
    if (n < 1 || n > launch->most ||
        __atomic_load_n(&one->state[ENTRY_VIEWS], __ATOMIC_ACQUIRE) != launch->views)
        return 0;
    for (int i = 0; i < launch->n_inputs; ++i) {
        const struct entry_written *held = launch->inputs[i].held,
                                   *rival = launch->inputs[i].rival;
        if (held->filled < n || (held->writer != one->writer && held->writer != 0) ||
            (rival != NULL && rival->stamp > held->stamp))
            return 0;
    }
    return 1;
}

static void mark(struct entry_written* written, int64_t n, int64_t stamp, int64_t writer)
{
    written->filled = n;
    written->stamp = stamp;
    written->writer = writer;
}

static void count(struct record* one, int64_t elapsed)
{
    struct entry_count* counts = &one->count;
    if (counts->calls == 0 || elapsed < counts->shortest)
        counts->shortest = elapsed;
    if (elapsed > counts->longest)
        counts->longest = elapsed;
    counts->total += elapsed;
    ++counts->calls;
}

/* 0, or that of a function that found no memory. */
static int launched(struct record* one, int n)
{
    const struct entry_launch* launch = &one->launch;
    int (*run)(void*, int64_t, int64_t, int);
    int64_t begin = nanoseconds(), stamp;
    *(void**)&run = (void*)(intptr_t)launch->function;
    if (run((void*)(intptr_t)launch->argument, 0, n, launch->threads) != 0)
        return -1;
    count(one, nanoseconds() - begin);
    stamp = views_stamp();
    for (int i = 0; i < launch->n_outputs; ++i)
        mark(launch->outputs[i], n, stamp, one->writer);
    return 0;
}

int views_launch(const char* name, int n, int* answer)
{
    struct record* one;
    int done, failed = 0;
    if (__atomic_load_n(&records, __ATOMIC_RELAXED) == 0 || passed(LOOKING) != 0)
        return 0;
    one = found(name);
    done = one != NULL && same_inputs(one, n);
    if (done) {
        __atomic_store_n(&holder, one->call, __ATOMIC_RELAXED);
        failed = launched(one, n);
    }
    views_give();
    if (failed)
        *answer = entry_bodies.python_launch_failed(name);
    return done;
}

/* ---- What Python asks for --------------------------------------------------------------------- */

static void freed(struct record* one)
{
    free(one->name);
    free((void*)one->launch.inputs);
    free((void*)one->launch.outputs);
    free(one);
}

static void* copied(const void* from, size_t size)
{
    void* to = malloc(size + 1);
    if (to != NULL)
        memcpy(to, from, size);
    return to;
}

static void linked(struct record* one)
{
    int mine = waited();
    one->next = table[one->hash % BUCKETS];
    table[one->hash % BUCKETS] = one;
    __atomic_add_fetch(&records, 1, __ATOMIC_RELAXED);
    if (mine)
        views_give();
}

void* views_keep_launch(const char* name, const struct entry_launch* launch, int64_t call,
                        int64_t writer, const int64_t* state)
{
    struct record* one = calloc(1, sizeof *one);
    if (one == NULL)
        return NULL;
    one->launch = *launch;
    one->name = copied(name, strlen(name) + 1);
    one->launch.inputs = copied(launch->inputs, (size_t)launch->n_inputs * sizeof *launch->inputs);
    one->launch.outputs =
        copied(launch->outputs, (size_t)launch->n_outputs * sizeof *launch->outputs);
    if (one->name == NULL || one->launch.inputs == NULL || one->launch.outputs == NULL) {
        freed(one); /* the launch goes through Python, as without this */
        return NULL;
    }
    one->thread = entry_thread();
    one->hash = hash_of(name);
    one->writer = writer;
    one->call = call;
    one->state = state;
    linked(one);
    return one;
}

void views_taken(void* record, struct entry_count* counts)
{
    struct record* one = record;
    int mine = waited();
    *counts = one->count;
    memset(&one->count, 0, sizeof one->count);
    if (mine)
        views_give();
}

void views_drop(void* record, struct entry_count* counts)
{
    struct record *one = record, **link;
    int mine = waited(); /* whoever is in it has its memory: it stays until he is out */
    for (link = &table[one->hash % BUCKETS]; *link != one; link = &(*link)->next)
        ;
    *link = one->next;
    __atomic_sub_fetch(&records, 1, __ATOMIC_RELAXED);
    if (mine)
        views_give();
    *counts = one->count;
    freed(one);
}
