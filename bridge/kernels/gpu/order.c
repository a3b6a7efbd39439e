/* order.c: see order.h. */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "orderstate.h"

enum { FIRST_PLACES = 64, NO_MEMORY = 2 /* CUDA_ERROR_OUT_OF_MEMORY */ };

/* CUstreamBatchMemOpParams of the driver, of a value that is written. */
union write_value {
    struct {
        int operation;
        uint64_t address, value;
        unsigned flags;
        uint64_t alias;
    } write;
    uint64_t room[6];
};
enum { WRITE_VALUE_64 = 5 };
enum { ANY_MEMORY = 4 /* CU_MEMORYTYPE_UNIFIED */ };

BRIDGE_EXPORT bridge_order* bridge_order_make(const bridge_driver* driver, int n,
                                              const int64_t* streams, const int64_t* events) {
    bridge_order* order = n <= STREAMS ? calloc(1, sizeof *order) : NULL;
    pthread_mutexattr_t recursive;
    if (order == NULL) return NULL;
    order->room = FIRST_PLACES;
    order->places = calloc((size_t)order->room, sizeof *order->places);
    if (order->places == NULL) {
        free(order);
        return NULL;
    }
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&order->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    order->n = n;
    for (int i = 0; i < n; ++i) {
        order->streams[i] = at(streams[i]);
        order->events[i] = at(events[i]);
    }
    order->context = at(driver->context);
    *(void**)&order->push = at(driver->push);
    *(void**)&order->pop = at(driver->pop);
    *(void**)&order->driver.launch = at(driver->launch);
    *(void**)&order->driver.copy = at(driver->copy);
    *(void**)&order->driver.copy_rows = at(driver->copy_rows);
    *(void**)&order->driver.synchronize = at(driver->synchronize);
    *(void**)&order->driver.settle = at(driver->settle);
    *(void**)&order->bare.launch = at(driver->bare_launch);
    *(void**)&order->bare.copy = at(driver->bare_copy);
    *(void**)&order->bare.copy_rows = at(driver->bare_copy_rows);
    *(void**)&order->bare.synchronize = at(driver->bare_synchronize);
    *(void**)&order->bare.settle = at(driver->bare_settle);
    *(void**)&order->timed.launch = at(driver->timed_launch);
    *(void**)&order->timed.copy = at(driver->timed_copy);
    *(void**)&order->timed.copy_rows = at(driver->timed_copy_rows);
    order->counted_in = at(driver->counted_in);
    order->counted_out = at(driver->counted_out);
    *(void**)&order->record = at(driver->record);
    *(void**)&order->wait = at(driver->wait);
    *(void**)&order->batch = at(driver->batch);
    *(void**)&order->attribute = at(driver->attribute);
    *(void**)&order->graph = at(driver->graph);
    return order;
}

BRIDGE_EXPORT void bridge_order_free(bridge_order* order) {
    pthread_mutex_destroy(&order->lock);
    free(order->places);
    free(order);
}

BRIDGE_EXPORT int64_t* bridge_order_state(bridge_order* order) { return order->state; }

BRIDGE_EXPORT void bridge_order_lock(bridge_order* order) { pthread_mutex_lock(&order->lock); }

BRIDGE_EXPORT void bridge_order_unlock(bridge_order* order) { pthread_mutex_unlock(&order->lock); }

/* ---- Memory ------------------------------------------------------------------------------------ */

/* Where memory stands in a table, or the free place for it. */
static struct place* place_in(struct place* places, int64_t room, int64_t memory) {
    uint64_t hash = (uint64_t)memory * UINT64_C(0x9E3779B97F4A7C15);
    int64_t i = (int64_t)(hash >> 32) & (room - 1);
    while (places[i].memory != 0 && places[i].memory != memory) i = (i + 1) & (room - 1);
    return &places[i];
}

static struct place* place_of(bridge_order* order, int64_t memory) {
    return place_in(order->places, order->room, memory);
}

/* Room for so many more; 0 where there is no memory. */
static int reserved(bridge_order* order, int more) {
    int64_t room = order->room;
    struct place* places;
    while (2 * (order->n_places + more) > room) room *= 2;
    if (room == order->room) return 1;
    places = calloc((size_t)room, sizeof *places);
    if (places == NULL) return 0;
    for (int64_t i = 0; i < order->room; ++i)
        if (order->places[i].memory != 0)
            *place_in(places, room, order->places[i].memory) = order->places[i];
    free(order->places);
    order->places = places;
    order->room = room;
    return 1;
}

static struct place* kept_place(bridge_order* order, int64_t memory) {
    struct place* place = place_of(order, memory);
    if (place->memory == 0) {
        place->memory = memory;
        ++order->n_places;
    }
    return place;
}

/* ---- Work that says what it reads and writes ----------------------------------------------------- */

static void closed(bridge_order* order) {
    if (order->open) {
        order->open = 0;
        order->latest[MAIN] = order->fence = ++order->stamp;
    }
}

static void need(int64_t* needs, int stream, int64_t stamp) {
    if (needs[stream] < stamp) needs[stream] = stamp;
}

/* That of the latest work which has to be followed, else the one that has been idle longest. */
static int chosen(const bridge_order* order, const int64_t* needs) {
    int best = -1, idle = MAIN + 1;
    for (int i = MAIN + 1; i < order->n - 1; ++i) {
        if (needs[i] > (best < 0 ? 0 : needs[best])) best = i;
        if (order->latest[i] < order->latest[idle]) idle = i;
    }
    return best < 0 ? idle : best;
}

/* What comes next on a stream follows another one's work up to a stamp at least. */
static int follow(bridge_order* order, int number, int other, int64_t stamp) {
    int error = 0;
    if (order->recorded[other] < stamp) {
        error = order->record(order->events[other], order->streams[other]);
        if (error == 0) order->recorded[other] = order->latest[other];
    }
    if (error == 0) error = order->wait(order->streams[number], order->events[other], 0);
    if (error == 0) order->follows[number][other] = order->recorded[other];
    return error;
}

static int brought(bridge_order* order);

BRIDGE_EXPORT int bridge_order_begin(bridge_order* order, const int64_t* reads, int n_reads,
                                     const int64_t* writes, int n_writes, int number) {
    int64_t needs[STREAMS] = {0};
    int late = brought(order);
    if (late != 0) return -late;
    closed(order);
    if (!reserved(order, n_reads + n_writes)) return -NO_MEMORY;
    for (int i = 0; i < n_reads; ++i) {
        const struct place* place = place_of(order, reads[i]);
        need(needs, place->writer, place->wrote);
    }
    for (int i = 0; i < n_writes; ++i) {
        const struct place* place = place_of(order, writes[i]);
        need(needs, place->writer, place->wrote);
        for (int stream = 0; stream < order->n; ++stream) need(needs, stream, place->read[stream]);
    }
    if (number < 0) number = chosen(order, needs);
    need(needs, MAIN, order->fence);
    for (int other = 0; other < order->n; ++other)
        if (other != number && order->follows[number][other] < needs[other]) {
            int error = follow(order, number, other, needs[other]);
            if (error != 0) return -error;
        }
    order->latest[number] = ++order->stamp;
    for (int i = 0; i < n_reads; ++i) kept_place(order, reads[i])->read[number] = order->stamp;
    for (int i = 0; i < n_writes; ++i) {
        struct place* place = kept_place(order, writes[i]);
        place->writer = number;
        place->wrote = order->stamp;
        memset(place->read, 0, sizeof place->read);
    }
    return number;
}

/* ---- Work that does not -------------------------------------------------------------------------- */

BRIDGE_EXPORT int bridge_order_alone(bridge_order* order) {
    int late = brought(order);
    if (late != 0) return late;
    closed(order);
    for (int other = MAIN + 1; other < order->n; ++other)
        if (order->follows[MAIN][other] < order->latest[other]) {
            int error = follow(order, MAIN, other, order->latest[other]);
            if (error != 0) return error;
        }
    order->open = 1;
    return 0;
}

BRIDGE_EXPORT void bridge_order_forget(bridge_order* order) {
    ++order->stamp;
    order->fence = 0;
    memset(order->latest, 0, sizeof order->latest);
    memset(order->recorded, 0, sizeof order->recorded);
    memset(order->follows, 0, sizeof order->follows);
    memset(order->places, 0, (size_t)order->room * sizeof *order->places);
    order->n_places = 0;
}

/* ---- Work that is captured ------------------------------------------------------------------------- */

static int after(const bridge_order* order, int number, int other) {
    int error = order->record(order->events[other], order->streams[other]);
    return error != 0 ? error : order->wait(order->streams[number], order->events[other], 0);
}

/* Events of before may not be waited for in a capture, nor those of a capture after it. */
BRIDGE_EXPORT int bridge_order_fork(bridge_order* order) {
    int error = 0;
    for (int other = MAIN + 1; error == 0 && other < order->n; ++other)
        error = after(order, other, MAIN);
    bridge_order_forget(order);
    order->open = 0;
    order->capturing = 1;
    return error;
}

BRIDGE_EXPORT int bridge_order_join(bridge_order* order) {
    int error = brought(order);
    for (int other = MAIN + 1; error == 0 && other < order->n; ++other)
        error = after(order, MAIN, other);
    order->capturing = 0;
    bridge_order_forget(order);
    order->open = 1;
    return error;
}

/* ---- What is asked of the driver ------------------------------------------------------------------- */

/* Whether this thread counts by itself what it asks for now; what there was, BRIDGE_LAUNCHES ... */
static __thread int counting;
static __thread int64_t counts[BRIDGE_COUNTS];

BRIDGE_EXPORT const int64_t* bridge_order_counts(void) { return counts; }

void order_count(int now) { counting = now; }

/* words: those of what is asked for, if its time may be taken. What is captured is counted when it is
 * done. */
static const struct functions* way_of(const bridge_order* order, int64_t* words) {
    if (!counting || order->capturing || order->bare.launch == NULL) return &order->driver;
    return words != NULL && ++words[0] >= words[1] ? &order->timed : &order->bare;
}

static int counted(int error, int number, int64_t more) {
    if (counting && error == 0) counts[number] += more;
    return error;
}

int order_launch(const bridge_order* order, const bridge_launch* one, int stream) {
    const struct functions* way = way_of(order, at(one->counted));
    int error =
        way->launch(at(one->function), (unsigned)one->blocks, 1, 1, (unsigned)one->threads, 1, 1,
                    (unsigned)one->tile, order->streams[stream], at(one->parameters), NULL);
    return counted(error, BRIDGE_LAUNCHES, 1);
}

static const struct functions* way_of_copy(const bridge_order* order, int inward) {
    return way_of(order, inward ? order->counted_in : order->counted_out);
}

static int counted_copy(int error, int64_t size) {
    counted(error, BRIDGE_BYTES, size);
    return counted(error, BRIDGE_COPIES, 1);
}

int order_copy(const bridge_order* order, int inward, int64_t to, int64_t from, int64_t size,
               int stream) {
    const struct functions* way = way_of_copy(order, inward);
    return counted_copy(way->copy(at(to), at(from), (size_t)size, order->streams[stream]), size);
}

/* Either side is known by its address alone. */
static struct side side_of(int64_t address, int64_t pitch, int64_t rows) {
    return (struct side){.type = ANY_MEMORY,
                         .address = (uint64_t)address,
                         .pitch = (size_t)pitch,
                         .rows = (size_t)rows};
}

int order_copy_rows(const bridge_order* order, int inward, const bridge_rows* rows, int64_t beside,
                    int stream) {
    int64_t near = rows->near + beside, size = rows->width * rows->height * rows->depth;
    struct side host = side_of(rows->host, rows->host_pitch, rows->host_rows),
                device = side_of(near, rows->near_pitch, rows->near_rows);
    struct rows_copied copied = {inward ? host : device, inward ? device : host,
                                 (size_t)rows->width, (size_t)rows->height, (size_t)rows->depth};
    if (rows->height == 1 && rows->depth == 1)
        return order_copy(order, inward, inward ? near : rows->host, inward ? rows->host : near,
                          size, stream);
    return counted_copy(way_of_copy(order, inward)->copy_rows(&copied, order->streams[stream]),
                        size);
}

int order_synchronize(const bridge_order* order, int stream) {
    int error = way_of(order, NULL)->synchronize(order->streams[stream]);
    return counted(error, BRIDGE_SYNCHRONISATIONS, 1);
}

int order_settle(const bridge_order* order, int64_t event) {
    return counted(way_of(order, NULL)->settle(at(event)), BRIDGE_SYNCHRONISATIONS, 1);
}

/* ---- Launches -------------------------------------------------------------------------------------- */

void order_note(bridge_order* order, int64_t name) {
    int64_t *state = order->state, noted = state[BRIDGE_NOTED];
    if (noted > 0 && state[BRIDGE_RECENT + (noted - 1) % BRIDGE_RECENT_NAMES] == name) return;
    state[BRIDGE_RECENT + noted % BRIDGE_RECENT_NAMES] = name;
    state[BRIDGE_NOTED] = noted + 1;
}

static int launched(const bridge_work* work) {
    int error = 0;
    for (int i = 0; error == 0 && i < work->n_launches; ++i)
        error = order_launch(work->order, &work->launches[i], work->stream);
    return error;
}

/* With the lock, in the context: the stream for it is `stream`. */
static int placed(bridge_work* work) {
    int number = bridge_order_begin(work->order, work->reads, work->n_reads, work->writes,
                                    work->n_writes, -1);
    order_note(work->order, work->name);
    if (number < 0) return -number;
    work->stream = number;
    if (work->runs != NULL) ++*work->runs;
    return 0;
}

static int done(bridge_work* work) {
    int error = placed(work);
    return error != 0 ? error : launched(work);
}

int order_enter(bridge_order* order) {
    int error;
    pthread_mutex_lock(&order->lock);
    error = order->push(order->context);
    if (error != 0) pthread_mutex_unlock(&order->lock);
    return error;
}

void order_leave(bridge_order* order) {
    void* context;
    order->pop(&context);
    pthread_mutex_unlock(&order->lock);
}

BRIDGE_EXPORT int bridge_work_go(void* argument, int threads) {
    bridge_work* work = argument;
    (void)threads;
    work->error = order_enter(work->order);
    if (work->error == 0) {
        work->error = done(work);
        order_leave(work->order);
    }
    return work->error;
}

/* ---- Values of the host ---------------------------------------------------------------------------- */

/* What is in `carried`, by the device itself or by the kernel, which a graph can hold. */
static int written(bridge_values* values) {
    const bridge_carried* carried = values->carried;
    bridge_order* order = values->work->order;
    union write_value writes[BRIDGE_CARRIED];
    int error;
    if (order->batch == NULL || order->capturing) return done(values->work);
    error = placed(values->work);
    memset(writes, 0, (size_t)carried->n * sizeof *writes);
    for (int i = 0; i < carried->n; ++i) {
        writes[i].write.operation = WRITE_VALUE_64;
        writes[i].write.address =
            (uint64_t)carried->block + 8 * (uint64_t)carried->values[i].place;
        memcpy(&writes[i].write.value, carried->values[i].word, sizeof(uint64_t));
    }
    if (error == 0)
        error =
            order->batch(order->streams[values->work->stream], (unsigned)carried->n, writes, 0);
    return error;
}

/* At once those that differ from the word `first` on; where the next one begins. */
static int carry(bridge_values* values, int first, int* error) {
    bridge_carried* carried = values->carried;
    int n = 0, i = first;
    for (; i < values->n_words && n < BRIDGE_CARRIED; ++i)
        if (values->words[i] != values->known[i]) {
            carried->values[n].place = i;
            memcpy(carried->values[n++].word, &values->words[i], sizeof *values->words);
        }
    carried->n = n;
    *error = n > 0 ? written(values) : 0;
    if (*error == 0)
        memcpy(&values->known[first], &values->words[first],
               (size_t)(i - first) * sizeof *values->words);
    return i;
}

/* With the lock, in the context: the latest values are brought before the work that comes. */
static int brought(bridge_order* order) {
    bridge_values* values = order->values;
    int error = 0;
    if (values == NULL) return 0;
    order->values = NULL; /* what brings them is work, which begins as any other */
    for (int next = 0; error == 0 && next < values->n_words;) next = carry(values, next, &error);
    if (error != 0) order->values = values;
    return error;
}

BRIDGE_EXPORT int bridge_values_go(void* argument, int threads) {
    bridge_values* values = argument;
    bridge_order* order = values->work->order;
    int error = 0;
    (void)threads;
    pthread_mutex_lock(&order->lock);
    order->values = values;
    if (order->open) { /* the next work need not begin */
        error = order_enter(order);
        if (error == 0) {
            error = brought(order);
            order_leave(order);
        }
    }
    pthread_mutex_unlock(&order->lock);
    return error;
}

BRIDGE_EXPORT int bridge_values_end(bridge_values* values) {
    bridge_order* order = values->work->order;
    int error = order_enter(order);
    if (error != 0) return error;
    if (order->values == values) {
        error = brought(order);
        order->values = NULL;
    }
    order_leave(order);
    return error;
}

BRIDGE_EXPORT int bridge_work_again(void* work, int threads) {
    int error;
    order_count(1);
    error = bridge_work_go(work, threads);
    order_count(0);
    return error;
}

BRIDGE_EXPORT int bridge_values_again(void* values, int threads) {
    int error;
    order_count(1);
    error = bridge_values_go(values, threads);
    order_count(0);
    return error;
}
