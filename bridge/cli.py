"""The command `bridge`: what is installed, what kernels there are, what things cost."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bridge.doctor import command as doctorcommand
from bridge.errors import ArgumentError, BridgeError
from bridge.fingerprint import command as fingerprintcommand
from bridge.gallery import command as gallerycommand
from bridge.port import command as portcommand
from bridge.port.speed import options as portspeed

#: What can be measured, modules of bridge.bench; the first take no options.
_PLAIN = ("latency", "start")
_BENCHES = (
    "kernels",
    "blocks",
    "many",
    "loops",
    "marshal",
    *_PLAIN,
    "offload",
    "resident",
    "ranks",
    "stage",
    "timers",
    "solver",
    "fluids",
    "port",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; returns the exit status."""
    parser = argparse.ArgumentParser(prog="bridge", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    info = commands.add_parser("info", help="version, Python, backend, instruction set, threads")
    info.set_defaults(action=lambda _: _info())

    doctorcommand.add(commands)
    fingerprintcommand.add(commands)

    kernels = commands.add_parser("kernels", help="the catalogue: kernels, inputs, outputs, units")
    kernels.add_argument("--composites", action="store_true", help="the composites instead")
    kernels.add_argument(
        "--resources", action="store_true", help="what every GPU kernel takes; needs no GPU"
    )
    kernels.add_argument(
        "build", nargs="?", choices=("build",), help="compile the GPU kernels; needs no GPU"
    )
    kernels.add_argument("--arch", nargs="+", default=[], help="GPU architectures: sm_90")
    kernels.add_argument("--ns", nargs="+", type=int, default=[], help="numbers of species")
    kernels.add_argument("--kij", action="store_true", help="with interaction coefficients")
    kernels.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="physics options of the run"
    )
    kernels.add_argument(
        "--outputs",
        nargs="+",
        default=[],
        metavar="NAME",
        help="build: for frame_run with these bound, instead of for calls on views",
    )
    kernels.add_argument(
        "--leading", action="store_true", help="build: Q lacks the last mass fraction"
    )
    kernels.set_defaults(action=_kernels)

    tune = commands.add_parser("tune", help="measure a GPU's launch policies for BRIDGE_POLICY")
    tune.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE.yaml",
        help="the table: rows that are measured are replaced in it, others stay",
    )
    tune.add_argument("--ns", metavar="N,N,...", help="numbers of species")
    tune.add_argument(
        "--kinds",
        nargs="+",
        default=[],
        metavar="KIND",
        help="of thermal, transport, exact, fitted (default: all)",
    )
    tune.add_argument("--composite", metavar="NAME", help="measure this one instead")
    tune.add_argument("--outputs", nargs="+", default=[], metavar="NAME", help="of the composite")
    tune.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="physics options of the run"
    )
    tune.add_argument("--kij", action="store_true", help="with interaction coefficients")
    tune.add_argument("--device", type=int, default=0, metavar="N", help="which GPU")
    tune.set_defaults(action=_tune)

    species = commands.add_parser("species", help="species tables").add_subparsers(required=True)
    convert = species.add_parser("convert", help="a species table from a Cantera YAML mechanism")
    convert.add_argument("mechanism", metavar="mech.yaml")
    convert.add_argument("-o", "--output", metavar="FILE", help="where to (default: stdout)")
    convert.add_argument("--phase", metavar="NAME", help="phase (default: the first)")
    convert.add_argument("--species", nargs="+", metavar="NAME", help="species (default: all)")
    convert.add_argument(
        "--kij",
        nargs="+",
        metavar="A:B=K|FILE",
        default=(),
        help="interaction coefficients: pairs, or YAML files of {pair: [A, B], kij: K}",
    )
    convert.set_defaults(action=_convert)

    bundle = commands.add_parser("bundle", help="the modules of a run in one archive")
    bundle.add_argument("folder", metavar="DIR", type=Path, help="where bridge.bundle is written")
    bundle.set_defaults(action=_bundle)

    bench = commands.add_parser("bench", help="measure; every comparison within one run")
    bench.add_argument("name", choices=_BENCHES, help="what to measure")
    bench.add_argument("--json", metavar="FILE", help="write the rows to FILE as well")
    bench.add_argument("--plot", metavar="FILE.png", help="a picture as well")
    bench.add_argument("--ns", metavar="N,N,...", help="numbers of species")
    bench.add_argument("--points", type=int, metavar="N", help="states or points")
    bench.add_argument("--threads", type=int, default=2, help="of the comparison with one thread")
    bench.add_argument("--isa", choices=("v2", "v3", "v4"), help="instruction set of our kernels")
    bench.add_argument("--seconds", type=float, default=3.0, help="of each comparison")
    bench.add_argument("--fortran-stub", metavar="DIR", help="the Fortran to compare with")
    bench.add_argument("--ranks", metavar="N,N,...", help="processes at once (ranks, solver)")
    bench.add_argument(
        "--backend",
        choices=("cpu", "cuda"),
        help="instead of the GPU, or the one there is (ranks, solver); of many blocks",
    )
    bench.add_argument(
        "--policies", action="store_true", help="every launch policy (offload, resident)"
    )
    bench.add_argument(
        "--sizes", metavar="N,N,...", help="cells along a side (fluids: 128 to 8192)"
    )
    bench.add_argument("--without-cantera", action="store_true", help="leave Cantera out")
    portspeed.options(bench)
    bench.set_defaults(action=_bench)

    advise = commands.add_parser("advise", help="what a loop can gain here, before it is ported")
    advise.add_argument("name", metavar="COMPOSITE|KERNEL")
    advise.add_argument("--pack", metavar="FOLDER", help="of it; need not be built")
    advise.add_argument("--ns", type=int, default=1, metavar="N", help="number of species")
    advise.add_argument("--points", type=int, metavar="N", help="of a run: in memory or in cache")
    advise.add_argument(
        "--outputs", nargs="+", default=[], metavar="NAME", help="that are bound (default: all)"
    )
    advise.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="physics options of the run"
    )
    advise.add_argument(
        "--link", type=float, metavar="GB/s", help="speed of the link to a GPU that is not here"
    )
    advise.add_argument("--isa", choices=("v2", "v3", "v4"), help="instruction set of our kernels")
    advise.add_argument("--again", action="store_true", help="measure this machine again")
    advise.add_argument("--json", metavar="FILE", help="write the advice to FILE as well")
    advise.set_defaults(action=_advise)

    portcommand.add(commands)
    gallerycommand.add(commands)

    packs = commands.add_parser("packs", help="your own kernels: find them, build them")
    actions = packs.add_subparsers(dest="packs_command", required=True)
    listed = actions.add_parser("list", help="the packs that are found, and what is built")
    listed.set_defaults(action=lambda _: _packs_list())
    build = actions.add_parser(
        "build", help="compile packs for every CPU, on a machine with a C++ compiler"
    )
    build.add_argument(
        *("--folder", "-f"),
        action="append",
        default=[],
        metavar="DIR",
        help="a pack's folder, may be repeated; without it the packs that are found",
    )
    build.add_argument("--cxx", metavar="COMMAND", help="C++17 compiler; else $CXX, c++, g++")
    build.add_argument("--force", action="store_true", help="also what is built already")
    build.add_argument(
        "--isa",
        nargs="+",
        choices=("v2", "v3", "v4"),
        default=("v2", "v3", "v4"),
        help="for these instruction sets alone (default: all)",
    )
    build.set_defaults(action=_packs_build)

    given = parser.parse_args(arguments)
    try:
        return int(given.action(given))
    except BrokenPipeError:  # a reader such as `head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BridgeError as error:
        print(f"bridge: {error}", file=sys.stderr)
        return 1


def _info() -> int:
    import platform

    import bridge
    from bridge import bridge_config, mpi
    from bridge.backends import open_backend
    from bridge.plan import packs, replacements
    from bridge.plan.catalogue import Catalogue
    from bridge.settings import resolve_threads

    backend = open_backend("auto", threads=resolve_threads(None, mpi.host_size()))
    try:
        library = str(bridge_config.entry_file("libbridge.so"))
    except ModuleNotFoundError:
        library = "none: built without its entry, for Python alone"
    facts = {
        "bridge": bridge.__version__,
        "python": f"{platform.python_version()} at {sys.executable}",
        "library": library,
        **backend.describe(),
        "packs": ", ".join(pack.name for pack in packs.found()) or "none",
    }
    replaced = replacements.shown(Catalogue.installed())
    if replaced:
        facts["replaced"] = replaced
    for name, value in facts.items():
        print(f"{name:<12} {value}")
    if backend.name == "cuda":
        _policies(backend)
    return 0


def _policies(backend: Any) -> None:
    """The rows of the policy table that this GPU gets."""
    from tabulate import tabulate

    rows = [
        (f"{key[0]}.x", key[1], key[2], str(row.policy), row.nanoseconds or None, row.note)
        for key, row in backend.device.table.listed(backend.device.arch).items()
    ]
    if rows:
        headers = ("class", "kind", "species", "launch policy", "ns/point", "measured on")
        print("\n" + tabulate(rows, headers, floatfmt=".3g"))


def _tune(given: argparse.Namespace) -> int:
    from bridge.backends.cuda import CudaBackend, tuning
    from bridge.bench.request import parse_ns

    table = tuning.tune(
        Path(given.output),
        parse_ns(given.ns) if given.ns else tuning.COUNTS,
        kinds=given.kinds,
        composite=given.composite,
        outputs=given.outputs,
        options=dict(word.partition("=")[::2] for word in given.option),
        kij=given.kij,
        open_gpu=lambda: CudaBackend(given.device),
        say=partial(print, flush=True),
    )
    print(f"{given.output}: {len(table.rows)} rows; BRIDGE_POLICY={given.output} takes them")
    return 0


def _kernels(given: argparse.Namespace) -> int:
    from tabulate import tabulate

    from bridge.plan import replacements, verified
    from bridge.plan.catalogue import Catalogue

    if given.build or given.resources:
        from bridge.backends.cuda import precompile

        for ns in given.ns:
            if ns < 1:
                raise ArgumentError("ns", ns, "at least 1 species")
        options = dict(word.partition("=")[::2] for word in given.option)
        which = (given.arch, given.ns, options, given.kij)
        if given.build:
            print(precompile.build_report(*which, given.outputs, given.leading))
        else:
            print(precompile.resources_table(*which))
        return 0
    catalogue = Catalogue.installed()
    if given.composites:
        rows = [
            (c.name, " ".join(c.inputs), " ".join(c.outputs))
            for c in catalogue.composites.values()
        ]
        print(tabulate(rows, ("composite", "inputs", "outputs"), maxcolwidths=(None, 24, 60)))
        if replacements.shown(catalogue):
            print(f"\nreplaced: {replacements.shown(catalogue)}")
        return 0
    kernels = [
        (k.number, k.name, " ".join(k.inputs), " ".join(k.outputs), k.cost)
        for k in catalogue.kernels.values()
    ]
    headers = ("#", "kernel", "inputs", "outputs", "cost")
    print(tabulate(kernels, headers, maxcolwidths=(None, None, 40, 40, None)))
    ported = verified.states()
    if ported:
        print("\n" + tabulate(ported.items(), ("ported kernel", "against its original")))
    return 0


def _packs_list() -> int:
    from tabulate import tabulate

    from bridge.plan import packs

    rows = []
    for pack in packs.found():
        states = {isa: pack.state(isa) if pack.kernels else "no kernels" for isa in packs.TARGETS}
        alike = len(set(states.values())) == 1
        state = states["v2"] if alike else ", ".join(f"{k} {v}" for k, v in states.items())
        rows.append((pack.name, state, " ".join(pack.kernels), pack.origin, str(pack.folder)))
    print(tabulate(rows, ("pack", "state", "kernels", "found by", "folder")))
    print(f"\nlibraries lie in {packs.cache_folder()}")
    return 0


def _packs_build(given: argparse.Namespace) -> int:
    from bridge.plan import packbuild, packs

    folders = [Path(folder) for folder in given.folder]
    if not folders and not packs.found():
        print("no packs: name folders in BRIDGE_PACKS or with --folder", file=sys.stderr)
        return 1
    isas = tuple(isa for isa in packs.TARGETS if isa in given.isa)
    for done in packbuild.build(folders, cxx=given.cxx, force=given.force, isas=isas):
        again = "built again, the library was damaged:" if done.damaged else "built"
        what = again if done.new else "is there already:"
        print(f"{done.pack.name} {done.isa} {what} {done.path}", flush=True)
        if done.warnings:
            print(done.warnings, file=sys.stderr)
    return 0


def _bundle(given: argparse.Namespace) -> int:
    from bridge import bundle

    archive, modules = bundle.make(given.folder)
    print(f"{archive}: {modules} modules, {archive.stat().st_size / 1e6:.1f} MB")
    print(f"export BRIDGE_BUNDLE={archive.resolve()}")
    return 0


def _convert(given: argparse.Namespace) -> int:
    from bridge.convert.mechanism import convert

    converted = convert(given.mechanism, given.species, phase=given.phase, kij=given.kij)
    if given.output is None:
        print(converted.text(), end="")
    else:
        try:
            Path(given.output).write_text(converted.text(), encoding="utf-8")
        except OSError as error:
            raise ArgumentError("--output", given.output, f"a place to write ({error})") from None
    for note in converted.notes:
        print(note, file=sys.stderr)
    return 0


def _advise(given: argparse.Namespace) -> int:
    import json

    from bridge import machine
    from bridge.advise.advice import advise
    from bridge.advise.limits import measure
    from bridge.backends.host.library import choose
    from bridge.bench.states import check_ns

    check_ns((given.ns,))
    figures = None if given.again else machine.known(choose(given.isa).isa)
    if figures is None:
        print("measuring this machine, some seconds", file=sys.stderr)
        figures = measure(given.isa)
        print(f"kept in {machine.keep(figures)}", file=sys.stderr)
    advice = advise(
        given.name,
        figures,
        pack=given.pack,
        ns=given.ns,
        points=given.points,
        outputs=given.outputs,
        link=None if given.link is None else 1e9 * given.link,
        options=dict(word.partition("=")[::2] for word in given.option),
    )
    print(advice.text())
    if given.json:
        try:
            Path(given.json).write_text(json.dumps(advice.json(), indent=1))
        except OSError as error:
            raise ArgumentError("--json", given.json, f"a place to write ({error})") from None
    return 0


def _bench(given: argparse.Namespace) -> int:
    from importlib import import_module

    from bridge.bench.request import Request, parse_ns, parse_numbers
    from bridge.bench.states import DEFAULT_NS

    # single threads are compared: no library may bring its own
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    request = Request(
        ns=parse_ns(given.ns) if given.ns is not None else DEFAULT_NS,
        points=given.points,
        threads=given.threads,
        isa=given.isa,
        fortran_stub=given.fortran_stub,
        seconds=given.seconds,
        cantera=not given.without_cantera,
        ranks=parse_numbers("ranks", given.ranks) if given.ranks is not None else (),
        backend=given.backend,
        policies=given.policies,
        sizes=parse_numbers("sizes", given.sizes) if given.sizes is not None else (),
    )
    if given.packs and given.name != "port":
        raise ArgumentError("PACK", given.packs[0], "nothing: `bridge bench port` takes packs")
    where = "port.speed.command" if given.name == "port" else f"bench.{given.name}"
    bench = import_module(f"bridge.{where}")
    plot = getattr(bench, "plot", None)
    if given.plot and plot is None:
        raise ArgumentError("--plot", given.name, "a benchmark that draws a picture")
    if given.name in _PLAIN:
        report = bench.measure()
    else:
        report = bench.measure(given if given.name == "port" else request)
    print(report.text())
    if given.json:
        report.write(given.json)
    if given.plot and plot is not None:
        plot(report, given.plot)
    return 0
