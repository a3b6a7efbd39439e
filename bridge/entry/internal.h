/* internal.h: entries that the shipped Fortran module and the latency program use. They are
 * exported, belong to no contract and may change with any version. */
#ifndef BRIDGE_INTERNAL_H
#define BRIDGE_INTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* A failure found by the Fortran module (an array that is not contiguous): keep it and apply the
 * policy. */
void bridge_refuse_(const char* entry, const char* argument, const char* got, const char* wanted,
                    int* ierr);

/* The routine that flushes the host's Fortran units. The module gives its own, because the
 * run-time library of some compilers cannot be reached from outside the program. */
void bridge_on_flush_(void (*flush)(void));

/* The floating-point environment (fenv_t) that the host had when it called us on this thread; null
 * outside a call. Threads inherit their environment from the thread that starts them, so whoever
 * starts some that the host will use too (an OpenMP pool) takes on this one for the moment. */
const void* bridge_host_environment_(void);

/* An entry with an empty Python body: what a call costs at least. */
void bridge_noop_(int n);

#ifdef __cplusplus
}
#endif

#endif
