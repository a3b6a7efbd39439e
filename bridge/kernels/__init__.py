"""The kernels: C++ headers and their catalogue; `file` finds them in any installation."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def file(name: str) -> Path:
    """A file of this folder, such as "cpu/interface.h"."""
    place = resources.files("bridge") / "kernels"
    for part in name.split("/"):
        place = place / part
    return Path(str(place))
