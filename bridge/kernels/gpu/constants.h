/* constants.h: reductions over the points of some sets and of all ranks, whose value is a constant of
 * the runs that come.
 *
 * What ranks tell each other is integers, of which the largest counts, or the sum (exact.h): the value
 * has the same bits however points are spread. One rank has no need to look at values on a GPU: kernels
 * write the constant where later runs read it, in the order of the streams.
 */
#ifndef BRIDGE_KERNELS_GPU_CONSTANTS_H
#define BRIDGE_KERNELS_GPU_CONSTANTS_H

#include "order.h"

/* begin order */

/* MPI_Allreduce by its address, and handles for it: the communicator, MPI_INT64_T, MPI_MAX, MPI_SUM. */
typedef struct {
    int64_t allreduce, communicator, integer, most, sum;
} bridge_allreduce;

/* What is reduced: the largest value, the largest of the values with their signs changed, how many
 * are not zero, or sums. */
enum { BRIDGE_LARGEST, BRIDGE_LEAST, BRIDGE_NUMBER, BRIDGE_TOTAL };
/* Of these measures sums differ, by their numbers in kernels/cpu/interface.h. */
enum { BRIDGE_OF_VALUES, BRIDGE_OF_SQUARES = 2 };
/* What a source is asked for: keys of extremes, or the number; parts of sums, of which it gets the
 * grains (exact.h). */
enum { BRIDGE_FIRST, BRIDGE_SECOND };

/* Who has values: function(argument, step, grains, words, threads) puts what is asked for of them
 * together with what is in the words; 0, or an error. */
typedef struct {
    int64_t function, argument;
} bridge_constant_source;

/* Values on a device. launches: the first n_first leave keys or the number in words of the device; of sums
 * there is one that makes grains, then n_second that leave parts of sums; the last one leaves the
 * constant. words, n_words: of the first and the second step; near: memory of the device where grains
 * lie, n_grains bytes; staging: page-locked, for all of them; keys: whether the first step makes them. reads, writes: memory that the order
 * of streams knows. place: number of the constant's word in `values`; event: when the last launch is
 * over. */
typedef struct {
    bridge_order* order;
    bridge_values* values;
    const int64_t *reads, *writes;
    const bridge_launch* launches;
    int64_t words[2], near, staging, event;
    int32_t n_words[2], keys, n_reads, n_writes, n_first, n_second, n_grains, place, name;
} bridge_constant_device;
/* A source that has its values there, and waits for what is made of them. */
int bridge_constant_of_device(void* device, int step, const void* grains, int64_t* words,
                              int threads);

/* kind, measure: what of the values is reduced (kernels/cpu/interface.h), root: of it; none: where
 * nothing counts; points: of all ranks; check: a number of what was asked for, the same on all ranks;
 * columns: of the values; words, told, grains: room for 6 + 6*columns, and one for each column; value: the
 * constant on the host, brought to a device by `values`, or null. ranks: null for one rank. device:
 * null where the host has to see the values. disagreed: another rank, or this one, cannot go on by itself, and
 * all ranks know that; error: of this rank's source or device. */
typedef struct {
    const bridge_allreduce* ranks;
    const bridge_constant_source* sources;
    const bridge_constant_device* device;
    bridge_values* values;
    int64_t *words, *told;
    void* grains;
    double* value;
    double none;
    int64_t points, check;
    int32_t n_sources, kind, measure, root, columns, disagreed, error;
} bridge_constant;

/* Bytes of bridge_grains (exact.h). */
enum { BRIDGE_GRAINS = 48 };

/* Answers beside 0 and errors of the driver: ranks have to agree first; MPI has failed. */
enum { BRIDGE_CONSTANT_DISAGREED = -1, BRIDGE_CONSTANT_MPI = -3 };

/* Reduce and set the constant. Collective: all ranks call it, one that cannot with `fails`, which they all
 * get to know. */
int bridge_constant_go(bridge_constant* constant, int fails, int threads);
/* The same for who counts by himself what is asked for (order.h). */
int bridge_constant_again(bridge_constant* constant, int fails, int threads);

/* Where a constant's latest value is: in a word of the host, or, while that is BRIDGE_ON_DEVICE, in
 * `there` once the event has come. order: null without a device. */
typedef struct {
    bridge_order* order;
    const double* word;
    const int64_t* there;
    int64_t event;
} bridge_constant_place;
int bridge_constant_value(bridge_constant_place* place, double* value, int threads);
int bridge_constant_value_again(bridge_constant_place* place, double* value, int threads);

/* A NaN that nobody gives: the device has a value that the host does not have. */
#define BRIDGE_ON_DEVICE 0x7ffc0b1d6e5ec057
/* The integer that stands for a number (exact.h). */
int64_t bridge_constant_key(double value);

/* end order */

#endif
