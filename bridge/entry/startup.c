/* startup.c: find the right Python, start it without touching the host and say honestly whether it
 * worked.
 *
 * What has to be found is an environment, named by its interpreter: $BRIDGE_PYTHON, else the
 * environment that holds libbridge.so, else the one configured at build time, else $VIRTUAL_ENV.
 * Its version says which libpython is opened.
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "constants.h"
#include "ending.h"
#include "environment.h"
#include "failure.h"
#include "host.h"
#include "hostmpi.h"
#include "libpython.h"
#include "runs.h"
#include "viewcalls.h"
#include "startup.h"
#include "state.h"

/* ---- What was tried, for the message ------------------------------------------------------ */

static char tried[7168];

static void note(const char* origin, const char* path, const char* reason)
{
    size_t used = strlen(tried);
    snprintf(tried + used, sizeof tried - used, "\n- %s%s%s: %s", origin, *path ? ", " : "", path,
             reason);
}

/* The candidates that were looked at, a line each, and which one was taken; "" for none. */
static const char* chosen(void)
{
    return tried;
}

static int64_t began; /* when boot began, by the clock of perf_counter_ns() */

static int64_t boot_began(void)
{
    return began;
}

/* What Python may ask of this library. */
static const struct entry_host host = {
    ENTRY_CONTRACT,
    failure_from_python,
    failure_returns,
    mpi_forget_communicator,
    host_flush,
    host_has_module,
    ending_is_ours,
    chosen,
    bridge_host_environment_,
    boot_began,
    runs_keep,
    runs_begun,
    runs_allow,
    runs_taken,
    runs_drop,
    runs_pause,
    constants_keep,
    tables_keep,
    constants_drop,
    views_take,
    views_give,
    views_stamp,
    views_keep_launch,
    views_keep_stripe,
    views_taken,
    views_drop,
};

/* ---- Starting ------------------------------------------------------------------------------ */

/* Whether another interpreter may do better after $PYTHONHOME stood in the way of one. */
static int home_noted;

static const char* open_and_start(const struct environment* environment)
{
    static char reason[1024];
    const char* problem = environment_home_unfit(environment->minor);
    if (problem != NULL) {
        if (!home_noted)
            note("$PYTHONHOME", getenv("PYTHONHOME"), problem);
        home_noted = 1;
        return "cannot start with this $PYTHONHOME";
    }
    problem = libpython_open(environment, &host);
    if (problem == NULL && !entry_python->start(environment->interpreter, reason, sizeof reason))
        problem = reason;
    return problem;
}

/* Start Python with this interpreter's environment; leaves the GIL released on success. */
static int start_with(const char* origin, const char* interpreter)
{
    static struct environment environment; /* large, and the caller holds the lock */
    static char reason[2048];
    const char* problem = environment_read(&environment, interpreter);
    int minor = environment_minor_of_library();
    if (problem == NULL) {
        problem = open_and_start(&environment);
        if (problem != NULL && minor != 0 && minor != environment.minor &&
            strncmp(problem, "is Python", 9) != 0) {
            snprintf(reason, sizeof reason,
                     "is Python 3.%d, and the program is linked to the bridge of Python 3.%d: %s",
                     environment.minor, minor, problem);
            problem = reason;
        }
    }
    note(origin, interpreter, problem != NULL ? problem : "is taken");
    return problem == NULL;
}

static int start_first_fit(void)
{
    const char* asked = getenv("BRIDGE_PYTHON");
    const char* activated = getenv("VIRTUAL_ENV");
    const char* hidden;
    char interpreter[ENVIRONMENT_ROOM];

    if (asked != NULL && *asked != '\0')
        return start_with("$BRIDGE_PYTHON", asked);
    note("$BRIDGE_PYTHON", "", "is not set");
    if (!environment_of_library(interpreter))
        note("the environment of libbridge.so", "", "libbridge.so lies in none");
    else if (start_with("the environment of libbridge.so", interpreter))
        return 1;
    if (start_with("the interpreter of the build", BRIDGE_BUILD_PYTHON))
        return 1;
    if (activated == NULL)
        note("$VIRTUAL_ENV", "", "is not set");
    else if (!environment_in(activated, interpreter)) {
        hidden = environment_hidden(interpreter);
        note("$VIRTUAL_ENV", activated, hidden != NULL ? hidden : "has no bin/python");
    } else if (start_with("$VIRTUAL_ENV", interpreter))
        return 1;
    return 0;
}

static int start_any(void)
{
    const char *home = getenv("PYTHONHOME"), *path = getenv("PYTHONPATH");
    tried[0] = '\0';
    home_noted = 0;
    if (start_first_fit())
        return 1;
    if (home != NULL && *home != '\0' && !home_noted)
        note("$PYTHONHOME", home, "is where Python takes its library from");
    if (path != NULL && *path != '\0')
        note("$PYTHONPATH", path, "is where Python looks for packages first");
    return 0;
}

/* ---- Room for it ----------------------------------------------------------------------------- */

/* Some libraries under Python end the program where they get no memory, and say little. NumPy's
 * part takes as much again with one thread of its linear algebra, used or not. */
enum { LEAST_MEGABYTES = 64 };

static int check_address_space(const char* entry)
{
    const size_t least = (size_t)LEAST_MEGABYTES << 20;
    char limit[128], message[512];
    void* place;
    if (*host_address_limit(limit, sizeof limit) == '\0')
        return BRIDGE_OK;
    place = mmap(NULL, least, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) {
        munmap(place, least);
        return BRIDGE_OK;
    }
    snprintf(message, sizeof message,
             "Python and NumPy take more than %d MB, and that is not free%s: raise the limit",
             LEAST_MEGABYTES, limit);
    return failure_keep(entry, BRIDGE_MEMORY, "OutOfMemoryError", message, NULL);
}

/* ---- Boot ----------------------------------------------------------------------------------- */

static int import_bodies(const char* entry)
{
    static char message[4096], details[16384];
    char limit[128];
    if (entry_python->import_bodies(message, sizeof message, details, sizeof details))
        return BRIDGE_OK;
    host_address_limit(limit, sizeof limit);
    strncat(message, limit, sizeof message - strlen(message) - 1);
    return failure_keep(entry, BRIDGE_START, "StartError", message, details);
}

static int start(const char* entry)
{
    const char* problem;
    int ours, status;
    libpython_find_loaded();
    ours = !libpython_runs();
    if (ours && (status = check_address_space(entry)) != BRIDGE_OK)
        return status;
    ending_start(ours);
    if (ours && !start_any()) {
        char message[sizeof tried + 128];
        snprintf(message, sizeof message, "no Python that can import bridge was found%s", tried);
        return failure_keep(entry, BRIDGE_START, "StartError", message, NULL);
    }
    if (!ours && (problem = libpython_open_running(&host)) != NULL)
        return failure_keep(entry, BRIDGE_START, "StartError", problem, NULL);
    if (ours)
        ending_at_exit();
    return import_bodies(entry);
}

/* Packages may install handlers while they are imported (and faulthandler does). Signals that did
 * not change are left alone: setting them again would already be seen in their flags. */
static void restore_signals(const struct sigaction* before)
{
    struct sigaction now;
    for (int i = 1; i < NSIG; ++i)
        if (sigaction(i, NULL, &now) == 0 &&
            (now.sa_handler != before[i].sa_handler || now.sa_flags != before[i].sa_flags))
            sigaction(i, &before[i], NULL);
}

int startup_boot(const char* entry)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct sigaction before[NSIG];
    int status = BRIDGE_OK;
    sigset_t mask;
    struct guard guard;
    struct timespec now;

    pthread_mutex_lock(&lock);
    if (entry_state.phase == PHASE_COLD) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        began = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
        guard_open(&guard);
        memset(before, 0, sizeof before);
        for (int i = 1; i < NSIG; ++i)
            sigaction(i, NULL, &before[i]);
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        status = start(entry);
        ending_start(0);
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
        restore_signals(before);
        guard_close(&guard);
        if (status == BRIDGE_OK)
            entry_state.phase = PHASE_STARTED;
    }
    pthread_mutex_unlock(&lock);
    return status;
}
