/* orderstate.h: what order.c, boxes.c and reductions.c have in common: the state of an order, and what is
 * done with its lock. */
#ifndef BRIDGE_KERNELS_GPU_ORDERSTATE_H
#define BRIDGE_KERNELS_GPU_ORDERSTATE_H

#include <pthread.h>
#include <stddef.h>

#include "order.h"

enum { MAIN, STREAMS = 8 };

/* Of memory: the stream and the stamp of the latest write, and the stamps of the reads since, by
 * stream; 0 for none. */
struct place {
    int64_t memory, wrote, read[STREAMS];
    int writer;
};

/* CUDA_MEMCPY3D of the driver. */
struct side {
    size_t x, y, z, level;
    unsigned type;
    const void* host;
    uint64_t address;
    void *array, *reserved;
    size_t pitch, rows;
};
struct rows_copied {
    struct side from, to;
    size_t width, height, depth;
};

/* Functions of the driver that may be counted. */
struct functions {
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**);
    int (*copy)(void*, void*, size_t, void*);
    int (*copy_rows)(const struct rows_copied*, void*);
    int (*synchronize)(void*);
    int (*settle)(void*);
};

/* latest: stamp of the latest work of each stream; recorded: the same when its event was recorded
 * last; follows: what of each other stream precedes a stream; fence: of the main stream, which all
 * others follow; open: whether work on the main stream comes that does not say what it does; capturing:
 * whether what is asked for is captured; values: of the host, which the next work is to find, null for none; driver, bare, timed, counted_in,
 * counted_out: see bridge_driver. */
struct bridge_order {
    pthread_mutex_t lock;
    int64_t state[BRIDGE_STATE];
    void *streams[STREAMS], *events[STREAMS];
    int n, open, capturing;
    int64_t stamp, fence, latest[STREAMS], recorded[STREAMS], follows[STREAMS][STREAMS];
    bridge_values* values;
    struct place* places; /* a hash table; memory 0: free */
    int64_t n_places, room;
    void* context;
    int (*push)(void*);
    int (*pop)(void**);
    struct functions driver, bare, timed;
    int64_t *counted_in, *counted_out;
    int (*record)(void*, void*);
    int (*wait)(void*, void*, unsigned);
    int (*batch)(void*, unsigned, void*, unsigned); /* or null */
    int (*attribute)(void*, int, void*);
    int (*graph)(void*, void*);
};

static inline void* at(int64_t address) { return (void*)(intptr_t)address; }

/* Take the lock and make the device's context the current one; and the other way round. */
int order_enter(bridge_order* order);
void order_leave(bridge_order* order);
/* Remember what was asked for since the device last answered; name: a number. */
void order_note(bridge_order* order, int64_t name);
/* What this thread asks for from now on it counts by itself, or no longer. */
void order_count(int counting);
/* On the stream of a number; inward: to the device. */
int order_launch(const bridge_order* order, const bridge_launch* launch, int stream);
int order_copy(const bridge_order* order, int inward, int64_t to, int64_t from, int64_t size,
               int stream);
/* The same of rows; beside: added to the address of their memory of the device. */
int order_copy_rows(const bridge_order* order, int inward, const bridge_rows* rows, int64_t beside,
                    int stream);
/* Wait for a stream; for an event. */
int order_synchronize(const bridge_order* order, int stream);
int order_settle(const bridge_order* order, int64_t event);

#endif
