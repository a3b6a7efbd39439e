"""What a run writes for people, lines and files: no run fails because it cannot be written.

A leaf. A disk may be full, a reader may be gone, somebody may have closed a descriptor. A line is
then dropped, which is told once on stderr; a file is whole or not there, and the caller tells it.
"""

from __future__ import annotations

import io
import os
import signal
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

#: What a write sends where nobody reads, and where a file gets longer than `ulimit -f`. A host
#: that leaves them as they are would end.
_SIGNALS = {signal.SIGPIPE, signal.SIGXFSZ}

_told = False


@contextmanager
def _without_signals() -> Iterator[None]:
    """Such a write is an OSError of this thread, whatever the program does at the signals."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    pending = signal.sigpending()
    try:
        yield
    finally:
        while signal.sigtimedwait(_SIGNALS - pending, 0):
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Unfailing(io.FileIO):
    """A descriptor that takes everything, and drops what the system does not take."""

    def write(self, data: Any, /) -> int:
        try:
            with _without_signals():
                written = super().write(data)
            if written is not None:
                return written
            raise BlockingIOError("nobody reads it at the moment")
        except OSError as error:
            _tell_dropped("stderr" if self.fileno() == 2 else "stdout", error)
        return memoryview(data).nbytes


def unfailing(descriptor: int, is_open: bool) -> io.BufferedWriter:
    """Below sys.stdout or sys.stderr of a program that is not Python: silence where the
    descriptor was closed before Python started."""
    if is_open:
        return io.BufferedWriter(_Unfailing(descriptor, "wb", closefd=False))
    return io.BufferedWriter(io.FileIO(os.devnull, "wb"))


def line(stream: Any, text: str) -> None:
    """Whole lines at once, behind what the stream holds.

    Python's own streams keep what they could not write, and the program ends with status 120
    when they fail again at its end. So ours goes past their buffers.
    """
    if stream is None:
        return
    try:
        with _without_signals():
            descriptor = _descriptor(stream)
            if descriptor is None:
                stream.write(text)
                stream.flush()
                return
            stream.flush()
            data = text.encode(stream.encoding, "backslashreplace")
            while data:
                data = data[os.write(descriptor, data) :]
    except Exception as error:  # a stream of the caller's may raise anything
        _tell_dropped("stderr" if stream is sys.stderr else "stdout", error)


def _descriptor(stream: Any) -> int | None:
    """Of one of Python's own streams to a file, None for any other."""
    if type(stream) is not io.TextIOWrapper:
        return None
    raw = getattr(stream.buffer, "raw", stream.buffer)
    return raw.fileno() if isinstance(raw, io.FileIO) else None


def flush(stream: Any) -> None:
    """Empty the stream's buffer, as far as it can be."""
    with suppress(Exception), _without_signals():
        stream.flush()


def _tell_dropped(name: str, error: Exception) -> None:
    global _told
    if _told:
        return
    _told = True
    reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
    line(sys.stderr, f"bridge: warning: lines for {name} are dropped: {reason}; the run goes on\n")


def write_file(path: str | Path, pieces: Iterable[str | bytes]) -> None:
    """A file that is there whole or not at all; OSError. What is no ordinary file (/dev/null) is
    written where it is."""
    target = os.fspath(path)
    try:
        ordinary = stat.S_ISREG(os.stat(target).st_mode)
    except OSError:  # not there yet
        ordinary = True
    draft = f"{target}.{os.getpid()}.new" if ordinary else target
    try:
        with _without_signals():
            with open(draft, "wb") as file:
                file.writelines(one.encode() if isinstance(one, str) else one for one in pieces)
            if ordinary:
                os.replace(draft, target)
    except OSError:
        if ordinary:
            with suppress(OSError):
                os.unlink(draft)
        raise
