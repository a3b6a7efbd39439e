/* orderstate.h: what order.c and boxes.c have in common: the state of an order, and what is done with its
 * lock. */
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

typedef int launch_function(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, void*, void**, void**);

/* latest: stamp of the latest work of each stream; recorded: the same when its event was recorded
 * last; follows: what of each other stream precedes a stream; fence: of the main stream, which all
 * others follow; open: whether work on the main stream comes that does not say what it does. */
struct bridge_order {
    pthread_mutex_t lock;
    int64_t state[BRIDGE_STATE];
    void *streams[STREAMS], *events[STREAMS];
    int n, open;
    int64_t stamp, fence, latest[STREAMS], recorded[STREAMS], follows[STREAMS][STREAMS];
    struct place* places; /* a hash table; memory 0: free */
    int64_t n_places, room;
    void* context;
    int (*push)(void*);
    int (*pop)(void**);
    launch_function *launch, *timed, *bare;
    int (*record)(void*, void*);
    int (*wait)(void*, void*, unsigned);
    int (*batch)(void*, unsigned, void*, unsigned); /* or null */
    int (*copy)(void*, void*, size_t, void*);
    int (*synchronize)(void*);
    int (*settle)(void*);
    int (*attribute)(void*, int, void*);
};

static inline void* at(int64_t address) { return (void*)(intptr_t)address; }

/* Take the lock and make the device's context the current one; and the other way round. */
int order_enter(bridge_order* order);
void order_leave(bridge_order* order);
/* Remember what was asked for since the device last answered; name: a number. */
void order_note(bridge_order* order, int64_t name);
/* On the stream of a number. */
int order_launch(const bridge_order* order, const bridge_launch* launch, int stream);

#endif
