/* layouts.c: holds layouts.h to the headers of the Python that builds; nothing of it runs.
 *
 * The one file that sees more than the limited API.
 */
#undef Py_LIMITED_API
#include <Python.h>

#include "layouts.h"

#define AT(member, offset) \
    _Static_assert(offsetof(PyConfig, member) == (offset), "layouts.h: PyConfig." #member)
#define HOLD(minor, handlers, argv, stdio, path, warnings, name) \
    AT(install_signal_handlers, handlers);                       \
    AT(parse_argv, argv);                                        \
    AT(configure_c_stdio, stdio);                                \
    AT(safe_path, path);                                         \
    AT(pathconfig_warnings, warnings);                           \
    AT(program_name, name);                                      \
    _Static_assert(PY_MINOR_VERSION == (minor), "layouts.h: version")

#if PY_MINOR_VERSION == 11
LAYOUT_311(HOLD);
#elif PY_MINOR_VERSION == 12
LAYOUT_312(HOLD);
#elif PY_MINOR_VERSION == 13
LAYOUT_313(HOLD);
#endif
_Static_assert(sizeof(PyConfig) <= LAYOUT_ROOM, "layouts.h: LAYOUT_ROOM");
