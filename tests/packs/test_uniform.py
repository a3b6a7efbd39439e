"""Which kernels do the same to every component: small texts, each of which breaks one rule, and
the packs that come with the project."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from bridge.errors import ArgumentError
from bridge.plan import packbuild, uniform
from bridge.plan.catalogue import Catalogue, shipped_file

ROOT = Path(__file__).parents[2]
#: Arguments of the kernels below, and their declarations.
INPUTS = {"uf_u": "const U& u", "uf_rate": "const Rate& rate", "uf_dt": "const Real& dt",
          "uf_flag": "const Bits<Real>& flag"}  # fmt: skip
QUANTITIES = """
[quantity.uf_u]
unit = "1"
columns = "5"
[quantity.uf_rate]
unit = "1"
columns = "5"
[quantity.uf_dt]
unit = "1"
[quantity.uf_flag]
unit = "1"
type = "int32"
[quantity.uf_counts]
unit = "1"
type = "int32"
columns = "5"
[quantity.uf_four]
unit = "1"
columns = "4"
[quantity.uf_species]
unit = "1"
columns = "ns"
[quantity.uf_many]
unit = "1"
columns = "65"
[constant.uf_weights]
unit = "1"
columns = "5"
value = [1.0, 2.0, 3.0, 4.0, 5.0]
[table.uf_table]
unit = "1"
rank = 1
"""
HEADER = """
#pragma once
#include "special.h"
namespace BRIDGE_NAMESPACE {{
namespace {name}_parts {{
template <class Real> BRIDGE_FN Real damped(const Real& x, const Real& by) {{ return x / by; }}
template <class Real, class U, class Out> BRIDGE_FN void doubled(const U& u, Out& made) {{
    for (int m = 1; m <= 5; ++m) made[m - 1] = u[m - 1] * 2.0;
}}
}}
template <class Real, class U, class Rate, class Made>
BRIDGE_FN void {name}(const Shared& shared, {inputs}, Made& made) {{
    (void)shared, (void)u, (void)rate, (void)dt, (void)flag;
    using namespace {name}_parts;
    {body}
}}
}}
"""
EACH = "for (int m = 0; m < 5; ++m) "
UNIFORM = {
    "Loop": EACH + "made[m] = u[m] + dt * rate[m];",
    "Backwards": "for (int m = 4; m >= 0; --m) made[m] = dt * rate[m];",
    "Lines": "made[0] = u[0] + dt; made[1] = u[1] + dt; made[2] = u[2] + dt; made[3] = u[3] + dt;"
    "made[4] = u[4] + dt;",
    "Loops": f"Real t[5]; {EACH} t[m] = u[m] / dt; {EACH} made[m] = t[m] - rate[m];",
    "Compound": f"{EACH} made[m] = u[m]; {EACH} made[m] += dt * rate[m];",
    "Before": f"const Real a = 2.0 * dt + Real(flag); {EACH} made[m] = a * u[m];",
    "Anew": f"Real t = 0.0; {EACH} {{ t = dt * u[m]; made[m] = t * t; }}",
    "Chosen": EACH + "made[m] = select((u[m] > 0.0) & (flag == 1), sqrt(u[m]), 0.0);",
    "Function": EACH + "made[m] = max(damped<Real>(u[m], dt), pow(rate[m], 2));",
    "Logic": EACH + "{ auto some = u[m] > 0.0 && flag == 1; some ^= u[m] < dt || ~(rate[m] == dt);"
    "made[m] = select(some ^ (u[m] > 2.0), u[m], rate[m]); }",
    "Power": EACH + "made[m] = pow(u[m], flag);",
    "Whole": "doubled<Real>(u, made);",
    "Same": EACH + "made[m] = 0.0;",
    "LookedUp": f"const double w[2] = {{1, 2}}; {EACH} made[m] = u[m] * lookup<2>(w, flag);",
}
OTHERWISE = {
    "OneMore": f"{EACH} made[m] = u[m]; made[4] = 2.0 * u[4];",
    "OneLess": "for (int m = 0; m < 4; ++m) made[m] = u[m];",
    "Another": EACH + "made[m] = u[m] + u[0];",
    "Turned": EACH + "made[m] = u[4 - m];",
    "Behind": EACH + "made[m] = u[m + 1];",
    "Beyond": EACH + "made[m] = u[m + 5];",
    "Number": EACH + "made[m] = u[m] * (m + 1.0);",
    "Weights": f"const double w[5] = {{1, 2, 1, 1, 1}}; {EACH} made[m] = w[m] * u[m];",
    "Filled": EACH
    + "{ const double w[2] = {1.0 * m, 2.0}; made[m] = u[m] * lookup<2>(w, flag); }",
    "Lengthless": f"const double w[2] = {{1, 2}}; {EACH} made[m] = u[m] * lookup<0>(w, flag);",
    "Sum": f"Real t = 0.0; {EACH} {{ t += u[m]; made[m] = t; }}",
    "Kept": f"Real t = dt; {EACH} {{ made[m] = t; t = u[m]; }}",
    "Unset": f"Real t; {EACH} made[m] = u[m] + t;",
    "Other": EACH + "made[m] = m == 2 ? rate[m] : u[m];",
    "Order": EACH + "made[m] = m == 2 ? dt + u[m] : u[m] + dt;",
    "ChosenBy": EACH + "made[m] = select(u[0] > 0.0, u[m], rate[m]);",
    "LogicOther": EACH + "made[m] = select(u[m] > 0.0 && u[0] > 0.0, u[m], rate[m]);",
    "LogicBy": EACH + "made[m] = select(m == 2 ? ~(u[m] > 0.0) : u[m] > 0.0, u[m], rate[m]);",
    "PowerBy": EACH + "made[m] = pow(u[m], m == 2 ? flag : flag + 1);",
    "Integer": EACH + "made[m] = Real(Bits<Real>(u[0]));",
    "Nameless": EACH + "made[m] = gammaFunction(u[m]);",
    # these do not compile, so that nothing is known of them
    "Path": EACH + "made[m] = any(u[m] > 0.0) ? rate[m] : u[m];",
    "Options": EACH + "made[m] = u[m] * shared.ns;",
}
#: What a kernel may not declare whose text is uniform: inputs, outputs and more of its entry.
DECLARED = {
    "Single": ("uf_u", "uf_dt", ""),
    "Fewer": ("uf_u", "uf_four", ""),
    "Integers": ("uf_counts", "uf_u", ""),
    "MadeIntegers": ("uf_u", "uf_counts", ""),
    "Constants": ("uf_weights", "uf_u", ""),
    "Species": ("uf_species", "uf_species", ""),
    "Many": ("uf_many", "uf_many", ""),
    "Cells": ("uf_u", "uf_rate", 'reads.uf_u = "cells"'),
    "IntegersAround": ("uf_flag", "uf_rate", "reads.uf_flag = { x = [-1, 1] }"),
    "Sweep": ("uf_u", "uf_u", 'sweep = "x+"\nprivate = 1'),
    "Tables": ("uf_u", "uf_u", 'tables = ["uf_table"]'),
}


def entry(name: str, inputs: str, outputs: str, more: str) -> str:
    return (
        f'[[kernel]]\nname = "{name}"\nheader = "{name}.h"\ninputs = ["{inputs}"]\n'
        f'outputs = ["{outputs}"]\nplanned = false\n{more}\n'
    )


def found(folder: Path) -> dict[str, int]:
    own = Catalogue.load([shipped_file(), folder / "catalogue.toml"])
    kernels = [kernel for kernel in own.kernels.values() if kernel.file != shipped_file()]
    return uniform.columns(kernels, own, packbuild.compiler())


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    folder = tmp_path_factory.mktemp("uniform")
    kernels = {f"uf{name}": body for name, body in (UNIFORM | OTHERWISE).items()}
    entries = [entry(name, '", "'.join(INPUTS), "uf_u", "") for name in kernels]
    for name, body in kernels.items():
        text = HEADER.format(name=name, body=body, inputs=", ".join(INPUTS.values()))
        (folder / f"{name}.h").write_text(text)
    (folder / "catalogue.toml").write_text(QUANTITIES + "".join(entries))
    return found(folder)


@pytest.mark.parametrize("name", UNIFORM)
def test_what_is_uniform(name: str, texts: dict[str, int]) -> None:
    assert texts.get(f"uf{name}") == 5


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_not(name: str, texts: dict[str, int]) -> None:
    assert f"uf{name}" not in texts


def test_what_a_kernel_declares(tmp_path: Path) -> None:
    """The texts of these would do, and that of the last one does."""
    every = DECLARED | {"Fine": ("uf_u", "uf_rate", "")}
    for name in every:
        (tmp_path / f"uf{name}.h").write_text(
            '#pragma once\n#include "point.h"\nnamespace BRIDGE_NAMESPACE {\n'
            "template <class Real, class In, class Out>\n"
            f"BRIDGE_FN void uf{name}(const Shared&, const In& in, Out& made) "
            f"{{ for (int m = 0; m < {65 if name == 'Many' else 5}; ++m) made[m] = in[m]; }}\n}}\n"
        )
    entries = [entry(f"uf{name}", *declared) for name, declared in every.items()]
    (tmp_path / "catalogue.toml").write_text(QUANTITIES + "".join(entries))
    assert found(tmp_path) == {"ufFine": 5}


def test_every_output_counts(tmp_path: Path) -> None:
    texts = {"Both": "first[m] = in[m]; next[m] = 2.0 * in[m]",
             "Former": "first[m] = in[m]; next[m] = in[0]",
             "Latter": "first[m] = in[4 - m]; next[m] = in[m]"}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / f"uf{name}.h").write_text(
            '#pragma once\n#include "point.h"\nnamespace BRIDGE_NAMESPACE {\n'
            "template <class Real, class In, class First, class Next>\n"
            f"BRIDGE_FN void uf{name}(const Shared&, const In& in, First& first, Next& next) "
            f"{{ {EACH} {{ {text}; }} }}\n}}\n"
        )
    entries = [entry(f"uf{name}", "uf_u", 'uf_u", "uf_rate', "") for name in texts]
    (tmp_path / "catalogue.toml").write_text(QUANTITIES + "".join(entries))
    assert found(tmp_path) == {"ufBoth": 5}


def test_what_goes_wrong_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that ends the program takes none along that came before; programs that cannot be
    run, or do not end, say of none that it is uniform."""
    bodies = {"Fine": f"{EACH} made[m] = u[m];", "Trap": "__builtin_trap();"}
    for name, body in bodies.items():
        text = HEADER.format(name=f"uf{name}", body=body, inputs=", ".join(INPUTS.values()))
        (tmp_path / f"uf{name}.h").write_text(text)
    entries = [entry(f"uf{name}", '", "'.join(INPUTS), "uf_u", "") for name in bodies]
    (tmp_path / "catalogue.toml").write_text(QUANTITIES + "".join(entries))
    assert found(tmp_path) == {"ufFine": 5}
    with monkeypatch.context() as patch:
        patch.setattr(uniform, "TIMEOUT", 0.001)
        assert found(tmp_path) == {}
    own = Catalogue.load([shipped_file(), tmp_path / "catalogue.toml"])
    asked = [own.kernel("ufFine")]
    assert uniform.columns(asked, own, ["/nowhere/g++"]) == {}
    assert uniform.columns(asked, own, ["true"]) == {}  # no program was made


def test_neighbours(tmp_path: Path) -> None:
    """Each place is an argument of its own."""
    texts = {
        "Along": "made[m] = s.at<0, 1, 0>() * (u.at<-1, 0, 0>()[m] - u.at<1, 0, 0>()[m])",
        "Here": "made[m] = u[m] * s[0]",
        "Other": "made[m] = m == 3 ? u.at<-1, 0, 0>()[m] : u.at<1, 0, 0>()[m]",
        "First": "made[m] = u.at<-1, 0, 0>()[m] - u.at<1, 0, 0>()[0]",
        "Beyond": "made[m] = u.at<-1, 0, 0>()[m + 5]",
    }
    entries = []
    for name, text in texts.items():
        (tmp_path / f"uf{name}.h").write_text(
            '#pragma once\n#include "point.h"\nnamespace BRIDGE_NAMESPACE {\n'
            "template <class Real, class Out>\n"
            f"BRIDGE_FN void uf{name}(const Shared&, const Neighbours& u, "
            f"const ScalarNeighbours& s, Out& made) {{ {EACH} {text}; }}\n}}\n"
        )
        more = "reads = { uf_u = { x = [-1, 1] }, uf_dt = { y = [0, 1] } }"
        entries.append(entry(f"uf{name}", 'uf_u", "uf_dt', "uf_rate", more))
    (tmp_path / "catalogue.toml").write_text(QUANTITIES + "".join(entries))
    assert found(tmp_path) == {"ufAlong": 5, "ufHere": 5}


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        ("examples/loop_pack", {"advance"}),
        ("examples/stage_pack", {"startStep", "rkUpdate"}),
        ("examples/update_pack", {"updateInPlace", "updateToNew"}),
        ("fortran_stub/bench/loops", {"loopScaling", "loopUpdate"}),
    ],
)
def test_packs_that_come_with_the_project(folder: str, names: set[str]) -> None:
    assert found(ROOT / folder) == dict.fromkeys(names, 5)


def test_every_function_can_be_traced(tmp_path: Path) -> None:
    """The header that calls all of them compiles: one that does not is left out silently."""
    own = Catalogue.load([shipped_file(), ROOT / "examples/language_pack/catalogue.toml"])
    asked, command = [own.kernel("everyFunction")], packbuild.compiler()
    assert uniform._compiled(asked, own, tmp_path, command, uniform.Processes()) == ""


#: A compiler that takes a minute for the search, with a process of its own, as others have; what
#: else is compiled begins after it.
SLOW = """#!/bin/sh
case "$*" in
*traced.cpp*) echo > {folder}/begun; (sleep 60; echo > {folder}/ended) & wait ;;
*) while [ ! -e {folder}/begun ]; do sleep 0.02; done; exec {command} "$@" ;;
esac
"""


def test_an_error_of_the_checks_ends_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    inputs = ", ".join(INPUTS.values())
    text = HEADER.format(name="ufEach", body=f"{EACH} made[m] = u[m];", inputs=inputs)
    (pack / "ufEach.h").write_text(text)
    reads = "reads.uf_u = { x = [-1, 0] }"
    one = entry("ufEach", '", "'.join(INPUTS), "uf_rate", reads)
    (pack / "catalogue.toml").write_text(QUANTITIES + one)
    slow = tmp_path / "slow"
    slow.write_text(SLOW.format(folder=tmp_path, command=shlex.join(packbuild.compiler())))
    slow.chmod(0o755)
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ArgumentError, match="ufEach.h reads"):
        list(packbuild.build([pack], cxx=str(slow)))
    assert (tmp_path / "begun").exists() and not (tmp_path / "ended").exists()
