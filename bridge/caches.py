"""Where what was compiled for this machine is kept, and how a kept file shows that it is whole.

A leaf. A loader that meets a library or a kernel which was cut or altered takes the process with
it, so every kept file ends with a seal, and nothing is loaded before `unseal` has read it.
"""

from __future__ import annotations

import os
from pathlib import Path

#: Begins the seal; its last byte counts the forms of the seal.
MARK = b"bridge\x00\x01"
_LENGTH = 8
_SEAL = len(MARK) + _LENGTH + 32


class DamagedError(ValueError):
    """A kept file is not what was written; the message says how, without the file's name."""


def folder(name: str) -> Path:
    """A folder in BRIDGE_CACHE, else in $XDG_CACHE_HOME/bridge, else in ~/.cache/bridge."""
    given = os.environ.get("BRIDGE_CACHE")
    if given:
        return Path(given).expanduser().absolute() / name
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "bridge" / name


def sha256(contents: bytes) -> bytes:
    """The digest; hashlib, which loads OpenSSL, is imported where there is something to check."""
    import hashlib

    return hashlib.sha256(contents).digest()


def seal(contents: bytes) -> bytes:
    """Contents with their length and SHA-256 digest behind them, where the loader of a shared
    library does not look."""
    length = len(contents).to_bytes(_LENGTH, "little")
    return contents + MARK + length + sha256(contents)


def unseal(file: bytes) -> bytes:
    """What `seal` was given; DamagedError where the file is anything else."""
    if not file:
        raise DamagedError("is empty")
    contents, end = file[:-_SEAL], file[-_SEAL:]
    if len(file) < _SEAL or not end.startswith(MARK):
        raise DamagedError(f"is cut or altered: no seal at the end of {len(file)} bytes")
    length = int.from_bytes(end[len(MARK) : len(MARK) + _LENGTH], "little")
    if length != len(contents):
        raise DamagedError(f"has {len(contents)} bytes where {length} were written")
    if seal(contents) != file:
        raise DamagedError(f"is altered: the digest of its {length} bytes is another one")
    return contents
