"""A call from Fortran as Python meets it: its texts, its output, and what its body raises.

Below `bodies`, which has a body for each entry of bridge.h. The trampolines in C have checked the
pointers and set the floating-point environment; an exception of any class ends here and goes back
as a status and a text.
"""

from __future__ import annotations

import io

# The first import of `signal` puts Python's handler on SIGINT. Let that happen during boot, which
# gives the host its dispositions back, and not whenever some package needs it.
import signal  # noqa: F401
import sys
from collections.abc import Callable
from typing import Any

from _bridge_entry import ffi, lib

from bridge import log, output
from bridge.errors import ArgumentError, BridgeError, UnwrittenError, spoken, status_of

DONE: int = lib.ENTRY_DONE
# Distinct texts, and in `bodies` distinct stripes, kept ready; a solver has a few dozen.
MOST_KEPT = 4096
# The end of a traceback says most.
LONGEST_DETAILS = 30000


class HostOutput(io.TextIOWrapper):
    """sys.stdout beside a host that writes to the same file: the host's buffers first.

    `waiting` is true from the first character written until the call that wrote it ends.
    """

    waiting = False

    def write(self, text: str, /) -> int:
        if not self.waiting:
            self.waiting = True
            lib.host_flush()
        return super().write(text)


def host_output() -> HostOutput:
    """Python's stdout from now on, line by line, and its stderr. What cannot be written is
    dropped; a host with closed streams gets silence.

    A host that is a Python program keeps its own.
    """
    if not lib.startup_is_ours():
        return HostOutput(io.BytesIO())
    files = []
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        output.flush(stream)
        files.append(output.unfailing(descriptor, stream is not None))
    text: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace"}
    stdout = HostOutput(files[0], **text, line_buffering=True)
    sys.stderr = io.TextIOWrapper(files[1], **text, line_buffering=True)
    sys.stdout = stdout
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]
    return stdout


stdout = host_output()


def keep(error: BaseException) -> int:
    """Hand an exception to C; its status."""
    unexpected: BaseException | None = error
    if isinstance(error, BridgeError):
        unexpected = error.__cause__ if error.status == BridgeError.status else None
    elif isinstance(error, MemoryError):
        unexpected = None
    status, details = status_of(error), trace(unexpected) if unexpected else ""
    message = spoken(error) + unended(error)
    if unexpected:
        from bridge import foreign  # a run imports it where something fails

        if line := foreign.told(unexpected):
            message, details = line, ""
    parts = (type(error).__name__, message, details)
    lib.failure_from_python(status, *(c_text(part) for part in parts))
    return status


def unended(error: BaseException) -> str:
    """A hint for a host that ends its strings itself: the module of Fortran forgets none."""
    if not (isinstance(error, ArgumentError) and error.start) or lib.host_has_module():
        return ""
    return (
        f"; it begins with '{error.start}': a string without its final NUL, char(0), runs into "
        "what follows it in memory"
    )


def trace(error: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(error))[-LONGEST_DETAILS:]


def c_text(text: str) -> bytes:
    """UTF-8 whatever the text holds; C stops at a NUL."""
    return text.replace("\0", " ").encode("utf-8", "backslashreplace")


def entry(body: Callable[..., None]) -> Callable[..., None]:
    """Make `body` the Python side of the entry of its name; nothing it raises gets out."""

    def call(*arguments: Any) -> int:
        try:
            body(*arguments)
            if stdout.waiting:
                stdout.flush()
                stdout.waiting = False
        except UnwrittenError as error:
            if lib.failure_returns():
                return keep(error)
            log.say(f"warning: {error}; the run goes on")
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: the host decides
            return keep(error)
        return DONE

    ffi.def_extern(name=f"python_{body.__name__}", error=0)(call)
    return body


texts: dict[bytes, str] = {}
_string: Callable[[Any], bytes] = ffi.string


def text(characters: Any) -> str:
    """A C string, without the blanks Fortran pads with."""
    raw = _string(characters)
    try:
        return texts[raw]
    except KeyError:
        if len(texts) >= MOST_KEPT:
            texts.clear()
        known = raw.decode("utf-8", "replace").rstrip()
        texts[raw] = known
        return known
