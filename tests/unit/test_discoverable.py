"""What a user finds: names in dir and help, docstrings, what a type checker refuses."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.evaluation.attributes import Attributes
from bridge.frame import Frame
from bridge.plan.catalogue import Catalogue

PUBLIC = (bridge.Frame, bridge.Mixture, bridge.Result, bridge.Status, bridge.TVProperties)


def test_dir_has_what_may_be_imported() -> None:
    code = (
        "import sys, bridge; names = dir(bridge); "
        "assert {'evaluate', 'Mixture', 'Frame', '__version__'} <= set(names), names; "
        "assert not set(bridge.__all__) - set(names); "
        "assert 'numpy' not in sys.modules; "
        "[getattr(bridge, name) for name in names]; "
        "from bridge import *; print(evaluate.__name__)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert done.stdout == "evaluate\n", done.stderr


def test_help_is_read_and_not_scrolled() -> None:
    """help(bridge) was 3900 lines, most of them what Status and the errors had of numpy.ndarray
    and of Python's exceptions: nobody found `evaluate` in it. What leads is an overview with every
    public name; the classes that follow are ours."""
    code = "import bridge, pydoc; print(pydoc.render_doc(bridge, renderer=pydoc.plaintext))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert 100 < len(lines) < 600, done.stderr
    screen = "\n".join(lines[:30])
    names = {n for n in dir(bridge) if n[0] != "_" and not _is_error(getattr(bridge, n))}
    assert {"evaluate", "Result", "Frame", "errors"} <= names
    assert not [name for name in names if f"    {name} " not in screen]
    shown = {line.split("(")[0].split()[-1] for line in lines if line.startswith("    class ")}
    assert shown == {"Mixture", "Result", "Status"}
    assert any(line.startswith("    evaluate(") for line in lines)


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


def test_errors_are_names_of_the_package() -> None:
    for name in bridge.errors.__all__:
        assert getattr(bridge, name) is getattr(bridge.errors, name) and name in dir(bridge)


def test_a_name_that_is_not_there_is_almost_known() -> None:
    command = [sys.executable, "-P", "-c", "import bridge; bridge.evalute"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "no attribute 'evalute'. Did you mean: 'evaluate'?" in done.stderr
    assert not hasattr(bridge, "evalute")


@pytest.mark.parametrize("which", PUBLIC, ids=lambda which: which.__name__)
def test_everything_public_has_a_docstring(which: type[Any]) -> None:
    assert inspect.getdoc(which)
    bare = [
        name
        for name, member in inspect.getmembers(which)
        if not name.startswith("_")
        and (callable(member) or isinstance(member, property))
        and (getattr(member, "__module__", "bridge") or "").startswith("bridge")
        and not inspect.getdoc(member)
    ]
    assert bare == []
    assert all(inspect.getdoc(getattr(bridge, name)) for name in dir(bridge) if name[0] != "_")


def test_composites_are_methods(tmp_path: Path) -> None:
    with Frame(10, species="O2 CH4", backend="cpu") as frame:
        tv = frame.tvproperties
        shipped = Catalogue.shipped().composites
        assert set(shipped) <= set(dir(tv))
        for name, composite in shipped.items():
            text = inspect.getdoc(getattr(bridge.TVProperties, name)) or ""
            words = text.replace(",", " ").replace(".", " ").split()
            assert {*composite.inputs, *composite.outputs} <= {*words}, name
        tv.eosRhohFromTPprop(0)
        with pytest.raises(AttributeError, match="eosRhohFromTPprop"):
            tv.eosRhoFromTP(1)  # type: ignore[attr-defined]


def test_results_have_the_quantities_of_the_catalogue() -> None:
    names = {name.rstrip("_") for name in Attributes.__annotations__}
    assert names == Catalogue.shipped().quantities.keys() - {"status"}


# ---- a Frame in a with statement ------------------------------------------------------------


def test_a_frame_ends_with_its_block() -> None:
    frame = bridge.Frame(ns=0, backend="cpu")
    with frame as same:
        assert same is frame and not frame.initialized  # no number of points
        frame.initialize(0, 10, 0, 5)
    assert not frame.initialized
    with bridge.Frame(7, species="O2 CH4", backend="cpu", threads=1) as two:
        assert (two.tvproperties.ns, two.tvproperties.n_grid_points) == (2, 7)
        assert two.tvproperties.impl.nq == 7
    with pytest.raises(bridge.StateError), two:
        raise bridge.StateError("of the block")
    assert not two.initialized
    with pytest.raises(bridge.ArgumentError, match="key: got 'colour'"):
        bridge.Frame(colour="red")


# ---- a type checker -------------------------------------------------------------------------

RIGHT = """
import numpy as np
import bridge

T = np.linspace(100.0, 300.0, 4)
result = bridge.evaluate("O2 CH4", T[:, None], [1e5, 2e5], {"O2": 0.5, "CH4": [0.5]}, "rho cp")
result = bridge.evaluate(["N2"], 300, P=1e5, outputs=("rho",), options={"prCross": "ABS"})
density: np.ndarray = result.rho + result["rho"]
words: list[str] = result.status.words.tolist()
good: np.ndarray = density[result.status == 0] + density[result.status.ok]
clipped = np.asarray(result.status) & 4, result.status & 4, result.status.any()
total = np.sum(result.status)
try:
    print(result.status[0])
except bridge.ArgumentError as error:
    print(error.argument)
mixture = bridge.Mixture("O2 CH4", kij=np.zeros((2, 2)))
print(mixture.evaluate(300.0, 1e5, [[0.5, 0.5]]).to_dataframe(), bridge.__version__, density)
with bridge.Frame(10, species="O2 CH4") as frame:
    frame.tvproperties.eosThermalProperties(10)
"""
WRONG = """
import bridge

bridge.evalute("N2", 300.0, 1e5)
bridge.evaluate("N2", T="300", P=1e5)
bridge.evaluate("N2", T=["300"], P=1e5)
bridge.evaluate("N2", T=300.0, P=1e5, output="rho")
bridge.evaluate("N2", 300.0, 1e5).rhoo
bridge.evaluate("N2", 300.0, 1e5).status.wrods
bridge.Frame().tvproperties.nosuch(1)
bridge.Mixture("N2").evaluate(300.0, 1e5, threads=2)
bridge.nosuch
"""


def test_a_type_checker_knows_the_names(tmp_path: Path) -> None:
    """mypy of a user's program, which has the installed package and its py.typed."""
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    command = [sys.executable, "-P", "-m", "mypy", "--strict", "right.py", "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if "error:" in line]
    assert not [line for line in lines if line.startswith("right.py")], done.stdout
    wrong = {int(line.split(":")[1]) for line in lines if line.startswith("wrong.py")}
    first = 1 + WRONG.splitlines().index("import bridge") + 2
    assert wrong == set(range(first, first + 9)), done.stdout + done.stderr
