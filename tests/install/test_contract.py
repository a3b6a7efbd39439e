"""bridge.h is declared once; everything that repeats it is held to it here."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest
from hosts import bridge_config

ENTRY = Path(__file__).parents[2] / "bridge" / "entry"


def script(name: str) -> ModuleType:
    """A module of the entry's folder that is run as a script, from the source tree."""
    specification = importlib.util.spec_from_file_location(name, ENTRY / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


build_entry = script("build_entry")
fortran_forms = script("fortran_forms")
CONTRACT = build_entry.prototypes((ENTRY / "bridge.h").read_text())
INTERNAL = build_entry.prototypes((ENTRY / "internal.h").read_text())
TWINS = ("bridge_interfaces.f90", "bridge_absent.f90")


def statements(file: str) -> str:
    """A Fortran text without the breaks of continued lines."""
    return re.sub(r" &\n\s*", " ", (ENTRY / file).read_text())


MODULE = statements("bridge.f90")


def test_the_header_is_read_whole() -> None:
    """Every name that ends in an underscore before a parenthesis is a prototype."""
    text = re.sub(r"/\*.*?\*/", "", (ENTRY / "bridge.h").read_text(), flags=re.S)
    assert [entry.name for entry in CONTRACT] == re.findall(r"(\w+_)\(", text)
    assert len(CONTRACT) > 25
    stripe = next(e for e in CONTRACT if e.name == "frame_castles_populateinputstripe_")
    assert [a.name for a in stripe.arguments][:3] == ["name", "data", "nx"]
    assert [a.type for a in stripe.arguments][:3] == ["const char*", "double*", "int"]


def test_the_library_exports_the_entries_and_nothing_else(tmp_path: Path) -> None:
    (folder,) = bridge_config("--libdir", folder=tmp_path)
    command = ["nm", "-D", "--defined-only", f"{folder}/libbridge.so"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names = {entry.name for entry in CONTRACT}
    wanted = names | {name + "_" for name in names} | {entry.name for entry in INTERNAL}
    assert {line.split()[2] for line in lines} == wanted


def linked(file: Path) -> list[str]:
    command = ["readelf", "-d", str(file)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.findall(r"NEEDED.*\[(.*?)\]", text)


def symbols(file: Path, kind: str) -> set[str]:
    command = ["nm", "-D", f"--{kind}-only", str(file)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in text.splitlines()}


def test_the_library_links_no_python_and_no_mpi(tmp_path: Path) -> None:
    (folder,) = bridge_config("--libdir", folder=tmp_path)
    for name in ("libbridge.so", "_bridge_entry.abi3.so"):
        needed = linked(Path(folder) / name)
        assert {word.split(".")[0] for word in needed} <= {"libc", "libm", "ld-linux-x86-64"}
    assert not {s for s in symbols(Path(folder) / "libbridge.so", "undefined") if "Py" in s}


def test_the_part_that_calls_python_serves_every_version(tmp_path: Path) -> None:
    """It asks for no function outside the limited API of 3.11, as CPython's headers have it."""
    include = sysconfig.get_path("include")
    if not (Path(include) / "Python.h").exists():
        pytest.skip("no headers of Python")
    words = ["gcc", "-E", "-P", "-DPy_LIMITED_API=0x030B0000", f"-I{include}", "-"]
    done = subprocess.run(
        words, input="#include <Python.h>\n", capture_output=True, text=True, check=True
    )
    limited = set(re.findall(r"\b_?Py\w+", done.stdout))
    (folder,) = bridge_config("--libdir", folder=tmp_path)
    part = Path(folder) / "_bridge_entry.abi3.so"
    wanted = {name for name in symbols(part, "undefined") if re.match("_?Py", name)}
    assert len(wanted) > 20 and wanted <= limited
    assert symbols(part, "defined") == {"PyInit__bridge_entry", "bridge_entry_connect"}


@pytest.mark.parametrize("entry", CONTRACT, ids=lambda entry: entry.name)
def test_the_module_has_the_entry(entry: object) -> None:
    name = entry.name.removesuffix("_")  # type: ignore[attr-defined]
    # initialize takes comm as a keyword, bind arrays of any type
    public = name.removesuffix("_comm").removesuffix("_typed").removesuffix("_box")
    public = "frame_reduce" if public == "frame_reduce_blocks" else public
    text = MODULE[MODULE.index("\nmodule bridge\n") :]
    assert re.search(rf"^  public :: {public}$", text, flags=re.M)
    assert f'name="{name}_"' in statements("bridge_interfaces.f90")


@pytest.mark.parametrize("file", TWINS)
@pytest.mark.parametrize("entry", CONTRACT, ids=lambda entry: entry.name)
def test_the_module_passes_every_argument(entry: object, file: str) -> None:
    """The names of the prototype, to the entry and to its stand-in."""
    name = fortran_forms.c_name(entry)
    wanted = [argument.name for argument in entry.arguments]  # type: ignore[attr-defined]
    text = statements(file)
    alike = re.search(rf"procedure\((\w+)\), .* :: {name}$|\b{name} => (\w+)$", text, re.M)
    name = (alike[1] or alike[2]) if alike else name
    opening = re.search(rf"^ +(?:subroutine|integer.* function) {name}\(([^)]*)\)", text, re.M)
    assert opening is not None
    assert re.findall(r"\w+", opening[1]) == wanted


@pytest.mark.parametrize("file", TWINS)
def test_the_module_has_the_status_codes(file: str) -> None:
    codes = dict(re.findall(r"#define BRIDGE_(\w+) (-?\d+)", (ENTRY / "bridge.h").read_text()))
    found = re.findall(r"^      bridge_(\w+) = (-?\d+)", (ENTRY / file).read_text(), re.M)
    assert {k.upper(): v for k, v in found} == codes
    assert len(codes) == 10
    for code in codes:
        assert re.search(rf"^  public ::.*\bbridge_{code.lower()}\b", MODULE, re.M)


def test_a_composite_of_the_header_needs_no_fortran_by_hand() -> None:
    header = (ENTRY / "bridge.h").read_text()
    name = "frame_tvproperties_eosnew"
    header = header.replace("/* Any kernel by its name", f"void {name}_(int nActivePoints);\n/*")
    entries = build_entry.prototypes(header)
    module = fortran_forms.module(header)
    assert f"  public :: {name}\n" in module
    assert f"  subroutine {name}(nactivepoints, ierr)\n" in module
    assert "    call c_eosnew(narrow(nactivepoints))\n" in module
    assert f'bind(c, name="{name}_") :: c_eosnew\n' in re.sub(
        r" &\n\s*", " ", fortran_forms.interfaces(header, entries)
    )
    assert "c_eosnew => c_preosthermalproperties\n" in fortran_forms.absent(header, entries)


def test_the_page_says_which_reals_go_by_value() -> None:
    """A Fortran 77 program is written from the header and its page: %VAL or not."""
    by_value = {(e.name, a.name) for e in CONTRACT for a in e.arguments if a.type == "double"}
    binds = ("frame_bind_", "frame_bind_typed_", "frame_bind_blocks_", "frame_bind_blocks_typed_")
    compared = {(f"frame_compare_begin_{some}", "share") for some in ("", "sets_")}
    assert by_value == {*compared, *((name, "scale") for name in binds)}
    page = (ENTRY.parents[1] / "docs" / "entry-points.md").read_text()
    for text in ((ENTRY / "bridge.h").read_text().replace("\n * ", " "), page):
        text = " ".join(text.replace("`", "").split())
        assert "passed by value (%VAL from Fortran 77), and so are single reals" in text
        assert "the double scale of the entries that bind, and share. An array" in text
        assert "double passed by address" not in text
    for file in (*TWINS, "bridge_f77.inc"):
        assert "real(c_double), value :: scale" in (ENTRY / file).read_text()


@pytest.mark.parametrize("file", [*TWINS, "bridge.f90", "bridge_f77.inc"])
def test_derived_files_are_current(file: str) -> None:
    """After a change of bridge.h or fortran_forms.py: python bridge/entry/fortran_forms.py"""
    assert (ENTRY / file).read_text() == fortran_forms.derived()[file]


def test_every_body_has_its_python() -> None:
    """A prototype without a body would only be found when it is called."""
    source = "".join(file.read_text() for file in ENTRY.glob("*bodies.py"))
    bodies = set(re.findall(r"^@entry\ndef (\w+)\(", source, flags=re.M))
    declared = build_entry.bodies(CONTRACT + INTERNAL)
    assert bodies == {re.match(r"int python_(\w+)\(", line)[1] for line in declared}  # type: ignore[index]
