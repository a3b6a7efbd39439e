"""Finding and building kernel packs, and every way in which that fails."""

from __future__ import annotations

import ast
import ctypes
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from standin import StandIn

import bridge
from bridge import caches
from bridge.backends.cuda import backend, cache, precompile
from bridge.backends.gpu import marshal
from bridge.backends.host import library
from bridge.cli import main
from bridge.plan import packbuild, packs, statusbits
from bridge.plan.catalogue import Catalogue, shipped_file

pytestmark = pytest.mark.usefixtures("one_isa")

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "sutherland_pack"


def evaluate() -> float:
    result = bridge.evaluate("N2 O2", 300.0, 1e5, [0.8, 0.2], ("mu_gas",), backend="cpu")
    return float(result["mu_gas"])


def here() -> str:
    """The instruction set that a run takes; what is not said of all is tried with it alone."""
    return library.choose().isa


def build(*folders: Path) -> list[Path]:
    return [done.path for done in packbuild.build(folders, isas=[here()])]


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    packs.forget()


# ---- building ---------------------------------------------------------------------------


def test_build_is_needed_once(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["packs", "build"]) == 0
    assert capsys.readouterr().out.count(" built ") == 3
    assert sorted(p.name.split("-")[1] for p in packs.cache_folder().iterdir()) == [
        "v2",
        "v3",
        "v4",
    ]
    assert evaluate() > 1e-5
    assert main(["packs", "build"]) == 0
    assert capsys.readouterr().out.count("is there already") == 3
    assert main(["packs", "build", "--force", "--isa", "here"]) == 0
    assert capsys.readouterr().out.count(" built ") == 1


def test_build_for_one_instruction_set(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["packs", "build", "--isa", "v3"]) == 0
    assert re.findall(r"^copied (v\d) built ", capsys.readouterr().out, re.M) == ["v3"]
    assert main(["packs", "list"]) == 0
    assert "v2 not built, v3 built, v4 not built" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["packs", "build", "--isa", "avx2"])
    assert "--isa: got 'avx2', wanted one of v2, v3, v4, here" in capsys.readouterr().err


def test_list(copied_library: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["packs", "list"]) == 0
    assert re.search(r"copied +built +double +idealGasDensity", capsys.readouterr().out)
    copied_library[1].write_bytes(b"")
    assert main(["packs", "list"]) == 0
    assert "v2 built, v3 damaged, v4 built" in capsys.readouterr().out
    for path in copied_library:
        path.unlink()
    assert main(["packs", "list"]) == 0
    assert re.search(
        r"copied +not built +double +idealGasDensity sutherl", capsys.readouterr().out
    )


def test_the_cache_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRIDGE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert packs.cache_folder() == tmp_path / "xdg" / "bridge" / "packs"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert packs.cache_folder() == tmp_path / ".cache" / "bridge" / "packs"
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "own"))
    assert packs.cache_folder() == tmp_path / "own" / "packs"


def test_packs_are_compiled_as_the_shipped_kernels_are() -> None:
    text = (ROOT / "bridge" / "kernels" / "meson.build").read_text()
    arguments = re.search(r"kernel_arguments = (\[.*?\])", text, re.S)
    assert arguments and set(ast.literal_eval(arguments[1])) <= set(packs.FLAGS)
    targets = re.findall(r"'(v\d)': \['(\d)', (\[.*?\])\]", text)
    assert {isa for isa, _, _ in targets} == set(packs.TARGETS)
    for isa, lanes, flags in targets:
        assert (*ast.literal_eval(flags), f"-DBRIDGE_LANES={lanes}") == packs.TARGETS[isa]


def test_a_library_exports_the_table_and_needs_neither_python_nor_mpi(built: Path) -> None:
    for path in (built / "packs").iterdir():
        contents = path.read_bytes()
        assert caches.unseal(contents)
        assert b"libpython" not in contents and b"libmpi" not in contents
        assert b"bridge_cpu_kernel_arguments" in contents
        assert b"bridge_cpu_run" not in contents  # the executor stays the shipped one


# ---- finding ----------------------------------------------------------------------------


@pytest.mark.parametrize("common", ["inline double half()", "double half()"])
@pytest.mark.parametrize("cores", [1, 3])
def test_kernels_of_a_pack_are_compiled_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, common: str, cores: int
) -> None:
    """The second one may be defined once: then all kernels are in one source."""
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "half.h").write_text(f"#pragma once\n{common} {{ return 0.5; }}\n")
    text = '[quantity.part_a]\nunit = "1"\n'
    for number in range(9):
        name, out = f"partKernel{number}", f"part_b{number}"
        text += f'[quantity.{out}]\nunit = "1"\n'
        text += f'[[kernel]]\nname = "{name}"\nheader = "{name}.h"\n'
        text += f'inputs = ["part_a"]\noutputs = ["{out}"]\n'
        (folder / f"{name}.h").write_text(
            '#pragma once\n#include "point.h"\n#include "half.h"\n'
            "namespace BRIDGE_NAMESPACE {\ntemplate <class Real>\n"
            f"BRIDGE_FN void {name}(const Shared&, const Real& a, Real& b) {{\n"
            f"    b = a + (half() + {number}.0);\n}}\n}}\n"
        )
    (folder / "catalogue.toml").write_text(text)
    monkeypatch.setattr(packbuild, "_cores", lambda: cores)
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    [library_] = build(folder)
    loaded = ctypes.CDLL(str(library_))
    loaded.bridge_cpu_kernel.restype = ctypes.c_void_p
    names = [f"partKernel{number}" for number in range(9)]
    assert len({loaded.bridge_cpu_kernel(name.encode()) for name in names} - {None}) == 9
    assert {loaded.bridge_cpu_kernel_arguments(name.encode()) for name in names} == {2}
    assert loaded.bridge_cpu_kernel(b"partKernel9") is None


def test_entry_point(tmp_path: Path, built: Path, command: Callable[..., Any]) -> None:
    """A pack in a Python distribution, which is found without being imported."""
    package = tmp_path / "site" / "sutherland_pack"
    shutil.copytree(EXAMPLE, package)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    info = tmp_path / "site" / "sutherland_pack-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sutherland-pack\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[bridge.packs]\nsutherland = sutherland_pack\n")
    path = {"PYTHONPATH": str(tmp_path / "site"), "BRIDGE_CACHE": str(built)}
    listed = command("list", **path)
    assert listed.returncode == 0, listed.stderr
    # the same sources: what was built of the example serves
    assert re.search(r"sutherland_pack +built .*sutherland = sutherland_pack", listed.stdout)
    # the same folder by both ways is one pack
    both = command("list", BRIDGE_PACKS=str(package), **path)
    assert both.stdout.count("idealGasDensity") == 1 and "BRIDGE_PACKS" in both.stdout
    (info / "entry_points.txt").write_text("[bridge.packs]\nsutherland = no_such_pack\n")
    wrong = command("list", **path)
    assert wrong.returncode == 1
    assert "sutherland = no_such_pack" in wrong.stderr


def test_a_folder_that_is_no_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_PACKS", f"{EXAMPLE}:{tmp_path / 'nothing'}")
    with pytest.raises(bridge.ArgumentError, match=r"BRIDGE_PACKS.*nothing/catalogue\.toml"):
        bridge.evaluate("N2", 300.0, 1e5, 1.0, ("rho",))


def test_no_packs(tmp_path: Path, command: Callable[..., Any]) -> None:
    done = command("build", BRIDGE_CACHE=str(tmp_path))
    assert done.returncode == 1 and "BRIDGE_PACKS" in done.stderr


# ---- what is not there, or no more ------------------------------------------------------


def test_not_built(copied: Path) -> None:
    wanted = rf"kernel pack copied is not built.*run 'bridge packs build --folder {copied}'"
    with pytest.raises(bridge.BridgeError, match=wanted):
        evaluate()
    # shipped quantities need no pack
    assert bridge.evaluate("N2", 300.0, 1e5, 1.0, ("rho",))["rho"] > 1.0


def test_initialize_fails_where_a_pack_is_not_built(copied: Path) -> None:
    frame = bridge.Frame()
    frame.set("backend", "cpu")
    with pytest.raises(bridge.BridgeError, match="kernel pack copied is not built"):
        frame.initialize(0, 10, 2, 7)
    assert not frame.initialized


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("sutherlandViscosity.h", "mu0 * t", "2.0 * mu0 * t"),
        ("catalogue.toml", "value = 110.4", "value = 111.0"),
    ],
)
def test_stale(copied: Path, copied_library: list[Path], file: str, old: str, new: str) -> None:
    change(copied / file, old, new)
    with pytest.raises(bridge.BridgeError, match="kernel pack copied or this package changed"):
        evaluate()
    build(copied)
    factor = 2.0 if old == "mu0 * t" else (273.15 + 111.0) / (300 + 111.0) * 410.4 / 383.55
    wanted = 1.716e-5 * (300 / 273.15) ** 1.5 * 383.55 / 410.4 * factor
    assert evaluate() == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("what", ["version", "headers"])
def test_another_package_is_stale(
    copied_library: list[Path], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    if what == "version":
        monkeypatch.setattr("bridge.plan.packs.VERSION", "99.0")
    else:
        monkeypatch.setattr(packs, "shipped_digest", lambda: "other headers")
    with pytest.raises(bridge.BridgeError, match="or this package changed"):
        evaluate()


def test_a_process_that_builds_sees_what_it_built(copied: Path) -> None:
    """Not what it read before, under the name of which the new library would then stand."""
    with pytest.raises(bridge.BridgeError, match="not built"):
        evaluate()
    header = copied / "sutherlandViscosity.h"
    header.write_text(header.read_text().replace("mu_gas = mu0", "mu_gas = 2.0 * mu0"))
    assert main(["packs", "build", "--isa", here()]) == 0
    assert packs.Pack.read(copied, "test").state(here()) == "built"
    wanted = 2.0 * 1.716e-5 * (300 / 273.15) ** 1.5 * (273.15 + 110.4) / (300 + 110.4)
    assert evaluate() == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("cut", "is cut or altered: no seal"), ("flipped", "is altered: the digest"),
        ("empty", "is empty"), ("zeros", "is cut or altered: no seal"),
        ("a piece gone", "has [0-9]+ bytes where [0-9]+ were written"),
        ("a folder", "cannot be read: Is a directory"),
    ],
)  # fmt: skip
def test_damaged(
    copied_library: list[Path], damage: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in copied_library:
        contents = bytearray(path.read_bytes())
        contents[len(contents) // 2] ^= 1
        spoilt = {
            "cut": contents[: len(contents) // 2], "flipped": contents, "empty": b"",
            "zeros": bytes(len(contents)), "a piece gone": contents[:100] + contents[200:],
        }  # fmt: skip
        path.unlink()
        if damage == "a folder":
            path.mkdir()
        else:
            path.write_bytes(bytes(spoilt[damage]))
    wanted = (
        rf"copied has a damaged library, .*copied-v\d-.*, which {told}.*run 'bridge packs build"
    )
    with pytest.raises(bridge.BridgeError, match=wanted):
        evaluate()
    if damage == "a folder":
        return
    assert main(["packs", "build", "--isa", here()]) == 0
    told = capsys.readouterr().out
    assert told.count("copied v") == told.count("built again, the library was damaged:") == 1
    assert evaluate() > 1e-5


def test_a_write_that_was_cut_short_is_not_seen(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(bridge.BridgeError, match="No space left"):
            build(copied)
    assert list(packs.cache_folder().iterdir()) == []
    with pytest.raises(bridge.BridgeError, match="not built"):
        evaluate()


def test_a_library_that_does_not_load(copied_library: list[Path]) -> None:
    for path in copied_library:
        path.write_bytes(caches.seal(b"no library"))
    with pytest.raises(bridge.BridgeError, match="copied cannot be loaded.*machine like this one"):
        evaluate()


# ---- contradictions ---------------------------------------------------------------------


def test_duplicate_kernel_of_two_packs(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    shutil.copytree(copied, other)
    monkeypatch.setenv("BRIDGE_PACKS", f"{copied}:{other}")
    both = rf"rho_gas declared twice.*{copied}/catalogue\.toml.*{other}/catalogue\.toml"
    with pytest.raises(bridge.ArgumentError, match=both):
        evaluate()
    for name in ("rho_gas", "mu_gas", "sutherland_mu0", "sutherland_T0", "sutherland_S"):
        change(other / "catalogue.toml", name, f"other_{name}")
    both = rf"kernel: got idealGasDensity declared twice.*{copied}/cat.*{other}/catalogue\.toml"
    with pytest.raises(bridge.ArgumentError, match=both):
        list(packbuild.build())


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("[quantity.rho_gas]", "[quantity.rho]", r"quantity.*rho declared twice.*kernels/cat"),
        ('"idealGasDensity"', '"prEOSDensity"', r"prEOSDensity declared twice.*kernels/cat"),
        ('"sutherlandGas"', '"EOSthermalProperties"', "not eosThermalProperties of .* in other"),
        ('"sutherlandGas"', '"idealGasDensity"', "idealGasDensity, also a composite"),
        ('"idealGasDensity.h"', '"gone.h"', r"header.*copied/gone\.h, which .* is missing"),
        ('inputs = ["T", "P", "W"]', 'inputs = ["T", "P", "w"]', "quantity.*w in idealGas"),
        ('outputs = ["rho_gas"]', 'outputs = ["sutherland_S"]', "constants among inputs"),
        ('["T", "P", "Y"]', '["T", "P", "Y", "sutherland_S"]', "constants among inputs"),
        ("value = 110.4", 'value = "air"', r"'air' in \[constant\.sutherland_S\]"),
        ("value = 110.4", "values = 110.4", r"'values' in \[constant\.sutherland_S\]"),
        ('header = "idealGasDensity.h"\n', "", r"'header' missing in \[\[kernel\]\] idealGas"),
        ("[[composite]]", "[[composites]]", "'composites' in"),
        ('"idealGasDensity"', '"ideal-gas"', "'ideal-gas' in.*letters, digits"),
        ("[quantity.rho_gas]", '[quantity.rho_gas]\ntype="int64"', "'int64' of rho_gas.*int32"),
    ],
)  # fmt: skip
def test_contradictions(copied: Path, old: str, new: str, complaint: str) -> None:
    change(copied / "catalogue.toml", old, new)
    with pytest.raises(bridge.ArgumentError, match=complaint):
        evaluate()
    with pytest.raises(bridge.ArgumentError, match=complaint):
        build(copied)


STATUS_PACK = """[[kernel]]
name = "ownStatus"
header = "own.h"
inputs = ["T", "status"]
outputs = ["status"]
"""
STATUS_HEADER = """#pragma once
#include "eos/status.h"
namespace BRIDGE_NAMESPACE {
constexpr int MINE = 1 << 17;
template <class Real>
BRIDGE_FN void ownStatus(const Shared&, const Real& T, const Bits<Real>& status,
                         Bits<Real>& status_out) {
    const Bits<Real> count = flag<Real>(T > 1e9, 1) + flag<Real>(T > 2e9, 1);
    STATEMENTS
}
}
"""


def status_pack(folder: Path, statements: str) -> Path:
    (folder / "catalogue.toml").write_text(STATUS_PACK)
    (folder / "own.h").write_text(STATUS_HEADER.replace("STATEMENTS", statements))
    return folder


@pytest.mark.parametrize(
    ("statements", "bits"),
    [
        ("status_out = status | flag<Real>(T > 1e9, 1 << 15);", r"bit 15 \(TWO_PHASE\)"),
        ("status_out = status | select(T > 1e9, Bits<Real>(MINE), Bits<Real>(8));",
         r"bits 3 \(Y_CLIPPED\), 17"),
        ("status_out = status; if (any(T < 1e9)) status_out |= 1 << 18;", r"bit 18 \(BAD_RHO\)"),
        ("status_out = status + flag<Real>(T > 1e9, BAD_T | MINE | 1 << 31);",
         r"bits 0 \(BAD_T\), 17 \(DIFF_RANGE\), 31 of"),
        ("status_out = select(T > 1e9, status | Bits<Real>(NO_CONV), status);", r"bit 11 \(NO"),
    ],
)  # fmt: skip
def test_bits_of_the_package_are_refused(tmp_path: Path, statements: str, bits: str) -> None:
    """Wherever a point has them: none of those that are tried is so hot."""
    complaint = f"status: got {bits}.*ownStatus of .*wanted bits 19 to 30"
    with pytest.raises(bridge.ArgumentError, match=complaint):
        build(status_pack(tmp_path, statements))


@pytest.mark.parametrize(
    ("statements", "bits"),
    [
        ("status_out = (status | flag<Real>(T > 1e9, 1 << 19 | 1 << 30)) & ~BAD_T;", {19, 30}),
        ("status_out = select(has_any<Real>(status, BAD_P), status | 1 << 20, status);", {20}),
        ("const Bits<Real> k = max(count, Bits<Real>(T)) - 2 * count;\n"
         "status_out = select(abs(k) % 3 != count, status | flag<Real>(Real(k) > T, 1 << 21), 0);",
         {21}),
    ],
)  # fmt: skip
def test_bits_of_packs_are_theirs(tmp_path: Path, statements: str, bits: set[int]) -> None:
    folder = status_pack(tmp_path, statements)
    assert len(build(folder)) == 1
    own = Catalogue.load([shipped_file(), folder / "catalogue.toml"])
    found = statusbits.may_set(own.kernel("ownStatus"), own, packbuild.compiler())
    assert {bit for bit in range(32) if found >> bit & 1} == bits


def test_a_pack_stands_alone(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its library is made of its own sources: another pack's quantity cannot be an input."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "double.h").write_text("")
    (other / "catalogue.toml").write_text(
        '[quantity.twice]\nunit = "1"\n[[kernel]]\nname = "twice_mu"\nheader = "double.h"\n'
        'inputs = ["mu_gas"]\noutputs = ["twice"]\n'
    )
    monkeypatch.setenv("BRIDGE_PACKS", f"{copied}:{other}")
    with pytest.raises(bridge.ArgumentError, match="mu_gas in twice_mu"):
        list(packbuild.build(isas=[here()]))


def test_a_pack_of_composites_needs_no_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    (folder / "catalogue.toml").write_text(
        '[[composite]]\nname = "justRho"\ninputs = ["T", "P", "Y"]\noutputs = ["rho", "status"]\n'
    )
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    assert build() == []
    assert "justRho" in Catalogue.installed().composites


# ---- the compiler -----------------------------------------------------------------------


def test_no_compiler(copied: Path, tmp_path: Path, command: Any) -> None:
    (tmp_path / "empty").mkdir()
    python = os.path.dirname(sys.executable)
    assert not shutil.which("c++", path=python)
    done = command("build", "--folder", copied, PATH=str(tmp_path / "empty"))
    assert done.returncode == 1
    assert "the PATH has no C++ compiler" in done.stderr and "install g++" in done.stderr
    done = command("build", "--folder", copied, "--cxx", "no-such-g++")
    assert done.returncode == 1
    assert "--cxx" in done.stderr and "'no-such-g++'" in done.stderr
    done = command("build", "--folder", copied, CXX="icpc-gone -x")
    assert done.returncode == 1 and "CXX: got 'icpc-gone -x'" in done.stderr


@pytest.mark.parametrize("name", ["shared", "block", "point"])
def test_a_kernel_with_the_name_of_a_variable(copied: Path, name: str) -> None:
    change(copied / "sutherlandViscosity.h", "sutherlandViscosity", name)
    change(copied / "catalogue.toml", "sutherlandViscosity", name)
    (copied / "sutherlandViscosity.h").rename(copied / f"{name}.h")
    assert build(copied)


def test_fast_math_is_refused(copied: Path) -> None:
    with pytest.raises(bridge.ArgumentError, match="without -ffast-math"):
        list(packbuild.build([copied], cxx="g++ -ffast-math"))


def test_a_template_that_takes_a_product_for_its_type(
    copied: Path, tmp_path: Path, command: Any
) -> None:
    header, cache = copied / "sutherlandViscosity.h", {"BRIDGE_CACHE": str(tmp_path / "cache")}
    helper = "template <class Real> BRIDGE_FN Real more(const Real& x) { return x + 1.0; }\n"
    change(header, "template <class Real>\n", f"{helper}template <class Real>\n")
    change(header, "mu0 * t * sqrt(t)", "more(mu0 * t) * sqrt(t)")
    done = command("build", "--folder", copied, "--isa", "here", **cache)
    assert done.returncode == 1 and "helper<Real>(a * b)" in done.stderr
    change(header, "more(mu0", "more<Real>(mu0")
    assert command("build", "--folder", copied, "--isa", "here", **cache).returncode == 0


def test_what_the_compiler_says_is_shown(copied: Path, tmp_path: Path, command: Any) -> None:
    change(copied / "sutherlandViscosity.h", "sqrt(t)", "square_root(t)")
    done = command("build", "--folder", copied, BRIDGE_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 1
    assert "kernel pack copied does not compile" in done.stderr
    assert re.search(r"sutherlandViscosity\.h:\d+:\d+: error: .*square_root", done.stderr)
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "cache" / "packs").exists()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("sqrt(t)", "square_root(t)", "mu_gas = mu0"),
        ("const Real t = T / T0;", "const Real t = T / T0", "mu_gas = mu0"),
        # what is wrong is the call, which nobody wrote: told of the function
        ("const Real& S, Real&", "const Real& S, const Bits<Real>& n, Real&", "BRIDGE_FN void"),
    ],
)
def test_errors_are_those_of_the_header(copied: Path, old: str, new: str, line: str) -> None:
    header = copied / "sutherlandViscosity.h"
    change(header, old, new)
    texts = header.read_text().splitlines()
    number = next(n for n, text in enumerate(texts, 1) if line in text)
    with pytest.raises(bridge.BridgeError) as raised:
        build(copied)
    errors = [text for text in str(raised.value).splitlines() if ": error: " in text]
    assert errors and errors[0].startswith(f"{header}:{number}:"), raised.value
    assert "launchers.cpp" not in str(raised.value)


def test_a_function_that_is_nowhere_is_found_while_building(copied: Path) -> None:
    header = copied / "sutherlandViscosity.h"
    change(
        header,
        "namespace BRIDGE_NAMESPACE {\n",
        'extern "C" int nowhere();\n\nnamespace BRIDGE_NAMESPACE {\n',
    )
    change(header, "mu_gas = mu0", "mu_gas = double(nowhere()) * mu0")
    with pytest.raises(bridge.BridgeError, match="undefined reference to `nowhere'"):
        build(copied)


def test_warnings_are_shown(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the pack, and none of the package's own headers."""
    change(copied / "sutherlandViscosity.h", "const Real t =", "int idle;\n    const Real t =")
    given = ["--cxx", "g++ -Wconversion -Wold-style-cast -Wshadow"]
    assert main(["packs", "build", "--isa", here(), *given]) == 0
    told = capsys.readouterr().err
    assert "unused variable" in told
    files = set(re.findall(r"^([^\s:]+):\d+:\d+: warning", told, re.M))
    assert {Path(file).parent for file in files} == {copied}, files


@pytest.mark.parametrize(("name", "where"), [("more.h", ".."), ("more.def", ".")])
def test_includes_that_would_change_unseen(copied: Path, name: str, where: str) -> None:
    (copied / where / name).write_text("")
    change(
        copied / "idealGasDensity.h",
        '#include "point.h"',
        f'#include "point.h"\n#include "{where}/{name}"',
    )
    with pytest.raises(bridge.ArgumentError, match=f"kernel pack copied: it includes .*{name}"):
        build(copied)


def test_a_header_of_the_package_and_one_of_the_pack_may_be_included(copied: Path) -> None:
    (copied / "inner").mkdir()
    (copied / "inner" / "twice.inc").write_text("const double twice = 2.0;\n")
    change(
        copied / "idealGasDensity.h",
        '#include "point.h"',
        '#include "eos/status.h"\n#include "inner/twice.inc"',
    )
    build(copied)
    first = evaluate()
    change(copied / "inner" / "twice.inc", "2.0", "3.0")
    state = packs.Pack.read(copied, "test").state(here())
    assert first > 1e-5 and state == "stale"


def test_launches_that_read_constants_are_built_beforehand(
    heat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`bridge kernels build` compiles the very text that a launch on views takes."""
    device: Any = StandIn()
    built: list[Any] = []
    launched = []

    def compiled(text: str, *arguments: Any, **named: Any) -> Any:
        launched.append(text)
        return device.compile(text, *arguments, **named)

    monkeypatch.setattr(precompile, "_compile", built.extend)
    assert precompile.build(["sm_90"], [1]) == len(built)
    monkeypatch.setattr(cache, "compiled", compiled)
    monkeypatch.setattr(backend, "Api", lambda: device)
    frame = bridge.Frame()
    frame.set("species", "N2")
    frame.set("backend", "cuda")
    frame.initialize(0, 4, 1, 0)
    tv = frame.tvproperties
    tv.constant("heat_dt", 0.1)
    tv.table("heat_cp", np.array([[300.0, 1e6], [900.0, 2e6]]))
    for name in ("heat_T", "heat_source"):
        tv.populate_input_stripe(name, np.full((4, 1, 1), 400.0, order="F"))
    tv.composite("advanceSolid", 4)
    frame.finalize()
    (text,) = (one for one in launched if one != marshal.SOURCE)
    assert text in [source.text for source, *_ in built]
