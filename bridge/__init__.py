"""bridge: a legacy Fortran CFD code's real-gas properties on a GPU or on SIMD CPU code.

`evaluate` computes properties of NumPy arrays; `Frame`, `TVProperties` are what a Fortran
program drives through `libbridge.so`. Nothing heavy is imported before it is asked for.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from bridge.errors import (
    ArgumentError,
    BridgeError,
    DeviceError,
    HostMpiError,
    OutOfMemoryError,
    PointsError,
    StateError,
)

if TYPE_CHECKING:
    from bridge.evaluation import evaluate
    from bridge.frame import Frame
    from bridge.tvproperties import TVProperties

# The sources hold no compiled kernels. An editable install serves the same files, with a search
# path of its own.
_folder = os.path.dirname(os.path.abspath(__file__))
if os.path.abspath(__path__[0]) == _folder and os.path.exists(f"{_folder}/meson.build"):
    raise ImportError(
        f"this is the source folder of bridge ({os.path.dirname(_folder)}), which holds no "
        "compiled kernels: to import the installed package start Python in another folder, or "
        "with -P; to use the sources install them editable: "
        "pip install --no-build-isolation -e ."
    )

__all__ = [
    "ArgumentError",
    "BridgeError",
    "DeviceError",
    "Frame",
    "HostMpiError",
    "OutOfMemoryError",
    "PointsError",
    "StateError",
    "TVProperties",
    "evaluate",
    "get_include",
]

_LAZY = {
    "Frame": "bridge.frame",
    "TVProperties": "bridge.tvproperties",
    "evaluate": "bridge.evaluation",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("fortran-bridge")
    raise AttributeError(f"module 'bridge' has no attribute {name!r}")


def get_include() -> str:
    """Folder of `bridge.h`, `bridge_f77.inc` and the sources of the Fortran module."""
    from bridge.bridge_config import include_directory

    return str(include_directory())
