/* viewcalls.c: the records of viewcalls.h, and who has the views. */
#include "viewcalls.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "libpython.h"
#include "records.h"
#include "runs.h"
#include "state.h"

enum { BUCKETS = 1024 };

/* Who asked (the characters of a name, or a struct entry_stripe), and one of the two. thread: of the
 * host; writer: the number that Python has for it; call: for messages; state: words of the Frame;
 * count: of the calls that Python has not been told of. */
struct record {
    struct record* next;
    uint64_t hash;
    void* key;
    size_t size;
    int64_t thread, writer, call;
    const int64_t* state;
    struct entry_launch launch;
    struct entry_copy copy;
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

static uint64_t hash_of(const char* name)
{
    return hash_text(HASH_BEGIN, name);
}

_Static_assert(sizeof(struct entry_stripe) % sizeof(uint64_t) == 0, "a stripe is whole words");

static uint64_t hash_of_stripe(const struct entry_stripe* stripe)
{
    return hash_words(HASH_BEGIN, stripe, sizeof *stripe);
}

static struct record* found(uint64_t hash, const void* key, size_t size)
{
    int64_t thread = entry_thread();
    struct record* one = table[hash % BUCKETS];
    while (one != NULL && !(one->hash == hash && one->thread == thread && one->size == size &&
                            memcmp(one->key, key, size) == 0))
        one = one->next;
    return one;
}

/* Nobody has the views, and something is kept. */
static int opened(void)
{
    return __atomic_load_n(&records, __ATOMIC_RELAXED) != 0 && !runs_paused() &&
           passed(LOOKING) == 0;
}

/* The views are the record's from now on, as messages say. */
static void shown(const struct record* one)
{
    __atomic_store_n(&holder, one->call, __ATOMIC_RELAXED);
}

/* Whether this thread may have written it once, where another one has since. Bits of several threads
 * are the same one: then Python knows. */
static int lost(const struct record* one, const struct entry_written* written)
{
    return (written->writers >> one->writer % 64 & 1) != 0;
}

/* Whether Python would find the same input, filled for n points, and no values of another thread in
 * the place of this one's (`PreparedLaunch.valid`). */
static int same_input(const struct record* one, const struct entry_input* input, int n)
{
    const struct entry_written *held = input->held, *rival = input->rival;
    if (held->filled < n || (rival != NULL && rival->stamp > held->stamp))
        return 0;
    return held->writer == one->writer ||
           !(lost(one, held) || (rival != NULL && lost(one, rival)));
}

static int same_inputs(const struct record* one, int n)
{
    const struct entry_launch* launch = &one->launch;
    if (n < 1 || n > launch->most ||
        __atomic_load_n(&one->state[ENTRY_VIEWS], __ATOMIC_ACQUIRE) != launch->views)
        return 0;
    for (int i = 0; i < launch->n_inputs; ++i)
        if (!same_input(one, &launch->inputs[i], n))
            return 0;
    return 1;
}

static void mark(struct entry_written* written, int64_t n, int64_t stamp, int64_t writer)
{
    written->filled = n;
    written->stamp = stamp;
    written->writer = writer;
}

/* 0, or -1 where the function found no memory. */
static int launched(struct record* one, int n)
{
    const struct entry_launch* launch = &one->launch;
    int (*run)(void*, int64_t, int64_t, int);
    struct numbers before = numbers_now(&launch->accounts);
    int64_t begin = nanoseconds(), stamp;
    int failed;
    *(void**)&run = (void*)(intptr_t)launch->function;
    failed = run((void*)(intptr_t)launch->argument, 0, n, launch->threads);
    account_numbers(&launch->accounts, 0, &before);
    if (failed)
        return -1;
    count_call(&one->count, nanoseconds() - begin);
    stamp = views_stamp();
    for (int i = 0; i < launch->n_outputs; ++i)
        mark(launch->outputs[i], n, stamp, one->writer);
    return 0;
}

int views_launch(const char* name, int n, int* answer)
{
    struct record* one;
    int done, failed = 0;
    if (!opened())
        return 0;
    one = found(hash_of(name), name, strlen(name) + 1);
    done = one != NULL && same_inputs(one, n);
    if (done) {
        shown(one);
        failed = launched(one, n);
    }
    views_give();
    if (failed)
        *answer = entry_bodies.python_launch_failed(name);
    return done;
}

/* Whether Python would move these points (`StripeTransfer.run`). */
static int same_stripe(const struct record* one, int output, int64_t start, int64_t end)
{
    const struct entry_copy* copy = &one->copy;
    const struct entry_written* written = copy->written;
    int64_t n = end - start + 1;
    if (start < 1 || end > copy->points || n < 0 || n > copy->most)
        return 0;
    return !output ||
           (n <= written->filled && (written->writer == one->writer || !lost(one, written)));
}

static void moved(struct record* one, int output, int64_t first, int64_t n)
{
    const struct entry_copy* copy = &one->copy;
    int (*move)(const void*, int64_t, int64_t, void*, int64_t, int, int);
    int64_t begin = nanoseconds();
    *(void**)&move = (void*)(intptr_t)copy->function;
    move((const void*)(intptr_t)copy->array, first, n, (void*)(intptr_t)copy->view, copy->stride,
         copy->integer, copy->threads);
    if (!output)
        mark(copy->written, n, views_stamp(), one->writer);
    count_call(&one->count, nanoseconds() - begin);
    account_call(&copy->accounts, 0);
    account_grown(&copy->accounts, 0, 0, n);
}

int views_stripe(const struct entry_stripe* stripe, int start, int end)
{
    struct record* one;
    int done;
    if (!opened())
        return 0;
    one = found(hash_of_stripe(stripe), stripe, sizeof *stripe);
    done = one != NULL && same_stripe(one, stripe->output, start, end);
    if (done) {
        shown(one);
        moved(one, stripe->output, start - 1, (int64_t)end - start + 1);
    }
    views_give();
    return done;
}

/* ---- What Python asks for --------------------------------------------------------------------- */

static void freed(struct record* one)
{
    free(one->key);
    free((void*)one->launch.inputs);
    free((void*)one->launch.outputs);
    free(one);
}

/* A record for the calling thread that nobody finds yet; null where there is no memory. */
static struct record* made(uint64_t hash, const void* key, size_t size, int64_t call,
                           int64_t writer)
{
    struct record* one = calloc(1, sizeof *one);
    if (one == NULL)
        return NULL;
    one->key = copied(key, size);
    one->size = size;
    one->hash = hash;
    one->thread = entry_thread();
    one->writer = writer;
    one->call = call;
    if (one->key != NULL)
        return one;
    freed(one); /* the call goes through Python, as without this */
    return NULL;
}

static void* linked(struct record* one)
{
    int mine = waited();
    one->next = table[one->hash % BUCKETS];
    table[one->hash % BUCKETS] = one;
    __atomic_add_fetch(&records, 1, __ATOMIC_RELAXED);
    if (mine)
        views_give();
    return one;
}

void* views_keep_launch(const char* name, const struct entry_launch* launch, int64_t call,
                        int64_t writer, const int64_t* state)
{
    struct record* one = made(hash_of(name), name, strlen(name) + 1, call, writer);
    if (one == NULL)
        return NULL;
    one->launch = *launch;
    one->state = state;
    one->launch.inputs = copied(launch->inputs, (size_t)launch->n_inputs * sizeof *launch->inputs);
    one->launch.outputs =
        copied(launch->outputs, (size_t)launch->n_outputs * sizeof *launch->outputs);
    if (one->launch.inputs != NULL && one->launch.outputs != NULL)
        return linked(one);
    freed(one);
    return NULL;
}

void* views_keep_stripe(const struct entry_stripe* stripe, const struct entry_copy* copy,
                        int64_t call, int64_t writer)
{
    struct record* one = made(hash_of_stripe(stripe), stripe, sizeof *stripe, call, writer);
    if (one == NULL)
        return NULL;
    one->copy = *copy;
    return linked(one);
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
