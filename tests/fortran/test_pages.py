"""Listings of the how-to pages: programs compile, run and print the same; procedures and parts of
programs compile; the Python ones run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hosts import bridge_objects, build, compile_, compiler

import bridge
from bridge.memory.hostarrays import numpy_binding

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"

pytestmark = pytest.mark.fortran


def listings(page: str, kind: str) -> list[str]:
    text = (HOW_TO / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.S | re.M)


def named(page: str) -> dict[str, str]:
    """The listings that begin with the name of their file."""
    texts = listings(page, "fortran")
    return {text.split()[1]: text for text in texts if re.match(r"! \w+\.f(90)?\n", text)}


def test_programs_for_linking_give_the_same(tmp_path: Path) -> None:
    """Bound arrays, stripes and Fortran 77 have the same mixture."""
    sources = named("link-a-fortran-code") | named("fortran-77")
    rho = float(
        bridge.evaluate("O2 CH4 H2O", 300.0, 10e6, [0.7, 0.25, 0.05], "rho", backend="cpu").rho
    )
    for program in ("bound.f90", "stripes.f90", "f77style.f", "choose.f90"):
        source = tmp_path / program
        source.write_text(sources[program])
        module = None if program.endswith(".f") else "--fsource"
        host = build(tmp_path, [source], module=module, flags=("-O1",))
        outcome = host.run(environment={"BRIDGE_BACKEND": "cpu"})
        assert outcome.status == 0, outcome.err
        if program == "choose.f90":
            assert outcome.out == "properties through the bridge\n"
        else:
            assert float(outcome.words("rho")[0]) == pytest.approx(rho, abs=1e-4), program
    assert set(sources) >= {"bound.f90", "overlap.f90", "unchanged.f90", "stale.f90"}


def test_temperature_from_enthalpy(tmp_path: Path) -> None:
    """The program of the page prints what its comment says, and what Python finds."""
    source = tmp_path / "from_enthalpy.f90"
    source.write_text(named("link-a-fortran-code")[source.name])
    host = build(tmp_path, [source], module="--fsource", flags=("-O1",))
    outcome = host.run(environment={"BRIDGE_BACKEND": "cpu"})
    assert outcome.status == 0, outcome.err
    assert f"! {outcome.out.splitlines()[-1]}\n" in source.read_text()
    T = bridge.evaluate("O2 CH4", None, 10e6, [0.5, 0.5], "T", h=-2.4e6, backend="cpu")["T"]
    assert float(outcome.words("T")[0]) == pytest.approx(float(T), abs=1e-3)


#: A procedure that no module declares is an error: nothing is linked that would miss it.
KNOWN = "-Werror=implicit-interface"


def test_procedures_compile(tmp_path: Path) -> None:
    """Those of all pages, in one run of the compiler; -fopenmp for the threads."""
    texts = {}
    for page in (
        *("link-a-fortran-code", "other-arrays", "many-blocks", "threads"),
        *("keep-arrays-on-the-gpu", "write-block-kernels", "exchange-fringes"),
        "record-a-sequence",
    ):
        texts.update(named(page))
    procedures = {n: t for n, t in texts.items() if t.split("\n")[1].startswith("subroutine")}
    assert set(procedures) == {
        *("overlap.f90", "unchanged.f90", "stale.f90", "constants.f90", "typed.f90"),
        *("many.f90", "on_device.f90", "threads.f90", "ahead.f90", "inlet.f90", "row.f90"),
        "staged.f90",
    }
    for name, text in procedures.items():
        (tmp_path / name).write_text(text)
    include = next(word for word in bridge_objects("gfortran") if word.startswith("-I"))
    words = [compiler("gfortran"), "-fopenmp", "-Wall", KNOWN, "-c", include, *procedures]
    compile_(words, tmp_path)


#: What parts of programs need around them: names of the program that they are a part of.
AROUND = """
subroutine part_{number}(points, n, T, rho, places, order, Y_first, rate, place, mass, where, &
    wrong, norm, norms, values, at, bits, n_cells, i, j, k, unit, restart)
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer :: points(:), n, places(:), order(:), place(4), where(6), wrong, bits(32), n_cells
  integer :: at(:, :), i, j, k, unit, restart
  real(c_double) :: T(:), rho(:), Y_first(:, :), rate, mass(:), norm, norms(:), values(:)
  {declared}
  {text}
end subroutine
"""


def test_parts_of_programs_compile(tmp_path: Path) -> None:
    """Calls that a page shows without a program: generic interfaces, keywords and ranks."""
    parts = []
    for page in (
        *("primitives", "trust", "verify-a-run", "many-blocks", "reduce", "your-own-python"),
    ):
        for text in listings(page, "fortran"):
            if not re.match(r"! \w+\.f90\n", text):
                parts.append(text.replace("...\n", "\n"))
    assert len(parts) >= 8
    source = ""
    for number, text in enumerate(parts):
        declared = "\n".join(re.findall(r"^integer ::.*", text, re.M))
        text = re.sub(r"^integer ::.*\n", "", text, flags=re.M)
        text = text.replace("dt = cfl/rate", "").replace("n**3", "n_cells")
        text = re.sub(r"^ *print .*\n", "", text, flags=re.M) if "fringe" in text else text
        text = text.replace("bad)", "wrong)")
        source += AROUND.format(number=number, declared=declared, text=text)
    (tmp_path / "parts.f90").write_text(source)
    include = next(word for word in bridge_objects("gfortran") if word.startswith("-I"))
    compile_([compiler("gfortran"), KNOWN, "-c", include, "parts.f90"], tmp_path)


def run_python(program: str, folder: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BRIDGE_")}
    environment |= {"BRIDGE_BACKEND": "cpu", "OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python_of_the_page(tmp_path: Path) -> None:
    """All but the update, which builds a pack (tests/packs), one after the other in a process."""
    texts = [text for text in listings("from-python", "python") if "# update.py" not in text]
    assert len(texts) == 8
    out = run_python("\n".join(texts), tmp_path)
    assert "'ok' 'BAD_T' 'T_EXTRAP'" in out


def test_a_function_of_the_user(tmp_path: Path) -> None:
    """The program of the page with its module, called by its name; the lines of a Python host."""
    closures, _, host = listings("your-own-python", "python")
    (tmp_path / "closures.py").write_text(closures)
    source = tmp_path / "limited.f90"
    source.write_text(named("your-own-python")[source.name])
    built = build(tmp_path, [source], module="--fsource", flags=("-O1",))
    variables = {"BRIDGE_BACKEND": "cpu", "BRIDGE_PYTHON_PATH": str(tmp_path)}
    outcome = built.run(environment=variables)
    assert outcome.out.endswith("viscosity up to  1.000E-05\n"), outcome.err
    source.write_text(re.sub(".*frame_python.*\n", "", source.read_text()))
    outcome = build(tmp_path, [source], module="--fsource").run(environment=variables)
    assert outcome.out.endswith("viscosity up to  1.780E-05\n"), outcome.err
    text = f"""
import sys
import numpy as np
import bridge
T, eta = np.linspace(150.0, 300.0, 9), np.geomspace(1e-5, 1.0, 9)
with bridge.Frame(100, ns=0, python_path={str(tmp_path)!r}, backend="cpu") as frame:
    for name, array in {{"T": T, "eta": eta}}.items():
        frame.tvproperties.bind_array("cells", name, "inout", array)
    frame.tvproperties.python("cells", "closures:limit")
    closures = sys.modules["closures"]
    exec({host!r})
print(hottest, eta.max())
"""
    assert run_python(text, tmp_path).splitlines()[-1] == "300.0 1e-05"


def test_python_of_lists_of_points_and_of_the_ledger(tmp_path: Path) -> None:
    """With a Frame around them, whose mask leaves out each third point."""
    (primitives,) = listings("primitives", "python")
    (ledger,) = listings("see-where-time-goes", "python")
    text = f"""
import numpy as np
import bridge
n = 9
T, P = np.linspace(150.0, 300.0, n), np.full(n, 5e6)
Y, rho = np.full((n, 2), 0.5, order="F"), np.full(n, -1.0)
iblank = np.array([0, 1, 1] * 3, np.int32)
frame = bridge.Frame(100, species="O2 CH4", backend="cpu", timers="-")
with frame:
    tv = frame.tvproperties
    for name, array in {{"T": T, "P": P, "Y": Y, "iblank": iblank}}.items():
        tv.bind_array("cells", name, "in", array)
    tv.bind_array("cells", "rho", "out", rho)
    def step():
        tv.run("cells", "eosThermalProperties")
    step()
    exec({ledger!r})
    rho[:] = -1.0
    exec({primitives!r})
print(*rho)
"""
    values = np.array(run_python(text, tmp_path).splitlines()[-1].split(), float)
    active = np.arange(9) % 3 != 0
    expected = bridge.evaluate(
        "O2 CH4", np.linspace(150.0, 300.0, 9), 5e6, [0.5, 0.5], "rho", backend="cpu"
    ).rho
    np.testing.assert_allclose(values[active], expected[active], rtol=1e-13)
    assert (values[~active] == -1).all()


def test_arrays_of_points_in_a_row() -> None:
    """(n,), (n, components) and, components first, (components, n), without a copy."""
    for shape, first, data in (((5,), False, 1), ((5, 2), False, 2), ((2, 5), True, -2)):
        array = np.zeros(shape, order="F")
        address, twelve = numpy_binding(array, (), {}, "out", first)
        assert address == array.ctypes.data
        assert twelve == [5, 1, 1, 1, 5, 1, 1, 1, 1, 1, abs(data), data]
    for wrong in (np.zeros((5, 2)), np.zeros(10)[::2]):
        with pytest.raises(bridge.ArgumentError, match="Fortran order, contiguous"):
            numpy_binding(wrong, (), {}, "in", False)
