/* sequences.h: what calls of a recorded sequence are when it is done again: constants that get the values
 * of then, and a graph of everything that the device is asked for.
 *
 * Plain C, of which cffi reads the part between the marks, called by its addresses as order.h is.
 */
#ifndef BRIDGE_KERNELS_GPU_SEQUENCES_H
#define BRIDGE_KERNELS_GPU_SEQUENCES_H

#include "constants.h"
#include "order.h"

/* begin order */

/* `size` bytes of the host, given again. */
typedef struct {
    int64_t to, from, size;
} bridge_piece;

/* Values of the host as a call has given them; bring: the address of a function that has them brought to
 * the device, and its argument; 0 where kernels read them where they are. */
typedef struct {
    const bridge_piece* pieces;
    int32_t n;
    int64_t bring, argument;
} bridge_given;

/* What was captured on the streams of an order. graph: for the driver; values: of the host, null for none,
 * and given: what the host has of them afterwards; constants: that it reduces, whose values the device has
 * then; runs: numbers that each time adds one to; name: for messages, a number; error: of the driver. */
typedef struct {
    bridge_order* order;
    int64_t graph;
    bridge_values* values;
    const bridge_given* const* given;
    const bridge_constant_device* const* constants;
    int64_t* const* runs;
    int32_t n_given, n_constants, n_runs, name, error;
} bridge_graph;

/* Give values again. */
int bridge_given_again(void* given, int threads);
/* The same, and the device is taken to have others, so that these are brought when they are given next. */
void bridge_given_forgotten(const bridge_given* given, bridge_values* values);

/* The values of constants that are reduced on a device are there once their events have come, which are
 * asked for on the main stream: an event of a capture cannot be waited for. 0, or an error. */
int bridge_graph_reduced(const bridge_graph* graph);
/* Launch a graph on the main stream: after all that was asked for before, and whatever is asked for later
 * follows it. 0, or an error of the driver. */
int bridge_graph_go(void* graph, int threads);

/* end order */

#endif
