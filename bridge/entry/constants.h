/* constants.h: constants and tables of kernel packs that come again with new values, set without
 * Python.
 *
 * Python has checked the names, and programs of a CPU read the memory of the values at each run; to a
 * GPU they are brought by a call. A record is good while the generation of the Frame is what it was, no
 * run is pending, no view was made, its conditions hold, and for the thread that Python saw. A call that finds none, or has a value that would be
 * refused, goes to Python.
 */
#ifndef BRIDGE_CONSTANTS_H
#define BRIDGE_CONSTANTS_H

#include "interpreter.h"

/* 1 where these values were set, each of its name; all or none. */
int constants_set(const char* names, const double* values, int n);
/* 1 where the n values of one constant were set, which have its type; type: a code of bridge.h. */
int constant_set(const char* name, const void* values, int type, int n);
/* 1 where a table of these sizes has these values from now on, which are copied. */
int table_set(const char* name, const void* values, const int* sizes, int rank);

/* For Python: keep constants of names, at addresses, or, where single, the numbers of one, with the
 * calls that bring new values to where kernels read them; a table; forget all of them. */
int constants_keep(const char* names, const struct entry_constant* constants, int n, int single,
                   const struct entry_run* as);
int tables_keep(const char* name, struct entry_table* table, int rank, const struct entry_run* as);
void constants_drop(void);

#endif
