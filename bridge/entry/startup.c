/* startup.c: find the right Python, start it without touching the host, say honestly whether it
 * worked, and run its exit functions at the end of the program.
 *
 * The interpreter library is fixed by the link. What has to be found is the environment, named by
 * its interpreter: $BRIDGE_PYTHON, else the environment that holds libbridge.so, else the one
 * configured at build time, else $VIRTUAL_ENV. No process is started to find out.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entry.h"

/* "3.11", of the interpreter library that we are linked to. */
#define PYTHON_VERSION Py_STRINGIFY(PY_MAJOR_VERSION) "." Py_STRINGIFY(PY_MINOR_VERSION)

/* ---- What was tried, for the message ------------------------------------------------------ */

static char tried[7168];

enum { ROOM = PATH_MAX + 64 };

static void note(const char* origin, const char* path, const char* reason)
{
    size_t used = strlen(tried);
    snprintf(tried + used, sizeof tried - used, "\n- %s%s%s: %s", origin, *path ? ", " : "",
             path, reason);
}

/* ---- A candidate, judged from its files ---------------------------------------------------- */

static void parent(char* path)
{
    char* slash = strrchr(path, '/');
    if (slash != NULL)
        *slash = '\0';
}

static int exists(const char* folder, const char* name)
{
    char path[ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* "version = 3.11.2" (venv) or "version_info = 3.11.2.final.0" (virtualenv, uv). */
static int version_in_cfg(const char* folder, int* major, int* minor)
{
    char path[ROOM], line[1024];
    int found = 0;
    FILE* file;
    snprintf(path, sizeof path, "%s/pyvenv.cfg", folder);
    file = fopen(path, "r");
    if (file == NULL)
        return 0;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = sscanf(line, "version = %d.%d", major, minor) == 2 ||
                sscanf(line, "version_info = %d.%d", major, minor) == 2;
    fclose(file);
    return found;
}

/* From pyvenv.cfg, the resolved name (bin/python -> python3.11), or lib/python3.N beside it. */
static int version_of(const char* interpreter, int* major, int* minor)
{
    char folder[PATH_MAX], resolved[PATH_MAX], name[64];
    const char* base;
    snprintf(folder, sizeof folder, "%s", interpreter);
    parent(folder);
    if (version_in_cfg(folder, major, minor))
        return 1;
    parent(folder);
    if (version_in_cfg(folder, major, minor))
        return 1;
    if (realpath(interpreter, resolved) == NULL)
        return 0;
    base = strrchr(resolved, '/') + 1;
    if (sscanf(base, "python%d.%d", major, minor) == 2)
        return 1;
    if (strncmp(base, "python", 6) != 0)
        return 0;
    parent(resolved);
    parent(resolved);
    *major = PY_MAJOR_VERSION;
    for (int distance = 0; distance < 100; ++distance) {
        *minor = (PY_MINOR_VERSION + distance) % 100; /* ours first */
        snprintf(name, sizeof name, "lib/python%d.%d/os.py", *major, *minor);
        if (exists(resolved, name))
            return 1;
    }
    return 0;
}

/* Null when the interpreter can be tried; else the reason why not. */
static const char* unfit(const char* interpreter)
{
    static char reason[256];
    struct stat status;
    int major, minor;
    if (stat(interpreter, &status) != 0)
        return "does not exist";
    if (!S_ISREG(status.st_mode) || access(interpreter, X_OK) != 0)
        return "is not an executable file";
    if (!version_of(interpreter, &major, &minor))
        return "is not a Python interpreter";
    if (major == PY_MAJOR_VERSION && minor == PY_MINOR_VERSION)
        return NULL;
    snprintf(reason, sizeof reason,
             "is Python %d.%d, but libbridge.so is linked to Python " PYTHON_VERSION, major, minor);
    return reason;
}

static int interpreter_in(const char* folder, char* interpreter)
{
    static const char* const names[] = {"bin/python" PYTHON_VERSION, "bin/python3",
                                        "bin/python"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (exists(folder, names[i])) {
            snprintf(interpreter, ROOM, "%s/%s", folder, names[i]);
            return 1;
        }
    return 0;
}

/* <environment>/lib/python3.N/site-packages/bridge/entry/libbridge.so; in an editable install the
 * library lies in a build folder, which may be inside a virtual environment. */
static int environment_of_library(char* interpreter)
{
    char path[PATH_MAX + 1] = "";
    Dl_info info;
    if (dladdr((void*)(uintptr_t)startup_boot, &info) == 0 ||
        realpath(info.dli_fname, path) == NULL)
        return 0;
    for (parent(path); *path != '\0'; parent(path)) {
        /* parent() cut at a slash: the name of what lies below follows the new end. */
        const char* below = path + strlen(path) + 1;
        if ((strncmp(below, "lib", 3) == 0 || exists(path, "pyvenv.cfg")) &&
            interpreter_in(path, interpreter))
            return 1;
    }
    return 0;
}

/* ---- Starting ------------------------------------------------------------------------------ */

/* The text of the pending exception, with its traceback when asked for. Needs the GIL. */
static void exception_text(char* message, size_t room, char* details, size_t details_room)
{
    PyObject *kind, *value, *trace, *text = NULL, *lines = NULL, *module, *joined;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    if (value != NULL && (text = PyObject_Str(value)) != NULL)
        snprintf(message, room, "%s: %s", ((PyTypeObject*)kind)->tp_name, PyUnicode_AsUTF8(text));
    else
        snprintf(message, room, "an exception without text");
    if (details != NULL) {
        module = PyImport_ImportModule("traceback");
        if (module != NULL)
            lines = PyObject_CallMethod(module, "format_exception", "OOO", kind,
                                        value ? value : Py_None, trace ? trace : Py_None);
        joined = lines ? PyUnicode_Join(PyUnicode_FromString(""), lines) : NULL;
        snprintf(details, details_room, "%s", joined ? PyUnicode_AsUTF8(joined) : "");
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
static int has_bridge(char* reason, size_t room)
{
    static const char* const code =
        "import importlib.util\n"
        "for name in ('bridge', '_cffi_backend', 'numpy'):\n"
        "    if importlib.util.find_spec(name) is None:\n"
        "        raise ImportError('cannot import ' + name)\n";
    PyObject* names = PyDict_New();
    PyObject* result = PyRun_String(code, Py_file_input, names, names);
    if (result == NULL)
        exception_text(reason, room, NULL, 0);
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
    const char* problem = unfit(interpreter);
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

static int start_any(void)
{
    const char* chosen = getenv("BRIDGE_PYTHON");
    const char* activated = getenv("VIRTUAL_ENV");
    char interpreter[ROOM];

    tried[0] = '\0';
    if (chosen != NULL && *chosen != '\0')
        return start_with("$BRIDGE_PYTHON", chosen);
    note("$BRIDGE_PYTHON", "", "is not set");
    if (!environment_of_library(interpreter))
        note("the environment of libbridge.so", "", "libbridge.so lies in none");
    else if (start_with("the environment of libbridge.so", interpreter))
        return 1;
    if (start_with("the interpreter of the build", BRIDGE_BUILD_PYTHON))
        return 1;
    if (activated == NULL || !interpreter_in(activated, interpreter))
        note("$VIRTUAL_ENV", activated ? activated : "",
             activated ? "has no bin/python" : "is not set");
    else if (start_with("$VIRTUAL_ENV", interpreter))
        return 1;
    return 0;
}

/* ---- The end of the program ----------------------------------------------------------------- */

/* No Py_Finalize: extension modules of many packages do not survive it, and the process ends
 * anyway. Threads are waited for, atexit functions run once, buffers are written. */
static void at_exit(void)
{
    static const char* const code = "import sys, atexit\n"
                                    "if 'threading' in sys.modules:\n"
                                    "    sys.modules['threading']._shutdown()\n"
                                    "atexit._run_exitfuncs()\n"
                                    "for stream in (sys.stdout, sys.stderr):\n"
                                    "    if stream is not None and not stream.closed:\n"
                                    "        stream.flush()\n";
    struct guard guard;
    PyGILState_STATE gil;
    if (!Py_IsInitialized())
        return;
    guard_open(&guard);
    gil = PyGILState_Ensure();
    if (PyRun_SimpleString(code) != 0)
        PyErr_Clear();
    PyGILState_Release(gil);
    guard_close(&guard);
    entry_state.phase = PHASE_ENDED;
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
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject* module = PyImport_ImportModule("bridge.entry.points");
    int status = BRIDGE_OK;
    if (module == NULL) {
        exception_text(message, sizeof message, details, sizeof details);
        status = failure_keep(entry, BRIDGE_START, "StartError", message, details);
    }
    Py_XDECREF(module);
    PyGILState_Release(gil);
    return status;
}

static int started_here;

int startup_is_ours(void)
{
    return started_here;
}

static int start(const char* entry)
{
    int ours = !Py_IsInitialized();
    make_python_global();
    if (ours && !start_any()) {
        char message[sizeof tried + 128];
        snprintf(message, sizeof message,
                 "no Python " PYTHON_VERSION " that can import bridge was found%s", tried);
        return failure_keep(entry, BRIDGE_START, "StartError", message, NULL);
    }
    if (ours) {
        started_here = 1;
        atexit(at_exit);
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
        if (sigaction(i, NULL, &now) == 0 && (now.sa_handler != before[i].sa_handler ||
                                              now.sa_flags != before[i].sa_flags))
            sigaction(i, &before[i], NULL);
}

int startup_boot(const char* entry)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct sigaction before[NSIG];
    int status = BRIDGE_OK;
    sigset_t mask;
    struct guard guard;

    pthread_mutex_lock(&lock);
    if (entry_state.phase == PHASE_COLD) {
        guard_open(&guard);
        memset(before, 0, sizeof before);
        for (int i = 1; i < NSIG; ++i)
            sigaction(i, NULL, &before[i]);
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        status = start(entry);
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
        restore_signals(before);
        guard_close(&guard);
        if (status == BRIDGE_OK)
            entry_state.phase = PHASE_STARTED;
    }
    pthread_mutex_unlock(&lock);
    return status;
}
