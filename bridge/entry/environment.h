/* environment.h: an environment of Python, as its files describe it. */
#ifndef BRIDGE_ENVIRONMENT_H
#define BRIDGE_ENVIRONMENT_H

#include <limits.h>

enum {
    ENVIRONMENT_ROOM = PATH_MAX + 64,
    ENVIRONMENT_LEAST = 11 /* Python 3.11: _bridge_entry is built for its limited API */
};

/* What the files say about an interpreter. */
struct environment {
    char interpreter[ENVIRONMENT_ROOM];
    char prefix[PATH_MAX];  /* of the environment */
    char base[2][PATH_MAX]; /* of the installation under it: as named, and with links followed */
    int minor;              /* of Python 3.minor */
};

/* Why a file cannot be seen where that is not because it is not there: the system's reason, and the
 * folder; else null. */
const char* environment_hidden(const char* path);
/* Null when the interpreter can be tried; else the reason why not. */
const char* environment_read(struct environment* environment, const char* interpreter);
/* The interpreter of a folder (where it would be, with 0, if there is none); of the folder that
 * holds libbridge.so. 0 where there is none. */
int environment_in(const char* folder, char* interpreter);
int environment_of_library(char* interpreter);
/* The folder of libbridge.so; 0 where it is not known. */
int environment_library_folder(char* folder);
/* The version that the package is installed for, by the folder of libbridge.so; 0 where that does
 * not say. */
int environment_minor_of_library(void);
/* Null when PYTHONHOME is in nobody's way; else what is wrong with it. */
const char* environment_home_unfit(int minor);

#endif
