"""A Fortran program that calls Python of its user: arguments, output in order, failures."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import build

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent
CODE = """
calls = 0

def fill(cells):
    factor = cells.values[0] if cells.values.size else 1.0
    cells.Y[..., 0] = factor * cells.T
    if cells.text == "both":
        cells.Y[..., 1] = cells.values[1]

def count(cells):
    global calls
    calls += 1

def print_count(cells):
    print("calls", calls)

def fails(cells):
    raise RuntimeError("no closure at this point")

def leaves(cells):
    raise SystemExit(3)
"""
MESSAGES = {
    "raises": (-5, "frame_python of 'closures:fails' on set 'cells': "),
    "none": (-3, "function: got 'closures:nothing', wanted a function of "),
    "module": (-3, "function: got 'nosuch:nothing', wanted a module in a folder of the setting"),
    "form": (-3, "function: got 'closures', wanted 'module:function'"),
    "set": (-3, "set: got 'points', wanted"),
    "import": (-5, "frame_python of 'broken:fill': its module does not import: "),
    "exit": (-5, "closures.py:21 in leaves: SystemExit: 3"),
}


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    [("gfortran", ("-std=f2018", "-Wall", "-Werror", "-O3")), ("flang", ("-O2",))],
)
def test_functions_of_the_user(tmp_path: Path, with_compiler: str, flags: tuple[str, ...]) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "closures.py").write_text(CODE)
    (code / "broken.py").write_text("def fill(cells)\n    pass\n")
    host = build(tmp_path, [HERE / "userpython.f90"], with_compiler=with_compiler, flags=flags)
    variables = {"BRIDGE_PYTHON_PATH": str(code), "BRIDGE_BACKEND": "cpu"}
    outcome = host.run(environment=variables)
    assert outcome.status == 0, outcome.out + outcome.err
    checks = [line.split() for line in outcome.out.splitlines() if line[-2:] in (" T", " F")]
    assert [label for label, right in checks if right != "T"] == [] and len(checks) == 5
    lines = outcome.out.splitlines()
    assert lines[lines.index("calls 1000") + 1] == "after", "in the order of the calls"
    for label, (status, message) in MESSAGES.items():
        found = outcome.words(f"refused-{label}")
        assert found[0] == str(status) and message in " ".join(found[1:]), label
    raised = " ".join(outcome.words("refused-raises"))
    assert "closures.py:18 in fails: RuntimeError: no closure at this point" in raised
    assert "broken.py:1: SyntaxError" in " ".join(outcome.words("refused-import"))
