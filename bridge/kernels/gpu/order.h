/* order.h: work on the streams of one GPU, in an order that follows from the memory that it reads and
 * writes.
 *
 * Work on the same memory is in order, work that has no memory in common is not. Memory is known by
 * the allocation that it lies in. Events are recorded where a stream has to follow another one, and
 * nowhere else. Every piece of work has a stamp, in the order in which it was asked for.
 *
 * Plain C, of which cffi reads the part between the marks. It calls the driver by addresses that
 * Python gives, and is linked to none. Whoever
 * calls bridge_order_begin, _alone, _forget, _fork or _join has the lock. What a function of the driver answers is 0
 * or an error.
 */
#ifndef BRIDGE_KERNELS_GPU_ORDER_H
#define BRIDGE_KERNELS_GPU_ORDER_H

#include <stdint.h>

#define BRIDGE_EXPORT __attribute__((visibility("default")))

/* begin order */

/* Addresses of cuCtxPushCurrent, cuCtxPopCurrent, cuLaunchKernel, cuEventRecord, cuStreamWaitEvent,
 * or what stands for them, of cuStreamBatchMemOp, 0 where the device has no such operations, and of
 * cuMemcpyAsync, cuMemcpy3DAsync, cuStreamSynchronize, cuEventSynchronize, cuPointerGetAttribute,
 * cuGraphLaunch; the context in which the streams live.
 *
 * Where somebody counts what is asked for, `bare_...` stand in the place of functions for who counts it
 * by himself, and `timed_...` where the time of it is taken; else all of them are 0. counted_in,
 * counted_out: of copies to the device and from it the address of two words: how many were asked for,
 * and which is the next one whose time is taken. */
typedef struct {
    int64_t push, pop, launch, record, wait, batch, copy, copy_rows, synchronize, settle,
        attribute, graph, context;
    int64_t bare_launch, bare_copy, bare_copy_rows, bare_synchronize, bare_settle;
    int64_t timed_launch, timed_copy, timed_copy_rows;
    int64_t counted_in, counted_out;
} bridge_driver;

/* Words that Python and C share: whether the device has failed; whether a loop over chunks is under
 * way; whether others have addresses of its memory; how many names were noted, and the latest ones. */
enum {
    BRIDGE_FAILED,
    BRIDGE_RUNNING,
    BRIDGE_HANDED_OUT,
    BRIDGE_NOTED,
    BRIDGE_RECENT,
    BRIDGE_RECENT_NAMES = 8,
    BRIDGE_STATE = BRIDGE_RECENT + BRIDGE_RECENT_NAMES
};

typedef struct bridge_order bridge_order;

/* A kernel and its arguments: the address of an array of their addresses. counted: the address of two
 * words, as of copies; 0 where nobody counts. */
typedef struct {
    int64_t function, parameters;
    int32_t blocks, threads, tile;
    int64_t counted;
} bridge_launch;

/* `depth` slices of `height` rows of `width` bytes between memory of the host and of the device: a row
 * lies a pitch, in bytes, behind the one before, a slice so many rows behind the one before. */
typedef struct {
    int64_t host, near, width, height, depth, host_pitch, near_pitch, host_rows, near_rows;
} bridge_rows;

/* Launches one behind the other, after everything that writes what they read, or reads or writes what
 * they write. name: for messages, a number; runs: how many runs there were of its group; stream: the
 * number of the one that was taken last; error: of the driver. */
typedef struct {
    bridge_order* order;
    const int64_t *reads, *writes;
    int64_t* runs;
    const bridge_launch* launches;
    int32_t n_reads, n_writes, n_launches, name, stream, error;
} bridge_work;

/* Words of the host whose latest values the device is to have. known: those that it has; carried:
 * some that have changed, as the argument of a kernel; work: it writes `block`. It launches this kernel
 * where the device does not write values by itself, which takes less than half of the time. */
enum { BRIDGE_CARRIED = 60 };
typedef struct {
    int64_t block;
    int32_t n;
    struct {
        int32_t place;
        int32_t word[2];
    } values[BRIDGE_CARRIED];
} bridge_carried;
typedef struct {
    const int64_t* words;
    int64_t* known;
    int32_t n_words;
    bridge_carried* carried;
    bridge_work* work;
} bridge_values;

/* streams: the main one, others, and last one of copies alone; events: one for each. Null where there
 * is no memory. */
bridge_order* bridge_order_make(const bridge_driver* driver, int n, const int64_t* streams,
                                const int64_t* events);
void bridge_order_free(bridge_order* order);
int64_t* bridge_order_state(bridge_order* order);
void bridge_order_lock(bridge_order* order);
void bridge_order_unlock(bridge_order* order);
/* The number of the stream for a piece of work, which is to be asked for there next; number: of a
 * stream that is wanted, or -1. An error as -error. Values of the host that wait for the next work
 * (bridge_values_go) are brought first, here and in the next function. */
int bridge_order_begin(bridge_order* order, const int64_t* reads, int n_reads,
                       const int64_t* writes, int n_writes, int number);
/* What is asked for next on the main stream follows all that was asked for before, and whatever is
 * asked for later on any stream follows that. */
int bridge_order_alone(bridge_order* order);
/* All that was asked for has happened. */
void bridge_order_forget(bridge_order* order);
/* The main stream, on which nothing but bridge_order_alone was asked for, is captured from here on, and so
 * are the others. The other way round: all that was captured precedes what the main stream is asked for next,
 * where the caller ends the capture. In between nothing may be waited for. 0, or an error. */
int bridge_order_fork(bridge_order* order);
int bridge_order_join(bridge_order* order);

/* Do a bridge_work; have the values of bridge_values that differ brought to the device before the work
 * that is asked for next. They take the lock, and where they ask the driver the device's context is the
 * current one meanwhile. 0, or an error of the driver. The second argument is what runs.c gives, threads, without meaning
 * here. */
int bridge_work_go(void* work, int threads);
int bridge_values_go(void* values, int threads);
/* They are brought, and the next work does not look at them any more. */
int bridge_values_end(bridge_values* values);
/* The same as the first two for who counts by himself what is asked for, by the numbers below. */
int bridge_work_again(void* work, int threads);
int bridge_values_again(void* values, int threads);
/* Where they stand, for the calling thread: launches, copies and their bytes, waits. */
enum { BRIDGE_LAUNCHES, BRIDGE_COPIES, BRIDGE_BYTES, BRIDGE_SYNCHRONISATIONS, BRIDGE_COUNTS };
const int64_t* bridge_order_counts(void);

/* end order */

#endif
