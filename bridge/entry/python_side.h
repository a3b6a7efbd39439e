/* python_side.h: between interpreter.c and the cffi module that build_entry.py writes. */
#ifndef BRIDGE_PYTHON_SIDE_H
#define BRIDGE_PYTHON_SIDE_H

#include "interpreter.h"

extern const struct entry_host* entry_host;          /* the functions of libbridge.so */
const struct entry_bodies* python_side_bodies(void); /* the functions of Python */

#endif
