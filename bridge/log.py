"""What the bridge says while it works: whole lines on stdout, flushed, in the host's order.

A line that cannot be written is dropped (`output`). Handlers that a Python caller has set on the
logger "bridge" are left alone.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bridge import output

_logger = logging.getLogger("bridge")


class _Stdout(logging.Handler):
    """Writes to whatever sys.stdout is at that moment."""

    def emit(self, record: logging.LogRecord) -> None:
        output.line(sys.stdout, f"bridge: {record.getMessage()}\n")


def start() -> None:
    """Show messages on stdout unless the caller has configured the logger."""
    if not _logger.handlers:
        _logger.addHandler(_Stdout())
        _logger.setLevel(logging.INFO)
        _logger.propagate = False


@contextmanager
def silent() -> Iterator[None]:
    """Say nothing, unless the caller has configured the logger: stdout is for results alone."""
    handlers, level = list(_logger.handlers), _logger.level
    none = logging.NullHandler()
    if not handlers or all(isinstance(one, _Stdout) for one in handlers):
        _logger.handlers[:] = [none]
    try:
        yield
    finally:
        if none in _logger.handlers:
            _logger.handlers[:] = handlers
            _logger.setLevel(level)


def say(message: str) -> None:
    """One line of information."""
    _logger.info(message)


def block(text: str) -> None:
    """Several lines as they are (the report)."""
    for line in text.splitlines():
        _logger.info(line)


def flush() -> None:
    """Empty Python's own buffers."""
    output.flush(sys.stdout)
    output.flush(sys.stderr)
