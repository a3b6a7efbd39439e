/* interpreter.h: between libbridge.so, which knows no Python, and _bridge_entry, which does.
 *
 * libbridge.so opens the libpython of an interpreter, then _bridge_entry.abi3.so beside itself,
 * whose symbols of Python that libpython resolves. Each gives the other a table of functions, so
 * neither is linked to the other: the host may hold libbridge.so where no symbol of it is seen.
 */
#ifndef BRIDGE_INTERPRETER_H
#define BRIDGE_INTERPRETER_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* What a Python body returns when it has done its work. cffi answers 0 whenever Python could not
 * be reached, so 0 is a failure. */
#define ENTRY_DONE 1

/* begin shared: build_entry.py gives it to Python as it is */

/* The arguments of a stripe call that stay the same over a run, as one key of whole words. */
struct entry_stripe {
    char name[64];
    int64_t address;
    int nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData;
    int output;
    int64_t thread; /* of the host: what Python keeps for a key belongs to one */
};

/* One call of a kernel library. ENTRY_POINTS: function(argument, 0, points, threads); ENTRY_IN_ORDER, in an
 * order of its own: function(argument, threads); ENTRY_MOVE, between boxes and a buffer:
 * function(argument, buffer, threads). part: of the run, whose timer counts it. */
enum { ENTRY_POINTS, ENTRY_IN_ORDER, ENTRY_MOVE };
struct entry_call {
    int64_t function, argument, points, buffer;
    int threads, form, part;
};

/* Two words of memory, by their addresses, that are the same as long as Python need not see a call. */
struct entry_condition {
    int64_t now, then;
};

/* Where the ledger's calls of one kind are counted (`Repeats` of bridge/timers/ledger.py), and by how
 * much numbers of the backend grew meanwhile; of stripes the first one has their points. */
enum { ENTRY_NUMBERS = 4 };
struct entry_account {
    int64_t calls, grown[ENTRY_NUMBERS];
};

/* Those of some kinds, null where there is no ledger; numbers: a function that tells where the backend's
 * n numbers stand, const int64_t* (*)(void). */
struct entry_accounts {
    struct entry_account* of;
    int64_t numbers;
    int n;
};
/* The kinds of a run, of which moves and reductions have the first, and of constants, of which a table
 * has it. */
enum { ENTRY_RUN, ENTRY_BEGIN, ENTRY_WAIT };
enum { ENTRY_GIVEN, ENTRY_GIVEN_BY_NAMES };

/* A lock, by the functions take(argument) and give(argument); all 0 for none. Whoever has it may take
 * it again. */
struct entry_lock {
    int64_t take, give, argument;
};

/* The buffer that boxes are moved to or from: its type, a code of bridge.h, elements and bytes, and
 * the memory, from `begin` to `end`, in which it must not lie. */
struct entry_buffer {
    int type;
    int64_t elements, bytes, begin, end;
};

/* What is kept of a run, a move of boxes or a reduction: its calls, parts and conditions; lock: Python
 * changes what they rely on with it; state, frame: words of its set and of the Frame; most: runs that
 * may be done before Python sees one, -1 without end; buffer: of a move, whose calls are
 * function(argument, buffer, threads). The calls of the last part of reductions are
 * function(argument, values, places, threads), one for each, of `points` values. */
struct entry_run {
    const struct entry_call* calls;
    const struct entry_condition* conditions;
    int n_calls, n_parts, n_conditions;
    struct entry_lock lock;
    int64_t *state, *frame;
    int64_t most;
    struct entry_accounts accounts;
    struct entry_buffer buffer;
};
/* Words of what is prepared for a set or the Frame (`Prepared.state` of bridge/prepared.py): the
 * generation, runs that Python has begun and that are pending, views, runs that were begun in C, and
 * whether the host said of arrays of the set that the next run finds them unchanged. */
enum { ENTRY_GENERATION, ENTRY_PENDING, ENTRY_VIEWS, ENTRY_BEGUN, ENTRY_UNCHANGED };

/* Where one number of a constant lies, and its type, a code of bridge.h. */
struct entry_constant {
    int64_t address;
    int type;
};

/* What kernels of a CPU find a table by: bridge_table of kernels/cpu/interface.h. */
struct entry_table {
    double* data;
    int64_t size[3];
};
enum { ENTRY_REAL = 1, ENTRY_INTEGER = 3, ENTRY_LOGICAL = 5 };

/* What a view holds, or a constant of views: points that have values, the order of the writing among
 * all, and the thread that wrote, a number of Python (`Written` of bridge/memory/views.py); writers:
 * a bit for each thread that has ever written it, some have the same one. */
struct entry_written {
    int64_t filled, stamp, writer;
    uint64_t writers;
};

/* What a launch reads, and what it would read in its place were that written later; null for
 * nothing. */
struct entry_input {
    const struct entry_written *held, *rival;
};

/* A launch on the first n views' points, `most` at most: function(argument, 0, n, threads); views:
 * how many the Frame has. */
struct entry_launch {
    int64_t function, argument, most, views;
    int threads, n_inputs, n_outputs;
    const struct entry_input* inputs;
    struct entry_written* const* outputs;
    struct entry_accounts accounts;
};

/* Stripes of an array of `points` points and a view, `most` at a time: function(array, first, n, view,
 * stride, integer, threads). */
struct entry_copy {
    int64_t function, array, view, stride, points, most;
    int integer, threads;
    struct entry_written* written;
    struct entry_accounts accounts;
};

/* What stands in the place of boxes in reductions: as many as its `n` components take, the rest 0. In
 * the place of the composite's name stand the quantities, and behind a line feed the operations; place:
 * integers of a place, 0 where none is wanted. What is longer goes through Python. */
enum { ENTRY_MOST_REDUCED = 63, ENTRY_REDUCED_TEXT = 2048 };
struct entry_reduction {
    int n, values, place;
    int components[ENTRY_MOST_REDUCED];
};

/* Calls and nanoseconds of one part. */
struct entry_count {
    int64_t calls, total, shortest, longest;
};

/* end shared */

/* What a call of a move or an exchange answers that Python has to do. */
#define ENTRY_NOT_DONE -1

/* What stands in the place of a colour, 1 or 2, in runs of all points, of boxes and of several sets, whose
 * names stand in one text, and in moves of boxes of an array, whose name stands in the place of the composite's. An
 * exchange and a sequence have no set. Of a constant that is a reduction the sets stand in the place of the set, and
 * quantity, operation and constant, with line feeds between them, in that of the name; of the value of a
 * constant its name alone. */
enum {
    RUNS_WHOLE = INT_MIN,
    RUNS_BOXES,
    RUNS_SEVERAL,
    MOVES_PACK,
    MOVES_UNPACK,
    MOVES_UPDATE_DEVICE,
    MOVES_UPDATE_HOST,
    REDUCES,
    EXCHANGES,
    SEQUENCES,
    REDUCED_CONSTANTS,
    CONSTANT_VALUES
};

#include "entry_bodies.h" /* struct entry_bodies: a pointer to each body */

/* What Python may ask of libbridge.so: the table that startup.c fills. */
struct entry_host {
    const char* contract; /* ENTRY_CONTRACT */
    void (*failure_from_python)(int, const char*, const char*, const char*);
    int (*failure_returns)(void);
    void (*host_forget_communicator)(void);
    void (*host_flush)(void);
    int (*host_has_module)(void);
    int (*startup_is_ours)(void);
    const char* (*startup_chosen)(void);
    const void* (*host_environment)(void);
    int64_t (*startup_began)(void);
    /* Of runs.h: keep a run; null where there is no memory. Whether it was begun and not waited for,
     * asked once. Give it another `most`. How often it ran since it was asked last, and what its parts
     * took. The same once nobody is in it, and forget it. */
    void* (*runs_keep)(const char*, const char*, const int*, int, int, const struct entry_run*);
    int (*runs_begun)(void*);
    void (*runs_allow)(void*, int64_t);
    int64_t (*runs_taken)(void*, struct entry_count*);
    int64_t (*runs_drop)(void*, struct entry_count*);
    /* Nothing that is kept is done again, and Python sees each call, until this is taken back. */
    void (*runs_pause)(int);
    /* Of constants.h: keep constants of names, a table of a name and rank; 0 where there is no
     * memory. Forget all of them. */
    int (*constants_keep)(const char*, const struct entry_constant*, int, int,
                          const struct entry_run*);
    int (*tables_keep)(const char*, struct entry_table*, int, const struct entry_run*);
    void (*constants_drop)(void);
    /* Of viewcalls.h: have the views, 0, or who has them: the call of a record, or less than 0 for a
     * thread in Python. Give them back. The stamp of what is written now. Keep a launch, or stripes,
     * for the calling thread; call: its number in messages, writer: that of the thread; null where
     * there is no memory. What its calls took since it was asked last. The same, and forget it. */
    int64_t (*views_take)(void);
    void (*views_give)(void);
    int64_t (*views_stamp)(void);
    void* (*views_keep_launch)(const char*, const struct entry_launch*, int64_t, int64_t,
                               const int64_t*);
    void* (*views_keep_stripe)(const struct entry_stripe*, const struct entry_copy*, int64_t,
                               int64_t);
    void (*views_taken)(void*, struct entry_count*);
    void (*views_drop)(void*, struct entry_count*);
};

/* What libbridge.so may ask of Python. None of it needs the GIL of its caller. */
struct entry_python {
    const char* contract;
    int (*is_running)(void);
    /* Start Python with the environment of this interpreter; 1 when it runs and can import what is
     * needed, else 0 with the reason, and Python does not run. */
    int (*start)(const char* interpreter, char* reason, size_t size);
    /* Import the bodies of the entries; 1, or 0 with message and traceback. */
    int (*import_bodies)(char* message, size_t size, char* details, size_t details_size);
    void (*end)(void); /* wait for threads, run exit functions, write buffers */
    struct entry_bodies bodies;
};

/* The one symbol of _bridge_entry that libbridge.so looks for. */
typedef const struct entry_python* entry_connect(const struct entry_host*);
#define ENTRY_CONNECT "bridge_entry_connect"

#endif
