/* runs.c: the records of runs.h. Each bucket of their table has a lock, and each record one for its
 * counts, on cache lines of their own: threads of the host on different sets do not meet. */
#include "runs.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "libpython.h"
#include "records.h"

enum { BUCKETS = 256, LINE = 64 };

/* as: what Python gave, with copies of its arrays; users: calls that are in it; begun: whether it was
 * begun and not waited for; ran: runs that Python has not yet been told of; counts: what each part of
 * them took. */
struct run {
    struct run *next, *next_begun;
    uint64_t hash;
    char *set, *name;
    int* boxes;
    int n_boxes, colour;
    struct entry_run as;
    int64_t generation;
    int users, begun;
    pthread_mutex_t lock;
    int64_t ran;
    struct entry_count* counts;
};

static struct bucket {
    pthread_mutex_t lock;
    struct run* first;
} __attribute__((aligned(LINE)))
table[BUCKETS] = {[0 ... BUCKETS - 1] = {PTHREAD_MUTEX_INITIALIZER, NULL}};
static pthread_mutex_t begun_lock = PTHREAD_MUTEX_INITIALIZER;
static struct run* all_begun;
static int paused;

static struct bucket* bucket_of(uint64_t hash)
{
    return &table[hash % BUCKETS];
}

static uint64_t hash_of(const char* set, const char* name, const int* boxes, int n_boxes,
                        int colour)
{
    uint64_t hash = hash_text(hash_text(HASH_BEGIN, set), name);
    hash = hash_bytes(hash, &colour, sizeof colour);
    return n_boxes > 0 ? hash_bytes(hash, boxes, (size_t)n_boxes * 6 * sizeof *boxes) : hash;
}

static int is_of(const struct run* run, uint64_t hash, const char* set, const char* name,
                 const int* boxes, int n_boxes, int colour)
{
    return run->hash == hash && run->colour == colour && run->n_boxes == n_boxes &&
           strcmp(run->set, set) == 0 && strcmp(run->name, name) == 0 &&
           (n_boxes == 0 || memcmp(run->boxes, boxes, (size_t)n_boxes * 6 * sizeof *boxes) == 0);
}

/* ---- A call ----------------------------------------------------------------------------------- */

int runs_paused(void)
{
    return __atomic_load_n(&paused, __ATOMIC_ACQUIRE);
}

void runs_pause(int by)
{
    __atomic_store_n(&paused, by, __ATOMIC_RELEASE);
}

static int64_t state_of(const struct run* run, int word)
{
    return __atomic_load_n(&run->as.state[word], __ATOMIC_ACQUIRE);
}

/* A set whose run is pending has no other one, and its boxes move all the same. */
static int is_free(const struct run* run)
{
    int colour = run->colour;
    int move = (colour >= MOVES_PACK && colour <= MOVES_UPDATE_HOST) || colour == EXCHANGES;
    return move || (state_of(run, ENTRY_PENDING) == 0 && state_of(run, ENTRY_BEGUN) == 0);
}

/* Whether it is still one of the set, and no pending run is in its way. */
static int is_good(const struct run* run)
{
    return state_of(run, ENTRY_GENERATION) == run->generation && is_free(run);
}

static void leave(struct run* run)
{
    __atomic_sub_fetch(&run->users, 1, __ATOMIC_ACQ_REL);
}

/* The record with one more user, until `leave`, whose calls have begun; null where there is none that
 * may be used. What Python forgets waits for the users before its memory is freed, and has no lock
 * that one of them may wait for here. */
static struct run* entered(const char* set, const char* name, const int* boxes, int n_boxes,
                           int colour)
{
    uint64_t hash = hash_of(set, name, boxes, n_boxes, colour);
    struct bucket* bucket = bucket_of(hash);
    struct run* run;
    if (runs_paused())
        return NULL;
    pthread_mutex_lock(&bucket->lock);
    for (run = bucket->first; run != NULL; run = run->next)
        if (is_of(run, hash, set, name, boxes, n_boxes, colour))
            break;
    if (run != NULL && !is_good(run))
        run = NULL;
    if (run != NULL)
        __atomic_add_fetch(&run->users, 1, __ATOMIC_ACQ_REL);
    pthread_mutex_unlock(&bucket->lock);
    if (run != NULL && !begin_calls(&run->as)) {
        leave(run);
        run = NULL;
    }
    return run;
}

/* Whether Python need not see the next run. */
static int may_run(struct run* run)
{
    int may;
    if (__atomic_load_n(&run->as.most, __ATOMIC_RELAXED) < 0)
        return 1;
    pthread_mutex_lock(&run->lock);
    may = run->as.most != 0;
    if (run->as.most > 0)
        --run->as.most;
    pthread_mutex_unlock(&run->lock);
    return may;
}

static int moved_by(const struct entry_call* call, void* buffer)
{
    int (*move)(void*, void*, int);
    *(void**)&move = (void*)(intptr_t)call->function;
    return move((void*)(intptr_t)call->argument, buffer, call->threads);
}

static int call_of(const struct entry_call* call)
{
    int (*run)(void*, int64_t, int64_t, int);
    if (call->form == ENTRY_IN_ORDER)
        return call_in_order(call);
    if (call->form == ENTRY_MOVE)
        return moved_by(call, (void*)(intptr_t)call->buffer);
    *(void**)&run = (void*)(intptr_t)call->function;
    return run((void*)(intptr_t)call->argument, 0, call->points, call->threads);
}

/* The first n calls, part after part; the number of the part that failed, or -1. */
static int run_parts(struct run* run, int n)
{
    const struct entry_call* calls = run->as.calls;
    int64_t begin = nanoseconds(), end;
    for (int i = 0; i < n; ++i) {
        int part = calls[i].part;
        if (call_of(&calls[i]) != 0)
            return part;
        if (i + 1 == n || calls[i + 1].part != part) {
            end = nanoseconds();
            pthread_mutex_lock(&run->lock);
            count_call(&run->counts[part], end - begin);
            if (i + 1 == n)
                ++run->ran;
            pthread_mutex_unlock(&run->lock);
            begin = end;
        }
    }
    return -1;
}

/* begun_lock is held. 1 where it was among those that were begun. */
static int taken(struct run* run)
{
    int begun = run->begun;
    struct run** link = &all_begun;
    if (!begun)
        return 0;
    while (*link != run)
        link = &(*link)->next_begun;
    *link = run->next_begun;
    run->begun = 0;
    return 1;
}

static void held(struct run* run, int by)
{
    __atomic_add_fetch(&run->as.state[ENTRY_BEGUN], by, __ATOMIC_ACQ_REL);
    __atomic_add_fetch(&run->as.frame[ENTRY_BEGUN], by, __ATOMIC_ACQ_REL);
}

/* What the host said to be unchanged, it said of this run. */
static void take_unchanged(struct run* run)
{
    if (state_of(run, ENTRY_UNCHANGED) != 0)
        __atomic_store_n(&run->as.state[ENTRY_UNCHANGED], 0, __ATOMIC_RELEASE);
}

static int done_again(const char* set, const char* name, const int* boxes, int n_boxes, int colour,
                      int begin, int* answer)
{
    struct run* run = entered(set, name, boxes, n_boxes, colour);
    int done, failed = -1;
    if (run == NULL)
        return 0;
    done = may_run(run);
    if (done) {
        const struct entry_accounts* accounts = &run->as.accounts;
        struct numbers before = numbers_now(accounts);
        failed = run_parts(run, run->as.n_calls);
        account_numbers(accounts, begin ? ENTRY_BEGIN : ENTRY_RUN, &before);
        take_unchanged(run);
    }
    end_calls(&run->as);
    if (failed >= 0)
        *answer = entry_bodies.python_run_failed(set, name, boxes, n_boxes, colour, failed);
    else if (done && begin) {
        pthread_mutex_lock(&begun_lock);
        run->begun = 1;
        run->next_begun = all_begun;
        all_begun = run;
        held(run, 1);
        pthread_mutex_unlock(&begun_lock);
    }
    leave(run);
    return done;
}

int runs_again(const char* set, const char* name, const int* boxes, int n_boxes, int colour,
               int* answer)
{
    return done_again(set, name, boxes, n_boxes, colour, 0, answer);
}

int runs_colour_again(const char* set, const char* name, int colour, int* answer)
{
    return (colour == 1 || colour == 2) && runs_again(set, name, NULL, 0, colour, answer);
}

int runs_begin(const char* set, const char* name, const int* boxes, int n_boxes, int colour,
               int* answer)
{
    return done_again(set, name, boxes, n_boxes, colour, 1, answer);
}

int runs_wait(const char* set)
{
    struct run* run;
    pthread_mutex_lock(&begun_lock);
    for (run = all_begun; run != NULL && strcmp(run->set, set) != 0; run = run->next_begun)
        ;
    if (run != NULL) {
        taken(run);
        held(run, -1);
        account_call(&run->as.accounts, ENTRY_WAIT);
    }
    pthread_mutex_unlock(&begun_lock);
    return run != NULL;
}

/* ---- A move of boxes --------------------------------------------------------------------------- */

/* Whether a buffer has the type of the boxes and room for them, apart from their memory. */
static int fits(const struct entry_buffer* wanted, int type, int64_t address, int64_t elements)
{
    return type == wanted->type && elements >= wanted->elements &&
           (address + wanted->bytes <= wanted->begin || wanted->end <= address);
}

/* A part that began then: of a record that counts no other one, or whose others are a run's. */
static void count_part(struct run* run, int part, int64_t begin)
{
    pthread_mutex_lock(&run->lock);
    count_call(&run->counts[part], nanoseconds() - begin);
    pthread_mutex_unlock(&run->lock);
}

/* 0, ENTRY_NOT_DONE, or what a call that failed has answered. */
static int moved(struct run* run, void* buffer)
{
    struct numbers before = numbers_now(&run->as.accounts);
    int64_t begin = nanoseconds();
    int failed = 0;
    for (int i = 0; failed == 0 && i < run->as.n_calls; ++i)
        failed = moved_by(&run->as.calls[i], buffer);
    if (failed == 0)
        count_part(run, 0, begin);
    if (failed != ENTRY_NOT_DONE)
        account_numbers(&run->as.accounts, ENTRY_RUN, &before);
    return failed;
}

int moves_again(int which, const char* set, const char* name, const int* boxes, int n_boxes,
                int type, const void* buffer, int size, int* answer)
{
    struct run* run = entered(set, name, boxes, n_boxes, which);
    int failed = ENTRY_NOT_DONE;
    if (run == NULL)
        return 0;
    if (fits(&run->as.buffer, type, (int64_t)(intptr_t)buffer, size))
        failed = moved(run, (void*)buffer);
    end_calls(&run->as);
    if (failed != 0 && failed != ENTRY_NOT_DONE)
        *answer = entry_bodies.python_run_failed(set, name, boxes, n_boxes, which, 0);
    leave(run);
    return failed != ENTRY_NOT_DONE;
}

/* ---- Exchanges --------------------------------------------------------------------------------- */

/* Their calls are a begin, which alone relies on the conditions, and a wait, during which others may
 * have the lock. What goes on after a failure, or for a rank that is late, is Python's. */
int exchanges_again(int begin, int wait, const char* name, int* answer)
{
    struct run* run = entered("", name, NULL, 0, EXCHANGES);
    struct numbers before;
    int failed = 0;
    int64_t began;
    if (run == NULL)
        return 0;
    before = numbers_now(&run->as.accounts);
    began = nanoseconds();
    if (begin)
        failed = call_in_order(&run->as.calls[0]);
    end_calls(&run->as);
    if (begin && failed == ENTRY_NOT_DONE) {
        leave(run);
        return 0;
    }
    if (failed == 0 && wait)
        failed = call_in_order(&run->as.calls[1]);
    if (failed == 0)
        count_part(run, 0, began);
    else if (begin || failed != ENTRY_NOT_DONE)
        *answer = entry_bodies.python_run_failed("", name, NULL, 0, EXCHANGES, 0);
    account_numbers(&run->as.accounts, ENTRY_RUN, &before);
    leave(run);
    return begin || failed != ENTRY_NOT_DONE;
}

/* ---- Reductions -------------------------------------------------------------------------------- */

/* The part that failed, or -1. */
static int reduced(struct run* run, double* values, int* places, int width)
{
    const struct entry_call *call = run->as.calls, *end = call + run->as.n_calls;
    int last = run->as.n_parts - 1, runs = 0, failed = -1;
    while (call[runs].part != last)
        ++runs;
    if (runs > 0) {
        failed = run_parts(run, runs);
        take_unchanged(run);
    }
    if (failed >= 0)
        return failed;
    for (call += runs; call != end; ++call) {
        int (*reduce)(void*, double*, int*, int);
        int64_t begin = nanoseconds();
        *(void**)&reduce = (void*)(intptr_t)call->function;
        if (reduce((void*)(intptr_t)call->argument, values, places, call->threads) != 0)
            return last;
        count_part(run, last, begin);
        values += call->points;
        if (places != NULL)
            places += call->points * width;
    }
    return -1;
}

/* Texts with a line feed between them; 0 where they are too long. */
static int joined(char* to, const char* one, const char* other)
{
    size_t first = strlen(one), second = strlen(other) + 1;
    if (first + 1 + second > ENTRY_REDUCED_TEXT)
        return 0;
    memcpy(to, one, first);
    to[first] = '\n';
    memcpy(to + first + 1, other, second);
    return 1;
}

/* The last call is the reduction: function(argument, fails, threads), of which all ranks have to know
 * that quantities were not made. With points it waits for other ranks, and nobody for it. */
int constants_reduced_again(const char* sets, const char* quantity, const char* operation,
                            const char* constant)
{
    char asked[ENTRY_REDUCED_TEXT], name[ENTRY_REDUCED_TEXT];
    const struct entry_call* call;
    struct numbers before;
    struct run* run;
    int (*reduce)(void*, int, int);
    int fails = 0, failed;
    int64_t began;
    if (!joined(asked, quantity, operation) || !joined(name, asked, constant))
        return 0;
    run = entered(sets, name, NULL, 0, REDUCED_CONSTANTS);
    if (run == NULL)
        return 0;
    before = numbers_now(&run->as.accounts);
    call = &run->as.calls[run->as.n_calls - 1];
    if (run->as.n_calls > 1)
        fails = run_parts(run, run->as.n_calls - 1) >= 0;
    if (call->points)
        end_calls(&run->as);
    began = nanoseconds();
    *(void**)&reduce = (void*)(intptr_t)call->function;
    failed = reduce((void*)(intptr_t)call->argument, fails, call->threads);
    if (failed == 0)
        count_part(run, call->part, began);
    account_numbers(&run->as.accounts, ENTRY_RUN, &before);
    if (!call->points)
        end_calls(&run->as);
    leave(run);
    return failed == 0; /* else Python does it again, and says why not */
}

int constant_value_again(const char* constant, double* value)
{
    struct run* run = entered("", constant, NULL, 0, CONSTANT_VALUES);
    struct numbers before;
    int (*give)(void*, double*, int);
    int failed;
    if (run == NULL)
        return 0;
    end_calls(&run->as); /* others may ask for work while this waits */
    before = numbers_now(&run->as.accounts);
    *(void**)&give = (void*)(intptr_t)run->as.calls[0].function;
    failed = give((void*)(intptr_t)run->as.calls[0].argument, value, run->as.calls[0].threads);
    account_numbers(&run->as.accounts, ENTRY_RUN, &before);
    leave(run);
    return failed == 0;
}

int reduces_again(const char* set, const char* quantities, const char* operations,
                  const int* components, int n, int n_values, double* values, int* places,
                  int width, int* answer)
{
    struct entry_reduction asked = {n, n_values, places != NULL ? width : 0, {0}};
    const int* as_boxes = (const int*)&asked;
    int n_boxes, failed;
    char name[ENTRY_REDUCED_TEXT];
    struct numbers before;
    struct run* run;
    if (n < 1 || n > ENTRY_MOST_REDUCED || !joined(name, quantities, operations))
        return 0;
    n_boxes = (n + 3 + 5) / 6;
    if (components != NULL)
        memcpy(asked.components, components, (size_t)n * sizeof *components);
    run = entered(set, name, as_boxes, n_boxes, REDUCES);
    if (run == NULL)
        return 0;
    before = numbers_now(&run->as.accounts);
    failed = reduced(run, values, places, width);
    account_numbers(&run->as.accounts, ENTRY_RUN, &before);
    end_calls(&run->as);
    if (failed >= 0)
        *answer = entry_bodies.python_run_failed(set, name, as_boxes, n_boxes, REDUCES, failed);
    leave(run);
    return 1;
}

/* ---- What Python asks for --------------------------------------------------------------------- */

/* Zeros on cache lines of their own. */
static void* lines(size_t size)
{
    size_t whole = (size + LINE) / LINE * LINE;
    void* memory = aligned_alloc(LINE, whole);
    if (memory != NULL)
        memset(memory, 0, whole);
    return memory;
}

static void freed(struct run* run)
{
    free(run->set);
    free(run->name);
    free(run->boxes);
    run_freed(&run->as);
    free(run->counts);
    pthread_mutex_destroy(&run->lock);
    free(run);
}

void* runs_keep(const char* set, const char* name, const int* boxes, int n_boxes, int colour,
                const struct entry_run* as)
{
    struct run* run = lines(sizeof *run);
    struct bucket* bucket;
    if (run == NULL)
        return NULL;
    pthread_mutex_init(&run->lock, NULL);
    run->set = copied(set, strlen(set) + 1);
    run->name = copied(name, strlen(name) + 1);
    run->boxes = copied(boxes, (size_t)n_boxes * 6 * sizeof *boxes);
    run->counts = lines((size_t)as->n_parts * sizeof *run->counts);
    if (!run_copied(&run->as, as) || run->set == NULL || run->name == NULL || run->boxes == NULL ||
        run->counts == NULL) {
        freed(run); /* the run goes through Python, as without this */
        return NULL;
    }
    run->n_boxes = n_boxes;
    run->colour = colour;
    run->generation = as->state[ENTRY_GENERATION];
    run->hash = hash_of(set, name, boxes, n_boxes, colour);
    bucket = bucket_of(run->hash);
    pthread_mutex_lock(&bucket->lock);
    run->next = bucket->first;
    bucket->first = run;
    pthread_mutex_unlock(&bucket->lock);
    return run;
}

int runs_begun(void* kept)
{
    struct run* run = kept;
    int begun;
    pthread_mutex_lock(&begun_lock);
    begun = taken(run);
    if (begun)
        held(run, -1); /* Python holds the set now, and ends the run */
    pthread_mutex_unlock(&begun_lock);
    return begun;
}

void runs_allow(void* kept, int64_t most)
{
    struct run* run = kept;
    pthread_mutex_lock(&run->lock);
    run->as.most = most;
    pthread_mutex_unlock(&run->lock);
}

int64_t runs_taken(void* kept, struct entry_count* counts)
{
    struct run* run = kept;
    int64_t ran;
    pthread_mutex_lock(&run->lock);
    ran = run->ran;
    run->ran = 0;
    memcpy(counts, run->counts, (size_t)run->as.n_parts * sizeof *counts);
    memset(run->counts, 0, (size_t)run->as.n_parts * sizeof *counts);
    pthread_mutex_unlock(&run->lock);
    return ran;
}

int64_t runs_drop(void* kept, struct entry_count* counts)
{
    struct run *run = kept, **link;
    struct bucket* bucket = bucket_of(run->hash);
    int64_t ran;
    pthread_mutex_lock(&bucket->lock);
    for (link = &bucket->first; *link != run; link = &(*link)->next)
        ;
    *link = run->next;
    pthread_mutex_unlock(&bucket->lock);
    /* Whoever is in it has the arrays of the run: they stay until he is out. */
    while (__atomic_load_n(&run->users, __ATOMIC_ACQUIRE) != 0)
        sched_yield();
    pthread_mutex_lock(&begun_lock);
    if (taken(run))
        held(run, -1);
    pthread_mutex_unlock(&begun_lock);
    ran = runs_taken(run, counts);
    freed(run);
    return ran;
}
