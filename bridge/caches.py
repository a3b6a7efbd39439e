"""Where what was compiled or measured on this machine is kept. A leaf."""

from __future__ import annotations

import os
from pathlib import Path


def folder(name: str) -> Path:
    """A folder in BRIDGE_CACHE, else in $XDG_CACHE_HOME/bridge, else in ~/.cache/bridge."""
    given = os.environ.get("BRIDGE_CACHE")
    if given:
        return Path(given).expanduser().absolute() / name
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "bridge" / name
