/* exchange.h: boxes of arrays that go to other ranks, and boxes that take what comes from them, for
 * Python and for who calls C.
 *
 * All boxes for one rank are one message. Values cross by memory of the host, page-locked where the
 * arrays are on a device; or MPI takes memory of the device itself, or NCCL does, in the order of the
 * streams. Both are called by addresses.
 */
#ifndef BRIDGE_KERNELS_GPU_EXCHANGE_H
#define BRIDGE_KERNELS_GPU_EXCHANGE_H

#include "boxes.h"

/* begin order */

/* MPI_Irecv, MPI_Isend, MPI_Testany and MPI_Testall; handles, each in a word: the communicator and
 * MPI_BYTE; request: bytes of a handle of requests; undefined: MPI_UNDEFINED; statuses: memory for as many
 * as an exchange has messages. */
typedef struct {
    int64_t irecv, isend, testany, testall, communicator, byte;
    int32_t request, undefined;
} bridge_mpi;

/* ncclSend, ncclRecv, ncclGroupStart, ncclGroupEnd and ncclAllReduce, and a communicator. Ranks ask for
 * their work in the same order. */
typedef struct {
    int64_t send, recv, group_start, group_end, all_reduce, communicator;
} bridge_nccl;

/* What goes to a rank, or comes from it. memory: where MPI finds it; near: where kernels of the device do,
 * the same memory or other one beside it; list: a bridge_box_list of boxes of the host, 0 for none;
 * parts: launches between arrays of the device and `near`; event: when `memory` may be read, or
 * changed, again; copying: whether somebody has to wait for that; waiting: whether it has not come yet. */
typedef struct {
    int64_t memory, near, bytes, list, event;
    const bridge_boxes_part* parts;
    int32_t n_parts, peer, copying, waiting;
} bridge_message;

/* sends, receives: of other ranks; kept: what stays in this rank, once as it goes and once as it
 * comes, or null; requests, statuses: room for all of MPI's. order: null where boxes are the host's. nccl:
 * null where MPI moves messages. packed, come: memory that is written by packing, and by NCCL, and read
 * in the order of the streams: `near` of sends and of receives by NCCL, and of what stays. reads,
 * writes: memory of the device that boxes lie in; alone: some is memory of others, which is worked on
 * when nothing else is. pack, unpack: the addresses of
 * bridge_cpu_pack_boxes and bridge_cpu_unpack_boxes. patience: nanoseconds of a wait until the
 * caller is told. begun: whether it has begun and not ended; error: of the driver, or of MPI or NCCL
 * where `of_mpi` or `of_nccl` says so; name: for messages, a number. */
typedef struct {
    bridge_order* order;
    const bridge_mpi* mpi;
    const bridge_nccl* nccl;
    bridge_message *sends, *receives, *kept;
    char *requests, *statuses;
    const int64_t *reads, *writes, *packed, *come;
    int64_t pack, unpack, patience;
    int32_t n_sends, n_receives, n_reads, n_writes, n_packed, alone, tag, begun, error, of_mpi,
        of_nccl, name;
} bridge_exchange;

/* It was to begin and has begun, or to end and has not begun. Messages have not come in the time of
 * `patience`: the wait may be done again. */
enum { BRIDGE_EXCHANGE_STATE = -1, BRIDGE_EXCHANGE_LATE = -2 };

/* Pack and send, and expect; take what comes, and wait until all that was sent may be overwritten.
 * Boxes of the device have their values in the order of the streams. By NCCL nothing waits here: what
 * comes is taken in that order too, and nobody is late. threads: of copies of the host. 0,
 * an error, or one of the numbers above. */
int bridge_exchange_begin(bridge_exchange* exchange, int threads);
int bridge_exchange_wait(bridge_exchange* exchange, int threads);
/* The same for who counts by himself what is asked for (order.h). */
int bridge_exchange_begin_again(bridge_exchange* exchange, int threads);
int bridge_exchange_wait_again(bridge_exchange* exchange, int threads);

/* end order */

#endif
