/* A C host whose first call is the argument: which calls start Python, and what the others say
 * before one of those has. Prints label, status, message per line. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "bridge.h"

static int bounds[12] = {8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1};
static double field[8], one[1];

static void tell(const char* label)
{
    char text[400];
    frame_last_error_(text, (int)sizeof text - 1);
    text[sizeof text - 1] = '\0';
    printf("%s %d %s\n", label, frame_status_(), frame_status_() ? text : "");
}

/* Whether Python runs in this process; this program is not linked to it. */
static int started(void)
{
    int (*is_initialized)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    return is_initialized ? is_initialized() : -1;
}

/* Every entry that does not boot. */
static void all_others(void)
{
    int ierr;
    frame_castles_populateinputstripe_("T", field, 8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 8);
    tell("input");
    frame_castles_populateoutputstripe_("T", field, 8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 8);
    tell("output");
    frame_castles_populatepreosshareddata_(one, one, one, one, one, NULL);
    tell("preos");
    frame_castles_populatechungshareddata_(one, one, one);
    tell("chung");
    frame_tvproperties_eosthermalproperties_(1);
    tell("composite");
    frame_launch_("prEOSDensity", 1, &ierr);
    tell("launch");
    frame_bind_("cells", "T", "in", field, bounds, 1.0, &ierr);
    tell("bind");
    frame_unbind_("cells", "T", &ierr);
    tell("unbind");
    frame_run_("cells", "eosThermalProperties", &ierr);
    tell("run");
    frame_run_begin_("cells", "eosThermalProperties", &ierr);
    tell("begin");
    frame_wait_("cells", &ierr);
    tell("wait");
    frame_unchanged_("cells", "*", &ierr);
    tell("unchanged");
    frame_constant_("dt", field, 1, 1, &ierr);
    tell("constant");
    frame_table_("cp", field, bounds, 1, &ierr);
    tell("table");
    frame_report_(&ierr);
    tell("report");
    frame_finalize_();
    tell("finalize");
}

int main(int count, char** words)
{
    const char* first = count > 1 ? words[1] : "";
    int ierr = 99;
    if (!strcmp(first, "run-by-default"))
        frame_run_("cells", "eosThermalProperties", NULL); /* ends the program here */
    frame_error_policy_("return", &ierr);
    tell("policy");
    if (!strcmp(first, "others"))
        all_others();
    else if (!strcmp(first, "boot"))
        frame_boot_(&ierr);
    else if (!strcmp(first, "set"))
        frame_set_("threads", "1", &ierr);
    else if (!strcmp(first, "initialize"))
        frame_initialize_(0, 8, 1, 6, 0);
    else if (!strcmp(first, "initialize-comm"))
        frame_initialize_comm_(0, 8, 1, 6, 0, 0, &ierr);
    else
        return 2;
    tell("first");
    printf("started %d\n", started());
    if (strcmp(first, "initialize"))
        frame_initialize_(0, 8, 1, 6, 0);
    tell("initialize");
    frame_bind_("cells", "T", "in", field, bounds, 1.0, &ierr);
    tell("bind-afterwards");
    frame_run_("cells", "eosThermalProperties", &ierr);
    tell("run-afterwards");
    frame_finalize_();
    tell("end");
    return 0;
}
