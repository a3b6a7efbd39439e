/* A C host: what Fortran's module cannot get wrong. Prints label, status, message per line. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bridge.h"

static void tell(const char* label, int status)
{
    char text[1000];
    frame_last_error_(text, (int)sizeof text - 1);
    text[sizeof text - 1] = '\0';
    printf("%s %d %s\n", label, status, text);
}

int main(void)
{
    static double field[8 * 8];
    static char endless[8192];
    int ierr, bounds[12] = {8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1};
    double one[1] = {1.0};
    memset(endless, 'x', sizeof endless);
    frame_error_policy_("return", &ierr);
    frame_set_("backend", "cpu", &ierr);
    frame_set_("species", "N2", &ierr);
    frame_initialize_(0, 8, 1, 6, 0);
    tell("initialize", frame_status_());
    frame_finalize_();
    frame_set_("speciesO2 CH4", "O2 CH4", &ierr);
    tell("unended-key", ierr);
    frame_set_("backend", "cpuspecies", &ierr);
    tell("unended-value", ierr);
    frame_initialize_(0, 8, 1, 6, 0);
    frame_set_(NULL, "x", &ierr);
    tell("key", ierr);
    frame_set_("species", NULL, &ierr);
    tell("value", ierr);
    frame_set_(endless, "x", &ierr);
    tell("endless", ierr);
    frame_castles_populateinputstripe_(NULL, field, 8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 8);
    tell("name", frame_status_());
    frame_castles_populateinputstripe_("T", NULL, 8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 8);
    tell("data", frame_status_());
    frame_castles_populateoutputstripe_("T", NULL, 8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 8);
    tell("out", frame_status_());
    frame_bind_("set", "T", "in", field, NULL, 1.0, &ierr);
    tell("bounds", ierr);
    frame_bind_("set", "T", "in", NULL, bounds, 1.0, &ierr);
    tell("bound-data", ierr);
    bounds[0] = bounds[4] = -1;
    frame_bind_("set", "T", "in", field, bounds, 1.0, &ierr);
    tell("negative", ierr);
    frame_bind_("set", "T", "in", NULL, bounds, 1.0, &ierr);
    tell("negative-null", ierr);
    frame_castles_populateinputstripe_("T", field, 8, -1, 1, 1, 8, 1, -1, 1, 1, 1, 1, 1, 0);
    tell("negative-stripe", frame_status_());
    bounds[0] = bounds[4] = 0; /* no points: no address */
    frame_bind_("set", "T", "in", NULL, bounds, 1.0, &ierr);
    tell("empty", ierr);
    frame_bind_("set", "P", "in", (double*)8, bounds, 1.0, &ierr);
    tell("empty-wild", ierr);
    frame_castles_populateinputstripe_("T", NULL, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0);
    tell("empty-in", frame_status_());
    frame_castles_populateoutputstripe_("T", (double*)8, 8, 0, 1, 1, 8, 1, 0, 1, 1, 1, 1, 1, 0);
    tell("empty-out", frame_status_());
    frame_unbind_("set", "*", &ierr);
    tell("empty-unbind", ierr);
    bounds[0] = bounds[4] = 8;
    bounds[11] = INT_MIN; /* its absolute value is no int */
    frame_bind_("set", "T", "in", field, bounds, 1.0, &ierr);
    tell("least-int", ierr);
    bounds[0] = bounds[1] = bounds[2] = bounds[4] = bounds[6] = bounds[8] = INT_MAX;
    bounds[11] = 1;
    frame_bind_("set", "T", "in", field, bounds, 1.0, &ierr);
    tell("too-many", ierr);
    bounds[0] = bounds[1] = bounds[4] = bounds[6] = 1 << 15;
    bounds[2] = bounds[8] = 1 << 14; /* 2^47 bytes are the whole address space, and no more */
    frame_bind_("set", "T", "in", field, bounds, 1.0, &ierr);
    tell("just-enough", ierr);
    frame_unbind_("set", "*", &ierr);
    bounds[11] = -2;
    frame_bind_("set", "T", "in", field, bounds, 1.0, &ierr);
    tell("twice-too-many", ierr);
    frame_castles_populateinputstripe_("T", field, INT_MAX, INT_MAX, INT_MAX, 1, 8, 1, 1, 1, 1, 1,
                                       1, 1, 0);
    tell("too-many-in-stripes", frame_status_());
    bounds[0] = bounds[4] = 8;
    bounds[1] = bounds[2] = bounds[6] = bounds[8] = bounds[11] = 1;
    frame_bind_("set", "T", NULL, field, bounds, 1.0, &ierr);
    tell("intent", ierr);
    frame_bind_("set", "P", "in", field, bounds, 1.0, &ierr); /* strings that lack their NUL */
    frame_castles_populateinputstripe_("Qrho", field, 8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 8);
    tell("unended-view", frame_status_());
    frame_bind_("set", "rho_Tout", "out", field, bounds, 1.0, &ierr);
    tell("unended-name", ierr);
    frame_bind_("set", "T", "inoutcells", field, bounds, 1.0, &ierr);
    tell("unended-intent", ierr);
    frame_run_("setT", "eosThermalProperties", &ierr);
    tell("unended-set", ierr);
    frame_unbind_("set", "Prho", &ierr);
    tell("unended-bound", ierr);
    frame_run_("set", "eosThermalPropertiesQ", &ierr);
    tell("unended-composite", ierr);
    frame_launch_("prEOSDensityrho", 1, &ierr);
    tell("unended-kernel", ierr);
    frame_launch_("noSuchKernel", 1, &ierr);
    tell("ended-kernel", ierr);
    frame_unbind_("set", "*", &ierr);
    frame_launch_(NULL, 1, &ierr);
    tell("kernel", ierr);
    frame_launch_(NULL, 1, NULL); /* the same again, and now nobody asks */
    frame_run_("set", NULL, &ierr);
    tell("composite", ierr);
    frame_castles_populatepreosshareddata_(NULL, one, one, one, one, NULL);
    tell("W", frame_status_());
    frame_castles_populatepreosshareddata_(one, NULL, one, one, one, NULL);
    tell("Tc", frame_status_());
    frame_castles_populatepreosshareddata_(one, one, NULL, one, one, NULL);
    tell("Pc", frame_status_());
    frame_castles_populatepreosshareddata_(one, one, one, NULL, one, NULL);
    tell("omega", frame_status_());
    frame_castles_populatepreosshareddata_(one, one, one, one, NULL, NULL);
    tell("nasa7", frame_status_());
    frame_castles_populatechungshareddata_(NULL, one, one);
    tell("Vc", frame_status_());
    frame_castles_populatechungshareddata_(one, NULL, one);
    tell("dipole", frame_status_());
    frame_castles_populatechungshareddata_(one, one, NULL);
    tell("kappa", frame_status_());
    frame_error_policy_(NULL, &ierr);
    tell("policy", ierr);
    frame_last_error_(NULL, 10);
    tell("buffer", frame_status_());
    frame_set_("species", "x", NULL); /* a null ierr is a caller that does not ask */
    tell("null-ierr", frame_status_());
    return 0;
}
