"""All ways to run a kernel give one number: composites, single launches, every CPU library, and
the same headers compiled for one point at a time."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernels.measure import TOLERANCES, R, gas, worst
from kernels.statusbits import DIFF_RANGE, STABILITY_OPEN, TWO_PHASE

import bridge
from bridge.backends.cpu.backend import CpuBackend
from bridge.backends.cpu.single import launch_kernel, run_plan
from bridge.backends.host import library
from bridge.kernels.sharedstruct import SharedStruct
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan import packs
from bridge.plan.catalogue import Catalogue

SPECIES = ["O2", "CH4", "CO2", "H2O", "CO", "N2"]
N, NS = 67, 6
KERNELS = Path(str(resources.files("bridge") / "kernels"))
SEARCH = (
    *("prEOSNewtonStart", "prEOSEnthalpyResidual", "prEOSNewtonUpdate", "mergeStatus"),
    *("prEOSGapRoot", "prEOSGapDensity", "prEOSGapEntropy", "prEOSGapEnthalpy"),
    *("prEOSGapEnthalpyOfEntropy", "prEOSEntropyResidual", "prEOSSoundSpeedAtVolume"),
    *("prEOSTemperatureFromRhoE", "prEOSTemperatureFromRhoP", "prEOSSaturation", "prEOSFlashFrom"),
    "prEOSFlashRhoE",
)

TARGETS = {"h_target", "s_target", "rho_target", "lnK0_i"}


@pytest.fixture(scope="module")
def inputs() -> Any:
    T, P, Y = gas(N, NS)
    velocity = np.random.default_rng(5).normal(0.0, 100.0, (N, 3))
    return {"T": T, "P": P, "Y": Y, "velocity": velocity, "Vref": np.full(N, 1.0)}


@pytest.fixture(scope="module")
def shared() -> Any:
    return SharedData(SpeciesData.load(SPECIES))


@pytest.fixture(scope="module")
def one_by_one(inputs: Any, shared: Any) -> Any:
    """Every kernel that is not fused launched by its name, in the order of the catalogue."""
    values = dict(inputs)
    for name in order():
        kernel = Catalogue.shipped().kernel(name)
        given = {key: values[key] for key in kernel.inputs if key in values}
        values |= launch_kernel(name, given, shared)
    return values


def order() -> list[str]:
    apart = (*SEARCH, "completeMassFractions")
    kernels = Catalogue.shipped().kernels.values()
    return [k.name for k in kernels if k.name not in apart and not k.fuses and not k.option]


def evaluated(inputs: Any, names: Any) -> Any:
    return bridge.evaluate(
        SPECIES,
        inputs["T"],
        inputs["P"],
        inputs["Y"],
        names,
        velocity=inputs["velocity"],
        Vref=inputs["Vref"],
        backend="cpu",
    )


def test_a_composite_is_its_parts(inputs: Any, one_by_one: Any, shared: Any) -> None:
    """The kernels of a plan launched by their names one after the other: the same bits."""
    names = [name for name in one_by_one if name not in ("Y", "velocity", "Vref", "T", "P")]
    got = evaluated(inputs, names)
    catalogue, values = Catalogue.shipped(), dict(inputs)
    given = ["T", "P", "Y", "velocity", "Vref"]
    for name in catalogue.plan([*names, "status"], given, NS).kernels():
        needs = catalogue.kernel(name).inputs
        values |= launch_kernel(name, {key: values[key] for key in needs if key in values}, shared)
    for name in names:
        assert np.array_equal(got[name], values[name], equal_nan=True), name


@pytest.mark.parametrize(
    "composite",
    [
        c.name
        for c in Catalogue.shipped().composites.values()
        if TARGETS.isdisjoint(c.inputs) and not c.steps
    ],
)
def test_a_composite_agrees_with_single_launches(
    composite: str, inputs: Any, one_by_one: Any, shared: Any
) -> None:
    """To rounding, as the planner takes kernels that stand for several."""
    wanted = Catalogue.shipped().composites[composite]
    plan = Catalogue.shipped().plan([*wanted.outputs], [*wanted.inputs], NS)
    given = {name: one_by_one[name] for name in wanted.inputs}
    got = run_plan(plan, given, shared)
    W, T = one_by_one["W"], inputs["T"]
    own = {"h": R * T / W, "h0": R * T / W, "rho_T": one_by_one["rho"] / T}
    own["h_Yi"] = own["h"][:, None]
    own["rhoh0"] = one_by_one["rho"] * own["h"]
    own["h_p"] = 1.0 / one_by_one["rho"]
    for name in wanted.outputs:
        expected = one_by_one[name]
        if name == "status":
            others = 0  # bits of kernels that do not run
            if name not in wanted.inputs:
                others |= 0 if {"tpd", "x_i"} & {*wanted.outputs} else TWO_PHASE | STABILITY_OPEN
                others |= 0 if "D_im" in wanted.outputs else DIFF_RANGE
            assert np.array_equal(got[name], expected & ~others)
            continue
        difference = worst(got[name], expected, own.get(name, 0.0), one_by_one["Pkappa"])
        assert difference < TOLERANCES["property"]["parts"], name


FUSED = [k.name for k in Catalogue.shipped().kernels.values() if k.fuses]


@pytest.mark.parametrize("options", [{}, {"prCross": "ABS"}, {"chungDense": "PUBLISHED"}], ids=str)
@pytest.mark.parametrize("kij", [0.0, 0.02])
@pytest.mark.parametrize("name", FUSED)
def test_a_fused_kernel_is_its_parts(name: Any, kij: Any, options: Any, inputs: Any) -> None:
    """To rounding: what they compute is the same, in another order."""
    matrix = kij * (1.0 - np.eye(NS))
    run = SharedData(SpeciesData.resolve(SPECIES, kij=matrix), Options.parse(options))
    catalogue = Catalogue.shipped()
    kernel = catalogue.kernel(name)
    values = dict(inputs)
    for part in order():
        needs = catalogue.kernel(part).inputs
        values |= launch_kernel(part, {key: values[key] for key in needs if key in values}, run)
    given = {key: values[key] for key in kernel.inputs} | {
        key: inputs[key] for key in ("T", "P", "Y") if key in kernel.inputs
    }
    if "status" in given:
        given["status"] = np.zeros(N, dtype=np.int32)
    got = launch_kernel(name, given, run)
    ac, T = run.fields()["prQ"].max() ** 2, inputs["T"]
    scales = {"a": ac, "a_T": ac / T, "a_TT": ac / T**2, "h_ideal": R * T}
    scales |= {"S_i": ac, "S_i_T": ac / T[:, None]}
    for key in kernel.makes:
        if key == "status":
            assert np.array_equal(got[key], values[key] & 0b111111), key
        else:
            error = worst(got[key], values[key], scales.get(key, 0.0))
            assert error < TOLERANCES["property"]["parts"], key


@pytest.mark.parametrize("isa", library.available())
@pytest.mark.parametrize("cross", ["SIGNED", "ABS"])
def test_attraction_of_more_species_than_are_kept_at_a_time(isa: str, cross: Any) -> None:
    table, ns = SpeciesData.load(None), 131
    each = {
        key: np.resize(getattr(table, key), (ns, *getattr(table, key).shape[1:]))
        for key in ("W", "Tc", "Pc", "Vc", "omega", "nasa7")
    }
    random = np.random.default_rng(8)
    kij = np.triu(random.uniform(-0.1, 0.1, (ns, ns)), 1)
    run = SharedData(SpeciesData.resolve(each, kij=kij + kij.T), Options.parse({"prCross": cross}))
    T, X = random.uniform(200.0, 3000.0, 21), random.dirichlet(np.ones(ns), 21)
    plan = Catalogue.shipped().single("prEOSMixAttraction", ns)
    got = run_plan(plan, {"X": X, "T": T}, run, backend=CpuBackend(isa=isa))
    c, d = run.fields()["prU0"], run.fields()["prU1"]
    sign = np.where((cross == "ABS") & (c < d * np.sqrt(T)[:, None]), -1.0, 1.0)
    k = 1.0 - (kij + kij.T)
    cc, cd, dd = (
        np.einsum("ni,ij,nj->n", X * sign * f, k, X * sign * g)
        for f, g in ((c, c), (c, d), (d, d))
    )
    root = np.sqrt(T)
    expected = {
        "a": cc - 2 * root * cd + T * dd,
        "a_T": dd - cd / root,
        "a_TT": cd / (2 * T * root),
    }
    scale = {"a": cc, "a_T": dd, "a_TT": 0.0}
    for key, value in expected.items():
        assert worst(got[key], value, scale[key]) < TOLERANCES["property"]["parts"], key


def test_last_mass_fraction(inputs: Any) -> None:
    run = SharedData(SpeciesData.load(SPECIES))
    leading = inputs["Y"][:, :-1]
    got = launch_kernel("completeMassFractions", {"Y_leading": leading}, run)["Y"]
    assert np.array_equal(got[:, :-1], leading)
    rounding = got.shape[1] * np.finfo(float).eps * np.abs(got).sum(1)
    assert (np.abs(got.sum(1) - 1.0) <= rounding).all()


def test_every_library_gives_the_same_numbers(inputs: Any, shared: Any) -> None:
    names = ["rho", "h", "cp", "c", "eta", "lambda", "D_im", "mu_i", "Pkappa", "W", "status"]
    plan = Catalogue.shipped().plan(names, ["T", "P", "Y"], NS)
    given = {name: inputs[name] for name in ("T", "P", "Y")}
    results = {
        isa: run_plan(plan, given, shared, backend=CpuBackend(isa=isa))
        for isa in library.available()
    }
    first = results[library.available()[0]]
    scales = {"h": R * given["T"] / first["W"], "mu_i": (R * given["T"])[:, None]}
    for isa, other in results.items():
        assert np.array_equal(other["status"], first["status"]), isa
        for name in names[:-1]:
            error = worst(other[name], first[name], scales.get(name, 0.0), first["Pkappa"])
            assert error < TOLERANCES["property"]["parts"], (isa, name)


# ---- the headers for one point ------------------------------------------------------------


def one_point_source(number: str) -> str:
    """One exported function per kernel, which computes with this type: arrays of one point by
    pointer, integers beside them."""
    catalogue = Catalogue.shipped()
    text = []
    functions = []
    for name in catalogue.kernels:
        kernel = catalogue.kernel(name)
        text.append(f'#include "{kernel.header}"')
        arguments = []
        for place, quantity in enumerate((*kernel.inputs, *kernel.outputs)):
            about = catalogue.quantity(quantity)
            if about.dtype == "int32":
                arguments.append(f"words[{place}]")
            elif str(about.columns) == "1":
                arguments.append(f"*values[{place}]")
            else:
                arguments.append(f"values[{place}]")
        functions.append(
            f'extern "C" void run_{name}(const Shared* shared, {number}** values, int* words) {{\n'
            f"    (void)words;\n    (void)values;\n"
            f"    {name}<{number}>(*shared, {', '.join(arguments)});\n}}"
        )
    return "\n".join([*text, "using namespace BRIDGE_NAMESPACE;", *functions])


def compiled(folder: Path, number: str, *flags: str) -> Any:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++")
    source, output = folder / "one.cpp", folder / "one.so"
    source.write_text(one_point_source(number), encoding="utf-8")
    line = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", *flags]
    done = subprocess.run(
        [*line, str(source), "-o", str(output), "-lmvec", "-lm"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(output))


def one_point(library: Any, inputs: Any, shared: Any) -> dict[str, Any]:
    """Results of every kernel at 8 points, one at a time."""
    catalogue = Catalogue.shipped()
    values = {name: inputs[name][:8] for name in inputs}
    struct = SharedStruct(shared.fields())
    for name in order():
        kernel = catalogue.kernel(name)
        results: dict[str, list[Any]] = {quantity: [] for quantity in kernel.outputs}
        for point in range(8):
            arrays = []
            words = (ctypes.c_int * 16)()
            for place, quantity in enumerate((*kernel.inputs, *kernel.outputs)):
                if place < len(kernel.inputs):
                    if quantity == "status" and quantity not in values:
                        values[quantity] = np.zeros(8, dtype=np.int32)
                    value = np.atleast_1d(values[quantity][point])
                else:
                    value = np.zeros(catalogue.columns(quantity, NS))
                arrays.append(np.array(value, dtype=float))
                words[place] = (
                    int(arrays[-1][0])
                    if arrays[-1].size == 1
                    and np.isfinite(arrays[-1][0])
                    and abs(arrays[-1][0]) < 2**30
                    else 0
                )
            pointers = (ctypes.c_void_p * 16)(*[array.ctypes.data for array in arrays])
            getattr(library, f"run_{name}")(ctypes.c_void_p(struct.address), pointers, words)
            for place, quantity in enumerate(kernel.outputs, len(kernel.inputs)):
                word = catalogue.quantity(quantity).dtype == "int32"
                results[quantity].append(words[place] if word else arrays[place].copy())
        for quantity, rows in results.items():
            columns = catalogue.columns(quantity, NS)
            values[quantity] = np.array(rows).reshape((8, columns) if columns > 1 else 8)
    return values


def test_headers_for_one_point(tmp_path: Path, inputs: Any, shared: Any, one_by_one: Any) -> None:
    values = one_point(compiled(tmp_path, "double", "-O1", "-DBRIDGE_SCALAR"), inputs, shared)
    T, W = inputs["T"][:8], one_by_one["W"][:8]
    mole, kilo = R * T, R * T / W
    scales = {"h0_i": mole, "h_ideal": mole, "h": kilo, "u": kilo, "g": kilo, "hbar_i": mole,
              "mu_i": mole, "h_Yi": kilo * 10, "h_Yi_reduced": kilo * 10, "h0": kilo,
              "rhoh0": kilo * one_by_one["rho"][:8], "lnphi_i": np.ones(8), "h_p": 1 /
              one_by_one["rho"][:8], "vbar_i": one_by_one["v"][:8], "s_ideal": np.full(8, R),
              "rho_Yi": one_by_one["rho"][:8] * 10, "rho_Yi_reduced": one_by_one["rho"][:8] * 10,
              "P_i": one_by_one["P"][:8]}  # fmt: skip
    for quantity in one_by_one:
        got, want = values[quantity], one_by_one[quantity][:8]
        scale = np.broadcast_to(
            np.reshape(scales.get(quantity, np.zeros(8)), (8,) + (1,) * (want.ndim - 1)),
            want.shape,
        )
        assert worst(got, want, scale, one_by_one["Pkappa"][:8]) < 1e-11, quantity


# ---- the catalogue --------------------------------------------------------------------------


def test_headers_and_catalogue_agree() -> None:
    catalogue = Catalogue.shipped()
    listed = {Path(catalogue.kernel(name).header).resolve() for name in catalogue.kernels}
    for header in listed:
        assert header.is_file()
    files = [*KERNELS.glob("eos/*.h"), *KERNELS.glob("transport/*.h")]
    helpers = {"status", "nasa7", "inputChecks", "matrixRows", "attractionSums", "chungDense",
               "cubic", "binaryDiffusion", "takahashi", "mixtureDiffusion", "sumOfOthers",
               "gapEnds", "tangentPlane", "trialPhase", "bracketedNewton", "densityInput",
               "idealPolynomial", "mixtureAttraction", "speciesAttraction", "phaseProperties",
               "kineticSpecies", "stableRoot", "lesserPhase", "phaseSplit", "nextRatios",
               "findSplit", "phaseCurvature", "feedCurvature", "ratioSearch", "searchEnds",
               "feedEnds", "searchSteps", "quickStability", "lowestDistance",
               "splitOfFeed", "twoPhases", "findPhases", "phaseDerivatives", "crossing",
               "conjugateGradients", "densityFlash", "densityForces", "densityPhases",
               "densitySearch", "densitySplit", "densityStep", "densityTemperature",
               "densityTrial", "splitEntropy"}  # fmt: skip
    unlisted = {file.stem for file in files if file.resolve() not in listed}
    assert unlisted == helpers


def test_kernel_texts_are_short_and_of_one_point() -> None:
    for file in [*KERNELS.glob("eos/*.h"), *KERNELS.glob("transport/*.h")]:
        text = file.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 100, file
        code = "\n".join(line.split("//")[0] for line in text.splitlines())
        for word in ("__global__", "threadIdx", "_mm", "fast-math", "std::", "Lanes", "pow("):
            assert word not in code, (file, word)


def test_the_number_of_a_debuggers_build_has_the_bits_of_lanes(
    tmp_path: Path, inputs: Any, shared: Any, one_by_one: Any
) -> None:
    """Without optimisation, in another function: only types say what is fused."""
    isa = library.choose().isa
    flags = ("-O0", "-DBRIDGE_DEBUG", *packs.TARGETS[isa], "-ffp-contract=off", "-Wno-psabi")
    values = one_point(compiled(tmp_path, "OnePoint", *flags), inputs, shared)
    for quantity in one_by_one:
        got, want = values[quantity], one_by_one[quantity][:8]
        assert np.array_equal(got.reshape(want.shape), want, equal_nan=True), quantity


def test_a_debuggers_number_compiles_where_tables_are_read_by_records(tmp_path: Path) -> None:
    """Vectors of fewer than eight points have such a look-up, longer ones have none."""
    source = tmp_path / "one.cpp"
    source.write_text(one_point_source("OnePoint"), encoding="utf-8")
    line = ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-DBRIDGE_DEBUG"]
    subprocess.run([*line, *packs.TARGETS["v2"], "-Wno-psabi", str(source)], check=True)


@pytest.mark.parametrize("isa", ["v3", "v4"])
@pytest.mark.parametrize("first", ['"point.h"', "<immintrin.h>"])
def test_a_header_has_all_instructions_where_it_includes_them(
    tmp_path: Path, first: str, isa: str
) -> None:
    """instructions.h reads a part of the compiler's header."""
    source = tmp_path / "one.cpp"
    source.write_text(
        f'#include {first}\n#include <immintrin.h>\n#include "point.h"\n'
        '__attribute__((target("avx512bw,avx512vl"))) __m256i sum(__mmask16 some, __m256i x) {\n'
        "    return _mm256_mask_add_epi16(x, some, x, x);\n}\n"
        "bridge_NAME::Lanes root(bridge_NAME::Lanes x) { return sqrt(x); }\n".replace("NAME", isa),
        encoding="utf-8",
    )
    line = ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    flags = [*packs.TARGETS[isa], f"-DBRIDGE_NAMESPACE=bridge_{isa}", f"-I{KERNELS}"]
    subprocess.run([*line, *flags, "-Wno-psabi", str(source)], check=True)
