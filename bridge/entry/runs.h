/* runs.h: runs of sets, moves of boxes of their arrays, exchanges, reductions, also to constants, and
 * sequences of all these, that Python has prepared, done again without it.
 *
 * Python owns what a run needs: programs, arrays, timers. Here is what a call has to know to do the
 * same run once more: who asked for it, and which functions are called. A record is good while the
 * generation of its set is what it was, and its conditions hold, which nobody changes during the
 * call; a call that finds none goes to Python.
 */
#ifndef BRIDGE_RUNS_H
#define BRIDGE_RUNS_H

#include "interpreter.h"

/* Do the run that is kept for these arguments: 1, with what a body answered who told of a failure; 0
 * where none is kept, or Python has to see this one. */
int runs_again(const char* set, const char* name, const int* boxes, int n_boxes, int colour,
               int* answer);

/* The same of a colour; 0 for one that is none, although something is kept by that number. */
int runs_colour_again(const char* set, const char* name, int colour, int* answer);

/* The same of a begin, which does all of it; the set is closed until the wait. */
int runs_begin(const char* set, const char* name, const int* boxes, int n_boxes, int colour,
               int* answer);
/* 1 where the set's run was begun here, and nobody has waited for it. */
int runs_wait(const char* set);

/* Do the move that is kept of boxes of an array, as `runs_again`; which: MOVES_PACK, ...; type, buffer,
 * size: the code of its type, the buffer and its elements; null and 0 of an update. */
int moves_again(int which, const char* set, const char* name, const int* boxes, int n_boxes,
                int type, const void* buffer, int size, int* answer);

/* Do the n reductions that are kept, after the run that makes quantities, if there is one; components:
 * null for 0 of all; width: integers of a place. */
int reduces_again(const char* set, const char* quantities, const char* operations,
                  const int* components, int n, int n_values, double* values, int* places,
                  int width, int* answer);

/* Set the constant that is kept as this reduction; give the value of a constant. 0 where Python is to
 * do it, or to do it again. */
int constants_reduced_again(const char* sets, const char* quantity, const char* operation,
                            const char* constant);
int constant_value_again(const char* constant, double* value);

/* Begin the exchange that is kept by this name, and wait for it, or one of both. */
int exchanges_again(int begin, int wait, const char* name, int* answer);

/* Whether Python is to see each call. */
int runs_paused(void);

/* For Python, of its table (interpreter.h). */
void* runs_keep(const char* set, const char* name, const int* boxes, int n_boxes, int colour,
                const struct entry_run* as);
int runs_begun(void* run);
void runs_allow(void* run, int64_t most);
int64_t runs_taken(void* run, struct entry_count* counts);
int64_t runs_drop(void* run, struct entry_count* counts);
void runs_pause(int pause);

#endif
