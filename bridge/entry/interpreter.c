/* interpreter.c: the side of the entry that calls Python, in _bridge_entry.
 *
 * libbridge.so opens this library once a libpython is in the process and gets from it the table of
 * interpreter.h. Only the limited API is used, so that one file serves every Python from 3.11 on.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configuration.h"
#include "interpreter.h"
#include "python_side.h"

/* ---- Texts of exceptions -------------------------------------------------------------------- */

/* Needs the GIL; empty where there is none, valid as long as the object. */
static const char* words_of(PyObject* text)
{
    Py_ssize_t length;
    const char* words = text != NULL ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
    PyErr_Clear(); /* a __str__ may raise too: the class still says something */
    return words;
}

static void traceback_text(PyObject* kind, PyObject* value, PyObject* trace, char* text,
                           size_t size)
{
    PyObject *lines = NULL, *empty = PyUnicode_FromString(""), *joined = NULL;
    PyObject* module = PyImport_ImportModule("traceback");
    const char* words;
    if (module != NULL)
        lines = PyObject_CallMethod(module, "format_exception", "OOO", kind,
                                    value ? value : Py_None, trace ? trace : Py_None);
    if (lines != NULL && empty != NULL)
        joined = PyUnicode_Join(empty, lines);
    words = words_of(joined);
    snprintf(text, size, "%s", words != NULL ? words : "");
    Py_XDECREF(joined);
    Py_XDECREF(empty);
    Py_XDECREF(lines);
    Py_XDECREF(module);
}

/* What bridge.foreign says of an exception: its text where a package of another Python is to blame.
 * Needs the GIL. */
static int foreign_text(PyObject* value, char* message, size_t size)
{
    static const char* const variables[] = {"PYTHONPATH", "PYTHONHOME"};
    PyObject* module = PyImport_ImportModule("bridge.foreign");
    PyObject* told =
        module != NULL ? PyObject_CallMethod(module, "told_of_start", "O", value) : NULL;
    PyObject* hint = NULL;
    const char* words = told != NULL && told != Py_None ? words_of(told) : NULL;
    size_t used = strlen(message);
    int found = words != NULL;
    if (found)
        snprintf(message, size, "%s", words);
    else if (told != NULL) {
        hint = PyObject_CallMethod(module, "hint", NULL);
        words = hint != NULL && hint != Py_None ? words_of(hint) : NULL;
        if (words != NULL)
            snprintf(message + used, size - used, "; %s", words);
    } else /* bridge itself cannot be imported */
        for (int i = 0; i < 2; ++i) {
            const char* value_of = getenv(variables[i]);
            if (value_of != NULL && *value_of != '\0')
                snprintf(message + strlen(message), size - strlen(message),
                         "; $%s is set (%s), from which Python imports first: unset %s",
                         variables[i], value_of, variables[i]);
        }
    PyErr_Clear();
    Py_XDECREF(hint);
    Py_XDECREF(told);
    Py_XDECREF(module);
    return found;
}

/* The text of the pending exception, with its traceback when asked for. Needs the GIL. */
static void exception_text(char* message, size_t size, char* details, size_t details_size)
{
    PyObject *kind, *value, *trace, *name = NULL, *text = NULL;
    const char *words, *class;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    if (value != NULL && trace != NULL)
        PyException_SetTraceback(value, trace);
    if (value != NULL) {
        name = PyType_GetName(Py_TYPE(value));
        text = PyObject_Str(value);
    }
    words = words_of(text);
    class = words_of(name);
    if (words == NULL)
        words = "its text cannot be read";
    snprintf(message, size, "%s%s%s", class != NULL ? class : "no exception",
             *words != '\0' ? ": " : "", words);
    if (details != NULL && value != NULL && foreign_text(value, message, size))
        *details = '\0';
    else if (details != NULL)
        traceback_text(kind, value, trace, details, details_size);
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(text);
    Py_XDECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

/* ---- Starting ------------------------------------------------------------------------------- */

/* 1 where it raised nothing. Needs the GIL. */
static int execute(const char* code)
{
    PyObject* compiled = Py_CompileString(code, "<bridge>", Py_file_input);
    PyObject* names = PyDict_New();
    PyObject* result = NULL;
    if (compiled != NULL && names != NULL &&
        PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) == 0)
        result = PyEval_EvalCode(compiled, names, names);
    Py_XDECREF(compiled);
    Py_XDECREF(names);
    Py_XDECREF(result);
    return result != NULL;
}

/* Can this environment import what we need? Asked of the finders themselves: importlib.util is
 * itself a few imports. */
static const char* const has_bridge =
    "import sys\n"
    "def found(name, path):\n"
    "    for finder in sys.meta_path:\n"
    "        if spec := finder.find_spec(name, path):\n"
    "            return spec\n"
    "for name in ('bridge', '_cffi_backend', 'numpy'):\n"
    "    spec = found(name, None)\n"
    "    if not spec:\n"
    "        raise ImportError('cannot import ' + name)\n"
    "    if name == 'bridge' and not found('bridge.entry', spec.submodule_search_locations):\n"
    "        raise ImportError(f'cannot import bridge: {spec.origin} is another package')\n";

/* What `bridge bundle` wrote: modules in one file. Its hash is looked at first, because the reader
 * of marshalled objects does not expect a file that was cut. */
static const char* const use_bundle =
    "import os\n"
    "path = os.environ.get('BRIDGE_BUNDLE')\n"
    "if path:\n"
    "    import _imp, marshal\n"
    "    from _frozen_importlib_external import MAGIC_NUMBER\n"
    "    try:\n"
    "        with open(path, 'rb', 0) as file:\n"
    "            contents = file.read()\n"
    "        body = contents[16:]\n"
    "        if contents[:16] != b'bundle\\0\\1' + _imp.source_hash(0, body):\n"
    "            raise ImportError('it is cut or altered, or no archive of bridge bundle')\n"
    "        magic, finder, facts, modules = marshal.loads(body)\n"
    "        if magic != MAGIC_NUMBER:\n"
    "            raise ImportError('it was made by another version of Python')\n"
    "        names = {'__name__': 'bridge.entry.bundled'}\n"
    "        exec(marshal.loads(finder), names)\n"
    "        names['use'](facts, marshal.loads(modules))\n"
    "    except (OSError, ImportError) as error:\n"
    "        raise ImportError(f'$BRIDGE_BUNDLE, {path}: {error}') from None\n";

/* CPython keeps the paths of its first start for the next one. The function that clears them has
 * no header of its own, though CPython's embedding tests use it; so it is asked for by name. */
static void forget_paths(void)
{
    void (*clear)(void);
    *(void**)&clear = dlsym(RTLD_DEFAULT, "_PyPathConfig_ClearGlobal");
    if (clear != NULL)
        clear();
}

/* CPython 3.12.0 and 3.12.1 end the process in the first import of ctypes after a second start
 * ("free(): invalid pointer"), whoever starts them. */
static int starts_once(void)
{
    return Py_Version >= 0x030C0000 && Py_Version < 0x030C0200;
}

/* Leaves the GIL released on success. */
static int start(const char* interpreter, char* reason, size_t size)
{
    static int ended;
    const char* problem;
    if (ended && starts_once()) {
        snprintf(reason, size,
                 "is not tried: Python 3.12.0 and 3.12.1 cannot be started twice in "
                 "a process; set BRIDGE_PYTHON, or take a later 3.12");
        return 0;
    }
    problem = configuration_start(interpreter);
    if (problem != NULL)
        snprintf(reason, size, "%s", problem);
    else if (execute(use_bundle) && execute(has_bridge)) {
        PyEval_SaveThread();
        return 1;
    } else
        exception_text(reason, size, NULL, 0);
    if (Py_IsInitialized()) {
        Py_FinalizeEx();
        ended = 1;
    }
    forget_paths();
    return 0;
}

static int is_running(void)
{
    return Py_IsInitialized();
}

/* ---- The bodies ----------------------------------------------------------------------------- */

PyMODINIT_FUNC PyInit__bridge_entry(void);

/* This library is the module that the bodies import, wherever it lies. */
static int add_module(void)
{
    PyObject* modules = PyImport_GetModuleDict();
    PyObject* module = PyDict_GetItemString(modules, "_bridge_entry");
    int added;
    if (module != NULL)
        return 1;
    module = PyInit__bridge_entry();
    added = module != NULL && PyDict_SetItemString(modules, "_bridge_entry", module) == 0;
    Py_XDECREF(module);
    return added;
}

static int import_bodies(char* message, size_t size, char* details, size_t details_size)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject* module = add_module() ? PyImport_ImportModule("bridge.entry.bodies") : NULL;
    int imported = module != NULL;
    if (!imported)
        exception_text(message, size, details, details_size);
    Py_XDECREF(module);
    PyGILState_Release(gil);
    return imported;
}

/* ---- The end -------------------------------------------------------------------------------- */

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

static void end(void)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    if (!execute(end_python))
        PyErr_Print();
    PyGILState_Release(gil);
}

/* ---- The tables ----------------------------------------------------------------------------- */

const struct entry_host* entry_host;

__attribute__((visibility("default"))) const struct entry_python* bridge_entry_connect(
    const struct entry_host* host)
{
    static struct entry_python python = {ENTRY_CONTRACT, is_running, start,
                                         import_bodies,  end,        {0}};
    python.bodies = *python_side_bodies();
    entry_host = host;
    return &python;
}
