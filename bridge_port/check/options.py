"""What `bridge port --check` may be told."""

from __future__ import annotations

from typing import Any

POINTS = 1003


def options(parser: Any) -> None:
    add = parser.add_argument
    add("--check", metavar="FOLDER", help="compare the kernels of a pack with their originals")
    add("--points", type=int, default=POINTS, metavar="N", help="random states of each kernel")
    add(
        "--isa",
        nargs="+",
        action="extend",
        choices=("v2", "v3", "v4", "cuda"),
        default=[],
        help="instruction sets to check (default: all that this machine has)",
    )
    add("--states", nargs="+", action="extend", default=[], metavar="FILE.npz",
        help="recordings of frame_record")  # fmt: skip
    add("--kernel", nargs="+", action="extend", default=[], metavar="NAME",
        help="kernels of the pack (default: all)")  # fmt: skip
    add(
        "--range",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=LOW,HIGH",
        help="range of random values of an argument, or of data of a module",
    )
    add(
        "--setup",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="Fortran sources with a subroutine bridge_setup, which fills data of modules before "
        "the original runs, for the species CH4 O2 H2O where there are species",
    )
    add(
        "--limit",
        type=float,
        default=20.0,
        metavar="SECONDS",
        help="time that one state or nest may take",
    )
    add("--keep", metavar="DIR", help="folder that keeps the compiled files")  # fmt: skip
