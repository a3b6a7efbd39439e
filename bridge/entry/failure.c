/* failure.c: keep what went wrong, say it, end the job.
 *
 * Python hands its exceptions over as text (bodies.py), the checks in C hand over constants. One
 * record per thread holds its latest failure; frame_status_, frame_last_error_ and
 * frame_error_policy_ are answered from here without Python.
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "entry.h"

struct entry_state entry_state;
__thread int entry_status;
__thread int64_t entry_thread_number;

int64_t entry_count_thread(void)
{
    static int64_t threads;
    return entry_thread_number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
}

struct text {
    char kind[128];
    char message[8192];
    char details[32768];
};

static __thread struct {
    int code;
    const char* entry;
    /* A refusal in C: constants, made into a message when somebody reads it. */
    const char *argument, *got, *wanted;
    struct text* text; /* null until there is one */
    enum { CONSTANTS, COMPOSED, TEXT } form;
    int said; /* printed already */
} latest;

/* ---- The text of a thread ------------------------------------------------------------------- */

/* On the heap: thread-local storage is taken from the stack of every thread of the host, and the
 * host may have made those small. */
static pthread_key_t text_key;
static int text_key_made;

static void free_text(void* text)
{
    latest.text = NULL;
    free(text);
}

static void make_text_key(void)
{
    text_key_made = pthread_key_create(&text_key, free_text) == 0;
}

/* free_text may not be called once the library is unloaded. */
__attribute__((destructor)) static void delete_text_key(void)
{
    if (text_key_made)
        pthread_key_delete(text_key);
    text_key_made = 0;
}

static struct text* text_of_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static struct text shared; /* where there is no memory for one */
    if (latest.text == NULL) {
        pthread_once(&once, make_text_key);
        latest.text = calloc(1, sizeof *latest.text);
        if (latest.text == NULL)
            latest.text = &shared;
        else if (text_key_made)
            pthread_setspecific(text_key, latest.text);
    }
    return latest.text;
}

static const char* code_name(int code)
{
    static const char* const names[] = {
        "BRIDGE_OK",        "BRIDGE_ABSENT", "BRIDGE_START",  "BRIDGE_ARGUMENT", "BRIDGE_STATE",
        "BRIDGE_EXCEPTION", "BRIDGE_MPI",    "BRIDGE_DEVICE", "BRIDGE_MEMORY",   "BRIDGE_POINTS"};
    return code <= 0 && code >= BRIDGE_POINTS ? names[-code] : "unknown";
}

static const char* kind_of_code(int code)
{
    switch (code) {
    case BRIDGE_ARGUMENT: return "ArgumentError";
    case BRIDGE_STATE: return "StateError";
    case BRIDGE_MPI: return "HostMpiError";
    case BRIDGE_START: return "StartError";
    default: return "BridgeError";
    }
}

/* ---- Keeping ------------------------------------------------------------------------------ */

int failure_refuse(const char* entry, int code, const char* argument, const char* got,
                   const char* wanted)
{
    /* The same constants as last time: the block on stderr need not repeat itself. */
    int same = latest.form != TEXT && latest.code == code && latest.entry == entry &&
               latest.argument == argument && latest.got == got;
    latest.said = latest.said && same;
    latest.code = code;
    latest.entry = entry;
    latest.argument = argument;
    latest.got = got;
    latest.wanted = wanted;
    latest.form = CONSTANTS;
    return code;
}

static void copy(char* target, size_t size, const char* source)
{
    snprintf(target, size, "%s", source != NULL ? source : "");
}

int failure_keep(const char* entry, int code, const char* kind, const char* message,
                 const char* details)
{
    struct text* text = text_of_thread();
    if (code >= BRIDGE_OK)
        code = BRIDGE_EXCEPTION;
    latest.said = latest.said && latest.form == TEXT && latest.code == code &&
                  strncmp(text->message, message, sizeof text->message - 1) == 0;
    latest.code = code;
    latest.entry = entry;
    latest.form = TEXT;
    copy(text->kind, sizeof text->kind, kind);
    copy(text->message, sizeof text->message, message);
    copy(text->details, sizeof text->details, details);
    return code;
}

void failure_from_python(int code, const char* kind, const char* message, const char* details)
{
    failure_keep(NULL, code, kind, message, details);
}

int entry_failed(const char* entry, int answer)
{
    if (answer >= 0 || latest.code != answer)
        return failure_refuse(entry, BRIDGE_EXCEPTION, NULL, "no answer from Python",
                              "the body of this entry in bridge/entry/bodies.py");
    latest.entry = entry;
    return answer;
}

static struct text* compose(void)
{
    struct text* text = text_of_thread();
    if (latest.form != CONSTANTS || latest.code == 0)
        return text;
    copy(text->kind, sizeof text->kind, kind_of_code(latest.code));
    text->details[0] = '\0';
    if (latest.argument != NULL)
        snprintf(text->message, sizeof text->message, "argument %s: got %s, wanted %s",
                 latest.argument, latest.got, latest.wanted);
    else
        snprintf(text->message, sizeof text->message, "got %s, wanted %s", latest.got,
                 latest.wanted);
    latest.form = COMPOSED;
    return text;
}

int failure_returns(void)
{
    return entry_state.return_only;
}

const char* failure_message(void)
{
    return compose()->message;
}

/* ---- Saying ------------------------------------------------------------------------------- */

/* Every line carries the rank, and one write() carries the block: mpirun mixes the output of
 * ranks by pieces. */
static void say(int ends)
{
    static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;
    static char block[3 * sizeof(struct text)];
    const struct text* text = compose();
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
            latest.entry != NULL ? latest.entry : "a call", text->kind, code_name(latest.code),
            latest.code);
    texts[0] = text->message;
    texts[1] = text->details;
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
    for (size_t done = 0, size = strlen(block); done < size;) {
        ssize_t wrote = write(STDERR_FILENO, block + done, size - done);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    pthread_mutex_unlock(&saying);
    latest.said = 1;
}

void failure_apply(int caller_reads_status)
{
    if (entry_state.return_only && (caller_reads_status || latest.said))
        return;
    if (entry_state.phase != PHASE_FORKED) /* what a child holds is the parent's to write */
        host_flush();
    say(!entry_state.return_only);
    if (!entry_state.return_only)
        host_end_job();
}

/* ---- Entries answered here ---------------------------------------------------------------- */

static int refuse_text(const char* entry, const char* argument, const char* got,
                       const char* wanted)
{
    char message[1024];
    snprintf(message, sizeof message, "argument %s: got %s, wanted %s", argument, got, wanted);
    return failure_keep(entry, BRIDGE_ARGUMENT, kind_of_code(BRIDGE_ARGUMENT), message, NULL);
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
    message = failure_message();
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
    copy(name, sizeof name, entry);
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
