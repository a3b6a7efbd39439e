/* environment.h: between startup.c and environment.c. */
#ifndef BRIDGE_ENVIRONMENT_H
#define BRIDGE_ENVIRONMENT_H

#include <limits.h>

#include "entry.h"

/* "3.11", of the interpreter library that we are linked to. */
#define PYTHON_VERSION Py_STRINGIFY(PY_MAJOR_VERSION) "." Py_STRINGIFY(PY_MINOR_VERSION)

enum { ENVIRONMENT_ROOM = PATH_MAX + 64 };

/* Null when the interpreter can be tried; else the reason why not. */
const char* environment_unfit(const char* interpreter);
/* The interpreter of a folder; of the folder that holds libbridge.so. 0 where there is none. */
int environment_in(const char* folder, char* interpreter);
int environment_of_library(char* interpreter);
/* Null when PYTHONHOME is in nobody's way; else what is wrong with it. */
const char* environment_home_unfit(void);

#endif
