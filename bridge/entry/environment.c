/* environment.c: which Python a start may try, judged from files alone.
 *
 * An environment is named by its interpreter. No process is started to find out what that is.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "environment.h"

enum { MOST_MINOR = 99 };

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

/* realpath() leaves where it came to: the part that it could not see, links followed. */
const char* environment_hidden(const char* path)
{
    static char reason[PATH_MAX + 256];
    char seen[PATH_MAX];
    int error;
    *seen = '\0';
    if (realpath(path, seen) != NULL)
        return NULL;
    error = errno;
    if (error == ENOENT || error == ENOTDIR)
        return NULL;
    if (error == EACCES)
        parent(seen);
    snprintf(reason, sizeof reason, "cannot be reached: %s%s%s", strerror(error),
             error == EACCES ? ": this user may not enter " : ": ", *seen != '\0' ? seen : "/");
    return reason;
}

/* Why there seems to be no such file. */
static const char* missing(const char* path)
{
    static char reason[PATH_MAX + 64];
    char seen[PATH_MAX];
    struct stat status;
    const char* hidden = environment_hidden(path);
    if (hidden != NULL)
        return hidden;
    if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode) || realpath(path, seen) != NULL)
        return "does not exist";
    snprintf(reason, sizeof reason, "is a link to %s, which does not exist", seen);
    return reason;
}

/* ---- An interpreter ------------------------------------------------------------------------- */

/* pyvenv.cfg: "version = 3.11.2" (venv) or "version_info = 3.11.2.final.0" (virtualenv, uv), and
 * "home = /usr/bin", the folder of the interpreter under it. Whether there is such a file. */
static int read_cfg(const char* folder, int* major, struct environment* environment)
{
    char path[ENVIRONMENT_ROOM], line[PATH_MAX + 64];
    FILE* file;
    snprintf(path, sizeof path, "%s/pyvenv.cfg", folder);
    file = fopen(path, "r");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (*major < 0 && sscanf(line, "version = %d.%d", major, &environment->minor) != 2)
            sscanf(line, "version_info = %d.%d", major, &environment->minor);
        if (sscanf(line, "home = %4095[^\n]", environment->base[0]) == 1)
            parent(environment->base[0]);
    }
    fclose(file);
    return 1;
}

/* From the name of the resolved file (python3.11), or lib/python3.N beside it. */
static int version_of(const char* resolved, int* minor)
{
    char folder[PATH_MAX], name[64];
    const char* base = strrchr(resolved, '/') + 1;
    int major = -1;
    if (sscanf(base, "python%d.%d", &major, minor) == 2)
        return major;
    if (strncmp(base, "python", 6) != 0)
        return -1;
    snprintf(folder, sizeof folder, "%s", resolved);
    parent(folder);
    parent(folder);
    for (int distance = 0; distance <= MOST_MINOR; ++distance) {
        *minor = (ENVIRONMENT_LEAST + distance) % (MOST_MINOR + 1); /* those we can use first */
        snprintf(name, sizeof name, "lib/python3.%d/os.py", *minor);
        if (exists(folder, name))
            return 3;
    }
    return -1;
}

const char* environment_read(struct environment* environment, const char* interpreter)
{
    static char reason[256];
    char resolved[PATH_MAX];
    struct stat status;
    int major = -1;
    memset(environment, 0, sizeof *environment);
    snprintf(environment->interpreter, sizeof environment->interpreter, "%s", interpreter);
    snprintf(environment->prefix, sizeof environment->prefix, "%s", interpreter);
    if (stat(interpreter, &status) != 0)
        return missing(interpreter);
    if (!S_ISREG(status.st_mode) || access(interpreter, X_OK) != 0)
        return "is not an executable file";
    if (realpath(interpreter, resolved) == NULL)
        return "is a link that cannot be followed";
    snprintf(environment->base[1], PATH_MAX, "%s", resolved);
    parent(environment->base[1]);
    parent(environment->base[1]);
    parent(environment->prefix);
    if (!read_cfg(environment->prefix, &major, environment)) {
        parent(environment->prefix);
        read_cfg(environment->prefix, &major, environment);
    } else
        parent(environment->prefix);
    if (major < 0)
        major = version_of(resolved, &environment->minor);
    if (*environment->base[0] == '\0')
        snprintf(environment->base[0], PATH_MAX, "%s", environment->prefix);
    if (major < 0)
        return "is not a Python interpreter";
    if (major == 3 && environment->minor >= ENVIRONMENT_LEAST)
        return NULL;
    snprintf(reason, sizeof reason, "is Python %d.%d, but the bridge needs Python 3.%d or later",
             major, environment->minor, ENVIRONMENT_LEAST);
    return reason;
}

/* ---- An environment ------------------------------------------------------------------------- */

int environment_in(const char* folder, char* interpreter)
{
    static const char* const names[] = {"bin/python3", "bin/python"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (exists(folder, names[i])) {
            snprintf(interpreter, ENVIRONMENT_ROOM, "%s/%s", folder, names[i]);
            return 1;
        }
    snprintf(interpreter, ENVIRONMENT_ROOM, "%s/%s", folder, names[0]);
    return 0;
}

static int library_path(char* path)
{
    Dl_info info;
    return dladdr((void*)(uintptr_t)environment_read, &info) != 0 &&
           realpath(info.dli_fname, path) != NULL;
}

int environment_minor_of_library(void)
{
    char path[PATH_MAX] = "";
    const char* name;
    int minor;
    if (library_path(path))
        for (name = path; (name = strstr(name, "/python3.")) != NULL; ++name)
            if (sscanf(name, "/python3.%d/", &minor) == 1)
                return minor;
    return 0;
}

int environment_library_folder(char* folder)
{
    if (!library_path(folder))
        return 0;
    parent(folder);
    return 1;
}

/* <environment>/lib/python3.N/site-packages/bridge/entry/libbridge.so; in an editable install the
 * library lies in a build folder, which may be inside a virtual environment. Where one folder has
 * interpreters of several versions, that of python3.N is meant. */
int environment_of_library(char* interpreter)
{
    char path[PATH_MAX + 1] = "", name[64] = "";
    int minor;
    if (!library_path(path))
        return 0;
    for (parent(path); *path != '\0'; parent(path)) {
        /* parent() cut at a slash: the name of what lies below follows the new end. */
        const char* below = path + strlen(path) + 1;
        if (sscanf(below, "python3.%d", &minor) == 1)
            snprintf(name, sizeof name, "bin/python3.%d", minor);
        if (strncmp(below, "lib", 3) != 0 && !exists(path, "pyvenv.cfg"))
            continue;
        if (*name != '\0' && exists(path, name)) {
            snprintf(interpreter, ENVIRONMENT_ROOM, "%s/%s", path, name);
            return 1;
        }
        if (environment_in(path, interpreter))
            return 1;
    }
    return 0;
}

/* PYTHONHOME is "prefix" or "prefix:exec_prefix"; the library lies in the first. */
const char* environment_home_unfit(int minor)
{
    static const char* const places[] = {"lib/python3.%d/os.py", "lib64/python3.%d/os.py",
                                         "lib/python3%d.zip"};
    static char reason[PATH_MAX + 512];
    const char* home = getenv("PYTHONHOME");
    const char* hidden;
    char prefix[PATH_MAX], name[64];
    if (home == NULL || *home == '\0')
        return NULL;
    snprintf(prefix, sizeof prefix, "%.*s", (int)strcspn(home, ":"), home);
    snprintf(reason, sizeof reason, "%s/lib", prefix);
    hidden = environment_hidden(reason);
    if (hidden != NULL) {
        snprintf(reason, sizeof reason, "%s; unset PYTHONHOME", hidden);
        return reason;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        snprintf(name, sizeof name, places[i], minor);
        if (exists(prefix, name))
            return NULL;
    }
    snprintf(reason, sizeof reason, "holds no library of Python 3.%d: unset PYTHONHOME", minor);
    return reason;
}
