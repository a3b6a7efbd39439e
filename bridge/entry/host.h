/* host.h: what the host process already holds: symbols, a floating-point environment, output
 * buffers, limits. */
#ifndef BRIDGE_HOST_H
#define BRIDGE_HOST_H

#include <fenv.h>
#include <stddef.h>

void* host_symbol(const char* name); /* among the symbols of the process; null for none */
void host_flush(void);               /* Fortran's and C's output buffers */
/* Lines on stderr with one write; what it does not take is dropped. */
void host_say(const char* text, size_t length);
int host_has_module(void); /* whether the program has called through the Fortran module */
/* "" or what to say where ulimit -v is set. */
const char* host_address_limit(char* text, size_t size);

/* ---- The floating-point environment of the host ------------------------------------------ */

/* Python and NumPy must run with masked exceptions and gradual underflow; the host's traps,
 * flush-to-zero, rounding and flags come back afterwards. Guards nest where Python calls the host
 * and the host calls us. */
struct guard {
    fenv_t host;
    const struct guard* outer;
};

extern __thread const struct guard* guard_innermost; /* bridge_host_environment_() */

static inline void guard_open(struct guard* guard)
{
    fegetenv(&guard->host);
    fesetenv(FE_DFL_ENV);
    guard->outer = guard_innermost;
    guard_innermost = guard;
}

static inline void guard_close(const struct guard* guard)
{
    guard_innermost = guard->outer;
    fesetenv(&guard->host);
}

#endif
