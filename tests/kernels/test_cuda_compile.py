"""Every kernel and composite compiles for GPUs that are not here: no spill, and no memory of a
thread's own but the one array that the launch declares (none for up to 16 species)."""

from __future__ import annotations

import functools
import multiprocessing
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from hosts import TIME_LIMIT

from bridge.backends.cuda import cache, compiler, precompile
from bridge.backends.cuda.compiler import CompileError, read_resources
from bridge.backends.gpu import architecture, marshal
from bridge.backends.gpu.layout import SharedLayout
from bridge.backends.gpu.placement import Access
from bridge.backends.gpu.policy import LOCAL, POLICIES, candidates
from bridge.backends.gpu.source import generate
from bridge.bench.hostset import set_plan
from bridge.errors import ArgumentError, DeviceError
from bridge.physics.options import Options
from bridge.plan.catalogue import Catalogue, shipped_file

CATALOGUE = Catalogue.shipped()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of these tests' own, so that everything is compiled by this version."""
    try:
        compiler.find()
    except DeviceError as error:
        pytest.skip(str(error))
    return tmp_path_factory.mktemp("cuda")


OTHERS = [pytest.param(arch, marks=pytest.mark.gpu)
          for arch in precompile.ARCHITECTURES if arch != "sm_90"]  # fmt: skip
#: Other architectures than this are left to machines with a GPU, which have more cores.
ARCHITECTURES = pytest.mark.parametrize("arch", ["sm_90", *OTHERS])


def part(flash: bool) -> set[str]:
    """The kernels and composites of the flash alone, or all but these: they take as long to
    compile as all others."""
    return {n for n in (*CATALOGUE.kernels, *CATALOGUE.composites) if ("Flash" in n) == flash}


@pytest.mark.parametrize("flash", [False, True])
def test_each_part_is_planned(flash: bool) -> None:
    """The longest test below has no plan to compile where this one fails."""
    some = part(flash)
    assert {plan.name for plan in precompile.plans(CATALOGUE, 4, some)} == some


# Few and many species on one architecture, with interaction coefficients where there are many.
# These are the longest tests of all: one species, 16 species without coefficients, 53 species and
# the flash are left to machines with a GPU too.
@pytest.mark.parametrize("flash", [False, pytest.param(True, marks=pytest.mark.gpu)])
@pytest.mark.parametrize(
    ("arch", "ns", "kij"),
    [
        *[("sm_90", 4, False), ("sm_90", 16, True)],
        *(pytest.param("sm_90", ns, False, marks=pytest.mark.gpu) for ns in (1, 16)),
        *(pytest.param(arch, 4, False, marks=pytest.mark.gpu)
          for arch in precompile.ARCHITECTURES if arch != "sm_90"),
        *(pytest.param(arch, 53, True, marks=pytest.mark.gpu)
          for arch in precompile.ARCHITECTURES),
    ],
)  # fmt: skip
def test_no_spill_and_no_stack(place: Path, arch: str, ns: int, kij: bool, flash: bool) -> None:
    some = part(flash)
    builds = precompile.resources(
        [arch], [ns], kij=[kij], catalogue=CATALOGUE, names=some, place=place
    )
    assert {build.what for build in builds} == some
    for build in builds:
        used = build.resources
        assert 0 < used.registers <= 255, build
        assert used.spill_stores == used.spill_loads == 0, build
        if ns <= 16 and not any(
            word in build.what for word in ("Stability", "Flash")
        ):  # its work is memory of the thread
            assert build.private == 0, build
        # An array of a header that does not become registers is placed by the compiler, and NVRTC
        # 13.0 has placed two over arrays that were alive.
        assert used.stack <= -(-build.private // 16) * 16, build
        assert build.tile <= architecture.shared_memory(arch), build


@pytest.mark.parametrize("ns", [3, 6, 16, 53])
@pytest.mark.parametrize("composite", ["eosFlashTP", "eosFlashTPFrom", "eosFlashRhoE"])
def test_loops_of_a_flash_stay(composite: str, ns: int) -> None:
    """Unrolled, its rounds take minutes to compile. What it shares with other kernels is as it is
    for these."""
    plan = CATALOGUE.composite_plan(CATALOGUE.composites[composite], ns)
    text = generate([plan], CATALOGUE, precompile.layout(ns), arch="sm_90").text
    unrolled, _, kept = text.rpartition("#undef for\n")
    searches = {f'"eos/{name}.h"' for name in plan.kernels() if name.startswith("prEOSFlash")}
    searches -= {'"eos/prEOSFlashPhases.h"'}
    assert searches and all(header in kept for header in searches)
    assert not any(header in unrolled for header in searches)


@functools.cache
def fitted(ns: int) -> SharedLayout:
    """With interaction coefficients; the fits of many pairs take longer than their sources."""
    return precompile.layout(ns, {"omega11": "FITTED"}, kij=True)


@pytest.mark.parametrize("arch", ["sm_60", "sm_75", "sm_80", "sm_86", "sm_90", "sm_130"])
@pytest.mark.parametrize("ns", [4, 16, 53, 131, 300])
def test_a_block_fits_the_shared_memory_of_its_architecture(arch: str, ns: int) -> None:
    where = fitted(ns)
    most = architecture.shared_memory(arch)
    for composite in CATALOGUE.composites.values():
        plan = CATALOGUE.composite_plan(composite, ns)
        for policy in [*candidates(plan, ns, True), *POLICIES.values()]:
            source = generate([plan], CATALOGUE, where, policy=policy, arch=arch)
            entry = source.entries[plan.name]
            assert entry.tile <= most, policy
            assert entry.threads % 32 == 0 and entry.threads <= policy.threads
            assert f"__launch_bounds__({entry.threads}," in source.text
            assert architecture.tensor_cores(arch) or "Tensor" not in source.text
            if ns <= 16 and arch == "sm_90":
                assert entry.threads == policy.threads


@pytest.mark.parametrize(("arch", "threads"), [("sm_90", 128), ("sm_80", 128), ("sm_86", 64)])
def test_blocks_shrink_before_they_leave_shared_memory(arch: str, threads: Any) -> None:
    plan = set_plan(53)
    entry = generate([plan], CATALOGUE, precompile.layout(53), policy=LOCAL, arch=arch).entries[
        plan.name
    ]
    assert entry.threads == threads and entry.tile == 16 * 53 * threads


def test_names_of_architectures() -> None:
    assert architecture.capability("sm_90a") == 90 and architecture.capability("sm_120") == 120
    assert architecture.shared_memory("sm_75") == 65536
    for name in ("90", "sm_", "gfx90a", "sm_x0"):
        with pytest.raises(ArgumentError, match="arch.*" + name):
            architecture.capability(name)


@pytest.mark.parametrize(("arch", "ns"), [("sm_75", 20), ("sm_86", 53)])
def test_smaller_and_older_gpus(place: Any, arch: str, ns: int) -> None:
    """No tensor cores for doubles; little shared memory."""
    where = precompile.layout(ns, {"omega11": "FITTED"})
    composite = CATALOGUE.composite("eosThermalAndViscousProperties")
    plan = CATALOGUE.plan(composite.outputs, composite.inputs, ns, name=composite.name)
    source = generate([plan], CATALOGUE, where, arch=arch)
    (used,) = cache.compiled(source.text, arch, place=place).resources
    assert used.spill_stores == used.spill_loads == 0


@ARCHITECTURES
def test_marshalling_compiles(place: Any, arch: str) -> None:
    used = cache.compiled(marshal.SOURCE, arch, place=place).resources
    pairs = ("float64_float64", "float64_int32", "int32_int32", "float32_float64", "int32_float64")
    names = {f"{kernel}_{pair}" for kernel in ("gather", "scatter") for pair in pairs}
    types = ("float64", "float32", "int32")
    names |= {f"reduce_{what}" for what in (*types, "groups", "pairs", "values")}
    names |= {f"measure_{what}" for what in types}
    names |= {"gather_position_int32", "move_boxes_8", "move_boxes_4"}
    names |= {"gather_blocks_8", "gather_blocks_4", "carry_words"}
    names |= {f"constant_{step}_{what}" for step in ("first", "parts") for what in types}
    names |= {f"constant_{what}" for what in ("clear", "fold", "grains", "end")}
    assert {one.kernel for one in used} == names
    assert not any(one.spill_stores for one in used)
    # one thread of it adds numbers without error, in pieces
    assert {one.kernel for one in used if one.stack} <= {"constant_end"}


@ARCHITECTURES
def test_arrays_of_other_types_compile(place: Any, arch: str) -> None:
    """Inputs and outputs of one and of many columns, as float32 and int32, with and without a
    factor."""
    composite = CATALOGUE.composite("eosThermalAndViscousProperties")
    outputs = ("rho", "h", "D_im", "h_Yi", "status")
    plan = CATALOGUE.plan(outputs, composite.inputs, 6, name=composite.name)
    for access in (
        {"T": Access("int32"), "P": Access("float32", True), "Y": Access("float32"),
         "rho": Access("float32"), "D_im": Access("float32", True), "h_Yi": Access("float32")},
        {"T": Access("float32"), "Y": Access("int32", True), "status": Access("float64"),
         "h": Access("float32", True), "h_Yi": Access("float32", True)},
    ):  # fmt: skip
        source = generate([plan], CATALOGUE, precompile.layout(6), access, arch=arch)
        for name, one in access.items():
            kind = {"int32": "int", "float32": "float", "float64": "double"}[one.dtype]
            assert f"{kind}* {name};" in source.text
        (used,) = cache.compiled(source.text, arch, place=place).resources
        assert used.spill_stores == used.spill_loads == 0


def test_options_are_constants_of_the_build(place: Any) -> None:
    """Each makes another text. One compiles alone, which takes most registers, the others
    together."""
    alone = {"takaMode": "PAIRWISE"}
    others = {"prCross": "ABS", "thermoExtrap": "POLYNOMIAL", "rootPolicy": "LARGEST",
              "chungDense": "PUBLISHED", "massFraction": "MOLE_FORM",
              "dilute": "KINETIC", "cubic": "SOAVE_REDLICH_KWONG",
              "viscosity": "FRICTION"}  # fmt: skip
    known = {"override": "criticalViscosity=2e-5"}

    def text(options: dict[str, str]) -> str:
        options = options | known
        catalogue = CATALOGUE.with_options(Options.parse(options))
        composite = catalogue.composite("eosThermalAndViscousProperties")
        plan = catalogue.plan(composite.outputs, composite.inputs, 4, name=composite.name)
        return generate([plan], CATALOGUE, precompile.layout(4, options)).text

    options = alone | others
    texts = {text({}), *(text({name: value}) for name, value in options.items())}
    assert len(texts) == 1 + len(options)
    for some in (alone, others):
        (used,) = cache.compiled(text(some), "sm_90", place=place).resources
        assert used.spill_stores == used.stack == 0


def test_what_ptxas_says_is_read() -> None:
    log = """\
ptxas info    : Compiling entry function 'bridge_a' for 'sm_90'
ptxas info    : Function properties for bridge_a
    48 bytes stack frame, 44 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers
ptxas info    : Compiling entry function 'bridge_b' for 'sm_90'
ptxas info    : Function properties for bridge_b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, 640 bytes cmem[0]
ptxas info    : Compiling entry function 'bridge_c' for 'sm_90'
ptxas info    : Function properties for bridge_c
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 30 registers, used 0 barriers, 64 bytes cumulative stack size
ptxas info    : Function properties for _Z6calledv
    48 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads
"""
    first, second, third = read_resources(log)
    assert (first.kernel, first.registers, first.stack) == ("bridge_a", 255, 48)
    assert (first.spill_stores, first.spill_loads) == (44, 40)
    assert (second.kernel, second.registers, second.stack) == ("bridge_b", 40, 0)
    assert (third.kernel, third.registers, third.stack) == ("bridge_c", 30, 64)
    assert (third.spill_stores, third.spill_loads) == (28, 40)


def test_a_spill_is_seen(place: Any) -> None:
    """The check can fail: an array indexed at run time has a stack frame."""
    text = """
extern "C" __global__ void indexed(double* x, int k) {
    double a[32];
    for (int i = 0; i < 32; ++i) a[i] = x[i * k];
    x[threadIdx.x] = a[(threadIdx.x + k) % 32];
}
"""
    (used,) = cache.compiled(text, "sm_90", place=place).resources
    assert used.stack >= 256


# ---- the cache --------------------------------------------------------------------------------


class Counting:
    """A compiler that counts in a file how often it was called; asked: of n others, which it waits
    for first."""

    version = "counting 1"

    def __init__(self, calls: Any, fails: bool = False, asked: Any = None, n: int = 0) -> None:
        self.calls, self.fails, self.asked, self.n = calls, fails, asked, n

    def compile(self, text: Any, arch: str, options: tuple[str, ...] = ()) -> Any:
        with open(self.calls, "a") as file:
            file.write("x")
        for _ in range(self.n):
            assert self.asked.acquire(timeout=TIME_LIMIT)
        time.sleep(0.05)  # the ticks of a file's time are coarser than those of the clock
        if self.fails:
            raise CompileError(f"refused for {arch}:\n{compiler.numbered(text)}")
        return compiler.Compiled(b"code of " + text.encode(), "log")


def _rank(place: Any, calls: Any, fails: Any, asked: Any, n: int, results: Any) -> None:
    locked = cache.locked

    def counted(path: Path) -> Any:
        asked.release()
        return locked(path)

    cache.locked = counted  # in this process alone
    got: object
    try:
        using = Counting(calls, fails, asked, n)
        got = cache.compiled("text", "sm_90", using=using, place=place).cubin
    except CompileError as error:
        got = str(error)
    results.put(got)


@pytest.mark.parametrize("fails", [False, True])
def test_one_rank_compiles_and_the_others_wait(tmp_path: Path, fails: Any) -> None:
    ranks = 4
    context = multiprocessing.get_context("fork")
    asked, results = context.Semaphore(0), context.Queue()
    processes = [
        context.Process(
            target=_rank, args=(tmp_path, tmp_path / "calls", fails, asked, ranks, results)
        )
        for _ in range(ranks)
    ]
    for process in processes:
        process.start()
    got = {results.get(timeout=TIME_LIMIT) for _ in processes}
    for process in processes:
        process.join(TIME_LIMIT)
    expected = "refused for sm_90:\n    1 text" if fails else b"code of text"
    assert got == {expected}
    assert (tmp_path / "calls").read_text() == "x"


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(CompileError):
        cache.compiled("text", "sm_90", using=Counting(tmp_path / "n", True), place=tmp_path)
    done = cache.compiled("text", "sm_90", using=Counting(tmp_path / "n"), place=tmp_path)
    assert done.cubin == b"code of text"
    again = cache.compiled("text", "sm_90", using=Counting(tmp_path / "n"), place=tmp_path)
    assert again == done and (tmp_path / "n").read_text() == "xx"


def _dies(place: Any) -> None:
    class Dying(Counting):
        def compile(self, text: Any, arch: str, options: Any = ()) -> compiler.Compiled:
            os._exit(9)

    cache.compiled("text", "sm_90", using=Dying(place / "n"), place=place)


def test_a_rank_that_dies_compiling_holds_up_nobody(tmp_path: Path) -> None:
    dying = multiprocessing.get_context("fork").Process(target=_dies, args=(tmp_path,))
    dying.start()
    dying.join(TIME_LIMIT)
    assert dying.exitcode == 9
    done = cache.compiled("text", "sm_90", using=Counting(tmp_path / "n"), place=tmp_path)
    assert done.cubin == b"code of text"


def test_what_was_compiled_ahead_serves_every_driver(tmp_path: Path) -> None:
    def compiled(driver: Any, calls: Any = tmp_path / "n") -> Any:
        return cache.compiled(
            "text", "sm_90", using=Counting(calls), place=tmp_path, driver=driver
        )

    compiled("12090")
    compiled("13000")
    assert (tmp_path / "n").read_text() == "xx"
    compiled("")
    compiled("13010")
    compiled("13000")
    assert (tmp_path / "n").read_text() == "xxx"


def test_the_key_is_text_architecture_compiler_driver_and_headers(tmp_path: Path) -> None:
    header = tmp_path / "user.h"
    header.write_text("1")
    first = cache.key("text", "sm_90", "nvrtc 13.0", (header,))
    header.write_text("2")
    keys = {
        first,
        cache.key("text", "sm_90", "nvrtc 13.0", (header,)),
        cache.key("text", "sm_90", "nvrtc 13.0"),
        cache.key("other", "sm_90", "nvrtc 13.0"),
        cache.key("text", "sm_80", "nvrtc 13.0"),
        cache.key("text", "sm_90", "nvrtc 13.1"),
        cache.key("text", "sm_90", "nvrtc 13.0", driver="13000"),
        cache.key("text", "sm_90", "nvrtc 13.0", driver="12090"),
    }
    assert len(keys) == 8


def test_a_refused_source_is_shown_with_numbers(place: Any) -> None:
    with pytest.raises(CompileError, match=r"(?s)error.*    2 broken here") as raised:
        cache.compiled("int a;\nbroken here\n", "sm_90", place=place)
    assert "sm_90" in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("sqrt(t)", "square_root(t)", "mu_gas = mu0"),
        ("const Real& S, Real&", "const Real& S, const Bits<Real>& n, Real&", "BRIDGE_FN void"),
    ],
)
def test_an_error_of_a_pack_is_that_of_its_header(
    place: Path, tmp_path: Path, old: str, new: str, line: str
) -> None:
    folder = tmp_path / "pack"
    shutil.copytree(Path(__file__).parents[2] / "examples" / "sutherland_pack", folder)
    header = folder / "sutherlandViscosity.h"
    text = header.read_text()
    assert old in text
    header.write_text(text.replace(old, new))
    number = next(n for n, row in enumerate(header.read_text().splitlines(), 1) if line in row)
    catalogue = Catalogue.load([shipped_file(), folder / "catalogue.toml"])
    plan = catalogue.single("sutherlandViscosity", 1)
    source = generate([plan], catalogue, precompile.layout(1))
    with pytest.raises(CompileError) as raised:
        cache.compiled(source.text, "sm_90", place=place)
    told = str(raised.value)
    assert f"{header}({number}): error" in told
    assert "bridge.cu(" not in told and "__global__" not in told


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_what_a_kernel_may_say_compiles(place: Path, arch: str) -> None:
    folder = Path(__file__).parents[2] / "examples" / "language_pack"
    catalogue = Catalogue.load([shipped_file(), folder / "catalogue.toml"])
    own = [kernel for kernel in catalogue.kernels.values() if kernel.file != shipped_file()]
    plans = [catalogue.single(kernel.name, 2) for kernel in own]
    plans += [catalogue.composite_plan(catalogue.composite("steepest"), 2)]
    for policy in (LOCAL, None):
        text = generate(plans, catalogue, precompile.layout(2), policy=policy, arch=arch).text
        for used in cache.compiled(text, arch, place=place).resources:
            assert used.spill_stores == used.spill_loads == 0
            # the compiler's sin, cos and tan reduce large arguments in memory
            assert used.stack == 0 or used.kernel == "bridge_everyFunction", used


@pytest.mark.parametrize("name", ["arguments", "shared", "point", "thread", "step", "n"])
def test_a_kernel_with_the_name_of_a_variable_compiles(
    place: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "pack"
    shutil.copytree(Path(__file__).parents[2] / "examples" / "sutherland_pack", folder)
    for file in list(folder.iterdir()):
        text = file.read_text().replace("sutherlandViscosity", name)
        file.with_stem(file.stem.replace("sutherlandViscosity", name)).write_text(text)
    catalogue = Catalogue.load([shipped_file(), folder / "catalogue.toml"])
    source = generate([catalogue.single(name, 1)], catalogue, precompile.layout(1))
    assert cache.compiled(source.text, "sm_90", place=place).resources


def test_behind_a_header_of_a_pack_the_text_has_its_own_lines_again() -> None:
    folder = Path(__file__).parents[2] / "examples" / "sutherland_pack"
    catalogue = Catalogue.load([shipped_file(), folder / "catalogue.toml"])
    plan = catalogue.composite_plan(catalogue.composite("sutherlandGas"), 2)
    lines = generate([plan], catalogue, precompile.layout(2)).text.splitlines()
    back = [n for n, row in enumerate(lines, 1) if row.strip().endswith('"bridge.cu"')]
    assert len(back) == 2
    for number in back:
        assert lines[number - 1].split()[:2] == ["#line", str(number + 1)]


def test_a_source_that_is_compiled_again_has_its_registers(place: Path) -> None:
    """NVRTC's own cache, where it has one, would answer without the log."""
    text = 'extern "C" __global__ void again(double* x) { x[threadIdx.x] *= 2.0; }\n'
    for _ in range(2):
        (used,) = compiler.find().compile(text, "sm_90").resources
        assert used.kernel == "again" and used.registers > 0
