/* What a test host needs and Fortran cannot ask: traps, control bits, signal dispositions. */
#define _GNU_SOURCE 1
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

/* The kernel's mark on every disposition that was set through the C library. */
#define SA_RESTORER_BIT 0x04000000

static __thread sigjmp_buf here;

static void caught(int number)
{
    siglongjmp(here, number);
}

/* 1 if this thread's own 1/0 raises SIGFPE. Traps must already be enabled. */
int probe_traps(void)
{
    volatile double zero = 0.0, one = 1.0, result;
    struct sigaction action, before;
    int trapped = 1;
    memset(&action, 0, sizeof action);
    action.sa_handler = caught;
    sigaction(SIGFPE, &action, &before);
    if (sigsetjmp(here, 1) == 0) {
        result = one / zero;
        trapped = result == 0.0;
    }
    return trapped;
}

/* Control bits of SSE arithmetic of this thread: traps, rounding, flush-to-zero; no flags. */
int probe_control(void)
{
    return (int)(_mm_getcsr() & ~0x3fu);
}

int probe_excepts(void)
{
    return fegetexcept();
}

/* A number made of every signal's disposition and of the mask. */
static struct sigaction kept[NSIG];
static sigset_t kept_mask;

void probe_keep_signals(void)
{
    for (int i = 1; i < NSIG; ++i)
        sigaction(i, NULL, &kept[i]);
    sigprocmask(SIG_SETMASK, NULL, &kept_mask);
}

int probe_changed_signals(void)
{
    struct sigaction now;
    sigset_t mask;
    int changed = 0;
    for (int i = 1; i < NSIG; ++i)
        if (sigaction(i, NULL, &now) == 0)
            changed += now.sa_handler != kept[i].sa_handler ||
                       ((now.sa_flags ^ kept[i].sa_flags) & ~SA_RESTORER_BIT) != 0;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int i = 1; i < NSIG; ++i)
        changed += sigismember(&mask, i) != sigismember(&kept_mask, i);
    return changed;
}

void probe_setenv(const char* name, const char* value)
{
    if (*value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* An exit handler of the host that calls the bridge again. */
void frame_report_(int* ierr);
static void call_again(void)
{
    frame_report_(NULL);
}

void probe_report_at_exit(void)
{
    atexit(call_again);
}
