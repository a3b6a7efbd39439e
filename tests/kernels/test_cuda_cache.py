"""Compiled kernels on disk: folders that take nothing, damaged files, writers on several nodes."""

from __future__ import annotations

import builtins
import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from kernels import cuda_cases as cases
from kernels.kernelcache import Compiler
from standin import StandIn

import bridge.backends.cuda
import bridge.frame
from bridge import caches
from bridge.backends.cuda import CudaBackend, cache, compiler, precompile
from bridge.errors import ArgumentError, DeviceError
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    said: list[str] = []
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setattr("bridge.log.say", said.append)
    return said


def read_only(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """As on a file system that is mounted so; the tests may run as root."""
    real = builtins.open

    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    def opened(path: Path, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if set(mode) & set("wax+") and str(path).startswith(str(folder)):
            refuse(path)
        return real(path, mode, *arguments, **named)

    monkeypatch.setattr(builtins, "open", opened)
    for name in ("mkdir", "unlink", "rename"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr(os, "replace", refuse)


def test_a_read_only_cache_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[Any]
) -> None:
    using = Compiler()
    first = cache.compiled("text", "sm_90", using=using, place=tmp_path, driver="1")
    read_only(monkeypatch, tmp_path)
    again = cache.compiled("text", "sm_90", using=using, place=tmp_path, driver="1")
    assert again == first and using.calls == 1 and said == []


def test_what_a_read_only_cache_does_not_have_is_compiled_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[Any]
) -> None:
    read_only(monkeypatch, tmp_path)
    using = Compiler()
    for text in ("one", "two"):
        got = cache.compiled(text, "sm_90", using=using, place=tmp_path / "cuda", driver="1")
        assert got.cubin == f"{text} by one 1".encode()
    (line,) = said
    assert f"not kept in {tmp_path / 'cuda'}: " in line and "Read-only" in line


def test_a_folder_that_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[Any]
) -> None:
    """BRIDGE_CACHE in something that is no folder."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "file"))
    assert cache.compiled("text", "sm_90", using=Compiler(), driver="1").cubin
    assert len(said) == 1
    with pytest.raises(ArgumentError, match="BRIDGE_CACHE.*file.cuda.*Not a directory"):
        precompile.build(["sm_90"], [1])


#: What becomes of a kept file, and what is said of it.
DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut in half": (lambda whole: whole[: len(whole) // 2], "is cut or altered"),
    "cut by a byte": (lambda whole: whole[:-1], "is cut or altered"),
    "cut near the end": (lambda whole: whole[:-60], "is cut or altered"),
    "empty": (lambda whole: b"", "is empty"),
    "zeros": (lambda whole: bytes(len(whole)), "is cut or altered"),
    "a bit": (lambda whole: bytes([whole[0] ^ 1]) + whole[1:], "is altered: the digest"),
    "bytes gone": (
        lambda whole: whole[:3] + whole[9:],
        r"has \d+ bytes where \d+ were written",
    ),
    "appended": (lambda whole: whole + b"\n", "is cut or altered"),
    "another form": (lambda whole: caches.seal(b"{}\n"), "cannot be understood"),
    "another kernel": (
        lambda whole: caches.seal(caches.unseal(whole).replace(b'"key": "', b'"key": "0')),
        "holds the kernel 0",
    ),
}


def spoil(path: Path, damage: str) -> None:
    path.write_bytes(DAMAGES[damage][0](path.read_bytes()))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("ahead_of_time", [False, True])
def test_a_damaged_kernel_is_compiled_again_and_said(
    tmp_path: Path, said: list[Any], damage: str, ahead_of_time: bool
) -> None:
    using = Compiler()
    driver = "" if ahead_of_time else "1"
    cache.compiled("text", "sm_90", using=using, place=tmp_path, driver=driver)
    (file,) = tmp_path.glob("*.kernel")
    spoil(file, damage)
    for _ in range(2):
        again = cache.compiled("text", "sm_90", using=using, place=tmp_path, driver="1")
        assert again.cubin == b"text by one 1" and using.calls == 2
    (line,) = said
    assert line.startswith(f"{file} ") and line.endswith("; its kernel is compiled again")
    assert re.search(DAMAGES[damage][1], line)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_kernel_is_named_where_there_is_no_compiler(
    tmp_path: Path, no_compiler: None, damage: str
) -> None:
    cache.compiled("text", "sm_90", using=Compiler(), place=tmp_path)
    (file,) = tmp_path.glob("*.kernel")
    spoil(file, damage)
    with pytest.raises(DeviceError, match=f"kernels build.*\n{file} .*{DAMAGES[damage][1]}"):
        cache.compiled("text", "sm_90", place=tmp_path)


@pytest.mark.parametrize("damage", [name for name in DAMAGES if name != "another form"])
def test_a_damaged_second_name_leads_to_no_other_kernel(
    tmp_path: Path, no_compiler: None, damage: str
) -> None:
    cache.compiled("text", "sm_90", using=Compiler(), place=tmp_path)
    (second,) = tmp_path.glob("*.any")
    if damage == "another kernel":
        second.write_bytes(caches.seal(b"../" + caches.unseal(second.read_bytes())))
    else:
        spoil(second, damage)
    with pytest.raises(DeviceError, match="not precompiled"):
        cache.compiled("text", "sm_90", place=tmp_path)


def test_a_kernel_under_the_name_of_another_is_not_taken(tmp_path: Path, said: list[Any]) -> None:
    using = Compiler()
    for text in ("one", "two"):
        cache.compiled(text, "sm_90", using=using, place=tmp_path)
    one, two = tmp_path.glob("*.kernel")
    shutil.copy(one, two)
    for text in ("one", "two"):
        got = cache.compiled(text, "sm_90", using=using, place=tmp_path)
        assert got.cubin == f"{text} by one 1".encode()
    assert using.calls == 3 and len(said) == 1 and "holds the kernel" in said[0]


def test_a_damaged_kernel_is_said_by_the_one_that_compiles(
    tmp_path: Path, said: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process makes it again while this one waits for the lock."""
    using = Compiler()
    cache.compiled("text", "sm_90", using=using, place=tmp_path)
    (file,) = tmp_path.glob("*.kernel")
    whole = file.read_bytes()
    file.write_bytes(b"")

    @contextmanager
    def locked(path: Path) -> Iterator[Any]:
        file.write_bytes(whole)
        yield

    monkeypatch.setattr(cache, "locked", locked)
    assert cache.compiled("text", "sm_90", using=using, place=tmp_path).cubin == b"text by one 1"
    assert using.calls == 1 and said == []


def test_a_torn_word_of_a_compiler_is_not_repeated(tmp_path: Path) -> None:
    """A failure that was cut: this process asks the compiler itself."""
    using = Compiler()
    stem = tmp_path / cache.key("text", "sm_90", using.version)
    failure = stem.with_suffix(".error")
    for content, calls in ((caches.seal(b"refused"), 0), (b"refu", 1)):
        failure.write_bytes(content)
        os.utime(failure, (2**33, 2**33))
        try:
            cache.compiled("text", "sm_90", using=using, place=tmp_path)
        except compiler.CompileError as error:
            assert str(error) == "refused"
        assert using.calls == calls


def test_a_cut_kernel_never_reaches_the_driver(
    tmp_path: Path, said: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole program on the stand-in, its cache cut between two processes."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path))
    device: Any = StandIn()
    loaded: list[bytes] = []
    host = SimpleNamespace(version="g++", compile=lambda text, arch, _: device.compile(text, arch))
    monkeypatch.setattr(compiler, "find", lambda: host)
    load = device.load

    def seen(cubin: bytes) -> Any:
        loaded.append(cubin)
        return load(cubin)

    monkeypatch.setattr(device, "load", seen)
    plan = cases.plan_of("eosRhohFromTPprop")
    shared, inputs = SharedData(SpeciesData.load(cases.SPECIES)), cases.states()
    want = cases.run(CudaBackend(api=device), plan, inputs, shared, whole=64)
    whole = list(loaded)
    files = sorted((tmp_path / "cuda").glob("*.kernel"))
    assert len(files) == len(whole) >= 1
    for damage in ("cut near the end", "cut in half", "zeros", "empty"):
        for file in files:
            spoil(file, damage)
        said.clear()
        loaded.clear()
        got = cases.run(CudaBackend(api=device), plan, inputs, shared, whole=64)
        assert loaded == whole and len(said) == len(files)
        for name, values in want.items():
            np.testing.assert_array_equal(got[name], values, err_msg=name)


def test_no_kernel_goes_by_a_cache_of_cupy() -> None:
    """CuPy keeps what its own kernels compile without a seal: a run has none of them. The gallery
    times them, as a library's way."""
    root = Path(bridge.__file__).parent
    words = re.compile(r"\b(RawModule|RawKernel|ElementwiseKernel|ReductionKernel|fuse)\(")
    for path in root.rglob("*.py"):
        if "gallery" in path.relative_to(root).parts:
            continue
        assert not words.search(path.read_text(encoding="utf-8")), path


def test_processes_of_one_number_on_two_nodes_do_not_meet_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second writes while the first one has its temporary file open."""
    target, names, real = tmp_path / "kept", [], os.replace

    def other_node_first(source: Path, goal: Path) -> None:
        names.append(Path(source).name)
        if len(names) == 1:
            cache.write(target, b"of the other")
        real(source, goal)

    monkeypatch.setattr(os, "replace", other_node_first)
    cache.write(target, b"of the one")
    assert target.read_bytes() == b"of the one"
    assert len(set(names)) == 2 and all(name.startswith("kept.") for name in names)
    assert list(tmp_path.iterdir()) == [target]


def test_others_may_read_what_is_kept(tmp_path: Path) -> None:
    """As much as the umask says: a cache may be a project's."""
    kept = os.umask(0o022)
    try:
        cache.write(tmp_path / "kept", b"")
    finally:
        os.umask(kept)
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o644
