/* failure.c: keep what went wrong.
 *
 * Python hands its exceptions over as text (bodies.py), the checks in C hand over constants. One
 * record per thread holds its latest failure.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "interpreter.h"
#include "state.h"

struct text {
    char kind[128];
    char message[8192];
    char details[32768];
};

_Static_assert(sizeof(struct text) == FAILURE_TEXT_ROOM, "the room that failure.h states");

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

const char* failure_kind(int code)
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

int failure_of_body(const char* entry, int answer)
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
    copy(text->kind, sizeof text->kind, failure_kind(latest.code));
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

struct failure failure_latest(void)
{
    const struct text* text = compose();
    return (struct failure){latest.code,   latest.entry,  text->kind,
                            text->message, text->details, latest.said};
}

void failure_mark_said(void)
{
    latest.said = 1;
}
