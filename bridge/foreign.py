"""Packages of another Python, to which PYTHONPATH or PYTHONHOME leads: told in one line.

A leaf, which needs Python alone: it is asked when an import has failed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

#: What a start imports, and how people call it.
_NAMES = {
    "numpy": "NumPy",
    "cffi": "cffi",
    "_cffi_backend": "cffi",
    "yaml": "PyYAML",
    "_yaml": "PyYAML",
    "tabulate": "tabulate",
    "mpi4py": "mpi4py",
}
#: Characters of what the import said.
_LONGEST = 200


def told(error: BaseException) -> str | None:
    """Which package comes from a folder that a variable names, where `error` arose in it; else
    None."""
    files = (file for one in _chain(error) for file in _files(one))
    line = next(filter(None, map(_line, files)), None)
    return line and f"{line} (its import says: {_first(error)})"


def told_of_start(error: BaseException) -> str | None:
    """The same where nothing else has run yet: an import may also fail elsewhere because of such
    a package."""
    line = told(error)
    if line is None and any(isinstance(one, ImportError) for one in _chain(error)):
        line = hint()
        return line and f"{line} (an import says: {_first(error)})"
    return line


def hint() -> str | None:
    """Such a package among those that a start has imported, or Python's own library."""
    files = (getattr(sys.modules.get(name), "__file__", None) for name in (*_NAMES, "os"))
    return next((line for file in files if file and (line := _line(file))), None)


def remedy(text: str) -> str | None:
    """The command that a line of these functions ends in."""
    names = [name for name in ("PYTHONPATH", "PYTHONHOME") if f": unset {name}" in text]
    return f"unset {names[0]}" if names else None


def _first(error: BaseException) -> str:
    """The first line of the error that all others came from."""
    *_, first = _chain(error)
    return f"{type(first).__name__}: {first}".strip().splitlines()[0][:_LONGEST]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and those that it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _files(error: BaseException) -> Iterator[str]:
    """Where an error arose, the place of the last call first, and the file it is about."""
    path = getattr(error, "path", None) or getattr(error, "filename", None)
    if isinstance(path, str):
        yield path
    places, trace = [], error.__traceback__
    while trace is not None:
        places.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    yield from reversed(places)


def _line(file: str) -> str | None:
    """Of a file of a package that a start imports, or of Python's own library."""
    path = os.path.abspath(file)
    folders = [one for one in sys.path if one and path.startswith(f"{one.rstrip('/')}/")]
    folder = max(folders, key=len, default="")
    if not folder:
        return None
    name = path[len(folder.rstrip("/")) + 1 :].partition("/")[0].partition(".")[0]
    if name not in _NAMES and name not in sys.stdlib_module_names:
        return None
    shown = _NAMES.get(name, f"Python's module {name}")
    for variable in ("PYTHONPATH", "PYTHONHOME"):
        value = os.environ.get(variable)
        for place in map(os.path.abspath, value.split(":")) if value else ():
            inside = folder == place or variable == "PYTHONHOME" and folder.startswith(f"{place}/")
            if inside:
                return f"{shown} comes from {place}, which ${variable} names: unset {variable}"
    return None
