/* latency.c: what one call costs, for `bridge bench latency`. Prints one JSON object: medians over
 * repeats of nanoseconds per call.
 *
 * Usage: latency [calls [repeats [backend]]]
 *
 * Calls that a GPU carries out later are measured twice: until they have returned, and (done) until
 * the device has carried them out as well. The rows of composites come for each launch mode.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bridge.h"
#include "internal.h"

enum { NX = 16, NY = 16, NZ = 16, NQ = 6, FRINGE = 2, POINTS = 8 };
static double field[NX * NY * NZ * NQ];
static double pressure[NX * NY * NZ];

static void refused_in_c(void)
{
    int ierr;
    frame_launch_(NULL, 1, &ierr);
}

static void answered_in_c(void)
{
    (void)frame_status_();
}

static void empty_python_body(void)
{
    bridge_noop_(1);
}

static void stripe_in(void)
{
    frame_castles_populateinputstripe_("P", pressure, NX, NY, NZ, 1 + FRINGE, NX - FRINGE,
                                       1 + FRINGE, NY - FRINGE, 1 + FRINGE, NZ - FRINGE, 1, 1, 5,
                                       4 + POINTS);
}

static void stripe_out(void)
{
    frame_castles_populateoutputstripe_("P", pressure, NX, NY, NZ, 1 + FRINGE, NX - FRINGE,
                                        1 + FRINGE, NY - FRINGE, 1 + FRINGE, NZ - FRINGE, 1, 1, 5,
                                        4 + POINTS);
}

static void stripe_q_in(void)
{
    frame_castles_populateinputstripe_("Q", field, NX, NY, NZ, 1 + FRINGE, NX - FRINGE, 1 + FRINGE,
                                       NY - FRINGE, 1 + FRINGE, NZ - FRINGE, 1, NQ, 5, 4 + POINTS);
}

static void named_launch(void)
{
    int ierr;
    frame_launch_("prEOSCheckInput", POINTS, &ierr);
}

static void composite(void)
{
    frame_tvproperties_eosthermalandviscousproperties_(POINTS);
}

static void small_composite(void)
{
    frame_tvproperties_eosrhohfromtpprop_(POINTS);
}

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- Runs of sets that come again ------------------------------------------------------------ */

enum { SET_POINTS = 125, SETS = 4 };
static double cp[SETS][SET_POINTS], cv[SETS][SET_POINTS], ratio[SETS][SET_POINTS];
static const char* const set_names[SETS] = {"set1", "set2", "set3", "set4"};

static void bind(int set, const char* name, const char* intent, double* array)
{
    int ierr, bounds[12] = {SET_POINTS, 1, 1, 1, SET_POINTS, 1, 1, 1, 1, 1, 1, 1};
    frame_bind_(set_names[set], name, intent, array, bounds, 1.0, &ierr);
}

static void bind_sets(void)
{
    for (int set = 0; set < SETS; ++set) {
        for (int i = 0; i < SET_POINTS; ++i) {
            cp[set][i] = 3.0;
            cv[set][i] = 2.0;
        }
        bind(set, "cp", "in", cp[set]);
        bind(set, "cv", "in", cv[set]);
        bind(set, "gamma", "out", ratio[set]);
    }
}

static void run_of(int set)
{
    int ierr;
    frame_run_(set_names[set], "prEOSGamma", &ierr);
}

static void run_again(void)
{
    run_of(0);
}

static void begin_and_wait(void)
{
    int ierr;
    frame_run_begin_(set_names[0], "prEOSGamma", &ierr);
    frame_wait_(set_names[0], &ierr);
}

/* What a run does, as the host would write it. */
static void loop_of_the_host(void)
{
    for (int i = 0; i < SET_POINTS; ++i)
        ratio[0][i] = cp[0][i] / cv[0][i];
    __asm__ volatile("" : : "r"(ratio) : "memory");
}

struct thread {
    pthread_t handle;
    int set, calls;
};

static void* runs_of_a_thread(void* argument)
{
    const struct thread* mine = argument;
    for (int i = 0; i < mine->calls; ++i)
        run_of(mine->set);
    return NULL;
}

/* Nanoseconds that so many threads take for `calls` runs each, on a set each. */
static double threads_ns(int number, int calls)
{
    struct thread threads[SETS];
    double begin = now();
    for (int t = 0; t < number; ++t) {
        threads[t].set = t;
        threads[t].calls = calls;
        pthread_create(&threads[t].handle, NULL, runs_of_a_thread, &threads[t]);
    }
    for (int t = 0; t < number; ++t)
        pthread_join(threads[t].handle, NULL);
    return now() - begin;
}

/* Runs that four threads do in the time of one run of a thread alone: the median of repeats in
 * turns. */
static double four_threads(int calls, int repeats)
{
    double* each = malloc((size_t)repeats * sizeof *each);
    double median;
    for (int t = 0; t < SETS; ++t)
        run_of(t);
    for (int r = 0; r < repeats; ++r) {
        double alone = threads_ns(1, calls);
        each[r] = SETS * alone / threads_ns(SETS, calls);
    }
    qsort(each, (size_t)repeats, sizeof *each, by_value);
    median = each[repeats / 2];
    free(each);
    return median;
}

/* Everything asked for before has happened when this returns. */
static void device_done(void)
{
    frame_castles_populateoutputstripe_("rho", pressure, NX, NY, NZ, 1 + FRINGE, NX - FRINGE,
                                        1 + FRINGE, NY - FRINGE, 1 + FRINGE, NZ - FRINGE, 1, 1, 5,
                                        4 + POINTS);
}

static void nothing(void)
{
}

/* within: what belongs to the time of a repeat; after: what does not. */
static double median_ns(void (*call)(void), void (*within)(void), void (*after)(void), int calls,
                        int repeats)
{
    double* each = malloc((size_t)repeats * sizeof *each);
    double median;
    for (int i = 0; i < calls / 10 + 3; ++i)
        call();
    within();
    after();
    for (int r = 0; r < repeats; ++r) {
        double start = now();
        for (int i = 0; i < calls; ++i)
            call();
        within();
        each[r] = (now() - start) / calls;
        after();
    }
    qsort(each, (size_t)repeats, sizeof *each, by_value);
    median = each[repeats / 2];
    free(each);
    return median;
}

static void populate(const char* name, int component)
{
    frame_castles_populateinputstripe_(name, &field[component * NX * NY * NZ], NX, NY, NZ, 1, NX,
                                       1, NY, 1, NZ, 1, 1, 1, POINTS);
}

static void start(const char* backend, const char* launch)
{
    int ierr;
    frame_set_("backend", backend, &ierr);
    frame_set_("species", "O2", &ierr);
    frame_set_("launch", launch, &ierr);
    frame_initialize_(0, 4096, 1, NQ, 0);
    for (int i = 0; i < NX * NY * NZ; ++i) {
        for (int c = 0; c < NQ; ++c)
            field[i + c * NX * NY * NZ] = 0.0;
        field[i] = pressure[i] = 1e7;
        field[i + 4 * NX * NY * NZ] = 300.0;
        field[i + 5 * NX * NY * NZ] = 1.0;
    }
    bind_sets();
    populate("P", 0);
    populate("T", 4);
    populate("Y", 5);
    composite();
}

int main(int argc, char** argv)
{
    static const struct {
        const char* name;
        void (*call)(void);
        const char* policy;
        const char* launch;
        int later; /* whether a GPU carries it out later */
    } measured[] = {
        {"refused_in_c", refused_in_c, "return", "fused", 0},
        {"answered_in_c", answered_in_c, "abort", "fused", 0},
        {"empty_python_body", empty_python_body, "abort", "fused", 0},
        {"stripe_in_8_points", stripe_in, "abort", "fused", 1},
        {"stripe_out_8_points", stripe_out, "abort", "fused", 0},
        {"stripe_q_in_8_points", stripe_q_in, "abort", "fused", 1},
        {"run_again", run_again, "abort", "fused", 0},
        {"begin_and_wait", begin_and_wait, "abort", "fused", 0},
        {"loop_of_the_host", loop_of_the_host, "abort", "fused", 0},
        {"named_launch", named_launch, "abort", "fused", 1},
        {"small_composite", small_composite, "abort", "fused", 1},
        {"composite", composite, "abort", "fused", 1},
        {"composite_graph", composite, "abort", "graph", 1},
        {"composite_stream", composite, "abort", "stream", 1},
    };
    enum { COUNT = sizeof measured / sizeof *measured };
    int calls = argc > 1 ? atoi(argv[1]) : 20000, repeats = argc > 2 ? atoi(argv[2]) : 21;
    const char* backend = argc > 3 ? argv[3] : "cpu";
    const char* launch = "";
    double begin, boot, threads = 0.0, medians[COUNT], done[COUNT];
    int ierr;

    if (calls < 1 || repeats < 1) {
        fprintf(stderr, "usage: latency [calls [repeats [backend]]], both at least 1\n");
        return 2;
    }
    begin = now();
    frame_boot_(&ierr);
    boot = now() - begin;
    for (int i = 0; i < COUNT; ++i) {
        if (strcmp(launch, measured[i].launch) != 0) {
            if (*launch != '\0')
                frame_finalize_();
            launch = measured[i].launch;
            start(backend, launch);
        }
        frame_error_policy_(measured[i].policy, &ierr);
        medians[i] = median_ns(measured[i].call, nothing,
                               measured[i].later ? device_done : nothing, calls, repeats);
        done[i] = measured[i].later
                      ? median_ns(measured[i].call, device_done, nothing, calls, repeats)
                      : medians[i];
        if (measured[i].call == run_again)
            threads = four_threads(calls, repeats);
    }
    frame_finalize_();
    /* Last, on a line of its own: the bridge's messages come before it. */
    printf("{\"calls\": %d, \"repeats\": %d, \"boot_ns\": %.0f", calls, repeats, boot);
    printf(", \"four_threads\": %.3f", threads);
    for (int i = 0; i < COUNT; ++i)
        printf(", \"%s_ns\": %.1f, \"%s_done_ns\": %.1f", measured[i].name, medians[i],
               measured[i].name, done[i]);
    printf("}\n");
    return 0;
}
