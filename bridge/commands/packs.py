"""`bridge packs`: kernels of your own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from bridge.commands.lists import Listed


def add(commands: Any) -> None:
    """The subcommands."""
    text = "your own kernels: find them, build them"
    packs = commands.add_parser("packs", help=text, description=text)
    actions = packs.add_subparsers(dest="packs_command", required=True, metavar="COMMAND")
    text = "the packs that are found, and what is built"
    listed = actions.add_parser("list", help=text, description=text)
    listed.set_defaults(action=listing)
    text = "compile packs for every CPU, on a machine with a C++ compiler"
    building = actions.add_parser("build", help=text, description=text)
    building.add_argument(
        *("--folder", "-f"),
        action="append",
        default=[],
        metavar="DIR",
        help="a pack's folder, may be repeated; without it the packs that are found",
    )
    building.add_argument(
        "files",
        nargs="*",
        metavar="FILE.py",
        help="functions under @bridge.kernel, written as a pack FILE_pack beside it first",
    )
    building.add_argument("--cxx", metavar="COMMAND", help="C++17 compiler; else $CXX, c++, g++")
    building.add_argument("--force", action="store_true", help="also what is built already")
    building.add_argument(
        "--isa",
        action=Listed,
        among=("v2", "v3", "v4", "here"),
        metavar="ISA",
        default=("v2", "v3", "v4"),
        help="for these instruction sets alone: v2, v3, v4, here (this machine's); default: all",
    )
    building.set_defaults(action=build)
    text = "write kernels in Python (functions under @bridge.kernel) as a pack, without a compiler"
    writing = actions.add_parser("write", help=text, description=text)
    files = "functions under @bridge.kernel"
    writing.add_argument("files", nargs="+", metavar="FILE.py", help=files)
    where = "folder of the pack, for one FILE.py; else FILE_pack beside it"
    writing.add_argument("--output", "-o", metavar="DIR", help=where)
    writing.add_argument("--force", action="store_true", help="also over files edited by hand")
    writing.set_defaults(action=write)


def listing(_: argparse.Namespace) -> int:
    """Print the packs that are found."""
    from tabulate import tabulate

    from bridge.plan import packs

    rows = []
    for pack in packs.found():
        states = {isa: pack.state(isa) if pack.kernels else "no kernels" for isa in packs.TARGETS}
        alike = len(set(states.values())) == 1
        state = states["v2"] if alike else ", ".join(f"{k} {v}" for k, v in states.items())
        kernels = " ".join(pack.kernels)
        rows.append((pack.name, state, pack.precision, kernels, pack.origin, str(pack.folder)))
    print(tabulate(rows, ("pack", "state", "precision", "kernels", "found by", "folder")))
    print(f"\nlibraries lie in {packs.cache_folder()}")
    return 0


def write(given: argparse.Namespace) -> int:
    """Write packs of files of Python, and print where."""
    from bridge.errors import ArgumentError
    from bridge.pythonkernels import pack

    if given.output and len(given.files) > 1:
        raise ArgumentError("-o", f"{given.output} for {len(given.files)} files", "one FILE.py")
    for name in given.files:
        folder = Path(given.output) if given.output else None
        written = pack.write(Path(name), folder, given.force)
        print(f"{written.folder}: {' '.join(written.files)}")
    return 0


def build(given: argparse.Namespace) -> int:
    """Compile packs; status 1 where there is none."""
    from bridge.plan import packbuild, packs, verified

    folders = [Path(folder) for folder in given.folder]
    if given.files:
        from bridge.pythonkernels import pack

        folders += [pack.write(Path(name)).folder for name in given.files]
    if not folders and not packs.found():
        print("no packs: name folders in BRIDGE_PACKS or with --folder", file=sys.stderr)
        return 1
    wanted = set(given.isa)
    if "here" in wanted:
        from bridge.backends.host.library import choose

        wanted.add(choose().isa)
    isas = tuple(isa for isa in packs.TARGETS if isa in wanted)
    built: dict[Path, packs.Pack] = {}
    for done in packbuild.build(folders, cxx=given.cxx, force=given.force, isas=isas):
        built[done.pack.folder] = done.pack
        again = "built again, the library was damaged:" if done.damaged else "built"
        what = again if done.new else "is there already:"
        print(f"{done.pack.name} {done.isa} {what} {done.path}", flush=True)
        if done.warnings:
            print(done.warnings, file=sys.stderr)
    for kernel, state in verified.states(found=built.values()).items():
        if state.startswith("unverified"):
            print(f"{kernel}: {state}")
    return 0
