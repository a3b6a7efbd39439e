/* entry.c: the opening of a call before Python runs, and the entries that need no Python. */
#include <stdio.h>

#include "ending.h"
#include "entry.h"

static int refuse_text(const char* entry, const char* argument, const char* got,
                       const char* wanted)
{
    char message[1024]; /* of a very long `got` the beginning */
    snprintf(message, sizeof message, "argument %.100s: got %.500s, wanted %.300s", argument, got,
             wanted);
    return failure_keep(entry, BRIDGE_ARGUMENT, failure_kind(BRIDGE_ARGUMENT), message, NULL);
}

int frame_status_(void)
{
    return entry_status;
}

void frame_last_error_(char* buffer, int len)
{
    const char* message;
    int used;
    if (buffer == NULL || len < 0) {
        entry_close(
            failure_refuse("frame_last_error_", BRIDGE_ARGUMENT, buffer == NULL ? "buffer" : "len",
                           buffer == NULL ? "a null pointer" : "a negative length",
                           "room for the message"),
            NULL);
        return;
    }
    message = failure_latest().message;
    memset(buffer, ' ', (size_t)len);
    used = (int)strnlen(message, (size_t)len);
    for (int i = 0; i < used; ++i)
        buffer[i] = message[i] == '\n' ? ' ' : message[i];
}

void frame_error_policy_(const char* policy, int* ierr)
{
    int status = entry_want_string("frame_error_policy_", "policy", policy);
    if (status == BRIDGE_OK) {
        if (strcmp(policy, "abort") == 0)
            entry_state.return_only = 0;
        else if (strcmp(policy, "return") == 0)
            entry_state.return_only = 1;
        else
            status =
                refuse_text("frame_error_policy_", "policy", policy, "\"abort\" or \"return\"");
    }
    entry_close(status, ierr);
}

void bridge_refuse_(const char* entry, const char* argument, const char* got, const char* wanted,
                    int* ierr)
{
    static __thread char name[64];
    snprintf(name, sizeof name, "%s", entry != NULL ? entry : "");
    entry_close(refuse_text(name, argument, got, wanted), ierr);
}

int entry_open_cold(const char* entry, int may_boot)
{
    if (entry_state.phase == PHASE_ENDED)
        return failure_refuse(entry, BRIDGE_STATE, NULL, "a call while the program is ending",
                              "calls before the end of the program");
    if (entry_state.phase == PHASE_FORKED)
        return ending_refuse_child(entry);
    if (may_boot)
        return startup_boot(entry);
    return failure_refuse(entry, BRIDGE_STATE, NULL, "a call before the bridge has started",
                          "frame_boot or frame_initialize first");
}
