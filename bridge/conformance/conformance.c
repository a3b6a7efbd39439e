// conformance.c: the C compiler, on bridge.h: conformance RHO, as conformance.f90 has it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

int main(int count, char** words) {
    enum { NX = 4, NY = 3, NZ = 2, N = NX * NY * NZ };
    static double q[7][N], rho[N];
    const int whole[12] = {NX, NY, NZ, 1, NX, 1, NY, 1, NZ, 1, 7, 7};
    int one[12], right = 1, ierr;
    char message[200];
    double expected = count > 1 ? atof(words[1]) : 0.0;
    for (int p = 0; p < N; ++p) {
        q[0][p] = 1.0e7;
        q[4][p] = 300.0;
        q[5][p] = 0.25;
        q[6][p] = 0.75;
    }
    memcpy(one, whole, sizeof one);
    one[10] = one[11] = 1;
    frame_error_policy_("return", &ierr);
    frame_set_("backend", "cpu", &ierr);
    frame_set_("species", "O2 CH4", &ierr);
    frame_initialize_(0, N, 2, 7, 0);
    frame_bind_("cells", "Q", "in", q[0], whole, 1.0, &ierr);
    frame_bind_("cells", "rho", "out", rho, one, 1.0, &ierr);
    frame_run_("cells", "eosThermalProperties", &ierr);
    for (int p = 0; p < N; ++p)
        right = right && fabs(rho[p] / expected - 1.0) < 1.0e-12;
    printf("%c C: a run on bound arrays\n", ierr == BRIDGE_OK && right ? 'T' : 'F');
    frame_run_("nowhere", "eosThermalProperties", &ierr);
    frame_last_error_(message, sizeof message - 1);
    message[sizeof message - 1] = '\0';
    right = ierr == BRIDGE_ARGUMENT && frame_status_() == ierr && strstr(message, "nowhere");
    printf("%c C: a bad name: status and message\n", right ? 'T' : 'F');
    frame_finalize_();
    puts("end");
    return 0;
}
