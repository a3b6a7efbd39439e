/* latency.c: what one call costs, for `bridge bench latency`. Prints one JSON object: medians over
 * repeats of nanoseconds per call.
 *
 * Usage: latency [calls [repeats]]
 */
#include <stdio.h>
#include <stdlib.h>
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

static double median_ns(void (*call)(void), int calls, int repeats)
{
    double* each = malloc((size_t)repeats * sizeof *each);
    double median;
    for (int i = 0; i < calls / 10 + 1; ++i)
        call();
    for (int r = 0; r < repeats; ++r) {
        double start = now();
        for (int i = 0; i < calls; ++i)
            call();
        each[r] = (now() - start) / calls;
    }
    qsort(each, (size_t)repeats, sizeof *each, by_value);
    median = each[repeats / 2];
    free(each);
    return median;
}

int main(int argc, char** argv)
{
    static const struct {
        const char* name;
        void (*call)(void);
        const char* policy;
    } measured[] = {
        {"refused_in_c_ns", refused_in_c, "return"},
        {"answered_in_c_ns", answered_in_c, "abort"},
        {"empty_python_body_ns", empty_python_body, "abort"},
        {"stripe_in_8_points_ns", stripe_in, "abort"},
        {"stripe_out_8_points_ns", stripe_out, "abort"},
        {"stripe_q_in_8_points_ns", stripe_q_in, "abort"},
    };
    enum { COUNT = sizeof measured / sizeof *measured };
    int calls = argc > 1 ? atoi(argv[1]) : 20000, repeats = argc > 2 ? atoi(argv[2]) : 21;
    double start, boot, medians[COUNT];
    int ierr;

    if (calls < 1 || repeats < 1) {
        fprintf(stderr, "usage: latency [calls [repeats]], both at least 1\n");
        return 2;
    }
    start = now();
    frame_boot_(&ierr);
    boot = now() - start;
    frame_set_("backend", "cpu", &ierr);
    frame_set_("species", "O2", &ierr);
    frame_initialize_(0, 4096, 1, NQ, 0);
    for (int i = 0; i < NX * NY * NZ; ++i)
        pressure[i] = 1e7;
    for (int i = 0; i < COUNT; ++i) {
        frame_error_policy_(measured[i].policy, &ierr);
        medians[i] = median_ns(measured[i].call, calls, repeats);
    }
    frame_finalize_();
    /* Last, on a line of its own: the bridge's messages come before it. */
    printf("{\"calls\": %d, \"repeats\": %d, \"boot_ns\": %.0f", calls, repeats, boot);
    for (int i = 0; i < COUNT; ++i)
        printf(", \"%s\": %.1f", measured[i].name, medians[i]);
    printf("}\n");
    return 0;
}
