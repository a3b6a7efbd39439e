"""Every field of the two shared-data entries, and everything that can be wrong with one.

Constants go to a Fortran program through a file; what it prints is compared with bridge.evaluate
on the same constants.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hosts import Outcome, build

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent
NAMES = ["O2", "CH4", "H2O"]
PREOS = ("W", "Tc", "Pc", "omega", "nasa7", "kij")
CHUNG = ("Vc", "dipole", "kappa")
OUTPUTS = ("rho", "h", "eta", "lambda", "D_im")
KIJ = np.array([[0.0, 0.03, -0.01], [0.03, 0.0, 0.02], [-0.01, 0.02, 0.0]])
Case = dict[str, np.ndarray]


def constants(**changes: np.ndarray) -> Case:
    data = SpeciesData.load(NAMES)
    case = {name: getattr(data, name).copy() for name in (*PREOS, *CHUNG)}
    case["kij"] = KIJ.copy()
    return case | changes


def altered(name: str, place: int | tuple[int, ...], value: float) -> Case:
    """Constants with one entry of one field replaced."""
    case = constants()
    case[name][place] = value
    return case


def grown() -> dict[str, Case]:
    """Each field of each species made a little larger."""
    cases = {}
    for name in (*PREOS, *CHUNG):
        for k in range(3):
            case = constants()
            if name == "nasa7":
                case[name][k, 3:] *= 1.01
            elif name == "kij":
                i, j = [(0, 1), (0, 2), (1, 2)][k]
                case[name][i, j] = case[name][j, i] = 0.05
            elif name in ("dipole", "kappa"):
                case[name][k] += 0.1
            else:
                case[name][k] *= 1.01
            cases[f"grown-{name}-{k}"] = case
    return cases


GOOD = {"base": constants(), **grown()}

nan = np.nan
#: label -> constants, which of the two calls refuses them, and what the message says.
BAD: dict[str, tuple[Case, str, str]] = {
    **{
        f"{name}-{label}": (altered(name, 1, value), call, f"2: {name} = {value}")
        for call, names in (("preos", ("W", "Tc", "Pc")), ("chung", ("Vc",)))
        for name in names
        for label, value in (("negative", -1.0), ("zero", 0.0), ("nan", nan), ("inf", np.inf))
    },
    "omega-nan": (altered("omega", 0, nan), "preos", "1: omega = nan"),
    "omega-inf": (altered("omega", 2, -np.inf), "preos", "3: omega = -inf"),
    "dipole-nan": (altered("dipole", 2, nan), "chung", "3: dipole = nan"),
    "dipole-negative": (altered("dipole", 2, -1.0), "chung", "3: dipole = -1.0"),
    "kappa-nan": (altered("kappa", 0, nan), "chung", "1: kappa = nan"),
    "kappa-negative": (altered("kappa", 0, -0.1), "chung", "1: kappa = -0.1"),
    "range-nan": (altered("nasa7", (1, 0), nan), "preos", "2: nasa7 holds nan"),
    "range-zero": (altered("nasa7", (1, 0), 0.0), "preos", "2: nasa7 temperatures [0.0, 1000.0"),
    "range-order": (altered("nasa7", (0, 1), 9000.0), "preos", "1: nasa7 temperatures"),
    "range-equal": (altered("nasa7", (2, 2), 1000.0), "preos", "3: nasa7 temperatures"),
    "low-nan": (altered("nasa7", (0, 3), nan), "preos", "1: nasa7 holds nan"),
    "low-inf": (altered("nasa7", (0, 9), np.inf), "preos", "1: nasa7 holds inf"),
    "high-nan": (altered("nasa7", (2, 16), nan), "preos", "3: nasa7 holds nan"),
    "kij-asymmetric": (altered("kij", (0, 1), 0.5), "preos", "0.5 for 1-2 and 0.03 back"),
    "kij-diagonal": (altered("kij", (2, 2), 0.1), "preos", "0.1 for 3 with itself"),
    "kij-nan": (altered("kij", (1, 2), nan), "preos", "for 2-3"),
    "W-g/mol": (constants(W=1e3 * constants()["W"]), "preos", "2: W 16.043 kg/mol, wanted 0.0005"),
    "Pc-bar": (constants(Pc=1e-5 * constants()["Pc"]), "preos", "in bar or atm?"),
    "Vc-cm3": (constants(Vc=1e6 * constants()["Vc"]), "chung", "0.6: Vc in cm3/mol?"),
    "several": (
        constants(W=np.array([-1.0, 0.016, nan]), Pc=np.array([5e6, -2.0, 2e7])),
        "preos",
        "1: W = -1.0 is not above 0; 3: W = nan is not above 0; 2: Pc = -2.0",
    ),
}  # fmt: skip
SHAPES = {
    "W": "argument W: got shape (2), wanted shape (3)",
    "Tc": "argument Tc: got shape (2), wanted shape (3)",
    "Pc": "argument Pc: got shape (6), wanted shape (3)",
    "omega": "argument omega: got shape (1), wanted shape (3)",
    "nasa7": "argument nasa7: got shape (3, 17), wanted shape (17, 3)",
    "kij": "argument kij: got shape (2, 2), wanted shape (3, 3)",
    "Vc": "argument Vc: got shape (2), wanted shape (3)",
    "dipole": "argument dipole: got shape (2), wanted shape (3)",
    "kappa": "argument kappa: got shape (6), wanted shape (3)",
}


def write(label: str, case: Case, with_kij: bool = True) -> str:
    """Fortran reads nasa7(17, ns) and kij(ns, ns) in the order of memory."""
    values = (repr(float(x)) for name in (*PREOS, *CHUNG) for x in case[name].ravel())
    return "\n".join([f"'{label}'", ".true." if with_kij else ".false.", *values, ""])


@pytest.fixture(scope="module", params=["gfortran", "flang"])
def outcome(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("shareddata")
    cases = [write("no-kij", GOOD["base"], with_kij=False)]
    cases += [write(label, case) for label, case in GOOD.items()]
    for label, (case, _, _) in BAD.items():  # each between two good ones
        cases += [write(label, case), write(f"after-{label}", GOOD["base"])]
    (folder / "cases.txt").write_text("".join([*cases, "'end'\n"]))
    flags = ("-fcheck=all",) if request.param == "gfortran" else ()
    host = build(folder, [HERE / "shareddata.f90"], with_compiler=request.param, flags=flags)
    result = host.run()
    assert result.status == 0, result.out + result.err
    return result


def expected(case: Case) -> Any:
    """To rounding: the host asks for more outputs, which other kernels compute."""
    answer = bridge.evaluate(case, 250.0, 8e6, [0.5, 0.3, 0.2], OUTPUTS, backend="cpu")
    return pytest.approx([float(x) for name in OUTPUTS for x in np.ravel(answer[name])], rel=1e-12)


def numbers(outcome: Outcome, label: str) -> list[float]:
    status, *words = outcome.words(f"{label}-answer")
    assert status == "0"
    return [float(word) for word in words]


@pytest.mark.parametrize("label", GOOD)
def test_every_field_arrives(outcome: Outcome, label: str) -> None:
    assert outcome.words(f"{label}-preos") == outcome.words(f"{label}-chung") == ["0"]
    assert numbers(outcome, label) == expected(GOOD[label])
    if label != "base":
        assert numbers(outcome, label) != numbers(outcome, "base")


def test_without_interaction_coefficients(outcome: Outcome) -> None:
    case = GOOD["base"] | {"kij": np.zeros((3, 3))}
    assert numbers(outcome, "no-kij") == expected(case)
    assert numbers(outcome, "no-kij") != numbers(outcome, "base")


@pytest.mark.parametrize("label", BAD)
def test_wrong_constants_are_named(outcome: Outcome, label: str) -> None:
    """By entry, species and field; the other call and the next constants are taken."""
    _, call, piece = BAD[label]
    status, *words = outcome.words(f"{label}-{call}")
    message = " ".join(words)
    assert status == "-3" and piece in message, message
    other = "chung" if call == "preos" else "preos"
    assert outcome.words(f"{label}-{other}") == ["0"]
    # what was refused changed nothing
    assert numbers(outcome, label) == numbers(outcome, "base")
    assert numbers(outcome, f"after-{label}") == numbers(outcome, "base")


@pytest.mark.parametrize("field", SHAPES)
def test_wrong_shapes_are_named(outcome: Outcome, field: str) -> None:
    status, *words = outcome.words(f"shape-{field}")
    assert status == "-3" and SHAPES[field] in " ".join(words)
    assert numbers(outcome, "shapes") == numbers(outcome, "base")


@pytest.mark.parametrize(
    "label", ["before-boot", "preos-before-initialize", "chung-before-initialize"]
)
def test_calls_before_their_time(outcome: Outcome, label: str) -> None:
    status, *words = outcome.words(label)
    assert status == "-4" and "first" in " ".join(words)
