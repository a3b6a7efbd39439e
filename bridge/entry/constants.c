/* constants.c: the records of constants.h. Constants are given by one thread while no other one is
 * in a call, so that the table is locked against mistakes alone. */
#include "constants.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "records.h"
#include "runs.h"
#include "state.h"

enum { BUCKETS = 256 };

/* Constants, or a table of rank n. as: the words of the Frame, and what brings new values to where
 * kernels read them. With views Python has to know who gave a constant, and when. */
struct record {
    struct record* next;
    uint64_t hash;
    char* names;
    struct entry_constant* constants;
    struct entry_table* table;
    int n, single; /* one name, which may have several numbers */
    struct entry_run as;
    int64_t generation, thread;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record* table[BUCKETS];

static const struct record* found(const char* names, int n, int is_table)
{
    uint64_t hash = hash_text(HASH_BEGIN, names);
    const struct record* one = runs_paused() ? NULL : table[hash % BUCKETS];
    while (one != NULL && !(one->hash == hash && one->n == n && (one->table != NULL) == is_table &&
                            strcmp(one->names, names) == 0))
        one = one->next;
    if (one == NULL || one->as.frame[ENTRY_GENERATION] != one->generation ||
        one->as.frame[ENTRY_PENDING] != 0 || one->as.frame[ENTRY_BEGUN] != 0 ||
        one->as.frame[ENTRY_VIEWS] != 0 || one->thread != entry_thread())
        return NULL;
    return one;
}

/* Whether Python would take a number for a constant. */
static int fits(const struct entry_constant* constant, double value)
{
    switch (constant->type) {
    case ENTRY_REAL: return isfinite(value);
    case ENTRY_INTEGER: return fabs(value) <= 2147483647.0 && value == trunc(value);
    default: return value == 0.0 || value == 1.0;
    }
}

static void store(const struct entry_constant* constant, double value)
{
    void* place = (void*)(intptr_t)constant->address;
    if (constant->type == ENTRY_REAL)
        *(double*)place = value;
    else
        *(int32_t*)place = (int32_t)value;
}

/* The values that were stored arrive where kernels read them, which ends a call of this kind; 0 where
 * that failed, and Python is to say why. The calls have begun, and end here. */
static int brought(const struct record* one, int kind)
{
    struct numbers before = numbers_now(&one->as.accounts);
    int done = 1;
    for (int i = 0; done && i < one->as.n_calls; ++i)
        done = call_in_order(&one->as.calls[i]) == 0;
    if (done)
        account_numbers(&one->as.accounts, kind, &before);
    end_calls(&one->as);
    return done;
}

int constants_set(const char* names, const double* values, int n)
{
    const struct record* one;
    int done;
    if (n < 1)
        return 0;
    pthread_mutex_lock(&lock);
    one = found(names, n, 0);
    done = one != NULL && (n == 1 || !one->single);
    for (int i = 0; done && i < n; ++i)
        done = fits(&one->constants[i], values[i]);
    done = done && begin_calls(&one->as);
    for (int i = 0; done && i < n; ++i)
        store(&one->constants[i], values[i]);
    done = done && brought(one, ENTRY_GIVEN_BY_NAMES);
    pthread_mutex_unlock(&lock);
    return done;
}

int constant_set(const char* name, const void* values, int type, int n)
{
    const struct record* one;
    int done = n >= 1 && (type == ENTRY_REAL || type == ENTRY_INTEGER);
    if (!done)
        return 0;
    pthread_mutex_lock(&lock);
    one = found(name, n, 0);
    done = one != NULL && one->constants[0].type == type;
    for (int i = 0; done && type == ENTRY_REAL && i < n; ++i)
        done = isfinite(((const double*)values)[i]);
    for (int i = 0; done && type == ENTRY_INTEGER && i < n; ++i)
        done = ((const int32_t*)values)[i] != INT32_MIN;
    done = done && begin_calls(&one->as);
    for (int i = 0; done && i < n; ++i)
        store(&one->constants[i], type == ENTRY_REAL ? ((const double*)values)[i]
                                                     : (double)((const int32_t*)values)[i]);
    done = done && brought(one, ENTRY_GIVEN);
    pthread_mutex_unlock(&lock);
    return done;
}

int table_set(const char* name, const void* values, const int* sizes, int rank)
{
    const struct record* one;
    size_t size = sizeof(double);
    int done;
    pthread_mutex_lock(&lock);
    one = found(name, rank, 1);
    done = one != NULL;
    for (int i = 0; done && i < rank; ++i) {
        done = sizes[i] == one->table->size[i];
        size *= (size_t)one->table->size[i];
    }
    done = done && begin_calls(&one->as);
    if (done) {
        memcpy(one->table->data, values, size);
        done = brought(one, ENTRY_GIVEN);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

static void freed(struct record* one)
{
    free(one->names);
    free(one->constants);
    run_freed(&one->as);
    free(one);
}

/* A record for the calling thread; null where there is no memory. */
static struct record* made(const char* names, int n, const struct entry_run* as)
{
    struct record* one = calloc(1, sizeof *one);
    if (one == NULL)
        return NULL;
    one->names = copied(names, strlen(names) + 1);
    if (!run_copied(&one->as, as) || one->names == NULL) {
        freed(one);
        return NULL;
    }
    one->n = n;
    one->generation = as->frame[ENTRY_GENERATION];
    one->thread = entry_thread();
    one->hash = hash_text(HASH_BEGIN, names);
    return one;
}

/* Into the table, in the place of another one of these names. */
static void put(struct record* one)
{
    struct record **link, *old;
    pthread_mutex_lock(&lock);
    link = &table[one->hash % BUCKETS];
    while (*link != NULL && !(strcmp((*link)->names, one->names) == 0 &&
                              ((*link)->table != NULL) == (one->table != NULL)))
        link = &(*link)->next;
    old = *link;
    one->next = old != NULL ? old->next : NULL;
    *link = one;
    if (old != NULL)
        freed(old);
    pthread_mutex_unlock(&lock);
}

int constants_keep(const char* names, const struct entry_constant* constants, int n, int single,
                   const struct entry_run* as)
{
    struct record* one = made(names, n, as);
    if (one == NULL)
        return 0;
    one->constants = copied(constants, (size_t)n * sizeof *constants);
    if (one->constants == NULL) {
        freed(one);
        return 0;
    }
    one->single = single;
    put(one);
    return 1;
}

int tables_keep(const char* name, struct entry_table* kept, int rank, const struct entry_run* as)
{
    struct record* one = made(name, rank, as);
    if (one == NULL)
        return 0;
    one->table = kept;
    put(one);
    return 1;
}

void constants_drop(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUCKETS; ++i)
        while (table[i] != NULL) {
            struct record* one = table[i];
            table[i] = one->next;
            freed(one);
        }
    pthread_mutex_unlock(&lock);
}
