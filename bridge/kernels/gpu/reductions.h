/* reductions.h: reductions of arrays of the device, for Python and for who calls C.
 *
 * Kernels leave partial results of groups of points in memory of the host that is page-locked, in the
 * order of the streams (order.h); the kernel library of the host combines them.
 */
#ifndef BRIDGE_KERNELS_GPU_REDUCTIONS_H
#define BRIDGE_KERNELS_GPU_REDUCTIONS_H

#include "order.h"

/* begin order */

/* reads: memory, as the order of streams knows it; lanes, groups: where the addresses stand of memory
 * of the device that the kernels write, and of that of the host; combine, answer: the addresses of
 * bridge_cpu_combine and bridge_cpu_answer, form: of its bridge_answer; results: of the results of
 * columns; name: for messages, a number; error: of the driver. */
typedef struct {
    bridge_order* order;
    const int64_t *reads, *lanes, *groups;
    const bridge_launch* launches;
    int64_t combine, answer, form, results, n_groups, columns;
    int32_t n_reads, n_launches, operation, name, error;
} bridge_device_reduction;

/* The results of columns. It takes the lock, as bridge_work_go. 0, or an error of the driver. */
int bridge_device_reduce(bridge_device_reduction* reduction);
/* The same for who counts by himself what is asked for (order.h), and what they are to a caller
 * (bridge_cpu_reduce_again). */
int bridge_device_reduce_again(bridge_device_reduction* reduction, double* value, int* place,
                               int threads);

/* end order */

#endif
