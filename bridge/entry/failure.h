/* failure.h: what went wrong on a thread, kept until somebody reads it. */
#ifndef BRIDGE_FAILURE_H
#define BRIDGE_FAILURE_H

/* Text that lives as long as the program: costs nothing until somebody reads it. */
int failure_refuse(const char* entry, int code, const char* argument, const char* got,
                   const char* wanted);
/* Text of the moment: copied. kind is the class, details a traceback or a list (may be null). */
int failure_keep(const char* entry, int code, const char* kind, const char* message,
                 const char* details);
/* Called by Python before it returns a negative status. */
void failure_from_python(int code, const char* kind, const char* message, const char* details);
int failure_returns(void); /* policy "return" */
/* What a body answered that was not ENTRY_DONE, and the entry that it failed in. */
int failure_of_body(const char* entry, int answer);
/* The class of failures that the checks in C find. */
const char* failure_kind(int code);

enum { FAILURE_TEXT_ROOM = 128 + 8192 + 32768 }; /* kind, message and details at their longest */

/* The latest failure of this thread, as text that stays until the next one. */
struct failure {
    int code;
    const char* entry; /* null where it is not known */
    const char *kind, *message, *details;
    int said; /* printed already */
};

struct failure failure_latest(void);
void failure_mark_said(void); /* the same failure is not printed again */

#endif
