/* layouts.h: where the members that configuration.c sets lie in PyConfig, on 64-bit Linux.
 *
 * LAYOUT_3xx(use): use(minor version, offsets in the order of struct layout).
 */
#ifndef BRIDGE_LAYOUTS_H
#define BRIDGE_LAYOUTS_H

#include <stddef.h>

enum { LAYOUT_ROOM = 2048 }; /* more than any PyConfig takes */

struct layout {
    unsigned minor;
    size_t install_signal_handlers, parse_argv, configure_c_stdio, safe_path, pathconfig_warnings,
        program_name;
};

#define LAYOUT_311(use) use(11, 16, 96, 212, 252, 256, 264)
#define LAYOUT_312(use) use(12, 16, 104, 220, 260, 268, 272)
#define LAYOUT_313(use) use(13, 16, 104, 220, 260, 272, 280)

#endif
