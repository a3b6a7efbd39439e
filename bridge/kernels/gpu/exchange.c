/* exchange.c: see exchange.h. */
#include "exchange.h"

#include <sched.h>
#include <time.h>

#include "orderstate.h"

/* Handles of MPI are pointers or ints: one word of a register calls either. */
typedef int (*post)(void*, int, void*, int, int, void*, void*);
typedef int (*test_any)(int, void*, int*, int*, void*);
typedef int (*test_all)(int, void*, int*, void*);
typedef int (*group)(void);
typedef int (*transfer)(void*, size_t, int, int, void*, void*);

enum { NCCL_INT8 = 0 };
enum { IMPATIENT = 1000 }; /* looks without a pause: what comes within some microseconds */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Whether to look again for what has not come, after a pause if it takes long. */
static int goes_on(int looks, int64_t until) {
    if (looks < IMPATIENT) return 1;
    if (now() > until) return 0;
    sched_yield();
    return 1;
}

/* ---- MPI --------------------------------------------------------------------------------------- */

static int of_mpi(bridge_exchange* exchange, int error) {
    exchange->of_mpi = error != 0;
    return error;
}

static int posted(bridge_exchange* exchange, int64_t function, const bridge_message* message,
                  int number) {
    const bridge_mpi* mpi = exchange->mpi;
    post call;
    *(void**)&call = at(function);
    return of_mpi(exchange, call(at(message->memory), (int)message->bytes, at(mpi->byte),
                                 message->peer, exchange->tag, at(mpi->communicator),
                                 exchange->requests + (int64_t)number * mpi->request));
}

/* Of the n receives the number of one that has come, or n where none is left; or less than 0. */
static int arrived(bridge_exchange* exchange, int64_t until) {
    const bridge_mpi* mpi = exchange->mpi;
    int n = exchange->n_receives, which = 0, flag = 0, error;
    test_any call;
    *(void**)&call = at(mpi->testany);
    for (int looks = 0;; ++looks) {
        error = call(n, exchange->requests, &which, &flag, exchange->statuses);
        if (error != 0) return -1 - of_mpi(exchange, error);
        if (flag) return which == mpi->undefined ? n : which;
        if (!goes_on(looks, until)) return BRIDGE_EXCHANGE_LATE;
    }
}

static int all_sent(bridge_exchange* exchange, int64_t until) {
    const bridge_mpi* mpi = exchange->mpi;
    char* requests = exchange->requests + (int64_t)exchange->n_receives * mpi->request;
    int flag = 0, error;
    test_all call;
    *(void**)&call = at(mpi->testall);
    for (int looks = 0;; ++looks) {
        error = call(exchange->n_sends, requests, &flag, exchange->statuses);
        if (error != 0) return of_mpi(exchange, error);
        if (flag) return 0;
        if (!goes_on(looks, until)) return BRIDGE_EXCHANGE_LATE;
    }
}

/* ---- Boxes of the host -------------------------------------------------------------------------- */

static void listed(int64_t function, const bridge_message* message, int threads) {
    int (*move)(const void*, void*, int);
    *(void**)&move = at(function);
    move(at(message->list), at(message->memory), threads);
}

/* Each message goes as soon as it is packed; boxes of this rank take theirs once all are. */
static int host_begins(bridge_exchange* exchange, int threads) {
    bridge_message* kept = exchange->kept;
    int error = 0;
    for (int i = 0; error == 0 && i < exchange->n_sends; ++i) {
        listed(exchange->pack, &exchange->sends[i], threads);
        error =
            posted(exchange, exchange->mpi->isend, &exchange->sends[i], exchange->n_receives + i);
    }
    if (error == 0 && kept != NULL) {
        listed(exchange->pack, &kept[0], threads);
        listed(exchange->unpack, &kept[1], threads);
    }
    return error;
}

/* ---- Boxes of the device ------------------------------------------------------------------------ */

static int launched(const bridge_order* order, const bridge_message* message, int inward,
                    int stream) {
    int error = 0;
    for (int i = 0; error == 0 && i < message->n_parts; ++i) {
        const bridge_boxes_part* part = &message->parts[i];
        *(int64_t*)at(part->near) = message->near + part->start;
        *(int32_t*)at(part->inward) = inward;
        error = order_launch(order, &part->launch, stream);
    }
    return error;
}

static int settled(const bridge_order* order, bridge_message* message) {
    int error = message->copying ? order_settle(order, message->event) : 0;
    if (error == 0) message->copying = 0;
    return error;
}

static int marked(const bridge_order* order, bridge_message* message, int stream) {
    int error = order->record(at(message->event), order->streams[stream]);
    if (error == 0) message->copying = 1;
    return error;
}

/* The stream of launches between n pieces of memory beside arrays, and these. */
static int stream_of(const bridge_exchange* exchange, int inward, const int64_t* beside, int n) {
    bridge_order* order = exchange->order;
    int error;
    if (exchange->alone) {
        error = bridge_order_alone(order);
        return error != 0 ? -error : MAIN;
    }
    if (inward)
        return bridge_order_begin(order, beside, n, exchange->writes, exchange->n_writes, -1);
    return bridge_order_begin(order, exchange->reads, exchange->n_reads, beside, n, -1);
}

static int staged(bridge_exchange* exchange, bridge_message* send, int stream) {
    bridge_order* order = exchange->order;
    int error = 0;
    if (send->near != send->memory)
        error = order_copy(order, 0, send->memory, send->near, send->bytes, stream);
    return error == 0 ? marked(order, send, stream) : error;
}

/* With the lock. */
static int all_packed(bridge_exchange* exchange) {
    bridge_order* order = exchange->order;
    int stream = stream_of(exchange, 0, exchange->packed, exchange->n_packed), error = 0;
    if (stream < 0) return -stream;
    for (int i = 0; error == 0 && i < exchange->n_sends; ++i) {
        error = launched(order, &exchange->sends[i], 0, stream);
        if (error == 0 && exchange->nccl == NULL)
            error = staged(exchange, &exchange->sends[i], stream);
    }
    if (error == 0 && exchange->kept != NULL)
        error = launched(order, &exchange->kept[0], 0, stream);
    return error;
}

/* All that goes has been read. With the lock. */
static int kept_unpacked(bridge_exchange* exchange) {
    const bridge_message* kept = exchange->kept;
    int stream;
    if (kept == NULL) return 0;
    stream = stream_of(exchange, 1, &kept->near, 1);
    return stream < 0 ? -stream : launched(exchange->order, &kept[1], 1, stream);
}

/* Behind what packs, on the stream of copies; with the lock. A peer's first message may be waited for here,
 * until both have made their connection. */
static int by_nccl(bridge_exchange* exchange) {
    const bridge_nccl* nccl = exchange->nccl;
    bridge_order* order = exchange->order;
    int n_sends = exchange->n_sends, n_receives = exchange->n_receives, error, last;
    int stream = bridge_order_begin(order, exchange->packed, n_sends, exchange->come, n_receives,
                                    order->n - 1);
    group start, end;
    transfer send, receive;
    if (stream < 0) return -stream;
    *(void**)&start = at(nccl->group_start);
    *(void**)&end = at(nccl->group_end);
    *(void**)&send = at(nccl->send);
    *(void**)&receive = at(nccl->recv);
    error = start();
    if (error == 0) {
        for (int i = 0; error == 0 && i < n_sends; ++i) {
            const bridge_message* message = &exchange->sends[i];
            error = send(at(message->near), (size_t)message->bytes, NCCL_INT8, message->peer,
                         at(nccl->communicator), order->streams[stream]);
        }
        for (int i = 0; error == 0 && i < n_receives; ++i) {
            const bridge_message* message = &exchange->receives[i];
            error = receive(at(message->near), (size_t)message->bytes, NCCL_INT8, message->peer,
                            at(nccl->communicator), order->streams[stream]);
        }
        last = end();
        if (error == 0) error = last;
    }
    exchange->of_nccl = error != 0;
    return error;
}

/* Messages leave as soon as they are packed; with the lock. */
static int sent(bridge_exchange* exchange) {
    int error = 0;
    for (int i = 0; error == 0 && i < exchange->n_sends; ++i) {
        error = settled(exchange->order, &exchange->sends[i]);
        if (error == 0)
            error = posted(exchange, exchange->mpi->isend, &exchange->sends[i],
                           exchange->n_receives + i);
    }
    return error;
}

static int device_begins(bridge_exchange* exchange) {
    bridge_order* order = exchange->order;
    int error = order_enter(order);
    if (error == 0) {
        order_note(order, exchange->name);
        error = all_packed(exchange);
        if (error == 0 && exchange->nccl != NULL) error = by_nccl(exchange);
        if (error == 0) error = kept_unpacked(exchange);
        if (error == 0 && exchange->nccl == NULL) error = sent(exchange);
        order_leave(order);
    }
    return error;
}

/* What NCCL has brought goes on in the order of the streams. */
static int nccl_ends(bridge_exchange* exchange) {
    bridge_order* order = exchange->order;
    int error = order_enter(order), stream;
    if (error != 0) return error;
    order_note(order, exchange->name);
    stream = stream_of(exchange, 1, exchange->come, exchange->n_receives);
    if (stream < 0) error = -stream;
    for (int i = 0; error == 0 && i < exchange->n_receives; ++i)
        error = launched(order, &exchange->receives[i], 1, stream);
    order_leave(order);
    return error;
}

/* The values go to the device ahead of what the boxes have to follow. With the lock. */
static int unpacked(bridge_exchange* exchange, bridge_message* message) {
    bridge_order* order = exchange->order;
    int error = 0, stream, copies = message->near != message->memory;
    if (copies) {
        stream = bridge_order_begin(order, NULL, 0, &message->near, 1, order->n - 1);
        if (stream < 0) return -stream;
        error = order_copy(order, 1, message->near, message->memory, message->bytes, stream);
        if (error != 0) return error;
    }
    stream = stream_of(exchange, 1, &message->near, copies);
    if (stream < 0) return -stream;
    error = launched(order, message, 1, stream);
    return error == 0 ? marked(order, message, stream) : error;
}

static int taken(bridge_exchange* exchange, bridge_message* message, int threads) {
    int error;
    if (exchange->order == NULL) {
        listed(exchange->unpack, message, threads);
        return 0;
    }
    error = order_enter(exchange->order);
    if (error == 0) {
        order_note(exchange->order, exchange->name);
        error = unpacked(exchange, message);
        order_leave(exchange->order);
    }
    return error;
}

/* ---- Either ------------------------------------------------------------------------------------- */

/* Memory that the device still reads from the last time is not received into. */
static int expected(bridge_exchange* exchange) {
    bridge_order* order = exchange->order;
    int error = 0;
    for (int i = 0; error == 0 && i < exchange->n_receives; ++i) {
        bridge_message* message = &exchange->receives[i];
        if (order != NULL && message->copying) {
            error = order_enter(order);
            if (error != 0) break;
            error = settled(order, message);
            order_leave(order);
        }
        if (error == 0) error = posted(exchange, exchange->mpi->irecv, message, i);
        if (error == 0) message->waiting = 1;
    }
    return error;
}

BRIDGE_EXPORT int bridge_exchange_begin(bridge_exchange* exchange, int threads) {
    int error;
    if (exchange->begun) return BRIDGE_EXCHANGE_STATE;
    exchange->of_mpi = exchange->of_nccl = 0;
    error = exchange->nccl != NULL ? 0 : expected(exchange);
    if (error == 0)
        error = exchange->order != NULL ? device_begins(exchange) : host_begins(exchange, threads);
    exchange->begun = error == 0;
    exchange->error = error;
    return error;
}

static int ended(bridge_exchange* exchange, int error) {
    exchange->begun = 0;
    exchange->error = error;
    return error;
}

BRIDGE_EXPORT int bridge_exchange_wait(bridge_exchange* exchange, int threads) {
    int64_t until = now() + exchange->patience;
    int error = 0;
    if (!exchange->begun) return BRIDGE_EXCHANGE_STATE;
    exchange->of_mpi = exchange->of_nccl = 0;
    if (exchange->nccl != NULL) return ended(exchange, nccl_ends(exchange));
    while (error == 0 && exchange->n_receives > 0) {
        int which = arrived(exchange, until);
        if (which == exchange->n_receives) break;
        if (which < 0) {
            error = exchange->of_mpi ? -1 - which : which;
            break;
        }
        exchange->receives[which].waiting = 0;
        error = taken(exchange, &exchange->receives[which], threads);
    }
    if (error == 0 && exchange->n_sends > 0) error = all_sent(exchange, until);
    return error == BRIDGE_EXCHANGE_LATE ? error : ended(exchange, error);
}

static int counted(bridge_exchange* exchange, int threads, int (*call)(bridge_exchange*, int)) {
    int error;
    order_count(1);
    error = call(exchange, threads);
    order_count(0);
    return error;
}

BRIDGE_EXPORT int bridge_exchange_begin_again(bridge_exchange* exchange, int threads) {
    return counted(exchange, threads, bridge_exchange_begin);
}

BRIDGE_EXPORT int bridge_exchange_wait_again(bridge_exchange* exchange, int threads) {
    return counted(exchange, threads, bridge_exchange_wait);
}
