/* doctorhost.c: a host of a few lines, for `bridge doctor`. It starts the bridge as a Fortran
 * program does, and has this process examined.
 *
 * Usage: doctorhost FILE
 */
#include <stdio.h>

#include "bridge.h"

int main(int count, char** words)
{
    char message[8193];
    int ierr;
    if (count != 2) {
        fprintf(stderr, "usage: doctorhost FILE\n");
        return 2;
    }
    frame_error_policy_("return", &ierr);
    frame_boot_(&ierr);
    if (ierr == BRIDGE_OK)
        frame_doctor_(words[1], "all", &ierr);
    if (ierr == BRIDGE_OK)
        return 0;
    frame_last_error_(message, sizeof message - 1);
    message[sizeof message - 1] = '\0';
    for (int end = sizeof message - 2; end >= 0 && message[end] == ' '; --end)
        message[end] = '\0';
    printf("%s\n", message);
    return 1;
}
