/* libpython.h: the library of Python and the part of the entry that calls it. */
#ifndef BRIDGE_LIBPYTHON_H
#define BRIDGE_LIBPYTHON_H

#include "environment.h"
#include "interpreter.h"

extern const struct entry_python* entry_python; /* null before */
extern struct entry_bodies entry_bodies;        /* its bodies, for the trampolines */

/* Look for the libpython that the process holds already, the host's. */
void libpython_find_loaded(void);
int libpython_runs(void); /* whether Python runs in the process: the host is, or holds, one */
/* Open the libpython of an environment, then _bridge_entry, which gets the functions of host; null,
 * or the reason why not. */
const char* libpython_open(const struct environment* environment, const struct entry_host* host);
/* The same for the Python that runs already. */
const char* libpython_open_running(const struct entry_host* host);

#endif
