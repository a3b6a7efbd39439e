"""The section of folders: the cache, whose it is, whether it takes anything, how large it is."""

from __future__ import annotations

import os
import pwd
import stat
import tempfile
from pathlib import Path

from bridge import caches
from bridge.doctor.findings import Section
from bridge.doctor.process import size

#: What is kept there, by folder.
KEPT = {"packs": "built packs", "cuda": "GPU kernels", "machines": "figures of this machine"}
_CHOOSE = "export BRIDGE_CACHE=/a/folder/of/your/own"


def section() -> Section:
    found = Section("cache")
    root = caches.folder("packs").parent
    found.facts["folder"] = f"{root} ({_why()})"
    there = next((one for one in (root, *root.parents) if one.exists()), Path("/"))
    if not root.exists():
        found.facts["state"] = "not there yet: made when there is something to keep"
    else:
        found.facts["owner"] = _owner(root)
        for name, what in KEPT.items():
            files, held = _held(root / name)
            found.facts[what] = f"{size(held)} in {files} files" if files else "none"
    reason = unwritable(there)
    if reason:
        found.problem(
            f"{there} takes no files ({reason}): what is compiled is compiled again by every run, "
            "and packs cannot be built",
            _CHOOSE,
        )
    elif root.exists():
        _foreign(found, root)
    return found


def _foreign(found: Section, root: Path) -> None:
    """Whoever may write into the folder decides what this program loads."""
    for place in (root, *(root / name for name in KEPT)):
        if not place.exists():
            continue
        status = place.stat()
        if status.st_uid not in (os.getuid(), 0):
            what = f"{place} belongs to {_owner(place)}, who decides what is loaded from it"
            found.problem(what, _CHOOSE)
        elif status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
            found.problem(f"everybody may write into {place}", f"chmod o-w {place}")


def unwritable(folder: Path) -> str:
    """Why a folder takes no files, "" if it does: by one that is made and goes again."""
    if not folder.is_dir():
        return "is no folder"
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _why() -> str:
    if os.environ.get("BRIDGE_CACHE"):
        return "BRIDGE_CACHE"
    return "XDG_CACHE_HOME" if os.environ.get("XDG_CACHE_HOME") else "the home folder"


def _owner(path: Path) -> str:
    number = path.stat().st_uid
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _held(folder: Path) -> tuple[int, int]:
    """Files in a folder, and their bytes."""
    files = total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:  # another process has just replaced it
                continue
            files += 1
    return files, total
