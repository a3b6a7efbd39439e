"""Lines and files of a run that cannot be written."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge import log, output, progress


class Raising(io.StringIO):
    """As a package that collects what is printed may have it."""

    def write(self, text: str) -> int:
        raise RuntimeError("no more")


def closed() -> io.StringIO:
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("make", [closed, Raising, lambda: None], ids=["closed", "raises", "none"])
def test_streams_that_take_nothing(
    make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", make())
    monkeypatch.setattr(sys, "stderr", make())
    with monkeypatch.context() as patch:
        patch.setattr(log, "_logger", logging.Logger("test"))
        log.start()
        log.say("lost")
    log.flush()
    progress.say("lost")
    assert not progress.on_terminal()


def test_a_line_comes_behind_what_the_caller_has_printed(tmp_path: Path) -> None:
    """In Python's own streams, whose buffer it does not use; letters they lack are spelled."""
    path = tmp_path / "out"
    with open(path, "w", encoding="ascii") as stream:
        stream.write("first\n")
        output.line(stream, "j\N{LATIN SMALL LETTER O WITH DIAERESIS}rg\n")
        stream.write("last\n")
    assert path.read_text() == "first\nj\\xf6rg\nlast\n"


def test_what_the_caller_has_printed_stays_with_the_caller(tmp_path: Path) -> None:
    """Python tells at its end what of it is lost; a line of ours adds nothing to that."""
    stream = open("/dev/full", "w")
    stream.write("of the caller")
    output.line(stream, "ours\n")
    with pytest.raises(OSError, match="No space left"):
        stream.close()
    empty = open("/dev/full", "w")
    output.line(empty, "ours\n")
    empty.close()


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    output.write_file(path, ["one", b"two"])
    assert path.read_bytes() == b"onetwo"
    # a link to a device, and the device itself, are no files that may be replaced
    (tmp_path / "full").symlink_to("/dev/full")
    for place in (tmp_path / "full", "/dev/full", tmp_path, tmp_path / "none" / "file"):
        with pytest.raises(OSError):
            output.write_file(place, ["one"])
    output.write_file(os.devnull, ["one"])
    assert Path("/dev/full").is_char_device() and Path(os.devnull).is_char_device()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "full"]
