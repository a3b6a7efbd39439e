"""Real-gas properties and kernels of Fortran CFD codes, on SIMD CPU code or on a GPU.

From Python:

    result = bridge.evaluate("O2 CH4", 300.0, 10e6, {"O2": 0.5, "CH4": 0.5}, "rho cp")
    print(result)
    print(result.rho, result.units["rho"])

    evaluate      properties of states given as NumPy arrays, once
    Mixture       the same again and again: species and options are prepared once
    Result        what both return: arrays by name, their units, a status for each point
    Status        which points are bad, and why
    Frame         what a Fortran program drives through libbridge.so, from Python
    TVProperties  a Frame's views, bound arrays and composites: `frame.tvproperties`
    kernel        makes a Python function of one point a kernel: `bridge packs build FILE.py`
    get_include   folder of bridge.h and of the sources of the Fortran module
    errors        what is raised: ArgumentError and the others are names of bridge too

`help(bridge.evaluate)` is the place to begin. What is not shown below: `help(bridge.Frame)`,
`help(bridge.TVProperties)`, `help(bridge.errors)`. In a shell, `bridge quantities density` finds
names of outputs, `bridge species list` those of species, and `bridge --help` has all commands.
Other modules of the package are its inside and change without notice.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

# `as` makes them names of this package for type checkers; __all__ says why they are not there.
from bridge import errors as errors
from bridge.errors import ArgumentError as ArgumentError
from bridge.errors import BridgeError as BridgeError
from bridge.errors import DeviceError as DeviceError
from bridge.errors import HostMpiError as HostMpiError
from bridge.errors import InconsistentError as InconsistentError
from bridge.errors import OutOfMemoryError as OutOfMemoryError
from bridge.errors import PointsError as PointsError
from bridge.errors import PointsWarning as PointsWarning
from bridge.errors import StateError as StateError

if TYPE_CHECKING:
    from bridge.evaluation.function import evaluate
    from bridge.evaluation.mixture import Mixture
    from bridge.evaluation.result import Result
    from bridge.evaluation.status import Status
    from bridge.frame import Frame as Frame
    from bridge.pythonkernels.declaration import kernel
    from bridge.tvproperties import TVProperties as TVProperties

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

#: What `help(bridge)` shows in full. An error would be there with all that Python's exceptions
#: have, TVProperties with every composite: a thousand lines that nobody begins with.
__all__ = [
    "Mixture",
    "Result",
    "Status",
    "__version__",
    "errors",
    "evaluate",
    "get_include",
    "kernel",
]

#: Names that are imported when they are first asked for, and where they are.
_LAZY = {
    "Frame": "bridge.frame",
    "Mixture": "bridge.evaluation.mixture",
    "Result": "bridge.evaluation.result",
    "Status": "bridge.evaluation.status",
    "TVProperties": "bridge.tvproperties",
    "evaluate": "bridge.evaluation.function",
    "kernel": "bridge.pythonkernels.declaration",
}

if not TYPE_CHECKING:  # a type checker would take every name for one that is there

    def __getattr__(name: str) -> Any:
        if name in _LAZY:
            from importlib import import_module

            try:
                found = getattr(import_module(_LAZY[name]), name)
            except Exception as error:
                from bridge import foreign

                if (line := foreign.told(error)) is None:
                    raise
                raise ImportError(line) from None
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
    hidden = {name for name in globals() if name.startswith("__")} - {"__dir__", "__getattr__"}
    return sorted({*__all__, *_LAZY, *errors.__all__, *hidden})


def get_include() -> str:
    """Folder of `bridge.h`, `bridge_f77.inc` and the sources of the Fortran module."""
    from bridge.bridge_config import include_directory

    return str(include_directory())
