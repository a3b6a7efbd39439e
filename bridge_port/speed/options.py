"""What `bridge bench port` may be told."""

from __future__ import annotations

from typing import Any

#: Of the original.
FLAGS = "-O3 -march=native"


def options(parser: Any) -> None:
    """Those that no other benchmark has."""

    def add(name: str, help: str, **named: Any) -> None:
        parser.add_argument(name, help=help, **named)

    add("packs", nargs="*", metavar="PACK",
        help="packs of `bridge port` (default: Fortran of this package)")  # fmt: skip
    add("--kernel", nargs="+", action="extend", default=[], metavar="NAME",
        help="kernels of the packs")  # fmt: skip
    add("--range", nargs="+", action="extend", default=[], metavar="NAME=LOW,HIGH",
        help="as --check has it")  # fmt: skip
    add("--states", nargs="+", action="extend", default=[], metavar="FILE.npz",
        help="recordings of frame_record")  # fmt: skip
    add("--setup", nargs="+", action="extend", default=[], metavar="FILE",
        help="as --check has it")  # fmt: skip
    add("--keep", metavar="DIR", help="folder that keeps the compiled files")
    add(
        "--fflags", default="", metavar="FLAGS", help=f"more flags for the original, after {FLAGS}"
    )
