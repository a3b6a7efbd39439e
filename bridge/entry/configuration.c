/* configuration.c: start Python with our settings, whichever version it is.
 *
 * Python 3.14 has functions that set a member of its configuration by name. Before, the members
 * lie in a structure, PyConfig, which is not part of the stable ABI: each version has its own. The
 * layouts of released versions do not change any more, so the offsets of the few members that we
 * set are written here; layouts.c holds them to the headers of the Python that builds.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <Python.h>

#include "configuration.h"
#include "layouts.h"

/* Functions that the limited API does not declare, by name in the libpython that was opened. */
static void* python_function(const char* name)
{
    return dlsym(RTLD_DEFAULT, name);
}

#define FIND(function) (*(void**)&(function) = python_function(#function)) != NULL

static const char* const failed = "Python did not start";

/* ---- 3.14 and later: by name --------------------------------------------------------------- */

/* UTF-8 mode and no locale: the host's LC_CTYPE and environment stay as they are. The function
 * that makes the configuration makes it isolated; an ordinary one reads PYTHONPATH and the like. */
static const struct {
    const char* name;
    int64_t value;
} settings[] = {
    {"isolated", 0},          {"use_environment", 1},         {"user_site_directory", 1},
    {"configure_locale", 0},  {"coerce_c_locale", 0},         {"utf8_mode", 1},
    {"parse_argv", 0},        {"install_signal_handlers", 0}, {"safe_path", 1},
    {"configure_c_stdio", 0}, {"pathconfig_warnings", 0},
};

static const char* start_by_name(const char* interpreter)
{
    static char reason[512];
    void* (*PyInitConfig_Create)(void);
    void (*PyInitConfig_Free)(void*);
    int (*PyInitConfig_SetInt)(void*, const char*, int64_t);
    int (*PyInitConfig_SetStr)(void*, const char*, const char*);
    int (*PyInitConfig_GetError)(void*, const char**);
    int (*Py_InitializeFromInitConfig)(void*);
    const char* said = NULL;
    int status = 0;
    void* made;
    if (!(FIND(PyInitConfig_Create) && FIND(PyInitConfig_Free) && FIND(PyInitConfig_SetInt) &&
          FIND(PyInitConfig_SetStr) && FIND(PyInitConfig_GetError) &&
          FIND(Py_InitializeFromInitConfig)))
        return "its libpython has no functions that configure it";
    made = PyInitConfig_Create();
    if (made == NULL)
        return "there is no memory for the configuration of Python";
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == 0; ++i)
        status = PyInitConfig_SetInt(made, settings[i].name, settings[i].value);
    if (status == 0)
        status = PyInitConfig_SetStr(made, "program_name", interpreter);
    if (status == 0)
        status = Py_InitializeFromInitConfig(made);
    if (status != 0) {
        PyInitConfig_GetError(made, &said);
        snprintf(reason, sizeof reason, "%s", said != NULL ? said : failed);
    }
    PyInitConfig_Free(made);
    return status == 0 ? NULL : reason;
}

/* ---- 3.11 to 3.13: by offset ---------------------------------------------------------------- */

/* PyStatus and PyPreConfig: alike in these versions. */
struct status {
    int kind; /* 0: success */
    const char* function;
    const char* message;
    int exit_code;
};

struct before {
    int _config_init, parse_argv, isolated, use_environment, configure_locale, coerce_c_locale,
        coerce_c_locale_warn, utf8_mode, dev_mode, allocator;
};

#define MEMBERS(...) \
    {                \
        __VA_ARGS__  \
    }
static const struct layout layouts[] = {
    LAYOUT_311(MEMBERS),
    LAYOUT_312(MEMBERS),
    LAYOUT_313(MEMBERS),
};

static const struct layout* layout_of(unsigned minor)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; ++i)
        if (layouts[i].minor == minor)
            return &layouts[i];
    return NULL;
}

static const char* start_by_offset(const struct layout* layout, const char* interpreter)
{
    void (*PyPreConfig_InitPythonConfig)(struct before*);
    struct status (*Py_PreInitialize)(const struct before*);
    void (*PyConfig_InitPythonConfig)(void*);
    struct status (*PyConfig_SetBytesString)(void*, wchar_t**, const char*);
    struct status (*Py_InitializeFromConfig)(const void*);
    void (*PyConfig_Clear)(void*);
    union {
        long double alignment;
        char bytes[LAYOUT_ROOM];
    } config;
    struct before before;
    struct status status;
    if (!(FIND(PyPreConfig_InitPythonConfig) && FIND(Py_PreInitialize) &&
          FIND(PyConfig_InitPythonConfig) && FIND(PyConfig_SetBytesString) &&
          FIND(Py_InitializeFromConfig) && FIND(PyConfig_Clear)))
        return "its libpython has no functions that configure it";
    PyPreConfig_InitPythonConfig(&before);
    before.parse_argv = 0;
    before.configure_locale = 0;
    before.coerce_c_locale = 0;
    before.utf8_mode = 1;
    status = Py_PreInitialize(&before);
    if (status.kind == 0) {
        PyConfig_InitPythonConfig(&config);
        *(int*)(config.bytes + layout->parse_argv) = 0;
        *(int*)(config.bytes + layout->install_signal_handlers) = 0;
        *(int*)(config.bytes + layout->safe_path) = 1;
        *(int*)(config.bytes + layout->configure_c_stdio) = 0;
        *(int*)(config.bytes + layout->pathconfig_warnings) = 0;
        status = PyConfig_SetBytesString(
            &config, (wchar_t**)(void*)(config.bytes + layout->program_name), interpreter);
        if (status.kind == 0)
            status = Py_InitializeFromConfig(&config);
        PyConfig_Clear(&config);
    }
    if (status.kind == 0)
        return NULL;
    return status.message != NULL ? status.message : failed;
}

const char* configuration_start(const char* interpreter)
{
    const struct layout* layout = layout_of((unsigned)(Py_Version >> 16 & 0xff));
    return layout != NULL ? start_by_offset(layout, interpreter) : start_by_name(interpreter);
}
