"""The kernels: C++ headers and their catalogue; `file` finds them in any installation."""

from __future__ import annotations

from pathlib import Path


def file(name: str) -> Path:
    """A file of this folder, such as "cpu/interface.h"."""
    path = Path(__file__).parent / name
    return path if path.exists() else _built(name)


def _built(name: str) -> Path:
    """In an editable install what is compiled lies in the folder of the build, which only the
    import system knows; asking it costs a dozen imports."""
    from importlib import resources

    place = resources.files("bridge") / "kernels"
    for part in name.split("/"):
        place = place / part
    return Path(str(place))
