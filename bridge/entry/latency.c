/* latency.c: what one call costs, for `bridge bench latency`. Prints one JSON object: medians over
 * repeats of nanoseconds per call.
 *
 * Usage: latency [calls [repeats [backend]]]
 *
 * Calls that a GPU carries out later are measured twice: until they have returned, and (done) until
 * the device has carried them out as well. The rows of composites come for each launch mode.
 */
#include <dlfcn.h>
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
static double cp[SETS][SET_POINTS], cv[SETS][SET_POINTS], ratio[SETS][SET_POINTS],
    line[SET_POINTS];
static const char* const set_names[SETS] = {"set1", "set2", "set3", "set4"};

static int on_gpu, runs_sets;

/* On a GPU the array stays there. */
static void bind(const char* set, const char* name, const char* intent, double* array)
{
    int ierr, bounds[12] = {SET_POINTS, 1, 1, 1, SET_POINTS, 1, 1, 1, 1, 1, 1, 1};
    frame_bind_(set, name, intent, array, bounds, 1.0, &ierr);
    if (on_gpu)
        frame_enter_data_(set, name, "copyin", "host", &ierr);
}

static void bind_sets(void)
{
    for (int set = 0; set < SETS; ++set) {
        for (int i = 0; i < SET_POINTS; ++i) {
            cp[set][i] = 3.0;
            cv[set][i] = 2.0;
        }
        bind(set_names[set], "cp", "in", cp[set]);
        bind(set_names[set], "cv", "in", cv[set]);
        bind(set_names[set], "gamma", "out", ratio[set]);
    }
    if (on_gpu) {
        bind("line", "latency_x", "in", cp[0]);
        bind("line", "latency_y", "out", line);
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

/* With new values of three constants of the pack that `bridge bench latency` writes. */
static void run_with_constants(void)
{
    static double values[3];
    int ierr;
    for (int i = 0; i < 3; ++i)
        values[i] += 1.0;
    frame_constants_("latency_a latency_b latency_c", values, 3, &ierr);
    frame_run_("line", "latencyLine", &ierr);
}

static void begin_and_wait(void)
{
    int ierr;
    frame_run_begin_(set_names[0], "prEOSGamma", &ierr);
    frame_wait_(set_names[0], &ierr);
}

static void reduce_again(void)
{
    static double largest;
    int ierr;
    frame_reduce_(set_names[0], "gamma", "max", 0, 1, &largest, NULL, &ierr);
}

/* A function that does nothing, of a set whose arrays are known. */
static void function_of_python(void)
{
    int ierr;
    frame_python_(set_names[0], "builtins:id", NULL, 0, "", &ierr);
}

/* ---- A launch of the driver alone, beside those of a GPU --------------------------------------- */

static int (*launch_kernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, void*, void**, void**);
static void *empty_kernel, *its_stream;

static void bare_launch(void)
{
    launch_kernel(empty_kernel, 1, 1, 1, 1, 1, 1, 0, its_stream, NULL, NULL);
}

/* Where the driver has loaded an empty kernel; 0 where it has not. */
static int find_kernel(void)
{
    static const char text[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry empty() { ret; }\n";
    int (*load)(void**, const void*), (*get)(void**, void*, const char*),
        (*make)(void**, unsigned);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *module;
    if (driver == NULL)
        return 0;
    *(void**)&load = dlsym(driver, "cuModuleLoadData");
    *(void**)&get = dlsym(driver, "cuModuleGetFunction");
    *(void**)&make = dlsym(driver, "cuStreamCreate");
    *(void**)&launch_kernel = dlsym(driver, "cuLaunchKernel");
    return load(&module, text) == 0 && get(&empty_kernel, module, "empty") == 0 &&
           make(&its_stream, 1) == 0;
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
 * turns. There are many of them, because starting threads takes as long as a hundred. */
static double four_threads(int calls, int repeats)
{
    double* each = malloc((size_t)repeats * sizeof *each);
    double median;
    calls *= 10;
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
    int ierr;
    if (runs_sets) {
        if (on_gpu)
            frame_update_host_(set_names[0], "gamma", NULL, 0, &ierr);
        return;
    }
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

/* launch: its mode of launches on views; "sets": without any. */
static void start(const char* backend, const char* launch)
{
    int ierr;
    runs_sets = strcmp(launch, "sets") == 0;
    frame_set_("backend", backend, &ierr);
    frame_set_("species", "O2", &ierr);
    frame_set_("launch", runs_sets ? "fused" : launch, &ierr);
    frame_initialize_(0, 4096, 1, NQ, 0);
    for (int i = 0; i < NX * NY * NZ; ++i) {
        for (int c = 0; c < NQ; ++c)
            field[i + c * NX * NY * NZ] = 0.0;
        field[i] = pressure[i] = 1e7;
        field[i + 4 * NX * NY * NZ] = 300.0;
        field[i + 5 * NX * NY * NZ] = 1.0;
    }
    if (runs_sets) {
        bind_sets();
        return;
    }
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
        {"named_launch", named_launch, "abort", "fused", 1},
        {"small_composite", small_composite, "abort", "fused", 1},
        {"composite", composite, "abort", "fused", 1},
        {"composite_graph", composite, "abort", "graph", 1},
        {"composite_stream", composite, "abort", "stream", 1},
        {"run_again", run_again, "abort", "sets", 1},
        {"begin_and_wait", begin_and_wait, "abort", "sets", 1},
        {"reduce_again", reduce_again, "abort", "sets", 0},
        {"function_of_python", function_of_python, "abort", "sets", 0},
        {"run_with_constants", run_with_constants, "abort", "sets", 1},
        {"bare_launch", bare_launch, "abort", "sets", 0},
        {"loop_of_the_host", loop_of_the_host, "abort", "sets", 0},
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
    on_gpu = strcmp(backend, "cuda") == 0;
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
        /* of a GPU alone */
        if ((measured[i].call == run_with_constants && !on_gpu) ||
            (measured[i].call == bare_launch && (!on_gpu || !find_kernel()))) {
            medians[i] = done[i] = 0.0;
            continue;
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
