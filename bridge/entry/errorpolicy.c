/* errorpolicy.c: say a failure and end the job, or leave it to a caller that reads the status. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "ending.h"
#include "errorpolicy.h"
#include "failure.h"
#include "host.h"
#include "hostmpi.h"
#include "state.h"

static const char* code_name(int code)
{
    static const char* const names[] = {
        "BRIDGE_OK",        "BRIDGE_ABSENT", "BRIDGE_START",  "BRIDGE_ARGUMENT", "BRIDGE_STATE",
        "BRIDGE_EXCEPTION", "BRIDGE_MPI",    "BRIDGE_DEVICE", "BRIDGE_MEMORY",   "BRIDGE_POINTS"};
    return code <= 0 && code >= BRIDGE_POINTS ? names[-code] : "unknown";
}

/* Every line carries the rank, and one write() carries the block: mpirun mixes the output of
 * ranks by pieces. */
static void say(int ends)
{
    static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;
    static char block[3 * FAILURE_TEXT_ROOM];
    const struct failure failure = failure_latest();
    char tag[48];
    FILE* out;
    const char *texts[2], *line;
    int rank = mpi_rank();

    if (rank >= 0)
        snprintf(tag, sizeof tag, "[bridge, rank %d] ", rank);
    else
        snprintf(tag, sizeof tag, "[bridge] ");
    /* other threads may fail too: one block at a time. The lock of stderr would not do: whoever
     * flushes all streams waits for it with the lock that fmemopen wants. */
    pthread_mutex_lock(&saying);
    out = fmemopen(block, sizeof block, "w");
    if (out == NULL) {
        pthread_mutex_unlock(&saying);
        return;
    }
    fprintf(out, "%s%s failed: %s (%s, status %d)\n", tag,
            failure.entry != NULL ? failure.entry : "a call", failure.kind,
            code_name(failure.code), failure.code);
    texts[0] = failure.message;
    texts[1] = failure.details;
    for (int i = 0; i < 2; ++i)
        for (line = texts[i]; *line != '\0';) {
            int length = (int)strcspn(line, "\n");
            fprintf(out, "%s  %.*s\n", tag, length, line);
            line += length + (line[length] == '\n');
        }
    if (ends)
        fprintf(out, "%s%s ends here; frame_error_policy(\"return\") lets the caller go on\n", tag,
                entry_state.phase == PHASE_FORKED ? "this process" : "the job");
    fclose(out);
    host_say(block, strlen(block));
    pthread_mutex_unlock(&saying);
    failure_mark_said();
}

void error_policy_apply(int caller_reads_status)
{
    if (entry_state.return_only && (caller_reads_status || failure_latest().said))
        return;
    if (entry_state.phase != PHASE_FORKED) /* what a child holds is the parent's to write */
        host_flush();
    say(!entry_state.return_only);
    if (!entry_state.return_only)
        ending_end_job();
}
