"""Real Fortran programs, built as a user builds them: styles, compilers and flags."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from hosts import CompileError, build
from kernels.measure import present

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples" / "fortran"
F77_BIND = EXAMPLES / "06_f77_bind.f"

# Fortran 2018 to the letter, other default kinds, run-time checks.
MODULE_STYLE = [
    ("gfortran", ("-O2",)),
    ("gfortran", ("-std=f2018", "-Wall", "-Werror", "-O2")),
    ("gfortran", ("-fdefault-integer-8",)),
    ("gfortran", ("-fdefault-real-8",)),
    ("gfortran", ("-fcheck=all", "-O0")),
    ("gfortran", ("-fcheck=all", "-fdefault-integer-8", "-fdefault-real-8")),
    ("flang", ("-std=f2018",)),
    ("flang", ("-fdefault-integer-8", "-fdefault-real-8", "-O2")),
]


def density(temperature: float, pressure: float = 1e7) -> tuple[float, float]:
    """rho and c of the hosts' mixture."""
    answer = bridge.evaluate(
        "O2 CH4".split(),
        np.array([temperature]),
        np.array([pressure]),
        np.array([[0.25, 0.75]]),
        outputs=("rho", "c"),
        backend="cpu",
    )
    return float(answer["rho"][0]), float(answer["c"][0])


def name(parameters: tuple[str, tuple[str, ...]]) -> str:
    return " ".join([parameters[0], *parameters[1]])


@pytest.mark.parametrize(("with_compiler", "flags"), MODULE_STYLE, ids=map(name, MODULE_STYLE))
def test_module_style(tmp_path: Path, with_compiler: str, flags: tuple[str, ...]) -> None:
    sources = [HERE / "solver.f90"]
    host = build(tmp_path, sources, with_compiler=with_compiler, flags=flags, together=True)
    outcome = host.run()
    assert outcome.status == 0, outcome.out + outcome.err
    assert outcome.words("done") == []
    # The first interior point is (3, 2, 1), the last (9, 6, 4).
    assert float(outcome.words("rho")[0]) == density(250 + 9 + 10 + 7, 1e7 + 3000)[0]
    assert float(outcome.words("c")[0]) == density(250 + 27 + 30 + 28, 1e7 + 9000)[1]
    message = next(line for line in outcome.out.splitlines() if line.startswith("short"))
    assert len(message) == len("short ") + 30 + 1


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    [
        ("gfortran", ("-std=legacy",)),
        ("gfortran", ("-std=legacy", "-fsecond-underscore")),
        ("flang", ()),
    ],
)
def test_style_of_the_talk(tmp_path: Path, with_compiler: str, flags: tuple[str, ...]) -> None:
    """No module, no interface: %VAL and char(0)."""
    host = build(
        tmp_path, [HERE / "talk.f"], with_compiler=with_compiler, flags=flags, module=None
    )
    outcome = host.run()
    assert outcome.status == 0, outcome.err
    assert outcome.words("status") == ["0"]
    assert outcome.words("count") == ["24", "24"]
    assert float(outcome.words("rho")[0]) == density(306.0)[0]


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    [("gfortran", ("-O3",)), ("gfortran", ("-std=legacy", "-fsecond-underscore")), ("flang", ())],
)
def test_bound_arrays_without_a_module(
    tmp_path: Path, with_compiler: str, flags: tuple[str, ...]
) -> None:
    """The example in Fortran 77: scale by value, arrays in COMMON that are read after a run."""
    host = build(tmp_path, [F77_BIND], with_compiler=with_compiler, flags=flags, module=None)
    outcome = host.run(environment={"BRIDGE_BACKEND": "cpu"})
    assert outcome.status == 0, outcome.err
    steps = [line.split() for line in outcome.out.splitlines() if line.startswith("step")]
    for step, words in zip((1, 2), steps, strict=True):
        found = dict(zip(words[::2], words[1::2], strict=True))
        assert float(found["rho"]) == pytest.approx(density(200.0 + 100.0 * step)[0], rel=1e-12)
        assert (found["step"], found["fringe"], found["status"]) == (str(step), "-1.0", "0")
    assert outcome.words("end") == ["0"]


@pytest.mark.parametrize(
    ("with_compiler", "flags"), [("gfortran", ("-std=f2018", "-Wall", "-Werror")), ("flang", ())]
)
def test_interfaces_by_include(tmp_path: Path, with_compiler: str, flags: tuple[str, ...]) -> None:
    host = build(
        tmp_path, [HERE / "include.f90"], with_compiler=with_compiler, flags=flags, module=None
    )
    outcome = host.run()
    assert outcome.status == 0, outcome.err
    assert outcome.words("status") == ["0", "0"]
    assert float(outcome.words("rho")[0]) == density(300.0)[0]
    assert float(outcome.words("bound")[0]) == pytest.approx(density(300.0)[0], rel=1e-12)


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    [
        ("gfortran", ("-std=f2018", "-Wall", "-Werror")),
        ("gfortran", ("-fcheck=all", "-fdefault-integer-8", "-fdefault-real-8")),
        ("flang", ()),
    ],
)
def test_absent(tmp_path: Path, with_compiler: str, flags: tuple[str, ...]) -> None:
    """Links without the library, and every call says so."""
    host = build(
        tmp_path,
        [HERE / "absent.f90"],
        with_compiler=with_compiler,
        flags=flags,
        module="--absent-source",
        link=False,
    )
    outcome = host.run()
    assert outcome.status == 0, outcome.err
    assert outcome.words("status") == ["-1"] * 23
    assert outcome.words("untouched") == ["T"]
    assert "bridge_absent.f90" in " ".join(outcome.words("message"))
    needed = subprocess.run(["ldd", str(host.program)], capture_output=True, text=True).stdout
    assert "libpython" not in needed and "libbridge" not in needed


@pytest.mark.parametrize("with_compiler", ["gfortran", "flang"])
def test_bound_arrays_are_not_stale(tmp_path: Path, with_compiler: str) -> None:
    host = build(tmp_path, [HERE / "stale.f90"], with_compiler=with_compiler, flags=("-O3",))
    outcome = host.run()
    assert outcome.status == 0, outcome.err
    wanted = [-1.0, density(300.0)[0], density(400.0)[0]]
    assert [float(word) for word in outcome.words("target")] == wanted


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    [("gfortran", ("-O3",)), ("gfortran", ("-O0", "-fcheck=all")), ("flang", ("-O3",))],
)
def test_a_pending_run(tmp_path: Path, with_compiler: str, flags: tuple[str, ...]) -> None:
    """Begin and wait give what a run gives, and the calls between them what they are to give."""
    host = build(tmp_path, [HERE / "pending_run.f90"], with_compiler=with_compiler, flags=flags)
    outcome = host.run()
    assert outcome.status == 0, outcome.err
    wanted = [-1.0, *(density(temperature)[0] for temperature in (300.0, 400.0, 500.0))]
    assert [float(word) for word in outcome.words("seen")] == wanted
    assert float(outcome.words("plane")[0]) == density(300.0)[0]
    assert outcome.words("fringe") == [str(6**3 - 4**3)]
    assert outcome.words("status") == ["-4", "0", "-4", "-4", "0", "0", "-3"]
    assert outcome.words("end") == ["0"]


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    [("gfortran", ("-O3",)), ("gfortran", ("-O0", "-fcheck=all")), ("flang", ("-O2",))],
)
def test_a_rank_that_owns_nothing(
    tmp_path: Path, with_compiler: str, flags: tuple[str, ...]
) -> None:
    """Arrays with an extent of 0 are bound, run and moved like others: the default policy would
    end the program at a refusal."""
    host = build(tmp_path, [HERE / "empty.f90"], with_compiler=with_compiler, flags=flags)
    outcome = host.run()
    assert outcome.status == 0, outcome.out + outcome.err
    assert float(outcome.words("rho")[0]) == density(300.0)[0]
    assert outcome.words("end") == ["0"] and outcome.words("sum") == ["0.0"]


TYPES = [
    ("gfortran", ("-O2", "-std=f2018", "-Wall", "-Werror")),
    ("gfortran", ("-O0", "-fcheck=all", "-fdefault-integer-8", "-fdefault-real-8")),
    ("flang", ("-O2",)),
]
#: Runs on typed arrays, all ranks and sections: points beyond rounding, elements beside them.
TYPED = {
    **{label: ["0", "0"] for label in ("float", "integer", "five", "six", "seven", "section")},
    **{"words": ["0"], "others": ["0"], "outside": ["0"], "line": ["0", "T"]},
    # every finite density that real(4) does not hold is NaN
    **{"range": ["0", "140"], "inner": ["0", "40", "0"], "plane": ["0", "35", "0"]},
    **{label: ["0"] for label in ("derived", "derived-word", "by-number")},
}
REFUSED = {
    "real-to-integer": "data of rho: got elements of int32 for a real quantity that is written",
    "both-to-integer": "data of T: got elements of int32 for a real quantity that is written",
    "integer-to-real": "data of status: got elements of float32 for an integer quantity",
    "integer-of-real": "data of status: got elements of float32 for an integer quantity",
    "nowhere": "data of T: got an array that is not allocated",
    "backwards": "data of T: got an array that is not contiguous, in dimension 1, wanted",
    "every-second-row": "data of T: got an array that is not contiguous, in dimension 3, wanted",
    "uneven": "data of T: got an array that is not contiguous, in dimension 3, wanted",
    "holes": "data of Y: got an array that is not contiguous, in dimension 1, wanted",
    "components": "data of Y: got an array that is not contiguous, in dimension 4, wanted",
    "beyond": "EptX: got 5, wanted a position of the section, up to 3",
    "no-type": "type: got 4, wanted one of 1 (float64), 2 (float32), 3 (int32)",
}


@pytest.mark.parametrize(("with_compiler", "flags"), TYPES, ids=map(name, TYPES))
def test_types_ranks_and_sections(
    tmp_path: Path, with_compiler: str, flags: tuple[str, ...]
) -> None:
    host = build(tmp_path, [HERE / "typed.f90"], with_compiler=with_compiler, flags=flags)
    outcome = host.run(environment={"BRIDGE_BACKEND": "cpu"})
    assert outcome.status == 0, outcome.out + outcome.err
    assert {label: outcome.words(label)[: len(TYPED[label])] for label in TYPED} == TYPED
    for label, message in REFUSED.items():
        status, *words = outcome.words(label)
        assert (status, message in " ".join(words)) == ("-3", True), f"{label}: {words}"


@pytest.mark.parametrize(("with_compiler", "flags"), [("gfortran", ("-O3",)), ("flang", ())])
def test_the_example_of_typed_arrays(
    tmp_path: Path, with_compiler: str, flags: tuple[str, ...]
) -> None:
    """real(4), integer(4) and a section of six dimensions; what is not bound stays as it was."""
    source = EXAMPLES / "07_typed_bind.f90"
    host = build(tmp_path, [source], with_compiler=with_compiler, flags=flags)
    outcome = host.run(environment={"BRIDGE_BACKEND": "cpu"})
    assert outcome.status == 0, outcome.err
    names = ("rho", "rho_p", "h_p", "rho_T", "h_T")
    state = (np.array([300.0]), np.array([1e7]), np.array([[0.25, 0.75]]))
    wanted = bridge.evaluate("O2 CH4".split(), *state, outputs=names, backend="cpu")
    rho, status, fringe = outcome.words("density")
    assert float(rho) == pytest.approx(float(wanted["rho"][0]), rel=1e-6)
    assert (status, fringe) == ("0", "-1.0")
    found = [float(word) for label in ("first", "last") for word in outcome.words(label)]
    assert found == [float(wanted[name][0]) for name in names[1:]]
    assert outcome.words("entries") == [str(4 * 6 * 4 * 3)]


SIZES = [
    ("gfortran", ("-O2",)),
    ("gfortran", ("-O0", "-fcheck=all")),
    ("gfortran", ("-fcheck=all", "-fdefault-integer-8", "-fdefault-real-8")),
    ("flang", ("-O2",)),
    ("flang", ("-O0", "-fdefault-integer-8")),
]
NOT_ALLOCATED = [f"{way}-{rank}" for way in ("bind", "in", "out") for rank in (1, 2, 3, 4)]
NOT_ALLOCATED += ["bind-pointer", "bind-gone", "in-gone"]
NOT_ALLOCATED += ["bind-local", "in-local", "out-local", "constants-W", "constants-Vc"]
TOO_LARGE = {
    "default-integer": "argument nGridPoints",
    "bind-many": "argument nx: got 4294967304, wanted at most 2147483647",
    "bind-first-8": "argument nx: got 4294967304, wanted at most 2147483647",
    "in-many": "argument nx: got 4294967304, wanted at most 2147483647",
    "out-first-8": "argument nx: got 4294967304, wanted at most 2147483647",
    "bind-components": "argument nData: got 4294967304, wanted at most 2147483647",
    "in-components": "argument EptData: got 4294967304, wanted at most 2147483647",
    "bind-component-first": "argument nData: got -4294967304, wanted at most 2147483647",
    "in-block": "argument stripeEnd: got the last of 2048 x 1024 x 1025 points, wanted",
    "out-block": "argument stripeEnd: got the last of 2048 x 1024 x 1025 points, wanted",
    "in-most": "argument stripeEnd: got the last of 2147483647 x 2147483647 x 2147483647 points",
    "in-most-part": "argument nx, ny, nz: got 2147483647 x 2147483647 x 2147483647 points",
    "bind-most": "argument nx, ny, nz: got 2147483647 x 2147483647 x 2147483647 points",
}


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    SIZES,
    ids=map(name, SIZES),
)
def test_sizes_beyond_the_contract(
    tmp_path: Path, with_compiler: str, flags: tuple[str, ...]
) -> None:
    """What is not there, and what a C int cannot count, is refused by name; nothing is touched."""
    host = build(tmp_path, [HERE / "sizes.f90"], with_compiler=with_compiler, flags=flags)
    outcome = host.run()
    assert outcome.status == 0, outcome.out + outcome.err
    for label in NOT_ALLOCATED:
        status, *words = outcome.words(label)
        assert (status, "got an array that is not allocated" in " ".join(words)) == ("-3", True), (
            f"{label}: {' '.join(words)}"
        )
    for label, message in TOO_LARGE.items():
        status, *words = outcome.words(label)
        assert status == "-3" and " ".join(words).startswith(message), (label, words)
    for label in ("initialize", "in-block-part", "bind-block", "work", "finalize"):
        assert outcome.words(label)[0] == "0", outcome.out


@pytest.mark.parametrize("with_compiler", ["gfortran", "flang"])
def test_single_precision_does_not_compile(tmp_path: Path, with_compiler: str) -> None:
    with pytest.raises(CompileError, match="(?i)no specific (subroutine|procedure)"):
        build(tmp_path, [HERE / "single.f90"], with_compiler=with_compiler)


@pytest.mark.parametrize("with_compiler", ["gfortran", "flang"])
def test_binding_without_target_does_not_compile(tmp_path: Path, with_compiler: str) -> None:
    """What would go stale silently at -O3 is refused where it is bound."""
    source = tmp_path / "stale.f90"
    source.write_text((HERE / "stale.f90").read_text().replace(", target", ""))
    with pytest.raises(CompileError, match="frame_bind"):
        build(tmp_path, [source], with_compiler=with_compiler)


@pytest.mark.parametrize("with_compiler", ["gfortran", "flang"])
def test_species_constants_of_the_host(tmp_path: Path, with_compiler: str) -> None:
    """Both shared-data entries, in the wrong order too, give what the shipped table gives."""
    names = ["O2", "CH4", "N2"]
    data = SpeciesData.load(names)
    kij = np.array([[0.0, 0.03, -0.01], [0.03, 0.0, 0.02], [-0.01, 0.02, 0.0]])
    columns = [data.W, data.Tc, data.Pc, data.omega, data.nasa7, kij]
    columns += [present(column) for column in (data.Vc, data.dipole, data.kappa)]
    text = "\n".join(repr(float(x)) for column in columns for x in np.ravel(column))
    (tmp_path / "constants.txt").write_text(text + "\n")
    host = build(tmp_path, [HERE / "constants.f90"], with_compiler=with_compiler)
    outcome = host.run()
    assert outcome.status == 0, outcome.err
    statuses = {
        label: int(outcome.words(label)[0])
        for label in ("none", "chung-first", "preos", "no-transport", "chung", "plain", "kij")
    }
    assert statuses == {
        "none": -4,
        "chung-first": -4,
        "preos": 0,
        "no-transport": -4,
        "chung": 0,
        "plain": 0,
        "kij": 0,
    }
    assert "needs species" in " ".join(outcome.words("none"))
    assert "Vc, dipole and kappa" in " ".join(outcome.words("no-transport"))
    for label, coefficients in (("plain", None), ("kij", kij)):
        wanted = bridge.evaluate(
            names,
            np.array([200.0]),
            np.array([8e6]),
            np.array([[0.5, 0.3, 0.2]]),
            outputs=("rho", "eta"),
            kij=coefficients,
            backend="cpu",
        )
        got = [float(word) for word in outcome.words(label)[1:]]
        expected = [float(wanted["rho"][0]), float(wanted["eta"][0])]
        assert got == pytest.approx(expected, rel=1e-13)  # the host asks for more outputs
    assert outcome.words("plain")[1] != outcome.words("kij")[1]
