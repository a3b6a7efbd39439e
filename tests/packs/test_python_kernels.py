"""Kernels written in Python: the built kernel against the Python function, what is refused, and
the text that is written."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packs import closures, constructs
from packsbuilt import ISA, build_here
from sharing import Once

import bridge
from bridge.cli import main
from bridge.pythonkernels import pack
from bridge.pythonkernels.declaration import Kernel
from bridge.pythonkernels.refusal import Refused

FILES = [Path(str(one.__file__)) for one in (closures, constructs)]
FILE = FILES[0]
KERNELS = {name: one for name, one in vars(closures).items() if isinstance(one, Kernel)}
CONSTRUCTS = {name: one for name, one in vars(constructs).items() if isinstance(one, Kernel)}


@pytest.fixture(scope="session")
def python_pack(once: Once) -> Path:
    """The packs of both files, written, and built for this machine."""

    def make(place: Path) -> None:
        folders = [pack.write(Path(shutil.copy(file, place))).folder for file in FILES]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            build_here(*folders, isas=[ISA])

    return once("python_kernels", make)


@pytest.fixture(scope="session")
def single_pack(once: Once) -> Path:
    """The pack of closures.py, kept by hand for its line that asks for single precision."""

    def make(place: Path) -> None:
        folder = pack.write(Path(shutil.copy(FILE, place))).folder
        catalogue = folder / "catalogue.toml"
        catalogue.write_text(f'precision = "original"\n{catalogue.read_text()}')
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            build_here(folder, isas=[ISA])

    return once("single_python_kernels", make)


@pytest.fixture
def found(python_pack: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folders = [str(python_pack / f"{file.stem}_pack") for file in FILES]
    monkeypatch.setenv("BRIDGE_PACKS", ":".join(folders))
    monkeypatch.setenv("BRIDGE_CACHE", str(python_pack / "cache"))
    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
    bridge.evaluation.function.forget()
    yield
    bridge.evaluation.function.forget()


#: Random numbers between these, for each quantity; the others between -1 and 1.
RANGES = {
    "T": (250.0, 2000.0),
    "rho": (0.1, 10.0),
    "sst_k": (0.0, 10.0),
    "sst_omega": (-1e-9, 100.0),
    "les_delta": (1e-3, 1.0),
    "arr_c": (0.0, 5.0),
    "mix_Y": (0.01, 1.0),
    "mix_W": (0.002, 0.05),
    "sponge_x": (0.0, 1.5),
    "law_u": (1.0, 30.0),
    "law_y": (1e-4, 1e-2),
    "law_nu": (1e-6, 1e-4),
}


def states(kernel: Kernel, n: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    found = {}
    for name in kernel.inputs:
        columns = kernel.columns.get(name)
        shape = (n, int(columns)) if columns else (n,)
        found[name] = random.uniform(*RANGES.get(name, (-1.0, 1.0)), size=shape)
    return found


@pytest.mark.usefixtures("backend")
class TestBuilt:
    @pytest.mark.parametrize("name", KERNELS)
    def test_it_gives_what_python_gives(self, name: str, found: None) -> None:
        kernel = KERNELS[name]
        given = states(kernel, 533)
        # T has an argument of its own
        own = {key: array for key, array in given.items() if key != "T"}
        got = bridge.evaluate(T=given.get("T"), outputs=kernel.outputs, inputs=own, composite=name)
        wanted = kernel(*given.values())
        for output, want in zip(
            kernel.outputs, wanted if len(kernel.outputs) > 1 else (wanted,), strict=True
        ):
            assert np.ptp(want) > 0.0
            np.testing.assert_allclose(got[output], want, rtol=1e-12, atol=1e-300 + 1e-13)

    @pytest.mark.parametrize(
        "name", [n for n in CONSTRUCTS if n not in ("moles", "fluxes", "ranged")]
    )
    def test_constructs(self, name: str, found: None) -> None:
        kernel = CONSTRUCTS[name]
        given = states(kernel, 700)
        got = bridge.evaluate(outputs=kernel.outputs, inputs=given, composite=name)
        wanted = kernel(*given.values())
        for output, want in zip(
            kernel.outputs, wanted if len(kernel.outputs) > 1 else (wanted,), strict=True
        ):
            assert np.ptp(want) > 0.0
            np.testing.assert_allclose(got[output], want, rtol=1e-11, atol=1e-13)

    def test_species(self, found: None) -> None:
        kernel = CONSTRUCTS["moles"]
        random = np.random.default_rng(2)
        Y, T = random.uniform(0.1, 1.0, (90, 3)), random.uniform(1.0, 2.0, 90)
        Y /= Y.sum(1, keepdims=True)
        got = bridge.evaluate("N2 O2 CO2", 300.0, 1e5, Y, kernel.outputs, inputs={"c_T": T})
        for output, want in zip(kernel.outputs, kernel(Y, T, c_mass=0.028), strict=True):
            np.testing.assert_allclose(got[output], want, rtol=1e-12)

    def test_several_values_of_each_species_and_others(self, found: None) -> None:
        kernel = CONSTRUCTS["fluxes"]
        random = np.random.default_rng(3)
        for species in ("N2", "N2 O2 CO2 H2O"):
            ns = len(species.split())
            given = {
                "c_state": random.uniform(0.1, 1.0, (90, ns + 4)),
                "c_props": random.uniform(0.1, 1.0, (90, 3 * ns + 6)),
            }
            got = bridge.evaluate(species, outputs="c_fluxes", inputs=given, composite="fluxes")
            np.testing.assert_allclose(got["c_fluxes"], kernel(*given.values()), rtol=1e-12)
        given["c_props"] = given["c_props"][:, :-1]
        with pytest.raises(bridge.ArgumentError, match=r"c_props.*\(90, 17\).*18"):
            bridge.evaluate(species, outputs="c_fluxes", inputs=given, composite="fluxes")

    def test_constants_of_columns_and_of_the_host(self, found: None) -> None:
        kernel = CONSTRUCTS["ranged"]
        x = np.linspace(-1.0, 1.0, 101)
        own = {"c_x": x, "c_weight": 3.0}
        for constants in ({}, {"c_range": [-0.5, 0.125]}):
            got = bridge.evaluate(outputs="c_ranged", inputs={**own, **constants})
            want = kernel(x, c_weight=3.0, **constants)
            np.testing.assert_allclose(got["c_ranged"], want, rtol=1e-14)
        with pytest.raises(bridge.ArgumentError, match="c_weight"):
            bridge.evaluate(outputs="c_ranged", inputs={"c_x": x})

    def test_the_host_gives_constants(self, found: None) -> None:
        kernel = KERNELS["sponge"]
        given = states(kernel, 64)
        for constants in ({"sponge_start": 0.5}, {"sponge_on": False}):
            got = bridge.evaluate(
                outputs="sponge_force", inputs={**given, **constants}, composite="sponge"
            )
            want = kernel(*given.values(), **constants)
            np.testing.assert_allclose(got["sponge_force"], want, rtol=1e-13)

    @pytest.mark.parametrize("name", KERNELS)
    def test_arrays_of_float32(self, name: str, found: None) -> None:
        """Kernels compute in double precision; what they store is rounded once."""
        for got, want in of_float32(KERNELS[name]):
            half = 0.5 * np.spacing(np.abs(want).astype(np.float32)).astype(float)
            assert (np.abs(got - want) <= 1.0001 * half).all()

    @pytest.mark.parametrize("name", KERNELS)
    def test_single_precision(
        self, name: str, single_pack: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of a catalogue that asks for it: each operation is rounded, not the result alone."""
        monkeypatch.setenv("BRIDGE_PACKS", str(single_pack / "closures_pack"))
        monkeypatch.setenv("BRIDGE_CACHE", str(single_pack / "cache"))
        monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
        outputs = of_float32(KERNELS[name])
        for got, want in outputs:
            assert np.abs(got - want).max() <= 1e-6 * np.abs(want).max()
        assert any((got != want.astype(np.float32)).any() for got, want in outputs)


def of_float32(kernel: Kernel) -> list[tuple[np.ndarray, np.ndarray]]:
    """Each output of a kernel on bound arrays of float32, and what Python gives in double
    precision for the same values."""
    given = {name: array.astype(np.float32) for name, array in states(kernel, 533).items()}
    results = kernel(*given.values())
    wanted = results if len(kernel.outputs) > 1 else (results,)
    frame = bridge.Frame()
    frame.set("threads", 1)
    frame.initialize(0, 128, 0, 0)
    tv = frame.tvproperties
    for name, array in given.items():
        tv.bind_array("cells", name, "in", np.asfortranarray(array[:, None, None]))
    made = []
    for name, want in zip(kernel.outputs, wanted, strict=True):
        shape = (len(want), 1, 1, *want.shape[1:])
        made.append(np.zeros(shape, np.float32, order="F"))
        tv.bind_array("cells", name, "out", made[-1])
    tv.run("cells", kernel.name)
    frame.finalize()
    made = [array[:, 0, 0] for array in made]
    assert all(np.ptp(got) > 0.0 for got in made)
    return list(zip(made, wanted, strict=True))


def test_numbers_and_arrays_that_broadcast() -> None:
    kernel = closures.eddyViscosity
    assert kernel(2.0, 4.0, 3.0) == 1.5
    got = kernel(np.array([[1.0], [2.0]]), np.array([1.0, 2.0, 4.0]), 2.0)
    np.testing.assert_array_equal(got, [[2.0, 1.0, 0.5], [4.0, 2.0, 1.0]])
    fraction, moles = closures.mixtureFraction(np.full((3, 5), 0.2), np.full(5, 0.02))
    assert fraction.shape == (3,) and moles.shape == (3, 5)
    np.testing.assert_allclose(moles, 0.2)
    assert kernel.name == "eddyViscosity" and "Eddy viscosity" in str(kernel.__doc__)


# ---- Text ---------------------------------------------------------------------------------


def written(folder: Path, text: str) -> Path:
    """The folder of a pack of this text."""
    file = folder / "own.py"
    head = "import math\nimport numpy as np\nimport bridge\n"
    file.write_text(head + textwrap.dedent(text))
    return pack.write(file).folder


LIMITED = """
    LEAST = 1e-10

    @bridge.kernel(inputs="t_k t_omega rho", outputs="t_mut", units={"t_mut": "Pa s"})
    def eddyViscosity(k, omega, rho):
        '''Eddy viscosity of the k-omega model.

        k: turbulent kinetic energy
        '''
        return rho * k / max(omega, LEAST)
"""
HEADER = """\
// eddyViscosity: Eddy viscosity of the k-omega model
//
// In  t_k as k: turbulent kinetic energy
//     t_omega as omega: omega of eddyViscosity
//     rho kg/m3: density
// Out t_mut Pa s: Eddy viscosity of the k-omega model
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void eddyViscosity(const Shared&, const Real& k, const Real& omega, const Real& rho,
                             Real& t_mut) {
    constexpr double LEAST = 1e-10;
    t_mut = rho * k / max(omega, LEAST);
}

}  // namespace BRIDGE_NAMESPACE
"""


def test_the_text_of_a_header(tmp_path: Path) -> None:
    folder = written(tmp_path, LIMITED)
    first, _, rest = (folder / "eddyViscosity.h").read_text().partition("\n")
    assert first.startswith("// Written by bridge packs from own.py, ")
    assert rest == HEADER
    catalogue = (folder / "catalogue.toml").read_text()
    assert '[quantity.t_mut]\nunit = "Pa s"\n' in catalogue
    assert "quantity.rho" not in catalogue
    assert 'inputs = ["t_k", "t_omega", "rho"]\noutputs = ["t_mut"]\n' in catalogue


def test_the_same_text_again(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shutil.copy(FILE, tmp_path / name / "closures.py")
        folder = pack.write(tmp_path / name / "closures.py").folder
        texts.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert texts[0] == texts[1] and len(texts[0]) == len(KERNELS) + 1


def test_what_was_edited_by_hand_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path, LIMITED)
    header = folder / "eddyViscosity.h"
    header.write_text(header.read_text().replace("max(", "fmax("))
    with pytest.raises(bridge.ArgumentError, match="edited by hand"):
        pack.write(tmp_path / "own.py")
    assert "fmax(" in header.read_text()
    assert main(["packs", "write", "--force", str(tmp_path / "own.py")]) == 0
    assert "eddyViscosity.h" in capsys.readouterr().out
    assert "fmax(" not in header.read_text()


def test_a_kernel_that_is_no_more_is_taken_away(tmp_path: Path) -> None:
    folder = written(tmp_path, LIMITED)
    written(tmp_path, LIMITED.replace("def eddyViscosity", "def other"))
    assert sorted(path.name for path in folder.iterdir()) == ["catalogue.toml", "other.h"]


def body(folder: Path, text: str) -> str:
    """The statements of a kernel f."""
    header = (written(folder, text) / "f.h").read_text()
    return header.rpartition(" {\n")[2].partition("\n}\n")[0] if "for" not in text else header


ONE = "@bridge.kernel(outputs='t_y', inputs='t_x')\ndef f(x):\n"
TEXTS = {
    "return x**3 + x**-2 + x**0.5": "t_y = x * x * x + pow(x, -2) + sqrt(x);",
    "return 1 if 0 < x <= 2 else -x": "t_y = select((0.0 < x) & (x <= 2.0), 1.0, -x);",
    "return np.where((x > 1) | (x < 0), x, 0)": "t_y = select((x > 1.0) | (x < 0.0), x, 0.0);",
    "return math.pi / 4 * x": "t_y = pi / 4.0 * x;",
    "return (x - 1) - (x - 2)": "t_y = x - 1.0 - (x - 2.0);",
    "return 2 / (x / 3)": "t_y = 2.0 / (x / 3.0);",
    "return -x**2": "t_y = -(x * x);",
    "return not_zero(x)\ndef not_zero(a):\n    return max(a, 1e-9)": "f_parts::not_zero<Real>(x)",
}


@pytest.mark.parametrize("line", TEXTS)
def test_expressions(line: str, tmp_path: Path) -> None:
    head, *rest = line.split("\n")
    text = ONE + f"    {head}\n" + "\n".join(rest)
    assert TEXTS[line] in (written(tmp_path, text) / "f.h").read_text()


# ---- Refusals -----------------------------------------------------------------------------

REFUSED = {
    "while x > 1:\n        x = x / 2": ("while", "for i in range(n)"),
    "for i in range(3):\n        break": ("break", "np.where"),
    "y = x if x else 1": ("x", "a number as a condition; write x != 0"),
    "y = [1, 2][int(x)]": ("", "not known"),
    "y = np.linalg.norm(x)": ("np.linalg.norm(...)", "no function of kernels"),
    "y = math.gamma(x)": ("math.gamma(...)", "no function of kernels"),
    "y = x // 2": ("//", "np.floor(a / b)"),
    "print(x)": ("print(...)", "nothing in its place"),
    "y = np.ones(3)[3]": ("index of values", "beyond its 3 values"),
    "y = {'a': x}": ("dict", "kernels have numbers"),
    "y = lambda a: a": ("lambda", "write a function with def"),
    "if x > 0:\n        z = 1.0\n    y = z": ("z", "may have no value"),
    "y = (x > 0) + 1": ("+ of x > 0.0", "truth value is no number"),
    "y = unknown(x)": ("unknown", "nothing has this name"),
    "for i in range(int(x)):\n        pass": ("range(int(x))", "known in the run alone"),
    "try:\n        y = 1\n    except ValueError:\n        pass": ("try", "kernels raise nothing"),
    "y = f(x)": ("f(...)", "calls itself"),
    "return x, x": ("(x, x)", "a number is wanted"),
    "def inner(a):\n        return a\n    y = inner(x)": ("def", "write it beside this function"),
    "y = np.zeros(int(x))": ("np.zeros(...)", "its size is not known"),
    "y = math.log(x, 10)": ("math.log(...)", "2 arguments, not 1"),
}


@pytest.mark.parametrize("lines", REFUSED)
def test_refusals(lines: str, tmp_path: Path) -> None:
    """By line and construct; nothing is written."""
    with pytest.raises(Refused) as refused:
        written(tmp_path, f"{ONE}    {lines}\n    return x\n")
    first = refused.value.refusals[0]
    construct, text = REFUSED[lines]
    assert first.line in (6, 7, 8) and first.file.endswith("own.py")
    assert first.construct == construct or not construct
    assert text in str(first)
    assert not (tmp_path / "own_pack").exists()


def test_all_refusals_of_a_file_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"{ONE}    a = x // 2\n    b = a + 1\n    while b:\n        pass\n    return a\n"
    text += ONE.replace("def f", "def g").replace("t_y", "t_z") + "    return x @ x\n"
    with pytest.raises(Refused) as refused:
        written(tmp_path, text)
    assert [one.line for one in refused.value.refusals] == [6, 8, 13]
    assert main(["packs", "build", str(tmp_path / "own.py")]) != 0
    assert capsys.readouterr().err.count("own.py:") == 3


DECLARED: dict[str, tuple[Callable[[], Any], str]] = {
    "units of no quantity": (
        lambda: bridge.kernel(outputs="a", units={"b": "m"})(abs_of), "argument units: got 'b'"
    ),
    "names for arguments": (
        lambda: bridge.kernel(outputs="a", inputs="b c")(abs_of), "a name for each of x"
    ),
    "no outputs": (lambda: bridge.kernel(abs_of), "argument outputs"),
}  # fmt: skip


def abs_of(x: float) -> float:
    return abs(x)


@pytest.mark.parametrize("case", DECLARED)
def test_declarations(case: str) -> None:
    made, message = DECLARED[case]
    with pytest.raises(bridge.ArgumentError, match=message):
        made()


def test_units_of_the_package_stay(tmp_path: Path) -> None:
    text = LIMITED.replace('"Pa s"}', '"Pa s", "rho": "g/cm3"}')
    with pytest.raises(Refused, match="units? of rho.*'kg/m3'"):
        written(tmp_path, text)
