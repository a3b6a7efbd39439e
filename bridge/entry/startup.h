/* startup.h: find Python and start it. */
#ifndef BRIDGE_STARTUP_H
#define BRIDGE_STARTUP_H

int startup_boot(const char* entry);

#endif
