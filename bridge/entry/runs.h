/* runs.h: runs of sets that Python has prepared, begun again without it.
 *
 * Python owns what a run needs: programs, arrays, timers. Here is what a call has to know to do the
 * same run once more: who asked for it, and which functions of a kernel library are called. A record
 * is good while the generation of its set is what it was; a call that finds none goes to Python.
 */
#ifndef BRIDGE_RUNS_H
#define BRIDGE_RUNS_H

#include "interpreter.h"

/* Do the run that is kept for these arguments: 1 with what a body would answer, or 0 where none is,
 * or Python has to see this one. */
int runs_again(const char* set, const char* name, const int* boxes, int n_boxes, int colour,
               int* answer);

/* For Python, of its table (interpreter.h). */
void* runs_keep(const char* set, const char* name, const int* boxes, int n_boxes, int colour,
                const struct entry_call* calls, int n_calls, int n_parts, const int64_t* state,
                int64_t most);
void runs_allow(void* run, int64_t most);
int64_t runs_taken(void* run, struct entry_count* counts);
int64_t runs_drop(void* run, struct entry_count* counts);

#endif
