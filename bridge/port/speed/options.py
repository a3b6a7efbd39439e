"""What `bridge bench port` may be told."""

from __future__ import annotations

from typing import Any

#: Of the original.
FLAGS = "-O3 -march=native"


def options(parser: Any) -> None:
    """Those that no other benchmark has."""
    add = parser.add_argument
    add("packs", nargs="*", metavar="PACK",
        help="port: that `bridge port` made (default: Fortran of this package)")  # fmt: skip
    add("--kernel", nargs="+", default=[], metavar="NAME", help="port: of the packs")
    add("--range", nargs="+", default=[], metavar="NAME=LOW,HIGH", help="port: as --check has it")
    add("--states", nargs="+", default=[], metavar="FILE.npz", help="port: of frame_record")
    add("--setup", nargs="+", default=[], metavar="FILE", help="port: as --check has it")
    add("--keep", metavar="DIR", help="port: leave what was compiled there")
    add("--fflags", default="", metavar="FLAGS", help=f"port: of the original, behind {FLAGS}")
