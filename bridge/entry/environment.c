/* environment.c: which Python a start may try, judged from files alone.
 *
 * An environment is named by its interpreter. No process is started to find out what that is.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "environment.h"

static void parent(char* path)
{
    char* slash = strrchr(path, '/');
    if (slash != NULL)
        *slash = '\0';
}

static int exists(const char* folder, const char* name)
{
    char path[ENVIRONMENT_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* "version = 3.11.2" (venv) or "version_info = 3.11.2.final.0" (virtualenv, uv). */
static int version_in_cfg(const char* folder, int* major, int* minor)
{
    char path[ENVIRONMENT_ROOM], line[1024];
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

const char* environment_unfit(const char* interpreter)
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
             "is Python %d.%d, but libbridge.so is linked to Python " PYTHON_VERSION, major,
             minor);
    return reason;
}

int environment_in(const char* folder, char* interpreter)
{
    static const char* const names[] = {"bin/python" PYTHON_VERSION, "bin/python3", "bin/python"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (exists(folder, names[i])) {
            snprintf(interpreter, ENVIRONMENT_ROOM, "%s/%s", folder, names[i]);
            return 1;
        }
    return 0;
}

/* <environment>/lib/python3.N/site-packages/bridge/entry/libbridge.so; in an editable install the
 * library lies in a build folder, which may be inside a virtual environment. */
int environment_of_library(char* interpreter)
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
            environment_in(path, interpreter))
            return 1;
    }
    return 0;
}

/* PYTHONHOME is "prefix" or "prefix:exec_prefix"; the library lies in the first. */
const char* environment_home_unfit(void)
{
    static const char* const places[] = {
        "lib/python" PYTHON_VERSION "/os.py", "lib64/python" PYTHON_VERSION "/os.py",
        "lib/python" Py_STRINGIFY(PY_MAJOR_VERSION) Py_STRINGIFY(PY_MINOR_VERSION) ".zip"};
    const char* home = getenv("PYTHONHOME");
    char prefix[PATH_MAX];
    if (home == NULL || *home == '\0')
        return NULL;
    snprintf(prefix, sizeof prefix, "%.*s", (int)strcspn(home, ":"), home);
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
        if (exists(prefix, places[i]))
            return NULL;
    return "holds no library of Python " PYTHON_VERSION ": unset PYTHONHOME";
}
