"""Compiled kernels on disk: folders that take nothing, and writers on several nodes."""

from __future__ import annotations

import builtins
import errno
import os
from pathlib import Path

import pytest

from bridge.backends.cuda import ahead, cache, compiler
from bridge.errors import ArgumentError


class Compiler:
    """Counts its calls; version: as the cache's key wants it."""

    def __init__(self, version="one 1"):
        self.version, self.calls = version, 0

    def compile(self, text, arch):
        self.calls += 1
        return compiler.Compiled(f"{text} by {self.version}".encode(), "log")


@pytest.fixture
def said(monkeypatch):
    said = []
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setattr(cache.log, "say", said.append)
    return said


def read_only(monkeypatch, folder):
    """As on a file system that is mounted so; the tests may run as root."""
    real = builtins.open

    def refuse(path, *_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    def opened(path, mode="r", *arguments, **named):
        if set(mode) & set("wax+") and str(path).startswith(str(folder)):
            refuse(path)
        return real(path, mode, *arguments, **named)

    monkeypatch.setattr(builtins, "open", opened)
    for name in ("mkdir", "unlink", "rename"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr(os, "replace", refuse)


def test_a_read_only_cache_is_read(tmp_path, monkeypatch, said):
    using = Compiler()
    first = cache.compiled("text", "sm_90", using=using, place=tmp_path, driver="1")
    read_only(monkeypatch, tmp_path)
    again = cache.compiled("text", "sm_90", using=using, place=tmp_path, driver="1")
    assert again == first and using.calls == 1 and said == []


def test_what_a_read_only_cache_does_not_have_is_compiled_and_not_kept(
    tmp_path, monkeypatch, said
):
    read_only(monkeypatch, tmp_path)
    using = Compiler()
    for text in ("one", "two"):
        got = cache.compiled(text, "sm_90", using=using, place=tmp_path / "cuda", driver="1")
        assert got.cubin == f"{text} by one 1".encode()
    (line,) = said
    assert f"not kept in {tmp_path / 'cuda'}: " in line and "Read-only" in line


def test_a_folder_that_cannot_be_made(tmp_path, monkeypatch, said):
    """BRIDGE_CACHE in something that is no folder."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "file"))
    assert cache.compiled("text", "sm_90", using=Compiler(), driver="1").cubin
    assert len(said) == 1
    with pytest.raises(ArgumentError, match="BRIDGE_CACHE.*file.cuda.*Not a directory"):
        ahead.build(["sm_90"], [1])


def test_a_torn_file_counts_as_absent(tmp_path):
    using = Compiler()
    cache.compiled("text", "sm_90", using=using, place=tmp_path)
    (facts,) = tmp_path.glob("*.json")
    facts.write_text("{")
    assert cache.compiled("text", "sm_90", using=using, place=tmp_path).cubin == b"text by one 1"
    assert using.calls == 2


def test_processes_of_one_number_on_two_nodes_do_not_meet_in_a_file(tmp_path, monkeypatch):
    """The second writes while the first one has its temporary file open."""
    target, names, real = tmp_path / "kept", [], os.replace

    def other_node_first(source, goal):
        names.append(Path(source).name)
        if len(names) == 1:
            cache.write(target, b"of the other")
        real(source, goal)

    monkeypatch.setattr(os, "replace", other_node_first)
    cache.write(target, b"of the one")
    assert target.read_bytes() == b"of the one"
    assert len(set(names)) == 2 and all(name.startswith("kept.") for name in names)
    assert list(tmp_path.iterdir()) == [target]


def test_others_may_read_what_is_kept(tmp_path):
    """As much as the umask says: a cache may be a project's."""
    kept = os.umask(0o022)
    try:
        cache.write(tmp_path / "kept", b"")
    finally:
        os.umask(kept)
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o644
