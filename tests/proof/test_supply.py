"""What a run takes from elsewhere: no network, no module of the folder it is started in, no file
that somebody else put into a cache. SECURITY.md says what is promised."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge import caches
from bridge.backends.cuda import cache as cuda_cache
from bridge.bridge_config import entry_file
from bridge.errors import BridgeError
from bridge.plan import packbuild

ROOT = Path(__file__).parents[2]

# ---- files of a cache ---------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("BRIDGE_CACHE", raising=False)
    file = tmp_path / "cache" / "kept"
    file.parent.mkdir(mode=0o755)
    file.write_bytes(caches.seal(b"machine code"))
    file.chmod(0o644)
    assert caches.read(file) == b"machine code"
    return file


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_everybody_may_write_is_not_loaded(
    kept: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kept if what == "file" else kept.parent).chmod(0o777)
    with pytest.raises(caches.DamagedError, match="everybody may write"):
        caches.read(kept)
    monkeypatch.setenv("BRIDGE_CACHE", str(kept.parent))
    with pytest.raises(caches.DamagedError, match="everybody may write"):
        caches.read(kept)


def test_a_file_of_another_user_is_not_loaded(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for root's, and for a project's folder that the user has named."""
    mine = kept.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    if mine == 0:
        assert caches.read(kept) == b"machine code"
        os.chown(kept, 4321, -1)
    with pytest.raises(caches.DamagedError, match="belongs to user"):
        caches.read(kept)
    monkeypatch.setenv("BRIDGE_CACHE", str(kept.parent))
    assert caches.read(kept) == b"machine code"


def test_every_loader_reads_by_way_of_the_check() -> None:
    """Nothing in the package takes a kept file's word without `caches.read`."""
    for file in sorted((ROOT / "bridge").rglob("*.py")):
        if file.name != "caches.py":
            assert "unseal(" not in file.read_text(), file


@pytest.fixture
def full() -> Iterator[None]:
    """A disk on which 4 kB are left: a write past that fails, as with ENOSPC."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk(tmp_path: Path, full: None) -> None:
    """A pack's build says so; a kernel that is compiled anyway is not kept; no piece stays."""
    with pytest.raises(BridgeError, match=f"{tmp_path}/pack.so cannot be written"):
        packbuild._place(bytes(100_000), tmp_path / "pack.so")
    cuda_cache.write(tmp_path / "kernel", bytes(100_000))
    assert list(tmp_path.iterdir()) == []


# ---- the network, and the folder of the start ---------------------------------------------------

WATCHED = """
import sys
seen = []
def watch(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        seen.append((event, str(arguments)))
sys.addaudithook(watch)
import ctypes
library = ctypes.CDLL(sys.argv[1])
import bridge
bridge.evaluate("O2 CH4", T=300.0, P=5e6, Y=[0.5, 0.5], outputs=("rho", "eta"), backend="cpu")
status = ctypes.c_int()
for key, value in ((b"backend", b"cpu"), (b"species", b"O2 CH4")):
    library.frame_set_(key, value, ctypes.byref(status))
    assert status.value == 0
library.frame_initialize_(0, 8, 2, 7, 0)
library.frame_report_(ctypes.byref(status))
library.frame_finalize_()
assert library.frame_status_() == status.value == 0
assert not seen, seen
import socket
socket.socket().close()
assert seen, "the watch sees nothing"
"""


def test_a_run_opens_no_socket(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", WATCHED, str(entry_file("libbridge.so"))],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_no_library_of_the_package_knows_of_sockets() -> None:
    package = entry_file("libbridge.so").parents[1]
    libraries = sorted(package.rglob("*.so"))
    assert len(libraries) > 2
    for library in libraries:
        names = subprocess.run(["nm", "-D", "--undefined-only", str(library)],
                               capture_output=True, text=True, check=True).stdout  # fmt: skip
        called = set(re.findall(r"\bU (\w+)", names))
        assert called and not called & {"socket", "connect", "getaddrinfo", "gethostbyname"}


@pytest.mark.parametrize("way", ["host", "command"])
def test_no_module_is_taken_from_the_folder_of_the_start(tmp_path: Path, way: str) -> None:
    """Files there that are called as what the package imports are left alone."""
    for name in "bridge numpy cffi yaml tabulate tomllib cupy sitecustomize _bridge_entry".split():
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from the working folder')\n")
    words = {
        "host": [str(entry_file("latency")), "5", "1", "cpu"],
        "command": [str(Path(sys.executable).with_name("bridge")), "info"],
    }
    variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    done = subprocess.run(words[way], cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "taken from" not in done.stdout + done.stderr


# ---- lower bounds -------------------------------------------------------------------------------


def test_every_dependency_of_a_run_has_a_lower_bound() -> None:
    """Which ci/lowest installs and runs the tests with."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *extras["mpi"], *extras["plot"]]:
        assert re.match(r"[\w-]+>=[\d.]+", requirement), requirement


# ---- the lock of ci/test ------------------------------------------------------------------------

LOCKS = sorted((ROOT / "ci" / "locks").glob("*-build.txt"))


def _functions(command: str) -> list[str]:
    """Lines that a function of ci/setup prints; python is that of the tests, not of .venv."""
    folder = f"mkdir -p .venv/bin && ln -sf {sys.executable} .venv/bin/python"
    script = f'cd "$(mktemp -d)" && cp {ROOT}/pyproject.toml . && {folder} && . {ROOT}/ci/setup'
    done = subprocess.run(
        ["bash", "-c", f"{script} && {command}"], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda file: file.stem)
def test_a_lock_has_what_is_asked_for(lock: Path) -> None:
    """Each requirement of pyproject.toml in a version that it allows, with a hash."""
    pytest.importorskip("packaging")
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    for part in ("build", "tests"):
        text = lock.with_name(lock.name.replace("-build", f"-{part}")).read_text()
        pins = re.findall(r"^([\w.-]+)==(\S+) --hash=sha256:[0-9a-f]{64}$", text, re.M)
        assert len(pins) == len(text.splitlines()) - 1
        found = {str(name): str(version) for name, version in pins}
        for wanted in map(Requirement, _functions(f'requirements_of_{part} "$locked_extras"')):
            version = found[canonicalize_name(wanted.name)]
            assert wanted.specifier.contains(version), (
                f"{wanted}, {lock.name} has {version}: ci/lock"
            )


FAKE_PIP = """#!/bin/sh
echo "pip $*" >&2
case "$*" in *--require-hashes*) exit $LOCKED ;; esac
"""


@pytest.mark.parametrize(
    ("locked", "variable", "installs"),
    [(0, "", ["lock"]), (1, "", ["lock", "newest"]), (1, "only", ["lock", "fails"]),
     (1, "none", ["newest"]), (None, "", ["newest"]), (None, "only", ["fails"])],
)  # fmt: skip
def test_a_lock_never_stops_a_machine(
    tmp_path: Path, locked: int | None, variable: str, installs: list[str]
) -> None:
    """Without a lock, or where an index has not what it wants, the newest is installed."""
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(
        FAKE_PIP.replace("echo", f'[ "$1" = -m ] || exec {sys.executable} "$@"\necho', 1)
    )
    python.chmod(0o755)
    command = f". {ROOT}/ci/setup; name=$(lock_name); mkdir -p ci/locks; "
    if locked is not None:
        command += "touch ci/locks/$name-build.txt; "
    done = subprocess.run(
        ["bash", "-c", command + "install_wanted build x || echo fails >&2"],
        cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "LOCK": variable, "LOCKED": str(locked)},
    )  # fmt: skip
    words = {"--require-hashes": "lock", "meson-python>=0.16": "newest", "fails": "fails"}
    seen = [what for line in done.stderr.splitlines() for word, what in words.items()
            if word in line.split()]  # fmt: skip
    assert seen == installs, done.stderr
    assert ("the newest is installed instead" in done.stderr) == (installs == ["lock", "newest"])
