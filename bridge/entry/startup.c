/* startup.c: find the right Python, start it without touching the host and say honestly whether it
 * worked.
 *
 * The interpreter library is fixed by the link. What has to be found is the environment, named by
 * its interpreter: $BRIDGE_PYTHON, else the environment that holds libbridge.so, else the one
 * configured at build time, else $VIRTUAL_ENV.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "environment.h"

/* ---- What was tried, for the message ------------------------------------------------------ */

static char tried[7168];

static void note(const char* origin, const char* path, const char* reason)
{
    size_t used = strlen(tried);
    snprintf(tried + used, sizeof tried - used, "\n- %s%s%s: %s", origin, *path ? ", " : "", path,
             reason);
}

/* ---- Starting ------------------------------------------------------------------------------ */

/* The text of the pending exception, with its traceback when asked for. Needs the GIL. */
static void exception_text(char* message, size_t size, char* details, size_t details_size)
{
    PyObject *kind, *value, *trace, *text = NULL, *lines = NULL, *module, *joined;
    const char* words;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    if (value != NULL)
        text = PyObject_Str(value);
    words = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
    PyErr_Clear(); /* a __str__ may raise too: the class still says something */
    if (words == NULL)
        words = "its text cannot be read";
    snprintf(message, size, "%s%s%s",
             kind != NULL ? ((PyTypeObject*)kind)->tp_name : "no exception",
             *words != '\0' ? ": " : "", words);
    if (details != NULL) {
        module = PyImport_ImportModule("traceback");
        if (module != NULL)
            lines = PyObject_CallMethod(module, "format_exception", "OOO", kind,
                                        value ? value : Py_None, trace ? trace : Py_None);
        joined = lines ? PyUnicode_Join(PyUnicode_FromString(""), lines) : NULL;
        words = joined ? PyUnicode_AsUTF8(joined) : NULL;
        snprintf(details, details_size, "%s", words ? words : "");
        Py_XDECREF(joined);
        Py_XDECREF(lines);
        Py_XDECREF(module);
    }
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

/* UTF-8 mode and no locale: the host's LC_CTYPE and environment stay as they are. */
static int initialize_python(const char* interpreter, const char** problem)
{
    PyPreConfig before;
    PyConfig config;
    PyStatus status;

    PyPreConfig_InitPythonConfig(&before);
    before.parse_argv = 0;
    before.configure_locale = 0;
    before.coerce_c_locale = 0;
    before.utf8_mode = 1;
    status = Py_PreInitialize(&before);
    if (!PyStatus_Exception(status)) {
        PyConfig_InitPythonConfig(&config);
        config.parse_argv = 0;
        config.install_signal_handlers = 0;
        config.safe_path = 1;
        config.configure_c_stdio = 0;
        config.pathconfig_warnings = 0;
        status = PyConfig_SetBytesString(&config, &config.program_name, interpreter);
        if (!PyStatus_Exception(status))
            status = Py_InitializeFromConfig(&config);
        PyConfig_Clear(&config);
    }
    *problem = status.err_msg != NULL ? status.err_msg : "Python did not start";
    return !PyStatus_Exception(status);
}

/* Can this environment import what we need? Nothing heavy is imported. Needs the GIL. */
static int has_bridge(char* reason, size_t size)
{
    static const char* const code =
        "import importlib.util\n"
        "for name in ('bridge', '_cffi_backend', 'numpy'):\n"
        "    if importlib.util.find_spec(name) is None:\n"
        "        raise ImportError('cannot import ' + name)\n";
    PyObject* names = PyDict_New();
    PyObject* result = PyRun_String(code, Py_file_input, names, names);
    if (result == NULL)
        exception_text(reason, size, NULL, 0);
    Py_XDECREF(result);
    Py_XDECREF(names);
    return result != NULL;
}

/* CPython keeps the paths of its first start for the next one. The function that clears them has
 * no header of its own, though CPython's embedding tests use it; so it is asked for by name. */
static void forget_paths(void)
{
    void (*clear)(void);
    *(void**)&clear = dlsym(RTLD_DEFAULT, "_PyPathConfig_ClearGlobal");
    if (clear != NULL)
        clear();
}

/* Start Python with this interpreter's environment; leaves the GIL released on success. */
static int start_with(const char* origin, const char* interpreter)
{
    char reason[1024];
    const char* problem = environment_unfit(interpreter);
    if (problem == NULL) {
        if (initialize_python(interpreter, &problem)) {
            if (has_bridge(reason, sizeof reason)) {
                PyEval_SaveThread();
                return 1;
            }
            problem = reason;
        }
        if (Py_IsInitialized())
            Py_FinalizeEx();
        forget_paths();
    }
    note(origin, interpreter, problem);
    return 0;
}

static int start_first_fit(void)
{
    const char* chosen = getenv("BRIDGE_PYTHON");
    const char* activated = getenv("VIRTUAL_ENV");
    char interpreter[ENVIRONMENT_ROOM];

    if (chosen != NULL && *chosen != '\0')
        return start_with("$BRIDGE_PYTHON", chosen);
    note("$BRIDGE_PYTHON", "", "is not set");
    if (!environment_of_library(interpreter))
        note("the environment of libbridge.so", "", "libbridge.so lies in none");
    else if (start_with("the environment of libbridge.so", interpreter))
        return 1;
    if (start_with("the interpreter of the build", BRIDGE_BUILD_PYTHON))
        return 1;
    if (activated == NULL || !environment_in(activated, interpreter))
        note("$VIRTUAL_ENV", activated ? activated : "",
             activated ? "has no bin/python" : "is not set");
    else if (start_with("$VIRTUAL_ENV", interpreter))
        return 1;
    return 0;
}

static int start_any(void)
{
    const char* home = getenv("PYTHONHOME");
    const char* unfit = environment_home_unfit();
    tried[0] = '\0';
    if (unfit == NULL && start_first_fit())
        return 1;
    if (home != NULL && *home != '\0')
        note("$PYTHONHOME", home, unfit != NULL ? unfit : "is where Python took its library from");
    return 0;
}

/* ---- Room for it ----------------------------------------------------------------------------- */

const char* startup_address_limit(char* text, size_t size)
{
    struct rlimit limit;
    *text = '\0';
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, size, "; the address space is limited to %llu kB (ulimit -v)",
                 (unsigned long long)limit.rlim_cur / 1024);
    return text;
}

/* Some libraries under Python end the program where they get no memory, and say little. NumPy's
 * part takes as much again with one thread of its linear algebra, used or not. */
enum { LEAST_MEGABYTES = 64 };

static int check_address_space(const char* entry)
{
    const size_t least = (size_t)LEAST_MEGABYTES << 20;
    char limit[128], message[512];
    void* place;
    if (*startup_address_limit(limit, sizeof limit) == '\0')
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

/* Extension modules do not link libpython: they find its symbols only if it is global, which it
 * is not where a host loads us with dlopen(RTLD_LOCAL). */
static void make_python_global(void)
{
    Dl_info info;
    if (dladdr((void*)(uintptr_t)Py_IsInitialized, &info) != 0)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

static int import_points(const char* entry)
{
    static char message[4096], details[16384];
    char limit[128];
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject* module = PyImport_ImportModule("bridge.entry.bodies");
    int status = BRIDGE_OK;
    if (module == NULL) {
        exception_text(message, sizeof message, details, sizeof details);
        startup_address_limit(limit, sizeof limit);
        strncat(message, limit, sizeof message - strlen(message) - 1);
        status = failure_keep(entry, BRIDGE_START, "StartError", message, details);
    }
    Py_XDECREF(module);
    PyGILState_Release(gil);
    return status;
}

static int started_here;
static int64_t began;

int64_t startup_began(void)
{
    return began;
}

int startup_is_ours(void)
{
    return started_here;
}

static int start(const char* entry)
{
    int ours = !Py_IsInitialized(), status;
    make_python_global();
    if (ours && (status = check_address_space(entry)) != BRIDGE_OK)
        return status;
    ending_start(ours);
    if (ours && !start_any()) {
        char message[sizeof tried + 128];
        snprintf(message, sizeof message,
                 "no Python " PYTHON_VERSION " that can import bridge was found%s", tried);
        return failure_keep(entry, BRIDGE_START, "StartError", message, NULL);
    }
    if (ours) {
        started_here = 1;
        ending_at_exit();
    }
    if (startup_cffi() != 0)
        return failure_keep(entry, BRIDGE_START, "StartError",
                            "cffi did not start; its message is on stderr", NULL);
    return import_points(entry);
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
