"""bridge: a legacy Fortran CFD code's real-gas properties on a GPU or on SIMD CPU code.

`evaluate` computes properties of NumPy arrays, `Mixture` does so again and again, `Result` is what
both return. `Frame` and `TVProperties` are what a Fortran program drives through `libbridge.so`.
Nothing heavy is imported before it is asked for. `help(bridge.evaluate)` is the place to begin:

    result = bridge.evaluate("O2 CH4", 300.0, 10e6, {"O2": 0.5, "CH4": 0.5}, "rho cp")
    print(result)
    print(result.rho, result.units["rho"])
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from bridge.errors import (
    ArgumentError,
    BridgeError,
    DeviceError,
    HostMpiError,
    OutOfMemoryError,
    PointsError,
    PointsWarning,
    StateError,
)

if TYPE_CHECKING:
    from bridge.evaluation.function import evaluate
    from bridge.evaluation.mixture import Mixture
    from bridge.evaluation.result import Result, Status
    from bridge.frame import Frame
    from bridge.tvproperties import TVProperties

    __version__: str

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
    "Mixture",
    "OutOfMemoryError",
    "PointsError",
    "PointsWarning",
    "Result",
    "StateError",
    "Status",
    "TVProperties",
    "__version__",
    "evaluate",
    "get_include",
]

#: Names that are imported when they are first asked for, and where they are.
_LAZY = {
    "Frame": "bridge.frame",
    "Mixture": "bridge.evaluation.mixture",
    "Result": "bridge.evaluation.result",
    "Status": "bridge.evaluation.result",
    "TVProperties": "bridge.tvproperties",
    "evaluate": "bridge.evaluation.function",
}

if not TYPE_CHECKING:  # a type checker would take every name for one that is there

    def __getattr__(name: str) -> Any:
        if name in _LAZY:
            from importlib import import_module

            found = getattr(import_module(_LAZY[name]), name)
        elif name == "__version__":
            from importlib.metadata import version

            found = version("fortran-bridge")
        else:
            # Asked for each submodule that is imported. With both of these Python itself says
            # which name is meant, where it prints the error.
            raise AttributeError(
                f"module 'bridge' has no attribute {name!r}",
                name=name,
                obj=sys.modules[__name__],
            )
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """Names of the public interface, whether they were imported or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def get_include() -> str:
    """Folder of `bridge.h`, `bridge_f77.inc` and the sources of the Fortran module."""
    from bridge.bridge_config import include_directory

    return str(include_directory())
