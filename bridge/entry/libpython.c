/* libpython.c: open the library of an interpreter, then the part of the entry that calls Python.
 *
 * libbridge.so is linked to no Python. A libpython is found from files, without starting the
 * interpreter, and opened with its symbols global: extension modules are not linked to it, they
 * find them there. A process holds one Python: the first that is opened decides the version.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "environment.h"
#include "host.h"
#include "libpython.h"

#if defined __aarch64__
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "x86_64-linux-gnu"
#endif
#define OUR_PART "_bridge_entry.abi3.so"

const struct entry_python* entry_python;
struct entry_bodies entry_bodies;

static char reason[6144];

/* ---- The libpython that is in the process -------------------------------------------------- */

static const char* version_in_process(void)
{
    const char* (*version)(void);
    *(void**)&version = host_symbol("Py_GetVersion");
    return version != NULL ? version() : NULL;
}

static int is_libpython(struct dl_phdr_info* info, size_t size, void* found)
{
    const char* name = strrchr(info->dlpi_name, '/');
    (void)size;
    name = name != NULL ? name + 1 : info->dlpi_name;
    if (strncmp(name, "libpython3.", 11) != 0)
        return 0;
    *(const char**)found = info->dlpi_name;
    return 1;
}

/* A host may have opened one whose symbols are its own (RTLD_LOCAL): make them global. */
void libpython_find_loaded(void)
{
    const char* path = NULL;
    if (version_in_process() == NULL && dl_iterate_phdr(is_libpython, &path) != 0)
        dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

int libpython_runs(void)
{
    int (*running)(void);
    *(void**)&running = host_symbol("Py_IsInitialized");
    return running != NULL && running();
}

/* ---- The libpython of an environment -------------------------------------------------------- */

/* Where installations have it: beside lib/python3.N, in Debian's folder, and for programs that are
 * linked to it in the installation's own. */
static const char* const places[] = {
    "lib/libpython3.%d.so.1.0",
    "lib64/libpython3.%d.so.1.0",
    "lib/" MULTIARCH "/libpython3.%d.so.1.0",
    "lib/libpython3.%d.so",
    "lib/python3.%1$d/config-3.%1$d-" MULTIARCH "/libpython3.%1$d.so",
};

static const char* open_libpython(const struct environment* environment)
{
    char path[ENVIRONMENT_ROOM], name[64], *message;
    const char* hidden;
    int minor = environment->minor, bases = 1;
    size_t used;
    if (strcmp(environment->base[0], environment->base[1]) != 0)
        bases = 2;
    for (int b = 0; b < bases; ++b)
        for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
            snprintf(name, sizeof name, places[i], minor);
            snprintf(path, sizeof path, "%s/%s", environment->base[b], name);
            if (access(path, R_OK) != 0)
                continue;
            if (dlopen(path, RTLD_NOW | RTLD_GLOBAL) != NULL)
                return NULL;
            message = dlerror();
            snprintf(reason, sizeof reason, "its libpython cannot be opened: %s",
                     message != NULL ? message : path);
            return reason;
        }
    snprintf(name, sizeof name, "libpython3.%d.so.1.0", minor);
    if (dlopen(name, RTLD_NOW | RTLD_GLOBAL) != NULL)
        return NULL;
    for (int b = 0; b < bases; ++b) {
        snprintf(path, sizeof path, "%s/lib", environment->base[b]);
        if ((hidden = environment_hidden(path)) != NULL) {
            snprintf(reason, sizeof reason, "its libpython %s", hidden);
            return reason;
        }
    }
    used = (size_t)snprintf(reason, sizeof reason,
                            "has no shared library: %s is neither where the loader looks nor in",
                            name);
    for (int b = 0; b < bases && used < sizeof reason; ++b)
        used += (size_t)snprintf(reason + used, sizeof reason - used,
                                 "%s %s/lib, lib64, lib/" MULTIARCH, b > 0 ? "," : "",
                                 environment->base[b]);
    if (used < sizeof reason)
        snprintf(reason + used, sizeof reason - used,
                 "; take a Python built with --enable-shared (Debian and Ubuntu: apt install "
                 "libpython3.%d; pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared)",
                 minor);
    return reason;
}

/* ---- Our part -------------------------------------------------------------------------------- */

/* Null, or the reason why not. */
static const char* connect_part(const char* path, const struct entry_host* host)
{
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    entry_connect* connect;
    const struct entry_python* python;
    const char* message;
    if (library == NULL) {
        message = dlerror();
        snprintf(reason, sizeof reason, "%s cannot be opened: %s", path,
                 message != NULL ? message : "no reason is known");
        return reason;
    }
    *(void**)&connect = dlsym(library, ENTRY_CONNECT);
    python = connect != NULL ? connect(host) : NULL;
    if (python == NULL || strcmp(python->contract, ENTRY_CONTRACT) != 0) {
        snprintf(reason, sizeof reason, "%s and libbridge.so are of different versions", path);
        return reason;
    }
    entry_bodies = python->bodies;
    entry_python = python;
    return NULL;
}

/* Beside libbridge.so; where that was copied elsewhere, in the environment's own package. */
static const char* open_part(const struct environment* environment, const struct entry_host* host)
{
    static const char* const folders[] = {"lib", "lib64"};
    char path[ENVIRONMENT_ROOM + PATH_MAX], folder[PATH_MAX] = "";
    if (entry_python != NULL)
        return NULL;
    if (environment_library_folder(folder)) {
        snprintf(path, sizeof path, "%s/" OUR_PART, folder);
        if (access(path, R_OK) == 0)
            return connect_part(path, host);
    }
    for (size_t i = 0; environment != NULL && i < sizeof folders / sizeof *folders; ++i) {
        snprintf(path, sizeof path, "%s/%s/python3.%d/site-packages/bridge/entry/" OUR_PART,
                 environment->prefix, folders[i], environment->minor);
        if (access(path, R_OK) == 0)
            return connect_part(path, host);
    }
    snprintf(reason, sizeof reason, OUR_PART " is not in %s, where libbridge.so is%s%s", folder,
             environment != NULL ? ", nor in the package bridge of " : "",
             environment != NULL ? environment->prefix : "");
    return reason;
}

const char* libpython_open(const struct environment* environment, const struct entry_host* host)
{
    const char* version = version_in_process();
    const char* problem;
    int minor;
    if (version != NULL) {
        if (sscanf(version, "3.%d", &minor) != 1 || minor != environment->minor) {
            snprintf(reason, sizeof reason,
                     "is Python 3.%d, but the process holds the library of Python %.*s",
                     environment->minor, (int)strcspn(version, " "), version);
            return reason;
        }
    } else if ((problem = open_libpython(environment)) != NULL)
        return problem;
    return open_part(environment, host);
}

const char* libpython_open_running(const struct entry_host* host)
{
    const char* version = version_in_process();
    int minor;
    if (version != NULL && sscanf(version, "3.%d", &minor) == 1 && minor >= ENVIRONMENT_LEAST)
        return open_part(NULL, host);
    snprintf(reason, sizeof reason,
             "Python %.*s runs in this process, but the bridge needs Python 3.%d or later",
             version != NULL ? (int)strcspn(version, " ") : 0, version != NULL ? version : "",
             ENVIRONMENT_LEAST);
    return reason;
}
