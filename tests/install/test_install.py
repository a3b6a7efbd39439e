"""What the package installs, where bridge-config and pkg-config find it, and that it can move."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path

import pytest
from hosts import Host, bridge_config, build, compiler

ROOT = Path(__file__).parents[2]
TALK = ROOT / "tests" / "fortran" / "talk.f"
SOURCES = [
    *("bridge", "fortran_stub", "meson.build", "meson.options", "pyproject.toml", "README.md"),
    "LICENSE",
]


def copy_of_sources(folder: Path) -> Path:
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder)
    return folder


def needs_build_tools() -> None:
    for module in ("mesonpy", "cffi"):
        pytest.importorskip(module, reason=f"no {module} in the environment of the tests")


# ---- bridge-config ---------------------------------------------------------------------------


def test_every_file_is_there(tmp_path: Path) -> None:
    include, library, pkgconfig = (
        Path(bridge_config(option, folder=tmp_path)[0])
        for option in ("--includedir", "--libdir", "--pkgconfigdir")
    )
    sources = ("bridge_interfaces.f90", "bridge_absent.f90", "bridge.f90")
    for file in ("bridge.h", "bridge_f77.inc", *sources):
        assert (include / file).is_file()
    assert (library / "libbridge.so").is_file()
    assert (pkgconfig / "bridge.pc").is_file()


def test_answers(tmp_path: Path) -> None:
    assert bridge_config("--version", folder=tmp_path) == [version("fortran-bridge")]
    assert bridge_config("--python", folder=tmp_path) == [sys.executable]
    for option, first in (
        ("--fsource", "bridge_interfaces.f90"),
        ("--absent-source", "bridge_absent.f90"),
    ):
        paths = bridge_config(option, folder=tmp_path)
        assert [Path(path).name for path in paths] == [first, "bridge.f90"]
    both = bridge_config("--fflags", "--libs", folder=tmp_path)
    assert [word[:2] for word in both] == ["-I", "-L", "-l", "-W"]


def test_the_command_is_on_the_path_of_the_environment(tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "bridge-config"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == version("fortran-bridge")


@pytest.mark.parametrize("arguments", [[], ["--nonsense"]])
def test_misuse(tmp_path: Path, arguments: list[str]) -> None:
    command = [sys.executable, "-P", "-m", "bridge.bridge_config", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from bridge.bridge_config import main\n"
        "main(['--libs'])\n"
        "assert not {'numpy', 'cffi', 'cupy', 'mpi4py'} & set(sys.modules)\n"
        "assert 'libbridge' not in open('/proc/self/maps').read()"
    )
    subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, check=True)


@pytest.mark.parametrize("name", ["jo\u0308rg\u6e90", "\xf6 x", "a b'c", "x(1)$y;z"])
def test_paths_that_are_not_plain(tmp_path: Path, name: str) -> None:
    """Letters of any language need no quotes. What needs some works with eval, which is said."""
    folder = tmp_path / name
    (library,) = bridge_config("--libdir", folder=tmp_path)
    folder.mkdir()
    (folder / "bridge").symlink_to(Path(library).parent)
    asked = f"$({sys.executable} -P -m bridge.bridge_config --fsource --libs)"
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "ascii"}
    plain = not set(" '$;") & set(name)
    for line, whole in (("printf '%s\\0'", plain), ("eval printf '\"%s\\0\"'", True)):
        done = subprocess.run(
            ["sh", "-c", f"{line} {asked}"], cwd=tmp_path, env=environment,
            capture_output=True, check=True,
        )  # fmt: skip
        found = [os.fsdecode(one) for one in done.stdout.split(b"\0")[:-1]]
        entry = f"{folder}/bridge/entry"
        wanted = [f"{entry}/bridge_interfaces.f90", f"{entry}/bridge.f90",
                  f"-L{entry}", "-lbridge", f"-Wl,-rpath,{entry}"]  # fmt: skip
        assert (found == wanted) == whole
        assert (b"put eval before the command" in done.stderr) != plain


# ---- pkg-config -------------------------------------------------------------------------------


def pkg_config(folder: Path, *options: str) -> list[str]:
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    command = [compiler("pkg-config"), *options, "bridge"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def run_talk(host: Host, **environment: str) -> None:
    outcome = host.run(environment=environment)
    assert outcome.status == 0, outcome.err
    assert outcome.words("count") == ["24", "24"]


def test_pkg_config_builds_a_host(tmp_path: Path) -> None:
    folder = Path(bridge_config("--pkgconfigdir", folder=tmp_path)[0])
    assert pkg_config(folder, "--modversion") == [version("fortran-bridge")]
    program = tmp_path / "host"
    flags = pkg_config(folder, "--cflags", "--libs")
    subprocess.run(
        [compiler("gfortran"), "-std=legacy", str(TALK), *flags, "-o", str(program)], check=True
    )
    run_talk(Host(program))


def test_a_moved_package_still_works(tmp_path: Path) -> None:
    """bridge.pc is relative to itself; the library finds Python by other ways than its place."""
    (library,) = bridge_config("--libdir", folder=tmp_path)
    (pkgconfig,) = bridge_config("--pkgconfigdir", folder=tmp_path)
    (include,) = bridge_config("--includedir", folder=tmp_path)
    entry = tmp_path / "elsewhere" / "bridge" / "entry"
    shutil.copytree(include, entry)
    shutil.copytree(library, entry, dirs_exist_ok=True)
    shutil.copytree(pkgconfig, entry / "pkgconfig", dirs_exist_ok=True)
    flags = pkg_config(entry / "pkgconfig", "--cflags", "--libs")
    assert all(str(tmp_path / "elsewhere") in flag for flag in flags if flag != "-lbridge")
    program = tmp_path / "host"
    subprocess.run(
        [compiler("gfortran"), "-std=legacy", str(TALK), *flags, "-o", str(program)], check=True
    )
    loaded = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True)
    assert "elsewhere" in re.search(r"libbridge\.so => (\S+)", loaded.stdout)[1]  # type: ignore[index]
    outcome = Host(program).run(environment={"BRIDGE_PYTHON": sys.executable})
    assert outcome.status == 0, outcome.err


# ---- Building ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment that borrows what the tests' environment has installed."""
    needs_build_tools()
    folder = tmp_path_factory.mktemp("install") / "environment"
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    import mesonpy

    borrowed = Path(mesonpy.__file__).parents[1]
    (site / "borrowed.pth").write_text(f"{borrowed}\n")
    return folder


def pip_install(environment: Path, *arguments: str) -> None:
    """Without an index and without build isolation: what is needed lies on this disk."""
    pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python")]
    options = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [*pip, "install", "-q", "--ignore-installed", *options, *arguments],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def import_in(folder: Path, python: str) -> None:
    unsafe = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}
    command = [python, "-c", "import bridge"]
    done = subprocess.run(command, cwd=folder, env=unsafe, capture_output=True, text=True)
    if done.returncode:
        raise ImportError(done.stderr.splitlines()[-1])


def test_the_source_folder_is_refused_in_words(tmp_path: Path) -> None:
    """A plain install, and Python started where the sources lie."""
    with pytest.raises(ImportError, match="this is the source folder of bridge .*no compiled"):
        import_in(ROOT, sys.executable)
    import_in(tmp_path, sys.executable)


@pytest.mark.parametrize("folder", ["bridge", "bridge/plan", "bridge_port", "fortran_stub/flow"])
def test_what_python_and_editors_leave_is_not_installed(tmp_path: Path, folder: str) -> None:
    """Before the sources are configured, and between that and the install."""
    needs_build_tools()
    source, around = tmp_path / "source", {**os.environ, "DESTDIR": str(tmp_path / "made")}
    for name in ("bridge/plan/plan.py", "bridge/bounds.py", "bridge_port/plan.py"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("")
    stub = re.findall(r"'(fortran_stub/\w+)': ", text := (ROOT / "meson.build").read_text())
    for name in (*stub, "bridge_gallery"):
        (source / name).mkdir(parents=True)
        (source / name / "one.f90").write_text("")
    beside = re.findall(r"^  '(fortran_stub/[\w.]+)',$", text, re.MULTILINE)
    for name in beside:
        (source / name).write_text("")
    (source / "meson.build").write_text(text.replace("subdir('bridge')\n", ""))
    (source / "meson.options").write_text((ROOT / "meson.options").read_text())
    here = source / folder
    [file] = [one for one in here.iterdir() if one.is_file()]

    def leave(*forms: str) -> None:
        (here / "__pycache__").mkdir(exist_ok=True)
        for form in ("__pycache__/{}c", *forms):
            (here / form.format(file.name)).write_text("left")

    def meson(*words: str) -> None:
        command = [sys.executable, "-m", "mesonbuild.mesonmain", *words]
        done = subprocess.run(command, cwd=source, env=around, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    if folder == "bridge_port":  # one that has bytecode already
        leave("{}.bak", "gone.py.orig")
    meson("setup", "built", "-Dpython.bytecompile=-1")
    leave("{}.orig", "{}.rej", "{}~", ".{}.swp")
    meson("install", "-C", "built")
    made = [one for one in (tmp_path / "made").rglob("*") if one.is_file()]
    names = {Path(name).name for name in beside}
    assert {one.name for one in made} == {"plan.py", "bounds.py", "one.f90"} | names
    assert "makefile" in names and len(made) == 3 + len(stub) + 1 + len(beside)


def test_editable_install(environment: Path, tmp_path: Path) -> None:
    """Sources here, library in meson's build folder: the user's line is the same. Kernels are
    compiled for the one instruction set that takes least, and not to be fast."""
    source, isa = copy_of_sources(tmp_path / "source"), {"BRIDGE_CPU_ISA": "v2"}
    options = ("-Dinstruction_sets=v2", "-Doptimization=1")
    sets = [f"--config-settings=setup-args={one}" for one in options]
    pip_install(environment, *sets, "--editable", str(source))
    python = str(environment / "bin" / "python")
    import_in(source, python)  # also where the sources lie
    host = build(tmp_path / "host", [TALK], flags=("-std=legacy",), module=None, python=python)
    run_talk(host, **isa)
    (library,) = bridge_config("--libdir", folder=tmp_path, python=python)
    assert library.startswith(str(source / "build"))
    folder = Path(bridge_config("--pkgconfigdir", folder=tmp_path, python=python)[0])
    flags = pkg_config(folder, "--cflags", "--libs")
    program = tmp_path / "by-pkg-config"
    subprocess.run(
        [compiler("gfortran"), "-std=legacy", str(TALK), *flags, "-o", str(program)], check=True
    )
    run_talk(Host(program), **isa)
