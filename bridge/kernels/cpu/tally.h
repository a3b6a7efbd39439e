/* Counts of the bits of status words, kept by every run: read by cffi beside interface.h. */
#ifndef BRIDGE_KERNELS_CPU_TALLY_H
#define BRIDGE_KERNELS_CPU_TALLY_H

#include "interface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* begin interface */

enum { BRIDGE_TALLIES = 512 };

/* A step that counts points of words: its arguments are the slot of the words, the slot of the mask
 * or -1, the bits that are counted, and the number of a tally. It changes nothing. */
bridge_kernel bridge_cpu_tally_step(void);

/* Points by bit, 32 numbers, of a tally from 0 to BRIDGE_TALLIES - 1, since the library was loaded. */
int64_t* bridge_cpu_tally(int number);

/* end interface */

#ifdef __cplusplus
}
#endif

#endif
