"""Print the folder of this interpreter's shared library, or say in words that there is none."""

import sys
import sysconfig
from pathlib import Path


def folder() -> Path | None:
    name = f"libpython{sysconfig.get_python_version()}.so"
    for variable in ("LIBDIR", "LIBPL"):
        place = sysconfig.get_config_var(variable)
        if place and (Path(place) / name).exists():
            return Path(place)
    multiarch = sysconfig.get_config_var("MULTIARCH")
    for place in (f"/usr/lib/{multiarch}", "/usr/lib64", "/usr/lib"):
        if sys.base_prefix == "/usr" and (Path(place) / name).exists():
            return Path(place)
    return None


if __name__ == "__main__":
    found = folder()
    if found is None:
        version = sysconfig.get_python_version()
        sys.exit(
            f"libbridge.so needs a shared Python library, and {sys.executable} (Python {version}) "
            f"has none: libpython{version}.so was not found in "
            f"{sysconfig.get_config_var('LIBDIR')}. Take a Python built with --enable-shared "
            f"(pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared; Debian and Ubuntu: "
            f"apt install python{version}-dev)."
        )
    print(found)
