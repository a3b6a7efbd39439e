"""Rule 1: the right Python starts, or the host is told why not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from hosts import Host, breaks, bridge_config

VERSION = sysconfig.get_python_version()
#: These releases of CPython end a process in which they are started for a second time.
STARTS_ONCE = (3, 12, 0) <= sys.version_info < (3, 12, 2)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment without the package."""
    folder = tmp_path_factory.mktemp("bare") / "environment"
    venv.create(folder, with_pip=False)
    return folder


def boot(host: Host, **environment: str) -> tuple[int, str]:
    outcome = host.run("boot", environment=dict(environment))
    assert outcome.status == 0, outcome.err
    status, *message = outcome.words("boot")
    launch, *_ = outcome.words("launch")
    assert launch == "-4"
    return int(status), " ".join(message)


def test_neither_activated_nor_on_path(host: Host) -> None:
    environment = {**breaks("where"), "PATH": "/usr/bin:/bin"}
    outcome = host.run("report", environment=environment)
    assert outcome.status == 0, outcome.err
    assert outcome.words("prefix") == [sys.prefix]


def test_no_such_interpreter(host: Host) -> None:
    status, message = boot(host, BRIDGE_PYTHON="/nowhere/python3")
    assert status == -2
    assert "$BRIDGE_PYTHON, /nowhere/python3: does not exist" in message


def test_not_a_python(host: Host) -> None:
    status, message = boot(host, BRIDGE_PYTHON="/bin/ls")
    assert (status, "/bin/ls: is not a Python" in message) == (-2, True)


def test_not_executable(host: Host, tmp_path: Path) -> None:
    (tmp_path / "python3").write_text("text")
    status, message = boot(host, BRIDGE_PYTHON=str(tmp_path / "python3"))
    assert (status, "is not an executable file" in message) == (-2, True)


def test_package_missing(host: Host, bare: Path) -> None:
    status, message = boot(host, BRIDGE_PYTHON=str(bare / "bin" / "python"))
    assert (status, "cannot import bridge" in message) == (-2, True)


def test_other_minor_version(host: Host, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "python3"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.4.1\n")
    status, message = boot(host, BRIDGE_PYTHON=str(program))
    assert status == -2
    assert "is Python 3.4, but the bridge needs Python 3.11 or later" in message


def test_other_minor_version_by_its_name(host: Host, tmp_path: Path) -> None:
    program = tmp_path / "python3.4"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    status, message = boot(host, BRIDGE_PYTHON=str(program))
    assert (status, "is Python 3.4" in message) == (-2, True)


def test_no_shared_library(host: Host, tmp_path: Path) -> None:
    """A Python that is linked statically: its symbols are in a program, which cannot be opened."""
    program = tmp_path / "environment" / "bin" / "python3"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    base = tmp_path / "base"
    text = f"home = {base}/bin\nversion_info = 3.98.1.final.0\n"
    (tmp_path / "environment" / "pyvenv.cfg").write_text(text)
    status, message = boot(host, BRIDGE_PYTHON=str(program))
    assert status == -2
    wanted = "has no shared library: libpython3.98.so.1.0 is neither where the loader looks nor in"
    other = f"is Python 3.98, and the program is linked to the bridge of Python {VERSION}"
    assert f"{program}: {other}: {wanted} {base}/lib, lib64, lib/" in message
    assert "--enable-shared" in message


def test_a_shared_library_that_cannot_be_opened(host: Host, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    program = tmp_path / "bin" / "python3.97"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "lib" / "libpython3.97.so.1.0").write_text("text")
    status, message = boot(host, BRIDGE_PYTHON=str(program))
    assert status == -2
    assert f"its libpython cannot be opened: {tmp_path}/lib/libpython3.97.so.1.0: " in message


def test_a_machine_without_python(host: Host, tmp_path: Path) -> None:
    """The program starts, is told what was looked for, and goes on with its own Fortran. The
    library is one that was built with an interpreter which this machine does not have."""
    (library,) = bridge_config("--libdir", folder=tmp_path)
    contents = (Path(library) / "libbridge.so").read_bytes()
    end = contents.index(b"the interpreter of the build")
    paths = re.findall(rb"/[!-~]*bin/python[0-9.]*(?=\0)", contents)
    assert len(paths) == 1 and end > 0
    nowhere = b"/nowhere/bin/python3".ljust(len(paths[0]), b"3")[: len(paths[0])]
    place = tmp_path / "copied"
    place.mkdir()
    (place / "libbridge.so").write_bytes(contents.replace(paths[0] + b"\0", nowhere + b"\0"))
    status, message = boot(host, LD_LIBRARY_PATH=str(place))
    assert status == -2
    assert "the environment of libbridge.so: libbridge.so lies in none" in message
    assert f"the interpreter of the build, {nowhere.decode()}: does not exist" in message
    assert "$VIRTUAL_ENV: is not set" in message


def test_the_part_that_calls_python_is_missing(host: Host, bare: Path, tmp_path: Path) -> None:
    """libbridge.so was copied alone, and the environment has no package either."""
    (library,) = bridge_config("--libdir", folder=tmp_path)
    shutil.copy(Path(library) / "libbridge.so", tmp_path)
    environment = {"LD_LIBRARY_PATH": str(tmp_path), "BRIDGE_PYTHON": str(bare / "bin/python3")}
    status, message = boot(host, **environment)
    assert status == -2
    wanted = f"_bridge_entry.abi3.so is not in {tmp_path}, where libbridge.so is"
    assert f"{wanted}, nor in the package bridge of {bare}" in message


def test_the_part_that_calls_python_is_of_another_version(host: Host, tmp_path: Path) -> None:
    (library,) = bridge_config("--libdir", folder=tmp_path)
    part = tmp_path / "_bridge_entry.abi3.so"
    shutil.copy(Path(library) / "libbridge.so", tmp_path)
    contents = (Path(library) / part.name).read_bytes()
    contract = re.search(rb"\0([0-9a-f]{16})\0", (Path(library) / "libbridge.so").read_bytes())
    assert contract is not None
    part.write_bytes(contents.replace(contract[1] + b"\0", b"0123456789abcdef\0"))
    environment = {"LD_LIBRARY_PATH": str(tmp_path), "BRIDGE_PYTHON": sys.executable}
    status, message = boot(host, **environment)
    assert status == -2
    assert f"{part} and libbridge.so are of different versions" in message


def test_a_wrong_pythonhome_is_named(host: Host, tmp_path: Path) -> None:
    status, message = boot(host, PYTHONHOME=str(tmp_path))
    assert status == -2
    assert f"$PYTHONHOME, {tmp_path}: holds no library of Python {VERSION}" in message


def test_a_pythonhome_of_another_environment_is_named(host: Host, bare: Path) -> None:
    """Python starts there, and finds no packages."""
    status, message = boot(
        host, PYTHONHOME=sys.base_prefix, BRIDGE_PYTHON=str(bare / "bin/python")
    )
    assert status == -2
    assert f"$PYTHONHOME, {sys.base_prefix}: is where Python takes its library from" in message


def test_a_numpy_of_another_python_is_named(host: Host, tmp_path: Path) -> None:
    """Not by NumPy's forty lines."""
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("from numpy._core.other import x\n")
    status, message = boot(host, PYTHONPATH=f"/nowhere:{tmp_path}")
    assert status == -2
    named = f"NumPy comes from {tmp_path}, which $PYTHONPATH names: unset PYTHONPATH"
    assert (
        message == f"{named} (its import says: ModuleNotFoundError: No module named 'numpy._core')"
    )


def test_a_library_of_another_python_is_named(host: Host, tmp_path: Path) -> None:
    """NumPy is the right one, and fails for what it imports."""
    library = tmp_path / "lib" / f"python{VERSION}"
    library.mkdir(parents=True)
    for path in Path(sysconfig.get_path("stdlib")).iterdir():
        (library / path.name).symlink_to(path)
    (library / "datetime.py").unlink()
    (library / "datetime.py").write_text("import _of_another_python\n")
    status, message = boot(host, PYTHONHOME=str(tmp_path))
    assert (status, f"{tmp_path}, which $PYTHONHOME names: unset PYTHONHOME" in message) == (
        -2,
        True,
    )
    assert len(message) < 400


def test_another_package_of_our_name_is_named(host: Host, tmp_path: Path) -> None:
    place = tmp_path / "bridge" / "__init__.py"
    place.parent.mkdir()
    place.write_text("")
    status, message = boot(host, PYTHONPATH=str(tmp_path))
    assert (status, f"cannot import bridge: {place} is another package" in message) == (-2, True)
    assert f"$PYTHONPATH, {tmp_path}: is where Python looks for packages first" in message


def test_an_interpreter_behind_a_folder_that_nobody_may_enter(host: Host, tmp_path: Path) -> None:
    """Root is made a user like others. The link can be seen, what it leads to cannot."""
    closed = tmp_path / "closed"
    (closed / "bin").mkdir(parents=True)
    (tmp_path / "python3").symlink_to(closed / "bin" / "python3")
    launcher: tuple[str, ...] = ()
    if os.getuid() == 0:
        if not (setpriv := shutil.which("setpriv")):
            pytest.skip("no setpriv on this machine")
        launcher = (setpriv, "--bounding-set", "-dac_override,-dac_read_search")
    closed.chmod(0)
    wanted = f"cannot be reached: Permission denied: this user may not enter {closed}"
    try:
        for name, value in (
            ("BRIDGE_PYTHON", f"{closed}/bin/python3"),
            ("BRIDGE_PYTHON", f"{tmp_path}/python3"),
            ("PYTHONHOME", f"{closed}"),
        ):
            outcome = host.run("boot", launcher=launcher, environment={name: value})
            status, *words = outcome.words("boot")
            assert (status, f"${name}, {value}: {wanted}" in " ".join(words)) == ("-2", True), (
                words
            )
    finally:
        closed.chmod(0o700)
    status_, message = boot(host, BRIDGE_PYTHON=f"{tmp_path}/python3")
    gone = f"{tmp_path}/python3: is a link to {closed}/bin/python3, which does not exist"
    assert (status_, gone in message) == (-2, True)


def test_too_little_address_space(host: Host) -> None:
    """Less than Python and NumPy take, which would crash or end the program in their libraries."""
    launcher = ("sh", "-c", 'ulimit -v 60000; exec "$0" "$@"')
    outcome = host.run("boot", launcher=launcher)
    assert outcome.status == 0, outcome.err
    status, *words = outcome.words("boot")
    assert int(status) == -8
    assert "the address space is limited to 60000 kB (ulimit -v)" in " ".join(words)


def test_a_library_that_ends_the_program_while_python_starts(host: Host) -> None:
    """As OpenBLAS does where it gets no memory; the limit is too high to be told before."""
    launcher = ("sh", "-c", 'ulimit -v 8000000; exec "$0" "$@"')
    outcome = host.run("boot", launcher=launcher, environment=breaks("end_at_import"))
    assert outcome.status == 1
    assert "[bridge] a library that Python loads has ended the program" in outcome.err
    assert "limited to 8000000 kB (ulimit -v)" in outcome.err


def test_an_exception_of_the_import_whose_text_cannot_be_read(host: Host) -> None:
    status, message = boot(host, **breaks("mute_at_import"))  # type: ignore[arg-type]
    assert (status, message.split()[0]) == (-2, "Mute:")


def test_failure_to_start_ends_the_job(host: Host) -> None:
    outcome = host.run("must-boot", environment={"BRIDGE_PYTHON": "/nowhere/python3"})
    assert outcome.status != 0
    assert "frame_boot_ failed" in outcome.err
    assert "BRIDGE_START" in outcome.err


def test_failed_boot_may_be_tried_again(host: Host) -> None:
    outcome = host.run("reboot", environment={"BRIDGE_PYTHON": "/nowhere/python3"})
    assert outcome.status == 0, outcome.err
    assert outcome.words("boot")[0] == "-2"
    assert outcome.words("again")[0] == "0"
    assert outcome.words("done")[0] == "0"


def test_failed_import_may_be_tried_again(host: Host, bare: Path) -> None:
    environment = {"BRIDGE_PYTHON": str(bare / "bin" / "python")}
    outcome = host.run("reboot", environment=environment)
    assert outcome.status == 0, outcome.err
    if STARTS_ONCE:
        assert outcome.words("again")[0] == "-2"
        assert "cannot be started twice" in " ".join(outcome.words("again"))
        return
    assert [outcome.words(label)[0] for label in ("boot", "again", "done")] == ["-2", "0", "0"]


def moved_library(host: Host, bare: Path, tmp_path: Path) -> dict[str, str]:
    """Environment in which libbridge.so is found inside the bare environment."""
    (library,) = (p for p in map(Path, bridge_config("--libdir", folder=tmp_path)))
    place = bare / "lib" / f"python{VERSION}" / "site-packages" / "bridge" / "entry"
    place.mkdir(parents=True, exist_ok=True)
    for name in ("libbridge.so", "_bridge_entry.abi3.so"):
        shutil.copy(library / name, place)
    return {"LD_LIBRARY_PATH": str(place)}


def test_unfit_candidates_are_skipped(host: Host, bare: Path, tmp_path: Path) -> None:
    environment = moved_library(host, bare, tmp_path)
    environment["VIRTUAL_ENV"] = sys.prefix
    if STARTS_ONCE:
        status, message = boot(host, **environment)
        assert status == -2
        assert "cannot be started twice" in message
        return
    outcome = host.run("report", environment={**environment, **breaks("where")})
    assert outcome.status == 0, outcome.err
    assert outcome.words("prefix") == [prefix_of_the_build(host, environment) or sys.prefix]


def prefix_of_the_build(host: Host, environment: dict[str, str]) -> str:
    """Of the interpreter that the package was built with, which comes before $VIRTUAL_ENV; ""
    where it has no package. The tests may run in another environment (ci/lowest)."""
    _, message = boot(host, **environment, **{k: v or "" for k, v in breaks("hide").items()})
    found = re.search(r"the interpreter of the build, (.*?): ", message)
    assert found
    if not Path(found[1]).exists():
        return ""
    command = [found[1], "-P", "-c", "import bridge, sys; print(sys.prefix)"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def test_every_candidate_is_named(host: Host, bare: Path, tmp_path: Path) -> None:
    environment = {**moved_library(host, bare, tmp_path), **breaks("hide")}
    environment["VIRTUAL_ENV"] = str(bare)
    status, message = boot(host, **environment)  # type: ignore[arg-type]
    assert status == -2
    assert "$BRIDGE_PYTHON: is not set" in message
    assert f"the environment of libbridge.so, {bare}/bin/python{VERSION}: " in message
    assert "the interpreter of the build, " in message
    assert f"$VIRTUAL_ENV, {bare}/bin/python3: " in message


@pytest.mark.parametrize("what", ["", "grab"], ids=["plain", "taken at import"])
def test_signal_dispositions_stay(host: Host, what: str) -> None:
    outcome = host.run("signals", environment=breaks(what) if what else None)
    assert outcome.status == 0, outcome.err
    assert outcome.words("changed") == ["0"]
    assert outcome.words("changed-by-work") == ["0"]


def test_a_python_program_as_host(tmp_path: Path) -> None:
    """Python runs already: it is used, and its stdout and exit stay its own."""
    (library,) = bridge_config("--libdir", folder=tmp_path)
    code = (
        "import ctypes, sys\n"
        "stdout = sys.stdout\n"
        f"library = ctypes.CDLL({library!r} + '/libbridge.so')\n"
        "status = ctypes.c_int(99)\n"
        "library.frame_boot_(ctypes.byref(status))\n"
        "assert status.value == 0 and sys.stdout is stdout\n"
        "library.frame_set_(b'backend', b'cpu', ctypes.byref(status))\n"
        "library.frame_initialize_(0, 8, 2, 7, 0)\n"
        "assert library.frame_status_() == 0\n"
        "from bridge.frame import frame\n"
        "assert frame.initialized\n"
        "library.frame_error_policy_(b'return', ctypes.byref(status))\n"
        "library.frame_launch_(b'nothing', 1, ctypes.byref(status))\n"
        "assert status.value == -3\n"
        "library.frame_finalize_()\n"
        "print('end')"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("end\n")


def test_python_alone_never_loads_the_library(tmp_path: Path) -> None:
    code = (
        "import bridge, bridge.frame, bridge.evaluation.function, bridge.cli\n"
        "assert 'libbridge' not in open('/proc/self/maps').read()"
    )
    subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, check=True)
