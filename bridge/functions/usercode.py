"""Functions of the user by their names: found in the folders of `python_path`, imported once.

The working directory is never searched by itself: a program that runs in a folder of somebody
else would execute what lies there.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from bridge.errors import ArgumentError, BridgeError, spoken, status_of

#: What a function is called, as in 'closures:subgrid'.
FORM = "'module:function'"
#: Functions of a module that a message names.
MOST_NAMED = 8


class UserCode:
    """Modules of the user. folders: where they are looked for, before Python's own; reload:
    whether a module whose file has changed is imported anew at the next call."""

    def __init__(self, folders: tuple[str, ...], reload: bool) -> None:
        self._folders = folders
        self._reload = reload
        self._known: dict[str, Callable[..., Any]] = {}
        self._modules: dict[str, tuple[ModuleType, int]] = {}

    def function(self, name: str) -> Callable[..., Any]:
        """The function of a name; ArgumentError for none, BridgeError where its module does not
        import."""
        if self._reload:
            self._forget_changed()
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = self._find(name)
        return found

    def _find(self, name: str) -> Callable[..., Any]:
        module_name, colon, inside = name.partition(":")
        parts = [*module_name.split("."), *inside.split(".")]
        if not colon or not all(part.isidentifier() for part in parts):
            raise ArgumentError("function", repr(name), f"{FORM}, as in 'closures:subgrid'")
        found: Any = self._module(module_name, name)
        for part in inside.split("."):
            if not hasattr(found, part):
                own = [n for n, one in vars(found).items() if callable(one) and n[0] != "_"]
                more = ", ..." if len(own) > MOST_NAMED else ""
                names = ", ".join(own[:MOST_NAMED]) + more or "which has none"
                wanted = f"a function of {getattr(found, '__file__', module_name)} ({names})"
                raise ArgumentError("function", repr(name), wanted)
            found = getattr(found, part)
        if not callable(found):
            raise ArgumentError("function", f"{name!r}, a {type(found).__name__}", "a function")
        return found  # type: ignore[no-any-return]

    def _module(self, module: str, name: str) -> ModuleType:
        root = module.partition(".")[0]
        for folder in self._folders:
            if folder not in sys.path:
                sys.path.append(folder)  # behind what is installed, for what the module imports
        spec = PathFinder.find_spec(root, list(self._folders)) if self._folders else None
        if root in sys.modules:
            self._refuse_other(root, spec, name)
        elif spec is None and importlib.util.find_spec(root) is None:
            where = os.pathsep.join(self._folders) or "which is not set"
            raise ArgumentError(
                "function", repr(name),
                f"a module in a folder of the setting python_path ({where}), or an installed one; "
                "the working directory is not searched",
            )  # fmt: skip
        try:
            if spec is not None and root not in sys.modules:
                _load(root, spec)
            found = importlib.import_module(module)
        except (Exception, SystemExit) as error:
            raise told(f"frame_python of '{name}': its module does not import", error) from error
        self._modules[module] = found, _changed(found)
        return found

    def _refuse_other(self, root: str, spec: Any, name: str) -> None:
        """ArgumentError where another module has the name already, such as one of Python's."""
        there = getattr(sys.modules[root], "__file__", None) or "a module of Python itself"
        if spec is not None and spec.origin and there != spec.origin:
            got = f"{name!r}, for which {there} is imported and not {spec.origin}"
            raise ArgumentError("function", got, "a module with a name of its own")

    def _forget_changed(self) -> None:
        """Modules whose files are others than those that were imported."""
        for name, (module, stamp) in list(self._modules.items()):
            if _changed(module) != stamp:
                for known in [one for one in self._known if one.partition(":")[0] == name]:
                    del self._known[known]
                sys.modules.pop(name, None)
                del self._modules[name]
                importlib.invalidate_caches()


def _load(name: str, spec: Any) -> None:
    """Import what was found, whatever else has this name on Python's own path."""
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise


def _changed(module: ModuleType) -> int:
    """When the file of a module was written, in nanoseconds; 0 where there is none."""
    try:
        return os.stat(getattr(module, "__file__", None) or "").st_mtime_ns
    except OSError:
        return 0


def told(what: str, error: BaseException) -> BridgeError:
    """`error` of the user's code as the failure of `what`: its own file and line first, the
    traceback without what lies above it."""
    own = _own_part(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{error.filename}:{error.lineno}"
    else:
        frames = traceback.extract_tb(own)
        where = f"{frames[0].filename}:{frames[0].lineno} in {frames[0].name}" if frames else ""
        if len(frames) > 1 and frames[-1].filename != frames[0].filename:
            where += f" (raised in {frames[-1].filename}:{frames[-1].lineno})"
    error.__traceback__ = own
    message = spoken(error)
    failure = BridgeError(f"{what}: {where}: {message}" if where else f"{what}: {message}")
    failure.status = status_of(error)
    return failure


def _own_part(trace: TracebackType | None) -> TracebackType | None:
    """A traceback from the first frame that is neither the bridge's nor of the import system."""
    here = str(Path(__file__).parents[1]) + os.sep
    one = trace
    while one is not None:
        file = one.tb_frame.f_code.co_filename
        if not (file.startswith((here, "<frozen importlib")) or file == importlib.__file__):
            return one
        one = one.tb_next
    return trace
