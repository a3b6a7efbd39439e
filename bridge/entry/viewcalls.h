/* viewcalls.h: calls on views that Python has done once, done again without it.
 *
 * Views serve one call at a time, of Python or of C: whoever has them (views_take) also has what is
 * kept here and what views say of themselves (struct entry_written). A record belongs to one thread
 * of the host; a call that finds none, or would not read what it has read before, goes to Python.
 */
#ifndef BRIDGE_VIEWCALLS_H
#define BRIDGE_VIEWCALLS_H

#include "interpreter.h"

/* Do the launch that is kept for this name on the first n points: 1, with what a body answered who
 * told of a failure; 0 where none is kept, or Python has to see this one. */
int views_launch(const char* name, int n, int* answer);
/* 1 where the points start .. end of a known array were moved into the view, or out of it. */
int views_stripe(const struct entry_stripe* stripe, int start, int end);

/* For Python, of its table (interpreter.h). */
int64_t views_take(void);
void views_give(void);
int64_t views_stamp(void);
void* views_keep_launch(const char* name, const struct entry_launch* launch, int64_t call,
                        int64_t writer, const int64_t* state);
void* views_keep_stripe(const struct entry_stripe* stripe, const struct entry_copy* copy,
                        int64_t call, int64_t writer);
void views_taken(void* record, struct entry_count* count);
void views_drop(void* record, struct entry_count* count);

#endif
