/* start.c: from nothing to a first result, for `bridge bench start` and `bridge bundle`. Prints one
 * JSON object: seconds of each step, since main() began.
 */
#include <stdio.h>
#include <time.h>

#include "bridge.h"

enum { NX = 8, POINTS = NX * NX * NX };
static double temperature[POINTS], pressure[POINTS], fractions[2 * POINTS], density[POINTS];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void bind(const char* name, const char* intent, double* data, int components)
{
    const int bounds[12] = {NX, NX, NX, 1, NX, 1, NX, 1, NX, 1, components, components};
    frame_bind_("cells", name, intent, data, bounds, 1.0, NULL);
}

int main(void)
{
    double begin = now(), booted, initialized, done;
    for (int i = 0; i < POINTS; ++i) {
        temperature[i] = 300.0;
        pressure[i] = 1e7;
        fractions[i] = fractions[POINTS + i] = 0.5;
    }
    frame_boot_(NULL);
    booted = now();
    frame_set_("species", "O2 CH4", NULL);
    frame_set_("backend", "cpu", NULL);
    frame_initialize_(0, POINTS, 2, 7, 0);
    initialized = now();
    bind("T", "in", temperature, 1);
    bind("P", "in", pressure, 1);
    bind("Y", "in", fractions, 2);
    bind("rho", "out", density, 1);
    frame_run_("cells", "eosThermalProperties", NULL);
    done = now();
    printf("{\"boot\": %.6f, \"initialize\": %.6f, \"first_result\": %.6f, \"rho\": %.6f}\n",
           booted - begin, initialized - begin, done - begin, density[POINTS - 1]);
    return 0;
}
