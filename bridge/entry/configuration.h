/* configuration.h: between interpreter.c and configuration.c. */
#ifndef BRIDGE_CONFIGURATION_H
#define BRIDGE_CONFIGURATION_H

/* Null when Python of this interpreter runs; else what went wrong. */
const char* configuration_start(const char* interpreter);

#endif
