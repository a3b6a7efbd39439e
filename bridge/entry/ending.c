/* ending.c: the end of the program, and what a child of fork must not do. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "entry.h"

/* The process that starts, or started, Python; while it does so, and since. */
static pid_t owner;
static int starting;

/* ---- The end of the program ----------------------------------------------------------------- */

/* Python's threading._shutdown() waits for every thread that is no daemon, and before 3.13 for the
 * lock of the main thread as well unless that is the one that calls. The main thread is the one
 * that started Python: it may be over, or wait for ours. Whichever thread ends the program takes
 * its place. 3.13 has no such lock. */
static const char* const end_python =
    "import sys, atexit\n"
    "threading = sys.modules.get('threading')\n"
    "try:\n"
    "    if threading is not None:\n"
    "        main = threading._main_thread\n"
    "        lock = getattr(main, '_tstate_lock', None)\n"
    "        if lock is not None and lock.locked():\n"
    "            main._ident = threading.get_ident()\n"
    "        threading._shutdown()\n"
    "finally:\n"
    "    atexit._run_exitfuncs()\n"
    "    for stream in (sys.stdout, sys.stderr):\n"
    "        if stream is not None and not stream.closed:\n"
    "            stream.flush()\n";

/* A library that Python loads may call exit(), as OpenBLAS does where it gets no memory. */
static void say_ended_by_library(void)
{
    char text[256], limit[128];
    int length = snprintf(text, sizeof text,
                          "[bridge] a library that Python loads has ended the program%s\n",
                          startup_address_limit(limit, sizeof limit));
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        return;
}

/* No Py_Finalize: extension modules of many packages do not survive it, and the process ends
 * anyway. Threads are waited for, atexit functions run once, buffers are written. */
static void at_exit(void)
{
    struct guard guard;
    PyGILState_STATE gil;
    if (getpid() != owner || !Py_IsInitialized())
        return;
    if (starting)
        say_ended_by_library();
    guard_open(&guard);
    gil = PyGILState_Ensure();
    if (PyRun_SimpleString(end_python) != 0)
        PyErr_Clear();
    PyGILState_Release(gil);
    guard_close(&guard);
    entry_state.phase = PHASE_ENDED;
}

void ending_at_exit(void)
{
    atexit(at_exit);
}

/* ---- Children of fork ------------------------------------------------------------------------ */

/* A child has the memory of its parent and one of its threads. Python's lock may be held by one
 * that is not there, and then a call would wait for it for ever. */
static void in_child(void)
{
    if (starting || startup_is_ours())
        entry_state.phase = PHASE_FORKED;
}

void ending_start(int begins)
{
    static int registered;
    if (begins)
        owner = getpid();
    starting = begins;
    if (begins && !registered)
        registered = pthread_atfork(NULL, NULL, in_child) == 0;
}

int ending_refuse_child(const char* entry)
{
    char message[256];
    snprintf(message, sizeof message,
             "got a call from process %d, wanted calls from process %d, which started Python: a "
             "child of fork cannot use the Python of its parent",
             (int)getpid(), (int)owner);
    return failure_keep(entry, BRIDGE_STATE, "StateError", message, NULL);
}
